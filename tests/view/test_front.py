"""What the picture of a front shows is read back from the axes."""

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import graycube as gc
from graycube.errors import InvalidValueError

mpl.use("Agg")
MACHINE = gc.Machine(4, ports="all", startup=2e-4, per_byte=1e-9)
BLOCK = 10**6


@pytest.fixture
def plan():
    return gc.plan(gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4), BLOCK, machine=MACHINE)


@pytest.fixture
def lines(plan):
    ax = gc.view.plot_front(plan, Figure().subplots())
    return {line.get_label(): line.get_xydata() for line in ax.get_lines()}, ax


def test_the_plan_is_where_its_line_is(plan, lines):
    ((rounds, blocks),) = lines[0]["the plan"]
    assert (rounds, blocks) == (plan.rounds, plan.cycles / BLOCK)
    (x, y), (right, low) = lines[0]["as cheap as the plan"]
    on_line = y + (low - y) * (rounds - x) / (right - x)
    assert on_line == pytest.approx(blocks)
    assert y * BLOCK * 1e-9 == pytest.approx(plan.cost)


def test_candidates_and_tables_are_on_the_right_side(plan, lines):
    each = [at for at in lines[0].values() if len(at) == 1]
    moving = (c.traffic for c in plan.candidates if c.traffic is not None)
    others = {(traffic.nonempty, traffic.cycles / BLOCK) for traffic in moving}
    assert {tuple(at[0]) for at in each} <= others
    for at in (*each, lines[0]["tables of fewer bytes"]):
        cost = at[:, 0] * 2e-4 + at[:, 1] * BLOCK * 1e-9
        assert (cost >= plan.cost * (1 - 1e-3)).all()
        assert (at[:, 1] >= 0.6).all()
        assert (at[:, 0] >= 3).all()


def test_names_and_limits(plan, lines):
    ax = lines[1]
    assert plan.algorithm in {text.get_text() for text in ax.texts}
    (grey,) = ax.collections
    (outline,) = [path.vertices for path in grey.get_paths()]
    for rounds, blocks in ((3, 1), (4, 0.8), (5, 2 / 3), (6, 0.637)):  # all ports, n = 4
        at = outline[np.isclose(outline[:, 0], rounds)]
        assert np.isclose(at[:, 1], blocks, rtol=1e-3).any()
    for x, y in ((2.9, 2.4), (3.5, 0.9), (4.5, 0.75)):
        assert grey.get_paths()[0].contains_point((x, y))
    for x, y in ((3.1, 1.05), (4.1, 0.85)):
        assert not grey.get_paths()[0].contains_point((x, y))


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "startup", "size"),
    [(4, 3e-4, (9, 4.6)), (5, 3e-4, (8, 4)), (6, 3e-4, (9, 4.6)), (6, 1e-3, (8, 5))],
)
def test_names_touch_neither_each_other_nor_points_nor_the_frame(n, startup, size):
    machine = gc.Machine(n, ports="all", startup=startup, per_byte=1e-9)
    made = gc.plan(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), 10**7, machine=machine)
    figure = Figure(figsize=size, layout="constrained")
    ax = gc.view.plot_front(made, figure.subplots())
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.texts]
    assert len(boxes) > 2
    assert all(ax.bbox.contains(*corner) for box in boxes for corner in (box.min, box.max))
    assert not [1 for a, b in combinations(boxes, 2) if a.overlaps(b)]
    for point in np.vstack(
        [line.get_xydata() for line in ax.get_lines() if line.get_marker() != "None"]
    ):
        assert not [1 for box in boxes if box.contains(*ax.transData.transform(point))]


def test_a_plan_without_tables_has_candidates():
    turn = gc.Layout.nodes(3), gc.Layout.parse("(|| b0 b1 b2)")
    made = gc.plan(*turn, 100, machine=gc.Machine(3, startup=9.0))
    ax = gc.view.plot_front(made)
    assert "tables of fewer bytes" not in {line.get_label() for line in ax.get_lines()}
    plt.close("all")


@pytest.mark.long
def test_start_ups_are_counted_in_whole_numbers():
    machine = gc.Machine(8, ports="all", startup=1e-6, per_byte=1e-9)
    made = gc.plan(gc.Layout.nodes(8, "gray"), gc.Layout.nodes(8), 10**6, machine=machine)
    ax = gc.view.plot_front(made, Figure((8, 4), layout="constrained").subplots())
    assert ax.get_xlim()[1] == 20
    assert not any(tick % 1 for tick in ax.get_xticks())


def test_a_front_needs_startups():
    made = gc.plan(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), 8, machine="ideal")
    with pytest.raises(InvalidValueError, match="weighs start-ups"):
        gc.view.plot_front(made)
