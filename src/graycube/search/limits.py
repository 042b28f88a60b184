"""How long solvers may take, why they end, and whom a search tells.

All of a search looks at one clock, the ``monotonic`` of this module.
"""

from math import inf
from time import monotonic

from graycube.errors import InvalidTypeError, InvalidValueError

_PRESOLVE = 2e-5  # seconds for each entry of a matrix, on a busy machine
_LIMIT_REACHED = 1  # of HiGHS in SciPy's numbers
_ANSWERS = (0, 2)  # solved, or infeasible


class SolverGaveUpError(Exception):
    """The solver has neither a solution nor a proof that there is none; the text says why.

    >>> raise SolverGaveUpError("time ran out")
    Traceback (most recent call last):
    ...
    graycube.search.limits.SolverGaveUpError: time ran out
    """


def deadline_after(seconds: float | None) -> float:
    """The time on the monotonic clock that many seconds from now; None is never.

    >>> deadline_after(None)
    inf
    """
    if seconds is None:
        return inf
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise InvalidTypeError(
            f"time_limit is {seconds!r}", "it must be a number or None", "pass seconds"
        )
    if not seconds > 0:
        raise InvalidValueError(f"time_limit is {seconds}", "it must be > 0", "pass seconds")
    return monotonic() + seconds


def left(deadline: float) -> float:
    """Seconds until a deadline, negative after it.

    >>> left(inf)
    inf
    """
    return deadline - monotonic()


def part_of(deadline: float, share: float) -> float:
    """The time when so much of what is left until a deadline has passed.

    >>> part_of(inf, 0.5)
    inf
    """
    return monotonic() + share * left(deadline)


def solver_options(deadline: float, entries: int) -> dict[str, float]:
    """What a solver of SciPy has to know to stop at a deadline.

    The solver is not started where time ends while it only prepares a matrix of so many
    entries: HiGHS looks at its limit before and after that, and a limit that has passed in
    between is none to its interior point method.

    >>> solver_options(inf, entries=1000)
    {}
    >>> solver_options(monotonic(), entries=1000)
    Traceback (most recent call last):
    ...
    graycube.search.limits.SolverGaveUpError: time ran out
    """
    if deadline == inf:
        return {}
    seconds = left(deadline)
    if seconds <= entries * _PRESOLVE:
        raise SolverGaveUpError("time ran out")
    return {"time_limit": seconds}


def require_answer(status: int) -> None:
    """A solver that ended by itself, with SciPy's ``status``: solved, or infeasible.

    >>> require_answer(0)
    >>> require_answer(4)
    Traceback (most recent call last):
    ...
    graycube.search.limits.SolverGaveUpError: the solver gave up
    """
    if status == _LIMIT_REACHED:
        raise SolverGaveUpError("time ran out")
    if status not in _ANSWERS:
        raise SolverGaveUpError("the solver gave up")


def silent(_: object) -> None:
    """Tell nobody.

    >>> silent("6 layers")
    """
