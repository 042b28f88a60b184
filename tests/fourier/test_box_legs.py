"""Transforms of arrays by ownership, by memory that ranks share and by messages."""

from functools import partial

import numpy as np
from mpi_runs import Launch, OverMPI

import graycube as gc
from graycube.fourier.arguments import Wanted
from graycube.fourier.box_legs import BoxLeg
from graycube.fourier.choice import legs_of
from graycube.layout import Ownership
from graycube.layout.share import SharedAxis


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("boxed",), sweep=True),
        Launch(3, ("boxed",)),
        Launch(3, ("boxed", "resampled"), messages=True, long=True),
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


def owns(leg):
    """Whether a leg may work in place on what it finds in a buffer."""
    made = np.empty((1, 0), leg.given)
    return leg.among(np.empty(1 << 14, np.uint8), made, 2, ()).owns


def test_what_came_is_transformed_in_place_if_nobody_else_reads_it():
    """Nor where lines get another length; half a spectrum goes to its points from there."""
    one, plain = np.dtype(complex), gc.Layout.mesh((12, 9), (2, 1), ownership=True)
    copied = Ownership((SharedAxis(12, 2), SharedAxis(9)), 4)
    longer = gc.Layout.mesh((12, 10), (2, 1), ownership=True)
    for read, layout, owned in (
        (plain, plain, True),
        (copied, copied, False),
        (plain, longer, False),
    ):
        given = {"kind": "c2c", "axis": 1, "points": layout.shape[1], "waves": layout.shape[1]}
        leg = BoxLeg(read, read, layout, range(1), one, one, **given)
        assert owns(leg) == owned
    legs = legs_of(
        gc.Layout.mesh((12, 12, 7), (1, 2, 1), ownership=True),
        one,
        range(1),
        Wanted((0, 1, 2), (12, 12, 12), inverse=True, real=True),
    )
    assert [leg.crosses is not None and owns(leg) for leg in legs] == [False, True, False]
