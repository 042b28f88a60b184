"""Tridiagonal systems in any layout: as NumPy and SciPy solve them."""

from contextlib import suppress

import numpy as np
import pytest
import scipy.linalg
from hypothesis import example, given, strategies as st
from mpi_runs import Launch, OverMPI
from strategies import affine_map, affine_parts, mesh_specs
from sweeping import law, sweep
from tridiagonal_cases import dense, solved, system
from uneven_cases import uneven

import graycube as gc
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError, SingularError
from graycube.layout import Axis
from graycube.layout.lines import in_runs


def over(layout, *arrays):
    return [gc.CubeArray.from_numpy(x, layout) for x in arrays]


@st.composite
def layouts(draw):
    if draw(st.integers(0, 3)):
        return draw(mesh_specs(room=150, max_axes=3)).layout()
    p = draw(st.integers(0, 6))
    return gc.Layout(affine_map(*draw(affine_parts(p))), draw(st.integers(0, p)))


@pytest.mark.long
@law(30, 1000, layouts(), st.data())
def test_every_layout_gives_what_numpy_gives(layout, data):
    draw = data.draw
    axis = draw(st.integers(-len(layout.axes), len(layout.axes) - 1))
    periodic, several = draw(st.booleans()), draw(st.booleans())
    payload = draw(st.sampled_from([(), (3,), (2, 2)]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    kind = draw(st.sampled_from([float, complex]))
    *coefficients, right = system(rng, layout.shape, payload, several, kind)
    along, axes = axis % len(layout.axes), range(len(layout.axes))
    same = draw(st.sets(st.sampled_from(axes)))  # of length 1
    thin = tuple(slice(1 if k in same else None) for k in axes)
    coefficients = [c[thin] for c in coefficients]
    first, last = [(slice(None),) * along + (k,) for k in (0, -1)]
    if not periodic and along not in same:  # what does not count may be anything
        coefficients[0][first] = coefficients[2][last] = np.nan
    given = over(layout.without_axes([*same], keepdims=True), *coefficients)
    (b,) = over(layout, right)
    x = gc.solve_tridiagonal(*given, b, axis, periodic=periodic)
    assert x.layout == layout
    assert x.dtype == right.dtype
    wanted = solved(*coefficients, right, axis=along, periodic=periodic)
    assert np.allclose(x.to_numpy(), wanted, rtol=1e-10, atol=1e-12)


REPEATED = gc.Layout(affine_map([0b100, 0b001, 0b010], 0), 1, (Axis(3, extent=3, low=3),))


@given(mesh_specs(room=150, max_axes=3), st.integers(0, 2))
@example(None, 0)
def test_each_node_gets_one_run_and_keeps_its_place_along_other_axes(spec, axis):
    """Also where the highest bit tells two nodes apart, and each has three runs of four."""
    layout = REPEATED if spec is None else spec.layout()
    axis %= len(layout.axes)
    made = in_runs(layout, axis)
    for node in range(layout.node_count):
        before, after = ([*x.piece(range(node, node + 1)).coordinates] for x in (layout, made))
        along = after.pop(axis)
        assert np.array_equal(along, np.arange(along[0], along[0] + len(before.pop(axis))))
        assert all(map(np.array_equal, before, after))


@pytest.mark.parametrize("count", [3, 6])
@pytest.mark.parametrize("periodic", [True, False])
def test_layouts_by_ownership(count, periodic):
    for layout in uneven(count):
        arrays = system(np.random.default_rng(count), layout.shape, (2,), several=True)
        for axis in (0, 1):
            x = gc.solve_tridiagonal(*over(layout, *arrays), axis, periodic=periodic)
            wanted = solved(*arrays, axis=axis, periodic=periodic)
            assert np.allclose(x.to_numpy(), wanted, rtol=1e-11)


def test_coefficients_that_are_numbers_or_of_length_1():
    layout = gc.Layout.mesh((8, 16), (2, 4), code="gray")
    rng = np.random.default_rng(0)
    b = rng.standard_normal((8, 16, 3))
    thin = rng.standard_normal((1, 16)) + 5
    right = gc.CubeArray.from_numpy(b, layout)
    diagonal = gc.CubeArray.from_numpy(np.tile(thin, (8, 1)), layout).max(0, keepdims=True)
    assert diagonal.shape == (1, 16)
    scale = np.array([1.0, 2, 3])  # of the payload
    x = gc.solve_tridiagonal(1, diagonal[..., None] * scale, -1, right)
    wanted = solved(1, thin[..., None] * scale, -1, b, axis=1)
    assert np.allclose(x.to_numpy(), wanted)
    single = gc.solve_tridiagonal(1, 4, 1, right.astype("f4"), axis=0)
    assert single.dtype == np.float32
    assert np.allclose(single.to_numpy(), solved(1, 4, 1, b, axis=0), atol=1e-5)
    whole = gc.solve_tridiagonal(1, 4, 1, right.round().astype(int))
    assert whole.dtype == np.float64


@pytest.mark.parametrize("order", ["C", "F", "apart"])
@pytest.mark.parametrize("kind", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_lines_in_memory_are_what_solve_banded_gives(axis, kind, order):
    """With pivots of any size, wherever elements lie; and what was given is as it was."""
    rng, shape = np.random.default_rng(axis), (5, 6, 7)
    real = rng.standard_normal((*shape, 2, 2)) @ ((1, 1j) if kind[0] == "c" else (1, 0))
    layout = gc.Layout.mesh(shape, (1, 1, 1))
    blocks = np.array(real.astype(kind).reshape(1, -1, 2), order="F" if order == "F" else "C")
    if order == "apart":
        blocks = np.ascontiguousarray(blocks.transpose(2, 0, 1)).transpose(1, 2, 0)
    right, before = gc.CubeArray(blocks, layout), blocks.copy()
    rows = np.moveaxis(right.local, axis, 0)
    line = rng.standard_normal((3, len(rows))).astype(kind)
    thin = [length if k == axis else 1 for k, length in enumerate(shape)]
    beside = layout.without_axes([k for k in range(3) if k != axis], keepdims=True)
    given = over(beside, *(c.reshape(thin) for c in line))
    for coefficients in (given, (-1, 0.25, 2), (-1, given[1], 2)):
        same = [getattr(c, "local", np.array(c)).ravel() for c in coefficients]
        lower, diagonal, upper = (np.resize(c, len(rows)).astype(kind) for c in same)
        banded = np.array([np.roll(upper, 1), diagonal, np.roll(lower, -1)])
        wanted = scipy.linalg.solve_banded((1, 1), banded, rows.reshape(len(rows), -1))
        found = gc.solve_tridiagonal(*coefficients, right, axis)
        assert found.dtype == kind
        moved = np.moveaxis(found.local, axis, 0).reshape(wanted.shape)
        assert np.allclose(moved, wanted, rtol=1e3 * np.finfo(kind).eps)
        assert np.array_equal(right.blocks, before)
        assert not np.may_share_memory(found.blocks, right.blocks)


def test_copies_are_solved_where_they_are():
    layout = gc.Layout.mesh((8, 16), (4, 4), code="gray")
    b = np.random.default_rng(0).standard_normal((8, 16))
    right = gc.CubeArray.from_numpy(b, layout).sum(axis=0)
    x = gc.solve_tridiagonal(1, 3, 1, right, periodic=True)
    assert x.layout == right.layout
    wanted = solved(1, 3, 1, b.sum(axis=0), axis=0, periodic=True)
    assert np.allclose(x.blocks, x.layout.scatter(wanted))


@pytest.mark.long
@pytest.mark.parametrize("near", [1e-5, *sweep((1e-2,), (1e-8,))])
def test_errors_of_nearly_singular_systems_grow_as_solve_banded_s(near):
    """The second difference with ``near`` on the diagonal, and as many nodes as elements."""
    n = 64
    exact = np.random.default_rng(0).standard_normal(n)
    banded = np.array([np.ones(n), np.full(n, near - 2), np.ones(n)])
    right = dense(*banded) @ exact
    theirs = abs(scipy.linalg.solve_banded((1, 1), banded, right) - exact).max()
    condition = np.linalg.cond(dense(*banded))
    for nodes in (1, 4, 64):
        b = gc.CubeArray.from_numpy(right, gc.Layout.mesh((n,), (nodes,), code="gray"))
        ours = abs(gc.solve_tridiagonal(1, near - 2, 1, b).to_numpy() - exact).max()
        assert ours < 1e-15 * condition * 16
        assert ours < 30 * max(theirs, 1e-14)


@pytest.mark.long
@pytest.mark.parametrize("n", [1, 2, 3, 16, 33, 128])
@pytest.mark.parametrize("kind", ["f4", "f8", "c8", "c16"])
def test_rings_in_memory_are_solved_also_where_what_is_cut_open_is_singular(n, kind):
    """Each row is mixed with the one before alone: what is cut open grows as 3^n."""
    exact = np.random.default_rng(0).standard_normal((n, 3, 2)).astype(kind)
    layout = gc.Layout.mesh((n, 3), (1, 1))
    for lower, diagonal, upper in ((1.5, 0.5, 0), (-1, 2 - n % 2, 2), (0, 1, -3)):
        matrix = dense(*(np.full(n, c) for c in (lower, diagonal, upper)), periodic=True)
        right = np.tensordot(matrix, exact, 1).astype(kind)
        (b,) = over(layout, right)
        x = gc.solve_tridiagonal(lower, diagonal, upper, b, axis=0, periodic=True)
        size = 40 * np.finfo(kind).eps * np.linalg.cond(matrix)
        assert abs(x.to_numpy() - exact).max() < size * abs(exact).max()


@pytest.mark.long
@law(60, 2000, st.integers(0, 10**6), st.sampled_from([1, 2, 4, 8]), st.booleans())
def test_what_does_not_dominate_is_solved_unless_parts_are_nearly_singular(
    seed, nodes, periodic
):
    rng = np.random.default_rng(seed)
    n = nodes * int(rng.integers(1, 9))
    three, exact = rng.standard_normal((3, n)), rng.standard_normal(n)
    if seed % 3 == 0:
        three = three.round()
    if seed % 2 == 0:  # nothing but rounding there
        exact[: n // 2] = 0
    matrix = dense(*three, periodic=periodic)
    cut = dense(*three)
    runs = [n // nodes << k for k in range(nodes.bit_length())]
    parts = [cut[at : at + size, at : at + size] for size in runs for at in range(0, n, size)]
    worst = max(np.linalg.cond(part) for part in (matrix, *parts))
    layout = gc.Layout.mesh((n,), (nodes,), ownership=False)
    try:
        x = gc.solve_tridiagonal(*over(layout, *three, matrix @ exact), periodic=periodic)
    except SingularError:
        assert (nodes > 1 and worst > 1e5) or np.linalg.cond(matrix) > 1e15
    else:
        assert abs(x.to_numpy() - exact).max() < 1e-11 * max(np.linalg.cond(matrix), 1)


@pytest.mark.parametrize("near", [1e-9, 1e-12])
def test_what_rounding_spoils_over_nodes_is_found_again(near):
    """The 33 rows of each node are nearly singular, and all 66 have a condition of 43."""
    exact = np.sin(np.arange(66.0))
    right = dense(np.full(66, -1.0), np.full(66, near), np.ones(66)) @ exact
    (b,) = over(gc.Layout.mesh((66,), (2,), ownership=False), right)
    assert abs(gc.solve_tridiagonal(-1, near, 1, b).to_numpy() - exact).max() < 1e-13


@pytest.mark.parametrize("nodes", [1, 2, 4])
@pytest.mark.parametrize("near", [0, 1e-15, 1e-12, 1e-3])
def test_rings_that_just_dominate(nodes, near):
    """Both coefficients that leave the ends are as large as what they meet there."""
    three = np.array([np.full(8, 0.25), np.ones(8), np.full(8, 0.25)])
    three[0, 0], three[2, -1] = 1 - near, -(1 - near)
    three[2, 0] = three[0, -1] = 0
    exact = np.arange(1.0, 9)
    right = dense(*three, periodic=True) @ exact
    given = over(gc.Layout.mesh((8,), (nodes,)), *three, right)
    assert np.allclose(
        gc.solve_tridiagonal(*given, periodic=True).to_numpy(), exact, rtol=1e-13
    )


@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_what_is_no_number_is_where_it_was(nodes):
    right = np.ones((8, 3))
    right[2, 1], layout = np.nan, gc.Layout.mesh((8,), (nodes,))
    (b,) = over(layout, right)
    x = gc.solve_tridiagonal(1, 1.5, 1, b).to_numpy()
    assert np.allclose(x[:, ::2], solved(1, 1.5, 1, right[:, ::2], axis=0))
    assert np.isnan(x[:, 1]).any()


def test_rows_are_exchanged_within_nodes_only():
    """Zeros on the diagonal: a permutation, which no node can solve alone if it has one row."""
    b = np.arange(8.0)
    wanted = b.reshape(4, 2)[:, ::-1].ravel()
    ones = [0.0, 1] * 4, [1.0, 0] * 4  # rows 0 and 1 change places, and so on
    for nodes in (1, 2, 4):
        layout = gc.Layout.mesh((8,), (nodes,), code="gray")
        lower, upper, right = over(layout, *ones, b)
        assert np.array_equal(gc.solve_tridiagonal(lower, 0, upper, right).to_numpy(), wanted)
    lower, upper, right = over(gc.Layout.nodes(3), *ones, b)
    with pytest.raises(SingularError, match="use a layout with this axis in memory"):
        gc.solve_tridiagonal(lower, 0, upper, right)


@pytest.mark.parametrize("nodes", [2, 4, 8])
def test_nodes_that_are_singular_together_only_are_found(nodes):
    """Each pair of rows is twice the same equation, and the rows of each node are none."""
    pairs = [0.0, 1] * (nodes // 2), [1.0, 0] * (nodes // 2)
    lower, upper, b = over(gc.Layout.mesh((nodes,), (nodes,)), *pairs, np.arange(nodes * 1.0))
    with pytest.raises(SingularError):
        gc.solve_tridiagonal(lower, 1, upper, b)


@pytest.mark.parametrize("nodes", [1, 2, 4, 8])
def test_systems_that_are_singular_as_they_are_periodic_are_found(nodes):
    """Sums of each two neighbours, in a ring of eight: those of every other one are known."""
    b = gc.CubeArray.from_numpy(np.arange(8.0), gc.Layout.mesh((8,), (nodes,), code="gray"))
    with pytest.raises(SingularError):
        gc.solve_tridiagonal(1, 1, 0, b, periodic=True)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("periodic", [True, False])
def test_singular_systems_are_errors_or_have_enormous_solutions(n, periodic):
    b = gc.CubeArray.from_numpy(np.arange(8.0), gc.Layout.mesh((8,), (1 << n,)))
    with pytest.raises(SingularError):
        gc.solve_tridiagonal(0, 0, 0, b, periodic=periodic)
    with suppress(SingularError):  # rounding hides that a periodic second difference is one
        assert abs(gc.solve_tridiagonal(1, -2, 1, b, periodic=True).to_numpy()).max() > 1e12


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        ({"right": np.ones(8)}, InvalidTypeError, "right is a ndarray"),
        ({"axis": 1}, GraycubeError, "the axes are 0..0"),
        ({"periodic": 1}, InvalidTypeError, "periodic is 1"),
        ({"lower": np.ones(3)}, GraycubeError, "payload"),
        ({"lower": "x"}, GraycubeError, "dtype"),
        ({"right": gc.CubeArray(np.ones((4, 2), "g"), gc.Layout.mesh((8,), (4,)))}, *[
            InvalidTypeError, "astype"]),
        ({"upper": gc.CubeArray(np.ones((4, 2)), gc.Layout.mesh((8,), (4,), code="gray"))}, *[
            InvalidValueError, "relayout"]),
        ({"upper": gc.CubeArray(np.ones((4, 2, 2)), gc.Layout.mesh((8,), (4,)))}, *[
            InvalidValueError, "payload"]),
    ],
)  # fmt: skip
def test_what_is_refused(change, kind, text):
    b = gc.CubeArray.from_numpy(np.ones(8), gc.Layout.mesh((8,), (4,)))
    given = {"lower": 1, "diagonal": 4, "upper": 1, "right": b} | change
    with pytest.raises(kind, match=text):
        gc.solve_tridiagonal(**given)


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("tridiagonal",), sweep=True),
        Launch(3, ("tridiagonal",), sweep=True),
        Launch(6, ("tridiagonal",), sweep=True),
        Launch(8, ("tridiagonal",), sweep=True),
        Launch(4, ("tridiagonal",), messages=True, sweep=True),
    )
