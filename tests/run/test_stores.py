"""Copies in bulk are copies, whatever the arrays are."""

import numpy as np
import pytest

from graycube.run.stores import in_bulk

SIZE = (1 << 19) + 24  # more than a piece, and no multiple of it


@pytest.mark.parametrize(
    ("target", "source"),
    [
        (np.zeros(SIZE, "u1"), np.arange(SIZE).astype("u1")),
        (np.zeros((2, SIZE), "u2"), np.arange(2 * SIZE).astype("u2").reshape(2, SIZE)),
        (np.zeros((SIZE, 2), "f4"), np.arange(2 * SIZE).astype("f4").reshape(2, SIZE).T),
        (np.zeros((SIZE, 2))[:, 1], np.arange(SIZE) + 0.5),
        (np.zeros(SIZE, complex), np.arange(SIZE, dtype="f4")),
        (np.zeros((3, SIZE)), np.arange(SIZE) + 0.5),
        (np.zeros(0), np.zeros(0)),
    ],
)
def test_everything_is_copied(target, source):
    in_bulk(target, source)()
    assert (target == source).all()
