"""Machines, orders of ranks and calibration refuse in words what they cannot use."""

from math import inf, nan
from types import SimpleNamespace

import numpy as np
import pytest

import graycube as gc
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError

LONG = 10**5000
"""Python writes no integer of more than 4300 digits."""
NUMBERS = LONG, -LONG, -1, 0, 1.5, nan, inf, -inf, True, 1j, 2**63, 10**20
OF_NUMPY = (
    np.timedelta64(3, "ms"),
    np.int8(-1),
    np.uint64(2**64 - 1),
    np.float32(nan),
    np.ones(2) > 0,
    np.array(4),
)
LISTS = (-1, -1), (0,), (2.0, 2.0), (True, True), [], [[1]], [LONG], [nan], ["x"], [None]
OTHERS = None, "x", "10", "a\nb", b"x", {}, {4: 4}, range(3), object(), np.array([1, None])
VALUES = *NUMBERS, *OF_NUMPY, np.array([4, 4]), *LISTS, *OTHERS
RING = gc.Machine.torus((8,), per_byte=1e-9)
TREE = gc.Machine.tree((2, 4))
HOSTS = gc.Interconnect.tree((4, 2))
HALO = gc.Pattern.mesh((2, 4))


EIGHT = SimpleNamespace(
    Get_size=lambda: 8,
    Get_rank=lambda: 0,
    allgather=lambda one: [one] * 8,
    Dup=lambda: gc.Machine(-1),  # refused: nothing is measured here
)


def given(make, name, /, **others):
    return lambda value: make(**{**others, name: value})


MACHINE = "ports", "switching", "startup", "per_byte", "packet", "name"
FACE = {
    **{
        f"Machine {name}": given(gc.Machine, name, dims=3)
        for name in (*MACHINE, "dims", "share", "sides", "joined", "nested", "per_row")
    },
    **{
        f"torus {name}": given(gc.Machine.torus, name, sides=(4, 2))
        for name in (*MACHINE, "sides", "joined")
    },
    **{
        f"tree {name}": given(gc.Machine.tree, name, sizes=(4, 2))
        for name in (*MACHINE[1:], "sizes", "oversubscribed")
    },
    **{
        f"Interconnect {name}": given(gc.Interconnect.torus, name, sides=(5, 3))
        for name in ("sides", "joined", "per_byte")
    },
    **{
        f"Interconnect tree {name}": given(gc.Interconnect.tree, name, sizes=(4, 3))
        for name in ("sizes", "per_byte", "oversubscribed")
    },
    **{
        f"{what} of {name}": call
        for name, one in {"a cube": gc.Machine(3), "a ring": RING, "a tree": TREE}.items()
        for what, call in {
            "message_time": one.message_time,
            "dim": given(one.message_time, "dim", nbytes=4),
            "startups": one.startups,
            "route": given(one.route, "target", source=0),
        }.items()
    },
    "route of hosts": given(HOSTS.route, "source", target=0),
    "Machine.profile": gc.Machine.profile,
    "Interconnect.profile": gc.Interconnect.profile,
    "dims of a profile": given(gc.Machine.profile, "dims", name="cm2"),
    "machine of a plan": given(
        gc.plan, "machine", source=gc.Layout.nodes(3), target=gc.Layout.nodes(3), block=8
    ),
    **{
        f"Pattern {name}": given(gc.Pattern.mesh, name, shape=(2, 4))
        for name in ("shape", "neighbours", "butterflies", "all_to_all", "periodic")
    },
    "Pattern.matrix": gc.Pattern.matrix,
    "shape of a matrix": given(gc.Pattern.matrix, "shape", nbytes=np.ones((8, 8))),
    "pattern to place": given(gc.place, "pattern", machine=RING),
    "machine to place on": given(gc.place, "machine", pattern=HALO),
    "other orders": given(gc.place, "also", pattern=HALO, machine=HOSTS),
    "another order": lambda value: gc.place(HALO, RING, also={"mine": value}),
    "rank_order": gc.rank_order,
    "rank_order on a ring": given(gc.rank_order, "mesh_shape", machine=RING),
    "machine of rank_order": given(gc.rank_order, "machine", mesh_shape=(2, 4)),
    "code": given(gc.rank_order, "code", mesh_shape=(2, 4)),
    "devices": gc.place(HALO, RING).devices,
    "hosts": gc.place(HALO, HOSTS).hostfile,
    "communicator": gc.calibrate,
    **{
        f"calibrate {name}": given(gc.calibrate, name, comm=EIGHT)
        for name in ("name", "sizes", "repeats", "quick")
    },
}


@pytest.mark.parametrize("face", FACE)
def test_what_cannot_be_used_is_refused_in_words(face):
    errors = []
    for value in VALUES:
        try:
            FACE[face](value)
        except GraycubeError as error:
            errors.append(str(error))
    assert errors
    assert all(len(error) < 500 and "\n" not in error for error in errors)


@pytest.mark.parametrize("machine", [gc.Machine(3), RING, TREE], ids=str)
def test_a_message_has_a_length_and_a_dimension(machine):
    for length, words in ((LONG, "nbytes is a number of 16610 bits: it must be at most 2"),
                          (-1, "nbytes is -1: it must be at least 0")):  # fmt: skip
        with pytest.raises(InvalidValueError, match=words):
            machine.message_time(length)
        with pytest.raises(InvalidValueError, match=words):
            machine.startups(length)
    with pytest.raises(InvalidTypeError, match=r"nbytes is 1\.5: it must be an integer"):
        machine.message_time(1.5)
    for dim in (3, -1):
        with pytest.raises(InvalidValueError, match=f"dim is {dim}: the machine has 3 dim"):
            machine.message_time(8, dim)
    assert machine.message_time(np.int64(8), np.int8(2)) == machine.message_time(8, 2)
    assert machine.message_time(1 << 512) < inf
