"""Where a sum of index bits decides in which order elements do their steps.

Some elements may cross a dimension long before the others do, and before crossings that the
schedule lists first. What an element crosses is said by its index alone, so it may come in any
order. If one sum of index bits decides the order, the elements for which it is 0 have one order
of crossings, and the others have one; each is judged for itself.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from graycube.verify.conditions import reduced
from graycube.verify.turns import TimedCrossing, put_in


def deciding_sum(timed: Sequence[TimedCrossing]) -> int | None:
    """The sum that most crossings wait for longest."""
    longest = Counter(
        max(t.coefficients, key=lambda index: abs(t.coefficients[index]))
        for t in timed
        if t.coefficients
    )
    return longest.most_common(1)[0][0] if longest else None


def halves(
    timed: Sequence[TimedCrossing], before: Sequence[int], mask: int
) -> Iterator[list[TimedCrossing]]:
    """The crossings of the elements whose sum is 0, and of the others, in the order of time.

    ``before`` says for each stage how many crossings are listed before it. A stage still waits
    for these.
    """
    for value in (0, 1):
        known = ((mask, value),)
        those = [_known(t, known) for t in timed]
        crossed = [t for t in those if t.condition != (0, 1)]
        yield list(_in_order(crossed, before, timed[0].nodes))


def _known(t: TimedCrossing, known: tuple[tuple[int, int]]) -> TimedCrossing:
    """The crossing of the elements with a known sum."""
    start, coefficients = put_in(t.coefficients, known)
    condition, *times = (_less(equation, known) for equation in (t.condition, *t.times))
    return replace(
        t,
        condition=condition,
        start=t.start + start,
        coefficients=coefficients,
        times=tuple(times),
    )


def _less(equation: tuple[int, int], known: tuple[tuple[int, int]]) -> tuple[int, int]:
    rest, value = reduced(equation[0], known)
    return rest, equation[1] ^ value


def _in_order(
    crossed: Sequence[TimedCrossing], before: Sequence[int], nodes: Sequence[int]
) -> Iterator[TimedCrossing]:
    """The crossings as they begin, each with the nodes and the stages that are then over."""
    later = sorted(crossed, key=lambda t: t.first)
    held = list(nodes)
    for k, t in enumerate(later):
        least = min(other.number for other in later[k:])
        yield replace(t, nodes=tuple(held), stages=bisect_right(before, least))
        held[t.crossing.dim] ^= t.condition[0]
