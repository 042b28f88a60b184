"""Checks of claims, made of functions of the sizes that a claim is tried for."""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import TypeVar

from graycube.papers.claims import Case, Claim, at
from graycube.papers.formula import Number

Check = Callable[[Claim], Iterator[Case]]
"""What the ``check`` of a claim names: the function that yields its cases."""
Compute = Callable[..., Number]
Try = Callable[..., bool]
Answer = TypeVar("Answer")


def at_every_size(cases: Callable[..., Iterator[Case]]) -> Check:
    """The check that yields the cases of a claim for one size after the other.

    >>> claim = Claim("lemma", "1", "2", "", "a:b", formula="n", sizes={"n": "1..3"})
    >>> check = at_every_size(lambda claim, n: iter([claim.compare(n % 3, n=n)]))
    >>> [case.holds for case in check(claim)]
    [True, True, False]
    """
    return wraps(cases)(
        lambda claim: (case for sizes in claim.cases() for case in cases(claim, **sizes))
    )


def compared(compute: Compute, least: Compute | None = None) -> Check:
    """The check that holds a figure for every size against the formula of the claim.

    Where there is a bound for all schedules, the ``least``, what is not above it can be open.

    >>> claim = Claim("lemma", "1", "2", "", "a:b", formula="2 * n", sizes={"n": "1..3"})
    >>> [case.holds for case in compared(lambda n: n + n)(claim)]
    [True, True, True]
    """

    def cases(claim: Claim, **sizes: int) -> Iterator[Case]:
        ours = _answer(compute, sizes)
        yield claim.compare(ours, least and _answer(least, sizes), **sizes)

    return wraps(compute)(at_every_size(cases))


def tried(holds: Try, corrected: Try | None = None) -> Check:
    """The check that a statement, and its correction, hold for every size.

    >>> claim = Claim("lemma", "1", "2", "n is even", "a:b", sizes={"n": "1..2"})
    >>> [case.holds for case in tried(lambda n: n % 2 == 0)(claim)]
    [False, True]
    """

    def cases(_: Claim, **sizes: int) -> Iterator[Case]:
        answer = bool(_answer(holds, sizes))
        also = None if corrected is None else bool(_answer(corrected, sizes))
        ours = "it holds" if answer else "it does not"
        yield Case(at(sizes), "it holds", ours, answer, also)

    return wraps(holds)(at_every_size(cases))


def _answer(asked: Callable[..., Answer], sizes: Mapping[str, int]) -> Answer:
    """What a computation gives for these sizes, which an error says as well."""
    try:
        return asked(**sizes)
    except Exception as error:
        error.add_note(at(sizes))
        raise


def row_by_row(case: Callable[..., Case]) -> Check:
    """The check that makes a case of every row of a printed table.

    >>> claim = Claim("table", "1", "2", "", "a:b", figures=((2, 4), (3, 8)))
    >>> check = row_by_row(lambda n, said: agreed(f"n = {n}", said, n * n))
    >>> [case.holds for case in check(claim)]
    [True, False]
    """
    return wraps(case)(lambda claim: (case(*row) for row in claim.figures))


def agreed(where: str, paper: object, ours: object) -> Case:
    """The case that both are the same.

    >>> agreed("n = 3", 8, 9).ours
    '9'
    """
    return Case(where, str(paper), str(ours), bool(paper == ours))


def answers(where: str, found: Mapping[str, object]) -> Iterator[Case]:
    """A case for each question, which is answered with yes if all is well.

    >>> [case.where for case in answers("n = 3: ", {"links free": True, "pairs meet": 1})]
    ['n = 3: links free', 'n = 3: pairs meet']
    """
    for name, right in found.items():
        yield Case(f"{where}{name}", "yes", "yes" if right else "no", bool(right))


def require(holds: object, what: str) -> None:
    """Raise an error, which fails the claim, unless a side condition of its figure holds.

    >>> require([], "there is none")
    Traceback (most recent call last):
    ...
    ValueError: there is none
    """
    if not holds:
        raise ValueError(what)
