"""Pictures say what locate says, cell by cell, and cost the same at any size.

GRAYCUBE_UPDATE_GOLDEN=1 writes the texts in tests/golden anew; read the difference before
keeping it.
"""

import os
import subprocess
import sys
import tracemalloc
from itertools import chain, islice, pairwise, product
from math import prod
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from strategies import affine_map, affine_parts, axes_of, mesh_specs

import graycube as gc
from graycube.view.cells import cells_of
from graycube.view.runs import runs

mpl.use("Agg")

GOLDEN = Path(__file__).parent / "golden"
WIDE = 10**6
mesh = gc.Layout.mesh

TABLES = {
    "cyclic-gray": gc.Layout.cyclic(6, 3, nodes="gray"),
    "cyclic-32-nodes": gc.Layout.cyclic(10, 5),
    "consecutive-gray-slots": gc.Layout.consecutive(10, 2, nodes="gray", slots="gray"),
    "consecutive-1000": mesh((1000,), nodes=(8,), code="gray"),
    "cyclic-1000": mesh((1000,), nodes=(8,), allocation="cyclic"),
    "one-element": gc.Layout.nodes(0),
}
GRIDS = {
    "gray": mesh((64, 32), nodes=(8, 4), code="gray"),
    "binary": mesh((64, 32), nodes=(8, 4)),
    "cyclic": mesh((16, 16), nodes=(4, 4), code="gray", allocation="cyclic"),
    "1000x96": mesh((1000, 96), nodes=(8, 4), code="gray"),
    "64-columns": mesh((128, 64), nodes=(32, 64), allocation="cyclic"),
    "three-axes": mesh((8, 16, 32), nodes=(8, 2, 4), code="gray"),
    "four-axes": mesh((4, 3, 64, 64), nodes=(4, 1, 32, 32), code="gray"),
}
HUGE = {
    "huge-consecutive": gc.Layout.consecutive(60, 30, nodes="gray"),
    "huge-whole-gray": gc.Layout.cyclic(60, 30, whole="gray"),
    "huge-mesh": mesh((2**30, 2**30), nodes=(2**15, 2**15), code="gray"),
    "huge-cyclic-mesh": mesh((2**30, 2**30), nodes=(2**15, 2**15), allocation="cyclic"),
}
PICTURES = TABLES | GRIDS | HUGE


@st.composite
def layouts(draw, max_axes=4):
    """Meshes, and any affine map on any axes."""
    if draw(st.booleans()):
        return draw(mesh_specs(max_axes=max_axes)).layout()
    p = draw(st.integers(0, 7))
    extent, low = draw(st.sampled_from((1, 3, 5))), draw(st.integers(0, p))
    axes = (gc.Axis(p, extent, low),) if max_axes == 1 else draw(axes_of(p))
    return gc.Layout(affine_map(*draw(affine_parts(p))), draw(st.integers(0, p)), axes)


def held(layout):
    """The indices on each node in slot order, element by element."""
    blocks = [[None] * layout.block_size for _ in range(1 << layout.n)]
    for i in range(layout.size):
        node, slot = layout.locate(i)
        blocks[node][slot] = i
    return blocks


def hops(a, b):
    return (a ^ b).bit_count()


@pytest.mark.parametrize("name", PICTURES)
def test_golden_text(name):
    picture = gc.view.text(PICTURES[name], width=80) + "\n"
    path = GOLDEN / f"view-{name}.txt"
    if os.environ.get("GRAYCUBE_UPDATE_GOLDEN") == "1":
        path.write_text(picture, encoding="ascii")
    assert path.exists(), f"{path} is missing; write it with GRAYCUBE_UPDATE_GOLDEN=1"
    assert picture == path.read_text(encoding="ascii")


def test_every_golden_text_belongs_to_a_picture():
    names = {path.stem.removeprefix("view-") for path in GOLDEN.glob("view-*.txt")}
    assert names == set(PICTURES)


def is_elided(words, block):
    """Whether the words of a row leave out its end; fails where they differ from the block."""
    done = 0
    for word in words:
        if word.startswith("..."):
            end = block.index(int(word.split()[1])) + 1
            if len({b - a for a, b in pairwise(block[max(done - 3, 0) : end])}) > 1:
                assert (word, end) == (words[-1], len(block))
                return True
            done = end
            continue
        first, last = map(int, word.split("-")) if "-" in word else (int(word), int(word))
        step = 1 if last >= first else -1
        run = list(range(first, last + step, step))
        assert block[done : done + len(run)] == run
        done += len(run)
    assert done == len(block)
    return False


def check_table(layout, width):
    rows = [row.split(maxsplit=2) for row in gc.view.text(layout, width=width).splitlines()[5:]]
    nodes, blocks = 1 << layout.n, held(layout)
    shown = [int(row[0]) for row in rows if row != ["..."]]
    everything = list(range(nodes))
    assert shown == (everything if nodes <= 16 else [*everything[:11], *everything[-4:]])
    assert rows.count(["..."]) == (nodes > 16)
    for node, bits, words in (row for row in rows if row != ["..."]):
        assert bits == np.binary_repr(int(node), layout.n)
        assert not is_elided(words.split(", "), blocks[int(node)]) or width < WIDE


@pytest.mark.parametrize("width", [60, WIDE])
@pytest.mark.parametrize("layout", TABLES.values(), ids=TABLES)
def test_tables_say_what_locate_says(layout, width):
    check_table(layout, width)


@given(layouts(max_axes=1), st.sampled_from([30, WIDE]))
def test_tables_of_any_layout_say_what_locate_says(layout, width):
    check_table(layout, width)


@given(layouts(max_axes=1))
def test_runs_are_the_indices_in_slot_order(layout):
    blocks = [list(chain.from_iterable(runs(layout, k))) for k in range(1 << layout.n)]
    assert blocks == held(layout)


def test_a_progression_is_one_run():
    for layout in (
        gc.Layout.consecutive(60, 30, nodes="gray"),
        gc.Layout.cyclic(60, 30),
        gc.Layout.cyclic(200, 30, nodes="gray"),
        mesh((24,), nodes=(2,)),
        mesh((24,), nodes=(2,), allocation="cyclic"),
    ):
        assert len(list(islice(runs(layout, 1), 2))) == 1


def span(label):
    first, *last = map(int, label.split("-"))
    return range(first, (last or [first])[0] + 1)


def grid_cells(picture):
    """The node of every cell shown, by the spans of its coordinates."""
    shown, leading = {}, ()
    for line in picture.splitlines()[5:]:
        if line.startswith("axis"):
            leading = tuple(part.split(" at ")[1] for part in line.split(", "))
        if "|" not in line:
            continue
        label, entries = (part.split() for part in line.split("|"))
        if not label:
            columns = entries
        elif label != ["..."]:
            for column, node in zip(columns, entries, strict=True):
                assert (column == "...") == (node == "...")
                if node != "...":
                    shown[tuple(map(span, (*leading, *label, column)))] = int(node)
    return shown


def check_grids(layout, width):
    picture = gc.view.text(layout, width=width)
    shown = grid_cells(picture)
    for spans, node in shown.items():
        assert (layout.locate(*np.ix_(*spans))[0] == node).all()
    corners = {tuple(s[0] for s in spans) for spans in shown} | {
        tuple(s[-1] for s in spans) for spans in shown
    }
    assert {(0,) * len(layout.axes), tuple(length - 1 for length in layout.shape)} <= corners
    if "..." not in picture:
        assert sum(prod(map(len, spans)) for spans in shown) == layout.size


@pytest.mark.parametrize("width", [60, 80, WIDE])
@pytest.mark.parametrize("layout", GRIDS.values(), ids=GRIDS)
def test_grids_say_what_locate_says(layout, width):
    check_grids(layout, width)


@given(layouts().filter(lambda layout: len(layout.axes) > 1), st.sampled_from([40, WIDE]))
def test_grids_of_any_layout_say_what_locate_says(layout, width):
    check_grids(layout, width)


@given(layouts())
def test_cells_are_merged_as_far_as_a_regular_grid_allows(layout):
    for k, cells in enumerate(cells_of(layout)):
        assert cells.width * cells.count == layout.shape[k]
        if cells.count > 1:
            second = [cells.width if j == k else 0 for j in range(len(layout.axes))]
            assert layout.locate(*second)[0] != layout.locate(0)[0]


@given(layouts())
def test_the_head_says_how_far_neighbours_are_apart(layout):
    nodes = layout.locate(np.arange(layout.size))[0].reshape(layout.shape)
    farthest = [
        max((hops(*pair) for line in lines.tolist() for pair in pairwise(line)), default=0)
        for lines in (
            np.moveaxis(nodes, k, -1).reshape(-1, length)
            for k, length in enumerate(layout.shape)
        )
    ]
    line = gc.view.text(layout, width=80).splitlines()[2]
    first, *others = line.removeprefix("neighbours are at most ").split(", ")
    words = "1 hop apart" if farthest[0] == 1 else f"{farthest[0]} hops apart"
    assert first == (words if len(farthest) == 1 else f"{words} along axis 0")
    assert others == [f"{h} along axis {k}" for k, h in enumerate(farthest) if k]


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_fits_the_width(name):
    for width in range(90 if name in HUGE else 45, 120):
        picture = gc.view.text(PICTURES[name], width=width).splitlines()[4:]
        assert max(map(len, picture)) <= width


def test_the_width_is_that_of_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    layout = GRIDS["64-columns"]
    assert gc.view.text(layout) == gc.view.text(layout, width=60)
    assert gc.view.text(layout) != gc.view.text(layout, width=100)


@pytest.mark.parametrize("layout", HUGE.values(), ids=HUGE)
def test_huge_layouts_need_no_memory(layout):
    gc.view.text(layout, width=80)  # what is computed once is not counted
    tracemalloc.start()
    gc.view.text(layout, width=80)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 18


def test_a_huge_table_says_what_locate_says():
    layout = HUGE["huge-whole-gray"]
    for row in gc.view.text(layout, width=2000).splitlines()[5:]:
        if row.strip() != "...":
            node, _, words = row.split(maxsplit=2)
            for slot, index in enumerate(words.split(", ")[:50]):
                assert layout.locate(int(index)) == (int(node), slot)


# --- plots: what is drawn is read back from the axes -----------------------------------------

PLOTS = {
    "line": gc.Layout.consecutive(10, 4, nodes="gray"),
    "lines": gc.Layout.cyclic(6, 3),
    "ragged-lines": mesh((40,), nodes=(8,), allocation="cyclic"),
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
    with pytest.raises(gc.InvalidValueError, match=complaint):
        gc.view.plot(layout)


def in_a_new_process(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_importing_graycube_leaves_matplotlib_alone():
    code = "import sys, graycube.view; print('matplotlib' in sys.modules)"
    assert in_a_new_process(code) == "False\n"


def test_without_matplotlib_text_works_and_plot_says_what_to_install():
    code = """
import sys
sys.modules["matplotlib"] = None
import graycube as gc
layout = gc.Layout.nodes(2)
print(len(gc.view.text(layout, width=80)))
try:
    gc.view.plot(layout)
except gc.MissingExtraError as error:
    print(error)
"""
    length, error = in_a_new_process(code).splitlines()
    assert int(length) == len(gc.view.text(gc.Layout.nodes(2), width=80))
    assert error.endswith("run: pip install 'graycube[plot]'")
