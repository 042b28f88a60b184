"""Distributed arrays behave like NumPy's, block by block."""

import copy
import operator
import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import mesh_specs, recoded

import graycube as gc
from graycube import planning
from graycube.errors import InvalidTypeError, InvalidValueError

LAYOUT = gc.Layout.mesh((8, 6), (4, 2), code="gray", ownership=False)
X = np.arange(48.0).reshape(8, 6)


def test_elementwise_operations_are_numpys():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    assert np.array_equal((2 * a - a**2 / 3).to_numpy(), 2 * X - X**2 / 3)
    assert np.array_equal(np.hypot(a, a + 1).to_numpy(), np.hypot(X, X + 1))
    assert np.array_equal((a > 10).to_numpy(), X > 10)
    assert (-a).layout == LAYOUT


@given(st.data())
def test_relayout_moves_and_changes_nothing(data):
    spec = data.draw(mesh_specs(room=120, max_axes=3))
    target = data.draw(recoded(spec)).layout()
    x = np.arange(target.size * 2).reshape(*spec.shape, 2)
    a = gc.CubeArray.from_numpy(x, spec.layout())
    if target.n == a.layout.n:
        moved = a.relayout(target)
        assert moved.layout == target
        assert np.array_equal(moved.to_numpy(), x)
        assert np.array_equal(moved.blocks, target.scatter(x))


def test_a_plan_is_made_once_for_each_machine_until_its_profile_changes(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(tmp_path))
    planned, plan = [], planning.plan

    def counted(*task, **more):
        made = plan(*task, **more)
        planned.append(made.machine.startup)
        return made

    monkeypatch.setattr(planning, "plan", counted)
    a, target = gc.CubeArray.from_numpy(X, LAYOUT), gc.Layout.mesh((8, 6), (4, 2))
    for startup in (1e-6, 1e-3):
        machine = gc.Machine(dims=3, startup=startup, per_byte=1e-9)
        gc.machine.save_profile(machine, "ours", source="a test")
        for each in (machine, "ours", "ipsc1") * 2:
            moved = a.relayout(target, machine=each)
            assert np.array_equal(moved.to_numpy(), X)
    assert planned == [1e-6, 0.012, 1e-3]
    a.relayout(target, machine="ipsc1", algorithm="gb1")
    a.astype(np.float32).relayout(target, machine="ipsc1")
    assert len(planned) == 5


def test_layouts_are_not_mixed_by_accident():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    b = a.relayout(gc.Layout.mesh((8, 6), (4, 2), ownership=False))
    with pytest.raises(InvalidValueError, match=r"use second\.relayout\(first\.layout\)"):
        a + b
    assert np.array_equal((a + b.relayout(LAYOUT)).to_numpy(), X + X)


OPERATORS = [
    getattr(operator, name)
    for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq",
        "ne", "and_", "or_", "xor", "lshift", "rshift", "matmul",
    )
] + [divmod]  # fmt: skip
UFUNCS = {u.__name__: u for u in vars(np).values() if isinstance(u, np.ufunc) and u.nin == 2}


@pytest.mark.parametrize("other", [X, X[:1], X.tolist()], ids=["array", "row", "list"])
@pytest.mark.parametrize("call", [*OPERATORS, *UFUNCS.values()], ids=lambda call: call.__name__)
def test_an_array_that_is_not_spread_is_refused_in_both_orders(call, other):
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    for operands in ((a, other), (other, a)):
        with pytest.raises(InvalidTypeError) as refused:
            call(*operands)
        text = "is a plain array of shape .*CubeArray.from_numpy|it multiplies payload"
        assert re.search(text, str(refused.value))


@pytest.mark.parametrize(
    "number", [2, 2.5, np.float32(2), np.array(2.0), np.array([[2.0]]), True, np.int8(2)]
)
def test_numbers_are_taken_in_both_orders_as_numpy_takes_them(number):
    x = X.astype(np.float32)
    a = gc.CubeArray.from_numpy(x, LAYOUT)
    for call in (operator.add, operator.pow, operator.lt, np.hypot, np.arctan2):
        for found, expected in (
            (call(a, number), call(x, number)),
            (call(number, a), call(number, x)),
        ):
            assert found.dtype == expected.dtype
            assert np.array_equal(found.to_numpy(), expected)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (lambda a: np.add.outer(a, a), "reduce and accumulate combine what"),
        (lambda a: a @ a, r"numpy.matmul is given arrays of shapes \(8, 6\) and \(8, 6\)"),
        (lambda a: np.add(a, 1, order="F"), "numpy.add is given 'order'"),
        (lambda a: np.add(a, a, out=X.copy()), "out is a ndarray: the result is spread"),
        (lambda a: operator.iadd(X.copy(), a), "out is a ndarray: the result is spread"),
        (lambda a: gc.where(X > 1, a, 1), "the condition is a ndarray"),
        (lambda a: gc.where(a > 1, X, 1), r"second is a plain array of shape \(8, 6\)"),
    ],
)
def test_what_is_not_elementwise_is_refused(wrong, complaint):
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    with pytest.raises(InvalidTypeError, match=complaint):
        wrong(a)
    assert np.array_equal(a.to_numpy(), X)


def test_who_has_its_own_way_with_numpys_functions_is_asked():
    class Quantity:
        def __array_ufunc__(self, *_, **__):
            return "mine"

    assert np.add(gc.CubeArray.from_numpy(X, LAYOUT), Quantity()) == "mine"


def stranger(module, **attributes):
    """An array of another library, which NumPy would copy without a word."""
    return type("Array", (), {
        "__module__": module, "ndim": 2, "shape": X.shape,
        "__array__": lambda _, *__, **___: X, **attributes,
    })()  # fmt: skip


def no_value(*_):
    raise TypeError("a tracer has no value")


ON_DEVICES = {
    "JAX": stranger("jaxlib._jax", __dlpack_device__=lambda _: (1, 0)),
    "within jit": stranger("jax._src.interpreters.partial_eval", __array__=no_value),
    "CUDA": stranger("torch", __dlpack_device__=lambda _: (2, 0)),
    "without a copy": stranger("other", __array__=no_value),
}
BORDERS = {
    "from_numpy": lambda x: gc.CubeArray.from_numpy(x, LAYOUT),
    "from_function": lambda x: gc.CubeArray.from_function(lambda *_: x, LAYOUT),
    "scatter": lambda x: gc.CubeArray.scatter(x, LAYOUT),
    "blocks": lambda x: gc.CubeArray(x, LAYOUT),
    "left": lambda x: x + gc.CubeArray.from_numpy(X, LAYOUT),
    "right": lambda x: gc.CubeArray.from_numpy(X, LAYOUT) + x,
    "ufunc": lambda x: np.hypot(x, gc.CubeArray.from_numpy(X, LAYOUT)),
    "where": lambda x: gc.where(gc.CubeArray.from_numpy(X > 1, LAYOUT), 1, x),
    "fill": lambda x: gc.CubeArray.from_numpy(X, LAYOUT).halo(periodic=False, fill=x),
    "Layout.scatter": LAYOUT.scatter,
    "Layout.gather": LAYOUT.gather,
    "Plan.apply": lambda x: gc.plan(*2 * [gc.Layout.nodes(3)], 6, machine="ideal").apply(x),
    "gray": gc.gray,
}


@pytest.mark.parametrize("border", BORDERS.values(), ids=BORDERS)
@pytest.mark.parametrize("x", ON_DEVICES.values(), ids=ON_DEVICES)
def test_what_lies_on_a_device_is_not_copied_in_silence(x, border):
    with pytest.raises(InvalidTypeError, match=r"got a (JAX )?Array.*(np\.asarray|pass )"):
        border(x)


@pytest.mark.parametrize("border", sorted({*BORDERS} - {"left"}))  # there the mask asks nobody
def test_masks_are_not_dropped_in_silence(border):
    with pytest.raises(InvalidTypeError, match=r"got a masked array .* x\.filled"):
        BORDERS[border](np.ma.masked_equal(X, X[0, 1]))


@pytest.mark.parametrize(
    "x",
    [
        X.tolist(),
        np.ma.array(X),
        memoryview(X),
        stranger("pandas.core.frame"),
        stranger("torch", __dlpack_device__=lambda _: (1, 0)),
        type("Buffer", (), {"__array_interface__": X.__array_interface__})(),
    ],
    ids=["list", "no mask", "buffer", "table", "host tensor", "interface"],
)
def test_what_numpy_takes_from_the_host_is_an_array(x):
    a = gc.CubeArray.from_numpy(x, LAYOUT)
    assert type(a.blocks) is np.ndarray
    assert np.array_equal(a.to_numpy(), X)


def test_ragged_lists_are_no_arrays():
    with pytest.raises(InvalidTypeError, match="got a list: NumPy says: setting an array"):
        gc.CubeArray.from_numpy([[1, 2], [3]], gc.Layout.nodes(1))


@pytest.mark.parametrize(
    ("make", "error", "complaint"),
    [
        (lambda: gc.CubeArray(X, "gray"), InvalidTypeError, "the layout is 'gray'"),
        (
            lambda: gc.CubeArray(X.T, LAYOUT),
            InvalidValueError,
            r"first axes must be \(8, 6\)",
        ),
        (
            lambda: gc.CubeArray.from_numpy(X, LAYOUT).relayout(gc.Layout.nodes(3)),
            InvalidValueError,
            "a layout of the same shape",
        ),
    ],
)
def test_wrong_arguments_are_named(make, error, complaint):
    with pytest.raises(error, match=complaint):
        make()


def test_the_repr_says_what_is_where():
    a = gc.CubeArray.from_numpy(np.ones((8, 6, 2), np.float32), LAYOUT)
    assert repr(a) == (
        "<CubeArray (8, 6, 2) float32 on 8 nodes: (b0:0 || b0:2 g0:1 b1:0) x 3 on axis 1>"
    )


def test_fields_without_payload_meet_those_with_it():
    """A field of vectors times a scalar weight, in whatever sizes."""
    for shape, nodes in (((4,), (2,)), ((4,), (4,)), ((8, 4), (2, 2))):
        layout = gc.Layout.mesh(shape, nodes, code="gray", ownership=False)
        x = np.arange(np.prod(shape) * 4.0).reshape(*shape, 4)
        weight = np.arange(10.0, 10.0 + np.prod(shape)).reshape(shape)
        a, w = (gc.CubeArray.from_numpy(v, layout) for v in (x, weight))
        assert np.array_equal((a * w).to_numpy(), x * weight[..., None])
        assert np.array_equal((w * a).to_numpy(), x * weight[..., None])


def test_operations_in_place_change_the_blocks():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    same = a
    a += 1
    a *= a
    assert a is same
    assert np.array_equal(a.to_numpy(), (X + 1) ** 2)


def test_in_one_process_an_array_can_become_a_plain_one():
    a = gc.CubeArray.from_numpy(X + 1j, LAYOUT)
    assert np.array_equal(np.asarray(a), X + 1j)
    np.testing.assert_allclose(a, X + 1j)


def test_an_array_is_not_one_truth_value():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(a == a + 1)


def test_the_whole_array_is_a_copy_and_says_so():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    with pytest.raises(ValueError, match="allow a copy"):
        np.array(a, copy=False)


@pytest.mark.parametrize("ownership", [False, True])
@pytest.mark.parametrize("nodes", [(2, 2), (1, 1)])
def test_copies_are_copies_in_every_layout(nodes, ownership):
    """What has its axes in another order, and the whole array, too."""
    layout = gc.Layout.mesh((4, 4), nodes, ownership=ownership)
    x = np.arange(48.0).reshape(4, 4, 3)
    u = gc.CubeArray.from_numpy(x, layout)
    calls = (
        lambda: u[..., 0].T,
        lambda: u.transpose(1, 0, 2),
        lambda: u.transpose(0, 1, 2),
        lambda: np.moveaxis(u, 0, 1),
        lambda: np.swapaxes(u, 0, 1),
        lambda: u.relayout(layout),
        lambda: np.roll(u, 0, 0),
        lambda: copy.copy(u),
        lambda: copy.deepcopy([u])[0],
    )
    for call in calls:
        assert not np.shares_memory(call().blocks, u.blocks)
    for whole in (np.asarray(u), np.array(u), u.to_numpy(), u.gather(), np.asarray(u, "f8")):
        whole[...] = 7
    assert np.array_equal(u.to_numpy(), x)
    for part in (u[..., 1], u.real, np.flip(u, -1)):
        assert np.shares_memory(part.blocks, u.blocks)


def test_copies_stay_on_their_communicator():
    comm = pytest.importorskip("mpi4py.MPI").COMM_SELF
    u = gc.CubeArray.from_numpy(np.arange(4), gc.Layout.mesh((4,), (2,)), comm)
    assert copy.copy(u).comm is copy.deepcopy(u).comm is comm
