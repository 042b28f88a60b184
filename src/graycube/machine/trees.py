"""Trees of switches: the figures of their dimensions from those of their levels."""

from collections.abc import Sequence
from math import inf, prod
from typing import Any

import numpy as np

from graycube.errors import InvalidValueError
from graycube.gf2 import require_ints
from graycube.machine.figures import bits_of, is_number, require_cost
from graycube.texts import as_given, counted, in_digits


def figures_of_tree(
    sizes: Sequence[int], startup: object, per_byte: object, oversubscribed: float
) -> dict[str, Any]:
    """What a machine says of each dimension, by what is said of the levels, the inner first.

    >>> figures_of_tree((2, 4), 1.0, (3.0,), 2.0)  # doctest: +NORMALIZE_WHITESPACE
    {'dims': 3, 'startup': (1.0, 1.0, 1.0), 'per_byte': (3.0, 3.0, 3.0), 'share': (1, 2, 2),
     'nested': True}
    """
    counts = require_ints(sizes, "the sizes")
    if not counts or min(counts) < 2:
        raise InvalidValueError(
            f"the sizes are ({', '.join(map(in_digits, counts)):.60})",
            "there are two parts or more behind each switch",
            "leave levels of one part out",
        )
    bits = bits_of(counts, "the size of level", "Interconnect.tree")
    rates = rates_of_tree(counts, per_byte, oversubscribed)
    starts = costs_of(startup, "startup", len(counts))
    starts += starts[-1:] * (len(counts) - len(starts))
    shares = [prod(counts[:level]) for level in range(len(counts))]

    def each(figures: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            figure for figure, many in zip(figures, bits, strict=True) for _ in range(many)
        )

    return {
        "dims": sum(bits),
        "startup": each(starts),
        "per_byte": each(rates),
        "share": each(shares),
        "nested": True,
    }


def rates_of_tree(
    counts: Sequence[int], per_byte: object, oversubscribed: float
) -> list[float]:
    """The seconds of a byte on the uplinks of each level.

    >>> rates_of_tree((4, 3, 2), 6.0, 2.0)
    [6.0, 3.0, 2.0]
    """
    rates = costs_of(per_byte, "per_byte", len(counts))
    narrower = _ratio(oversubscribed)
    if narrower != 1 and len(rates) == len(counts):
        raise InvalidValueError(
            f"oversubscribed is {narrower:g}",
            f"per_byte has the rate of {'each level' if len(counts) > 1 else 'the only level'}",
            "leave one of them out, or give rates of inner levels only",
        )
    for below in counts[len(rates) - 1 : -1]:
        rates.append(rates[-1] * narrower / below)
    return rates


def costs_of(given: object, name: str, levels: int) -> list[float]:
    """The figures of the inner levels.

    >>> costs_of((1, 2), "per_byte", levels=3)
    [1.0, 2.0]
    """
    if isinstance(given, np.ndarray):
        given = given.tolist()
    figures = list(given) if isinstance(given, list | tuple) else [given]
    if not 1 <= len(figures) <= levels:
        raise InvalidValueError(
            f"{name} has {len(figures)} figures",
            f"there are {counted(levels, 'level')}",
            "give one for each, the inner first, or those of the inner ones",
        )
    return [require_cost(figure, f"{name} of level {k}") for k, figure in enumerate(figures)]


def _ratio(given: object) -> float:
    try:
        ratio = float(given) if is_number(given) else inf
    except OverflowError:  # an integer
        ratio = inf
    if not 0 < ratio < inf:
        raise InvalidValueError(
            f"oversubscribed is {as_given(given, 40)}",
            "it is a ratio above 0",
            "say 2 for uplinks half as wide as what is below them",
        )
    return ratio
