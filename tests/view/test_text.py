"""Pictures say what locate says, cell by cell, and cost the same at any size.

GRAYCUBE_UPDATE_GOLDEN=1 writes the texts in tests/golden anew; read the difference before
keeping it.
"""

import os
import tracemalloc
from itertools import chain, islice, pairwise
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import affine_map, affine_parts, axes_of, mesh_specs
from view_cases import GRIDS, HUGE, TABLES, hops, mesh

import graycube as gc
from graycube.layout import Axis
from graycube.layout.cells import cells_of
from graycube.layout.words import runs

GOLDEN = Path(__file__).parents[1] / "golden"
WIDE = 10**6
PICTURES = TABLES | GRIDS | HUGE


@st.composite
def layouts(draw, max_axes=4):
    """Meshes, and any affine map on any axes."""
    if draw(st.booleans()):
        return draw(mesh_specs(max_axes=max_axes)).layout()
    p = draw(st.integers(0, 7))
    extent, low = draw(st.sampled_from((1, 3, 5))), draw(st.integers(0, p))
    axes = (Axis(p, extent, low),) if max_axes == 1 else draw(axes_of(p))
    return gc.Layout(affine_map(*draw(affine_parts(p))), draw(st.integers(0, p)), axes)


def held(layout):
    """The indices on each node in slot order, element by element."""
    blocks = [[None] * layout.block_size for _ in range(1 << layout.n)]
    for i in range(layout.size):
        node, slot = layout.locate(i)
        blocks[node][slot] = i
    return blocks


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
        mesh((24,), nodes=(2,), ownership=False),
        mesh((24,), nodes=(2,), allocation="cyclic", ownership=False),
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


@pytest.mark.long
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
