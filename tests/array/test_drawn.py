"""Random arrays are those of NumPy's counting generator, in any layout."""

from unittest.mock import patch

import numpy as np
import pytest
from numpy_cases import layouts

import graycube as gc
from graycube.array import drawn
from graycube.errors import InvalidTypeError, InvalidValueError

SEED = [7, 3]
KINDS = [
    *layouts(3),
    gc.Layout.mesh((9, 10), (2, 3), allocation=("consecutive", "cyclic")),
    gc.Layout.mesh((9,), (8,), code="gray"),
    gc.Layout.mesh((3, 5), (7, 1)),
    gc.Layout.mesh((8, 6), (4, 2), ownership=False).without_axes([0]),
    gc.Layout.cyclic(6, 3, nodes="gray", slots="gray"),
]


def wanted(shape, seed=SEED):
    return np.random.Generator(np.random.Philox(seed)).random(shape)


@pytest.mark.long
@pytest.mark.parametrize("layout", KINDS, ids=str)
@pytest.mark.parametrize("payload", [(), (3,), (2, 2)])
@pytest.mark.parametrize(("gap", "most"), [(drawn._GAP, drawn._MOST), (3, 8), (0, 1)])
def test_the_whole_is_numpys(layout, payload, gap, most):
    with patch.multiple(drawn, _GAP=gap, _MOST=most):
        u = gc.CubeArray.random(layout, seed=SEED, payload=payload)
        every = range(layout.node_count)
        nodes = [drawn.drawn(layout, range(k, k + 1), SEED, payload) for k in every]
    x = wanted((*layout.shape, *payload))
    assert np.array_equal(u.to_numpy(), x)
    for k, block in zip(every, nodes, strict=True):
        assert np.array_equal(block, layout.scatter(x, range(k, k + 1)))


def test_a_node_draws_little_more_than_it_has():
    """Whole rows as they are, and what lies between them where that is short."""
    drew = []
    values = drawn._values

    def counted(seed, start, count):
        drew.append(count)
        return values(seed, start, count)

    with patch.object(drawn, "_values", counted):
        layout = gc.Layout.mesh((64, 1 << 16), (4, 4))
        drawn.drawn(layout, range(5, 6), 1)
        assert (len(drew), sum(drew)) == (16, 16 << 14)
        drew.clear()
        layout = gc.Layout.mesh((1 << 22,), (4,), allocation="cyclic")
        drawn.drawn(layout, range(1), 1)
        assert max(drew) <= drawn._MOST
        assert sum(drew) < 1 << 22


@pytest.mark.long
def test_normal_deviates():
    import scipy.stats  # noqa: PLC0415 - it takes a second, wherever tests are collected

    layout = gc.Layout.mesh((100, 50), (5, 2))
    u = gc.CubeArray.random(layout, seed=1, normal=True)
    x = u.to_numpy()
    assert np.allclose(scipy.stats.norm.cdf(x), wanted(layout.shape, 1), atol=1e-15)
    assert scipy.stats.kstest(x.ravel(), "norm").pvalue > 0.01
    with patch.object(drawn, "_values", lambda _seed, _start, count: np.zeros(count)):
        least = gc.CubeArray.random(layout, seed=1, normal=True)
    assert -9 < least.min() < -8


def test_seeds_differ():
    layout = gc.Layout.mesh((8, 8), (2, 2))
    seeds = (0, 1, [7, 0], [7, 1], 2**80)
    assert len({float(gc.CubeArray.random(layout, seed=s).sum()) for s in seeds}) == len(seeds)


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"seed": None}, InvalidTypeError, "seed is None"),
        ({"seed": -1}, InvalidValueError, "seed is -1"),
        ({"seed": 0.5}, InvalidTypeError, r"seed=\[7, step\]"),
        ({"seed": 1, "payload": (0,)}, InvalidValueError, r"payload is \(0,\)"),
        ({"seed": 1, "payload": "x"}, InvalidTypeError, "payload"),
    ],
)
def test_what_is_no_seed_is_refused(options, kind, text):
    with pytest.raises(kind, match=text):
        gc.CubeArray.random(gc.Layout.nodes(1), **options)
