"""Draws ``machines.png``: five kinds of machine, with the nodes that share links.

python docs/pictures/machines.py [FILE]
"""

import sys
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

import graycube as gc

NEAR, FAR, GREY = "#2f6f9f", "#d9722e", "#c8ced4"
CORNERS = [(x + 0.42 * z, y + 0.36 * z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]


def nodes(axes: Axes, places: list[tuple[float, float]], shift: tuple[float, float]) -> None:
    """Nodes with their numbers."""
    for number, (x, y) in enumerate(places):
        at = x + shift[0], y + shift[1]
        axes.plot(*at, "o", color="white", markeredgecolor="#444444", markersize=13, zorder=3)
        axes.text(*at, str(number), ha="center", va="center", fontsize=7, zorder=4)


def link(axes: Axes, a: tuple[float, float], b: tuple[float, float], color: str) -> None:
    """A link between two places."""
    axes.plot([a[0], b[0]], [a[1], b[1]], color=color, linewidth=2.2, zorder=1)


def cube(axes: Axes, colors: tuple[str, str, str]) -> None:
    """A cube of 8 nodes, its dimensions in colours."""
    for u, place in enumerate(CORNERS):
        for d, color in enumerate(colors):
            if not u >> d & 1:
                link(axes, place, CORNERS[u | 1 << d], color)
    nodes(axes, CORNERS, (0, 0))


def cards(axes: Axes) -> None:
    """Four computers of 4 nodes, each with a card."""
    square = [(0, 0), (0.4, 0), (0, 0.4), (0.4, 0.4)]
    for k, (x, y) in enumerate([(0, 0), (1.15, 0), (0, 0.95), (1.15, 0.95)]):
        box = FancyBboxPatch(
            (x - 0.18, y - 0.18), 0.76, 0.76, "round,pad=0.02", fc="#f3f5f7", ec=GREY
        )
        axes.add_patch(box)
        for u in range(4):
            for d in range(2):
                if not u >> d & 1:
                    a, b = square[u], square[u | 1 << d]
                    link(axes, (a[0] + x, a[1] + y), (b[0] + x, b[1] + y), NEAR)
        card = x + 0.2 + 0.32 * (1 if x < 1 else -1), y + 0.2 + 0.32 * (1 if y < 0.9 else -1)
        link(axes, card, (0.775, 0.675), FAR)
        axes.plot(*card, "s", color=FAR, markersize=8, zorder=2)
        for u, (a, b) in enumerate(square):
            at = a + x, b + y
            axes.plot(
                *at, "o", color="white", markeredgecolor="#444444", markersize=13, zorder=3
            )
            axes.text(*at, str(4 * k + u), ha="center", va="center", fontsize=7, zorder=4)
    axes.plot(0.775, 0.675, "o", color=FAR, markersize=13, zorder=3)


def torus(axes: Axes) -> None:
    """A torus of 4 x 4: squares in both directions."""
    machine = gc.Machine.torus((4, 4))
    places = [(0.45 * (u % 4), 0.45 * (3 - u // 4)) for u in range(16)]
    for u in range(16):
        for v in range(u):
            if len(machine.route(u, v)) == 1:
                (xa, ya), (xb, yb) = places[u], places[v]
                far = abs(xa - xb) + abs(ya - yb) > 0.5
                if far:  # around the back
                    middle = (
                        (xa + xb) / 2 + 0.17 * (xa == xb),
                        (ya + yb) / 2 + 0.17 * (ya == yb),
                    )
                    axes.plot(
                        [xa, middle[0], xb], [ya, middle[1], yb], color=GREY, lw=1.2, zorder=0
                    )
                else:
                    link(axes, places[u], places[v], NEAR)
    nodes(axes, places, (0, 0))


def tree(axes: Axes) -> None:
    """A tree: 2 cores of a computer, 2 computers behind each leaf switch, 2 leaves."""
    machine = gc.Machine.tree((2, 2, 2))
    places = [(0.42 * u + 0.12 * (u // 2) + 0.12 * (u // 4), 0.0) for u in range(8)]
    tops = {(u, 0): place for u, place in enumerate(places)}
    for level, wires in enumerate(machine.wires, start=1):
        part = 1 << len(wires.nodes)
        for first in range(0, 8, 2 * part):
            ends = [tops[first, level - 1], tops[first + part, level - 1]]
            switch = (ends[0][0] + ends[1][0]) / 2, 0.5 * level
            for end in ends:
                link(axes, end, switch, NEAR if level == 1 else FAR)
            axes.plot(*switch, "s", color=NEAR if level == 1 else FAR, markersize=8, zorder=2)
            tops[first, level] = switch
    nodes(axes, places, (0, 0))


def main(path: Path) -> None:
    """All of them: three kinds of links between nodes, and two of networks."""
    figure = Figure(figsize=(13, 7.2), layout="constrained")
    titles = (
        "links alike\nMachine(dims=3)",
        "near and far\nstartup=(a, a, b), per_byte=(c, c, d)",
        "shared cards\nports=(2, 2, 1, 1), share=(1, 1, 4, 4)",
        "a torus\nMachine.torus((4, 4))",
        "a tree of switches\nMachine.tree((2, 2, 2))",
    )
    grid = figure.add_gridspec(2, 6)
    columns = [(0, slice(2 * k, 2 * k + 2)) for k in range(3)] + [
        (1, slice(0, 2)),
        (1, slice(2, 6)),
    ]
    for (row, column), title in zip(columns, titles, strict=True):
        axes = figure.add_subplot(grid[row, column])
        axes.set_title(title, fontsize=10, y=1.0)
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_anchor("N")
    alike, differing, shared, ring, levels = figure.axes
    cube(alike, (NEAR,) * 3)
    cube(differing, (NEAR, NEAR, FAR))
    cards(shared)
    torus(ring)
    tree(levels)
    for axes in figure.axes:  # all as high
        axes.set_ylim(axes.get_ylim()[0] - 0.05, axes.get_ylim()[1] + 0.05)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    default = Path(__file__).with_name("machines.png")
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
