"""What a plot draws is read back from the axes and compared with locate."""

import subprocess
import sys
from itertools import pairwise, product

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from view_cases import GRIDS, hops, mesh

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.layout.cells import cells_of

mpl.use("Agg")

PLOTS = {
    "line": gc.Layout.consecutive(10, 4, nodes="gray"),
    "lines": gc.Layout.cyclic(6, 3),
    "ragged-lines": mesh((40,), nodes=(8,), allocation="cyclic", ownership=False),
    "whole-gray": gc.Layout.cyclic(6, 3, whole="gray"),
    "one-element": gc.Layout.nodes(0),
    **{name: GRIDS[name] for name in ("gray", "binary", "cyclic", "1000x96")},
}


@pytest.fixture(autouse=True)
def _no_figure_stays():
    yield
    plt.close("all")


@pytest.fixture(params=PLOTS.values(), ids=PLOTS)
def layout(request):
    return request.param


def right_of(row, column):
    return ((column + 1, row), (column + 1, row + 1))


def below(row, column):
    return ((column, row + 1), (column + 1, row + 1))


def expected(layout, columns):
    """The node of every square (row, column), and the hops across every border."""
    cells = cells_of(layout)
    nodes = {
        place: layout.locate(*(c.width * i for c, i in zip(cells, place, strict=True)))[0]
        for place in product(*(range(c.count) for c in cells))
    }
    steps = [((0, 1), right_of), ((1, 0), below)]
    if len(cells) == 1:
        line = list(nodes.values())
        pairs = {right_of(*divmod(k, columns)): pair for k, pair in enumerate(pairwise(line))}
        nodes = {divmod(k, columns): node for k, node in enumerate(line)}
    else:
        pairs = {
            border(i, j): (node, nodes[i + down, j + right])
            for (i, j), node in nodes.items()
            for (down, right), border in steps
            if (i + down, j + right) in nodes
        }
    return nodes, {border: hops(*pair) for border, pair in pairs.items() if hops(*pair)}


def drawn_borders(ax):
    """The hops of every border, read from its label."""
    return {
        tuple(tuple(map(int, end)) for end in segment): int(lines.get_label().split()[0])
        for lines in ax.collections
        if "apart" in lines.get_label()
        for segment in lines.get_segments()
    }


def drawn_colours(ax):
    """The colour of every square (row, column) that has one."""
    (squares,) = (c for c in ax.collections if isinstance(c, QuadMesh))
    ax.figure.draw_without_rendering()
    shape = squares.get_array().shape
    colours = squares.get_facecolors().reshape(*shape, 4)
    return {at: tuple(colours[at]) for at in np.ndindex(shape) if colours[at][3] > 0}


def drawn_numbers(ax):
    places = ((text.get_position(), text.get_text()) for text in ax.texts)
    return {(int(y), int(x)): int(number) for (x, y), number in places}


def luminance(colour):
    """As the web's guidelines for contrast define it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def columns_of(ax):
    return int(ax.get_xlim()[1])


def test_a_plot_numbers_every_square_with_its_node(layout):
    ax = gc.view.plot(layout)
    nodes, _ = expected(layout, columns_of(ax))
    assert drawn_numbers(ax) == nodes


@pytest.mark.long
def test_a_plot_colours_every_square_by_its_node_and_keeps_it_readable(layout):
    ax = gc.view.plot(layout)
    nodes, _ = expected(layout, columns_of(ax))
    colours = drawn_colours(ax)
    assert colours.keys() == nodes.keys()
    assert len(set(zip(nodes.values(), map(colours.get, nodes), strict=True))) == 1 << layout.n
    assert len(set(colours.values())) == 1 << layout.n
    black_on_colour = [(luminance(c) + 0.05) / 0.05 for c in colours.values()]
    assert min(black_on_colour) > 7  # the guidelines' highest grade
    assert {text.get_color() for text in ax.texts} == {"black"}


def test_a_plot_borders_what_is_hops_apart(layout):
    ax = gc.view.plot(layout)
    _, borders = expected(layout, columns_of(ax))
    assert drawn_borders(ax) == borders


def test_more_hops_have_thicker_borders():
    ax = gc.view.plot(gc.Layout.nodes(4))
    widths = {
        int(lines.get_label().split()[0]): lines.get_linewidth()[0]
        for lines in ax.collections
        if "apart" in lines.get_label()
    }
    assert list(widths) == [1, 2, 3, 4]
    assert widths[2] > 3 * widths[1]
    assert widths[4] > widths[3] > widths[2]


@pytest.mark.parametrize("name", ["gray", "cyclic", "1000x96", "line"])
def test_a_gray_code_shows_no_thick_border(name):
    assert set(drawn_borders(gc.view.plot(PLOTS[name])).values()) == {1}


def test_a_plot_is_titled_and_labelled(layout):
    ax = gc.view.plot(layout)
    assert ax.get_title() == str(layout)
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels[0] == cells_of(layout)[-1].label(0)
    assert bool(ax.get_legend()) == bool(layout.n)
    if len(layout.axes) == 2:
        assert (ax.get_ylabel(), ax.get_xlabel()) == ("axis 0", "axis 1")
        down, across = cells_of(layout)
        assert labels == [across.label(j) for j in range(across.count)]
        rows = [label.get_text() for label in ax.get_yticklabels()]
        assert rows == [down.label(i) for i in range(down.count)]


def test_lines_start_at_the_index_they_say():
    ax = gc.view.plot(PLOTS["ragged-lines"])
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert (list(ax.get_yticks()), labels) == ([0.5, 1.5, 2.5], ["0", "16", "32"])


def test_long_coordinates_are_counted_in_cells():
    ax = gc.view.plot(mesh((2**60, 8), nodes=(4, 2)))
    assert ax.get_ylabel() == "axis 0, in units of 2^58"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "1", "2", "3"]


def test_a_plot_goes_where_it_is_told():
    mine = Figure().subplots(1, 2, sharey=True)
    for ax, name in zip(mine, ("gray", "binary"), strict=True):
        assert gc.view.plot(PLOTS[name], ax) is ax
    assert mine[0].get_ylim() == (8, 0)  # the first row on top, on both
    assert not plt.get_fignums()


def test_the_largest_plot_has_colours_and_no_numbers():
    ax = gc.view.plot(mesh((64, 64), nodes=(64, 64)))
    assert not ax.texts
    assert len(drawn_colours(ax)) == 4096
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels == [str(j) for j in range(0, 64, 4)]
    assert list(ax.get_xticks()) == [j + 0.5 for j in range(0, 64, 4)]
    _, scale = ax.figure.axes
    assert (scale.get_xlabel(), scale.get_xlim()) == ("node", (0, 4095))


@pytest.mark.parametrize(
    ("layout", "complaint"),
    [
        (mesh((4, 4, 4), (2, 2, 2)), "has 3 axes: a plot shows one or two; use graycube.view"),
        (mesh((128, 64), (128, 64)), "has 128 x 64 cells: a plot shows at most 4096; use"),
        (gc.Layout.cyclic(60, 30), f"has {2**60} cells: a plot shows at most 4096; use"),
    ],
    ids=["axes", "cells", "huge"],
)
def test_what_cannot_be_plotted_is_an_error_that_says_why(layout, complaint):
    with pytest.raises(InvalidValueError, match=complaint):
        gc.view.plot(layout)


@pytest.mark.long
def test_matplotlib_is_left_alone_and_plots_without_it_say_what_to_install():
    code = """
import sys
import graycube.view
print('matplotlib' in sys.modules)
sys.modules["matplotlib"] = None
import graycube as gc
from graycube.errors import MissingExtraError
layout = gc.Layout.nodes(2)
print(len(gc.view.text(layout, width=80)))
for plot in (gc.view.plot, gc.view.plot_matrix):
    try:
        plot(layout)
    except MissingExtraError as error:
        print(error)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded, length, *errors = done.stdout.splitlines()
    assert loaded == "False"
    assert int(length) == len(gc.view.text(gc.Layout.nodes(2), width=80))
    assert len(errors) == 2
    assert all(error.endswith("run: pip install 'graycube[plot]'") for error in errors)
