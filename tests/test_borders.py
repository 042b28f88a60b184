"""Values of other types and sizes are taken for what they are, or refused, never bent."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import graycube as gc
from graycube.cost import lower_bounds, replay
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import AffineMap, Exchange, Matrix, compiled, stride_profile
from graycube.gf2.arrays import CHUNK
from graycube.layout import Axis
from graycube.schedule import Way

GRAY, BINARY = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)


def test_numpy_integers_are_integers(tmp_path):
    one, three = np.int64(1), np.int64(3)
    assert Axis(np.int64(70)).length == 2**70
    assert gc.Layout.cyclic(np.int64(5), three) == gc.Layout.cyclic(5, 3)
    assert Exchange(one, np.uint8(2)) == Exchange(1, 2)
    assert AffineMap.identity(three)(np.int64(5)) == 5
    plan = gc.plan(GRAY, BINARY, np.int64(4), machine=gc.Machine(three, ports=one))
    plan.save(tmp_path / "plan.json")
    assert gc.load_plan(tmp_path / "plan.json").schedule == plan.schedule
    assert type(plan.task.block) is type(plan.machine.dims) is int


def test_lists_are_as_good_as_tuples():
    assert Matrix([1, 2], 2) == Matrix((1, 2), 2)
    assert hash(Way(0, 1, [])) == hash(Way(0, 1, ()))
    assert gc.GrayCode([0, 1, 3, 2]).encode([2, 3]).tolist() == [3, 2]


@pytest.mark.parametrize("value", [np.int64(5), np.uint8(5)])
def test_scalars_stay_scalars(value):
    assert gc.gray(value) == 7
    assert isinstance(gc.gray(value), type(value))
    assert isinstance(gc.GrayCode.reflected(3).encode(value), int)


@pytest.mark.parametrize(
    ("column", "values"),
    [("cycle", [2**32]), ("dimension", [256]), ("cycle", [0.5]), ("node", ["a"])],
)
def test_columns_are_not_wrapped_or_rounded(column, values):
    moves = gc.plan(GRAY, BINARY, 1, machine="ideal").moves()
    columns = {name: [0] for name in ("cycle", "node", "dimension", "element")}
    with pytest.raises(gc.GraycubeError):
        replace(moves, **{**columns, column: np.array(values)})


@pytest.mark.parametrize(("column", "value"), [("dimension", 3), ("node", 8), ("node", -1)])
def test_a_replay_refuses_what_does_not_exist(column, value):
    moves = gc.plan(GRAY, BINARY, 1, machine="ideal").moves()
    wrong = getattr(moves, column).copy()
    wrong[-1] = value
    with pytest.raises(OutOfRangeError, match=column):
        replay(replace(moves, **{column: wrong}))


def test_arrays_are_refused_where_their_integers_end():
    layout = gc.Layout.mesh((2**20 * 3**20,) * 2, nodes=(2, 2))
    last = layout.shape[0] - 1
    assert layout.coordinates(*layout.locate(last, last)) == (last, last)
    with pytest.raises(InvalidValueError, match="arrays reach"):
        layout.locate(np.array([last]), np.array([last]))


@pytest.mark.parametrize("place", [(1, 2), [3, 5]])
def test_a_tuple_is_no_place(place):
    with pytest.raises(InvalidValueError, match="coordinates apart"):
        gc.Layout.mesh((8, 8), (2, 2)).locate(place)


def test_a_mesh_shape_is_no_placement():
    with pytest.raises(InvalidTypeError, match="rank_order"):
        gc.mesh_distances((8, 4))


def test_a_plan_of_many_idle_cycles_is_verified_by_algebra():
    plan = gc.plan(GRAY, BINARY, 4, machine="ideal", algorithm="gb1")
    idle = replace(plan, schedule=replace(plan.schedule, cycles=1 << 40))
    assert idle.verify().method == "by algebra"


def test_a_schedule_from_elsewhere_has_its_own_line():
    plan = gc.plan(GRAY, BINARY, 4, machine="ideal", algorithm="gb1")
    schedule = replace(plan.schedule, algorithm="by hand")
    traffic = replace(plan.traffic, schedule=schedule)
    text = replace(plan, schedule=schedule, traffic=traffic).explain()
    assert "chosen, not of the table" in text
    assert repr(plan) == "<Plan gb1: 2 rounds, 8 bytes in sequence, 2 x bound, 8 nodes>"


def test_a_numba_that_does_not_load_is_done_without(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    compiled._vectorize.cache_clear()
    x = np.arange(CHUNK + 1)
    assert np.array_equal(gc.gray(x), x ^ x >> 1)
    assert not compiled.available()
    compiled._vectorize.cache_clear()


@pytest.mark.parametrize(
    "call",
    [
        lambda: gc.plan("gray", "binary", 4, machine="ideal"),
        lambda: lower_bounds(None, gc.Machine(3)),
        lambda: gc.view.text(5),
        lambda: gc.view.plot(5),
        lambda: gc.gray_to_binary(4, 5),
        lambda: gc.gray_to_binary(4, ["a", 1, 2]),
        lambda: Exchange.parse(5),
        lambda: Exchange("1", 2),
        lambda: Matrix(5, 2.5),
        lambda: stride_profile([-1, 1, 2, 3]),
        lambda: stride_profile([[0, 1], [3, 2]]),
        lambda: gc.mesh_distances(BINARY, "x"),
        lambda: gc.butterfly_distances(BINARY, 0.5),
        lambda: gc.plan(GRAY, BINARY, 1, machine="ideal").apply(np.zeros((8, 1)), out=5),
        lambda: gc.plan(GRAY, BINARY, 1, machine="ideal").save("/"),
        lambda: gc.plan(GRAY, BINARY, 2**62, machine="ideal"),
        lambda: gc.Layout.mesh((), ()),
        lambda: gc.rank_order(()),
    ],
)
def test_plausible_mistakes_get_a_typed_error(call):
    with pytest.raises(gc.GraycubeError):
        call()


_SQUARE = gc.CubeArray.from_numpy(np.ones((4, 4)), gc.Layout.mesh((4, 4), nodes=(2, 1)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: gc.load_plan(3), "the path is 3"),
        (lambda: gc.load_workload(None), "the path is None"),
        (lambda: gc.CubeArray.load((), GRAY), "the path is"),
        (lambda: _SQUARE.save(b"u.npy"), "the path is b'u.npy'"),
        (lambda: gc.view.save_page(3, GRAY), "the path is 3"),
        (lambda: gc.certify(None, GRAY, machine="ideal"), "the layout is None"),
        (lambda: gc.gray_to_binary("4"), "n is '4'"),
        (lambda: gc.gray_to_binary(10**5), "100000 bits"),
        (lambda: gc.binary_to_gray(2**70), "bits"),
        (lambda: gc.GrayCode.reflected(2**70), "n is"),
        (lambda: Matrix.permutation(3.0), r"targets\[0\] is 3.0"),
        (lambda: gc.rank_order((2**20, 2**20)), r"2\^40 places"),
        (lambda: gc.Layout.mesh((3,), nodes=2**70), "indices reach"),
        (lambda: gc.quantile(_SQUARE, "half"), "q is 'half'"),
        (lambda: gc.rfft(_SQUARE, n=2**70), "number of points"),
        (lambda: np.fft.rfftn(_SQUARE, axes=()), "axes is empty"),
        (lambda: gc.view.text(GRAY, width="80"), "width is '80'"),
    ],
)
def test_wrong_arguments_are_named(call, said):
    with pytest.raises(gc.GraycubeError, match=said):
        call()
