"""The squares of a matrix are read back from the axes and compared with the layout's bits."""

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from strategies import affine_map, affine_parts, axes_of
from sweeping import examples

import graycube as gc
from graycube.gf2 import AffineMap, Matrix

mpl.use("Agg")

mesh = gc.Layout.mesh
LAYOUTS = {
    "consecutive": gc.Layout.consecutive(5, 3),
    "gray": gc.Layout.consecutive(5, 3, nodes="gray"),
    "cyclic-gray": gc.Layout.cyclic(5, 3, nodes="gray"),
    "nodes-only": gc.Layout.nodes(4, "gray"),
    "memory-only": gc.Layout.consecutive(4, 0),
    "one-bit": gc.Layout.nodes(1),
    "two-axes": mesh((64, 32), nodes=(8, 4), code="gray"),
    "three-axes": mesh((4, 2, 8), nodes=(2, 2, 4), code="gray", allocation="cyclic"),
    "axis-without-bits": mesh((8, 3, 4), nodes=(4, 1, 2), code="gray", ownership=False),
    "extents": mesh((1000, 96), nodes=(8, 4), code="gray", ownership=False),
    "complements": gc.Layout.parse("(~b4 b3 || b2 ~g1 g0)"),
    "largest": mesh((2**32, 2**32), nodes=(2**16, 2**10), code="gray"),
}


@pytest.fixture(autouse=True)
def _no_figure_stays():
    yield
    plt.close("all")


@pytest.fixture(params=LAYOUTS.values(), ids=LAYOUTS)
def layout(request):
    return request.param


def meshes(ax):
    """Colours of the squares, downwards and to the right: of the matrix, of the constants."""
    ax.figure.draw_without_rendering()
    found = [c for c in ax.collections if isinstance(c, QuadMesh)]
    return [c.get_facecolors().reshape(*c.get_array().shape, 4) for c in found]


def filled(colours):
    return (colours != to_rgba("white")).any(axis=-1)


def expected(layout):
    """What is drawn: a filled square where bit i of the address changes with bit j."""
    downwards = range(layout.p - 1, -1, -1)
    origin = layout.map(0)
    return [
        [bool((layout.map(1 << j) ^ origin) >> i & 1) for j in downwards] for i in downwards
    ]


def lines(ax, label):
    """The ends of the lines of a kind."""
    found = (c for c in ax.collections if isinstance(c, LineCollection))
    return [s.tolist() for c in found if c.get_label() == label for s in c.get_segments()]


def names(labels):
    return [label.get_text() for label in labels]


@pytest.mark.long
def test_the_squares_are_the_bits_of_the_matrix(layout):
    squares = filled(meshes(gc.view.plot_matrix(layout))[0])
    assert squares.tolist() == expected(layout)
    p, matrix = layout.p, layout.map.matrix
    drawn = [sum(int(squares[p - 1 - i, p - 1 - j]) << i for i in range(p)) for j in range(p)]
    assert Matrix(tuple(drawn), p) == matrix


@settings(max_examples=examples(30))
@given(st.data())
def test_any_map_is_drawn_bit_by_bit(data):
    p = data.draw(st.integers(1, 7))
    axes = data.draw(axes_of(p))
    address = affine_map(*data.draw(affine_parts(p)))
    layout = gc.Layout(address, data.draw(st.integers(0, p)), axes)
    squares, *constants = meshes(gc.view.plot_matrix(layout, Figure().subplots()))
    assert filled(squares).tolist() == expected(layout)
    assert len(constants) == bool(address.constant)
    marked = filled(constants[0])[::-1, 0] if constants else np.zeros(p, bool)
    assert sum(int(bit) << i for i, bit in enumerate(marked)) == address.constant


@pytest.mark.long
def test_slot_and_node_rows_have_colours_of_their_own_and_a_line_between(layout):
    ax = gc.view.plot_matrix(layout)
    colours, split = meshes(ax)[0], layout.p - layout.n
    parts = [
        {tuple(c) for c in rows[filled(rows)]} for rows in (colours[:split], colours[split:])
    ]
    assert not parts[0] & parts[1]
    assert [len(part) for part in parts] == [split > 0, layout.n > 0]
    between = [[[0, split], [layout.p, split]]] if parts[0] and parts[1] else []
    assert lines(ax, "slot || node") == between
    sides = [text.get_text() for text in ax.texts if text.get_rotation() == 90]
    assert sides == [side for side, part in zip(("slot", "node"), parts, strict=True) if part]


@pytest.mark.parametrize(
    ("name", "places"),
    [("gray", []), ("two-axes", [6]), ("three-axes", [2, 3]), ("axis-without-bits", [3])],
)
def test_a_line_stands_between_the_axes(name, places):
    layout = LAYOUTS[name]
    found = lines(gc.view.plot_matrix(layout), "axes")
    assert found == [[[x, 0], [x, layout.p]] for x in places]


def test_rows_and_columns_are_named_as_the_printed_form_has_them(layout):
    ax = gc.view.plot_matrix(layout)
    assert ax.get_title() == str(layout)
    assert names(ax.get_yticklabels()) == [f"a{i}" for i in range(layout.p - 1, -1, -1)]
    printed = str(layout)[1:].split(")")[0].replace("||", " ").split()
    beside = [text for text in ax.texts if text.get_rotation() == 0]
    sums = {text.get_position()[1]: text.get_text() for text in beside}
    assert sums == {row + 0.5: name for row, name in enumerate(printed)}
    columns = names(ax.get_xticklabels())[: layout.p]
    identity = gc.Layout(AffineMap.identity(layout.p), layout.p, layout.axes)
    assert columns == str(identity)[1:].split(")")[0].replace("||", " ").split()


def test_complements_have_a_column_that_says_so():
    ax = gc.view.plot_matrix(LAYOUTS["complements"])
    _, constants = meshes(ax)
    assert filled(constants)[:, 0].tolist() == [True, False, False, True, False]
    assert names(ax.get_xticklabels()) == ["b4", "b3", "b2", "b1", "b0", "~"]
    assert ax.get_xticks()[-1] == 6.0
    assert ax.get_xlim() == (0, 6.5)


def test_a_long_sum_is_shortened():
    p = 8
    rows = [1 << i for i in range(p - 1)] + [(1 << p) - 1]
    ax = gc.view.plot_matrix(gc.Layout(AffineMap(Matrix.from_rows(rows, p)), 3))
    longest = [text.get_text() for text in ax.texts if "..." in text.get_text()]
    assert longest == ["b7^b6^b5...1^b0"]


def test_a_matrix_goes_where_it_is_told():
    mine = Figure().subplots(1, 2)
    for ax, name in zip(mine, ("gray", "cyclic-gray"), strict=True):
        assert gc.view.plot_matrix(LAYOUTS[name], ax) is ax
        assert ax.get_ylim() == (5, 0)
    assert not plt.get_fignums()


@pytest.mark.parametrize(
    ("layout", "complaint"),
    [
        (gc.Layout.nodes(65), "has 65 address bits: a picture shows 1 to 64; print"),
        (gc.Layout.nodes(0), "has 0 address bits: a picture shows 1 to 64; print"),
        (AffineMap.identity(3), "the layout is AffineMap.*it must be a Layout"),
    ],
    ids=["large", "empty", "map"],
)
def test_what_cannot_be_drawn_is_an_error_that_says_why(layout, complaint):
    with pytest.raises(gc.GraycubeError, match=complaint):
        gc.view.plot_matrix(layout)
    assert not plt.get_fignums()
