"""Which strategy is best for which numbers of two loops, as a coloured map."""

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from graycube.advice import Variation
from graycube.errors import InvalidValueError
from graycube.view.plot import new_figure

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.axes import Axes

_COLOURS = "tab20"
_WIDE, _HIGH = 8.0, 4.5  # inches
_TEXT = 36  # characters in a line of the legend


def plot_regions(variation: Variation, ax: "Axes | None" = None) -> "Axes":
    """Draw the regions of the strategies on ``ax``, or on a new pyplot figure.

    The first loop runs upwards and the second to the right.

    >>> from matplotlib.figure import Figure
    >>> seen = Variation({"ffts": (1, 2), "steps": (1, 2)}, ("A", "B", "A", "A"), (1, 2, 3, 4))
    >>> ax = plot_regions(seen, Figure().subplots())
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('steps', ['A', 'B'])
    """
    if len(variation.values) != 2 or not variation.strategies:
        raise InvalidValueError(
            f"the numbers of {', '.join(variation.values) or 'no loop'} vary",
            "a map has two loops",
            "call vary() with two names, or list the crossovers of one",
        )
    ax = new_figure((_WIDE, _HIGH)) if ax is None else ax
    (down, rows), (across, columns) = variation.values.items()
    names = list(dict.fromkeys(variation.strategies))
    number = np.array([names.index(s) for s in variation.strategies])
    grid = number.reshape(len(rows), len(columns))
    from matplotlib import colormaps  # noqa: PLC0415 - only who plots needs it
    from matplotlib.patches import Patch  # noqa: PLC0415

    colours = colormaps[_COLOURS].resampled(max(len(names), 20))
    ax.pcolormesh(columns, rows, grid, cmap=colours, vmin=-0.5, vmax=colours.N - 0.5)
    ax.set(xlabel=across, ylabel=down)
    patches = [Patch(color=colours(k), label=fill(name, _TEXT)) for k, name in enumerate(names)]
    ax.legend(handles=patches, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax
