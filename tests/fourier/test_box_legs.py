"""Transforms of arrays by ownership, by memory that ranks share and by messages."""

from functools import partial

import numpy as np
from mpi_runs import Launch, OverMPI

import graycube as gc
from graycube.fourier.arguments import Wanted
from graycube.fourier.choice import legs_of


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("boxed",), sweep=True),
        Launch(3, ("boxed",)),
        Launch(3, ("boxed", "resampled"), messages=True),
        Launch(4, ("boxed",), sweep=True),
        Launch(6, ("boxed",), messages=True, sweep=True),
    )


def test_other_numbers_of_nodes_are_no_other_parts_of_axes():
    mesh = partial(gc.Layout.mesh, (12, 12, 5), ownership=True)
    layout, asked = mesh((1, 4, 3)), Wanted((1,), (12,))
    plain = legs_of(layout, np.dtype(complex), range(1), asked)
    coded = mesh((4, 1, 3), code=("gray", "binary", "binary"))
    ends = {
        coded: coded,
        mesh((3, 1, 4), code=("binary", "binary", "gray")): plain[-1].layout,
        mesh((1, 12, 1)): plain[-1].layout,
    }
    for end, reached in ends.items():
        legs = legs_of(layout, np.dtype(complex), range(1), asked, end)
        assert legs[-1].layout == reached
        assert len(legs) == len(plain)
