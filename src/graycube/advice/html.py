"""Advice and its variations as notebooks show them."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from graycube.advice.advise import Advice
from graycube.advice.explain import HEAD, alternatives, conclusions, headline, steps
from graycube.advice.vary import Variation
from graycube.markup import Markup, card, card_of, figures, folded, shown

_MOST = 30  # steps, alternatives and stretches
_INDENT = "\N{NO-BREAK SPACE}"


@card_of.register(Advice)
def advice_card(advice: Advice) -> Markup:
    """The steps with their layouts and prices, and what follows; the alternatives folded."""
    done = [(_indented(what), where, cost) for what, where, cost in steps(advice)]
    rows = [*_few(done), ("in all", "", f"{advice.cost:.4g}")]
    others = alternatives(advice)
    table = figures(("start in, and never convert", "seconds", ""), _few(others), "lrr")
    return card(
        repr(advice).strip("<>"),
        headline(advice),
        f"strategy: {advice.strategy}",
        figures(HEAD, rows, "llr", [len(rows) - 1]),
        folded(f"Without conversions: {len(others)}", table),
        *conclusions(advice),
    )


@card_of.register(Variation)
def variation_card(variation: Variation) -> Markup:
    """The numbers for which a strategy is best, with its costs."""
    names = list(variation.values)
    head = (*names, "best strategy", "seconds")
    found = list(_stretches(variation))
    sides = "r" * len(names) + "ll"
    return card(repr(variation).strip("<>"), figures(head, _few(found), sides))


def _stretches(variation: Variation) -> Iterator[tuple[str, ...]]:
    """Neighbouring numbers of the last loop with the same strategy, for each of the first."""
    *first, numbers = variation.values.values()
    outer = first[0] if first else (None,)
    for row, value in enumerate(outer):
        at = range(row * len(numbers), (row + 1) * len(numbers))
        for strategy, some in groupby(at, variation.strategies.__getitem__):
            those = list(some)
            inner = [str(numbers[k - at.start]) for k in (those[0], those[-1])]
            costs = [f"{variation.costs[k]:.4g}" for k in (those[0], those[-1])]
            before = () if value is None else (str(value),)
            yield (*before, _span(inner), strategy, _span(costs))


def _span(ends: list[str]) -> str:
    """The first and the last, once if they are the same.

    >>> _span(["1", "9"]), _span(["1", "1"])
    ('1 to 9', '1')
    """
    return " to ".join(dict.fromkeys(ends))


def _few(rows: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Not too many rows."""
    for k in shown(len(rows), _MOST):
        yield ("...", *[""] * (len(rows[0]) - 1)) if k is None else rows[k]


def _indented(text: str) -> str:
    """With spaces in front that a browser keeps."""
    inner = text.lstrip(" ")
    return 2 * _INDENT * (len(text) - len(inner)) + inner
