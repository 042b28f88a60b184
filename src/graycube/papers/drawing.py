"""What drawings of cubes share: where the nodes are, the edges, and arrows between nodes.

Modules that draw import matplotlib, which is optional, and are imported where there is some.
"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

Point = tuple[float, float]
COLOURS = "#0072B2", "#D55E00", "#009E73"
_AXES = (1.0, 0.0), (0.0, 1.0), (0.42, 0.34), (2.05, 0.0)
"""Where each dimension leads."""


def place(node: int) -> Point:
    """The corner of a node.

    >>> place(3)
    (1.0, 1.0)
    """
    steps = [step for d, step in enumerate(_AXES) if node >> d & 1]
    return sum(x for x, _ in steps), sum(y for _, y in steps)


def edges(ax: Axes, n: int) -> None:
    """The edges of an n-cube; those of a fourth dimension are left out."""
    for u in range(1 << n):
        for d in range(min(n, 3)):
            if not u >> d & 1:
                ends = zip(place(u), place(u ^ 1 << d), strict=True)
                ax.plot(*ends, color="0.8", zorder=1)


def arrow(  # noqa: PLR0913
    ax: Axes,
    start: Point,
    end: Point,
    colour: str,
    *,
    style: str = "<->",
    bend: float = 0.0,
    gap: float = 12,
) -> None:
    """An arrow in two directions or one, which keeps a distance from both ends."""
    look = {"arrowstyle": style, "color": colour, "lw": 2, "mutation_scale": 11}
    look |= {"shrinkA": gap, "shrinkB": gap, "connectionstyle": f"arc3,rad={bend}"}
    ax.annotate("", xy=end, xytext=start, arrowprops=look, zorder=2)


def titled(figure: Figure, title: str) -> None:
    """A title for all panels, which are laid out below it."""
    figure.suptitle(title, fontsize=10)
    figure.set_layout_engine("constrained")
