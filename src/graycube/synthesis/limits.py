"""How long a solver may take, and whom it tells."""

from math import inf
from time import monotonic

from graycube.errors import InvalidTypeError, InvalidValueError


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


def solver_options(deadline: float) -> dict[str, float]:
    """What a solver of SciPy has to know to stop at a deadline.

    >>> solver_options(inf)
    {}
    """
    return {} if deadline == inf else {"time_limit": max(deadline - monotonic(), 1e-3)}


def silent(_: object) -> None:
    """Tell nobody.

    >>> silent("6 layers")
    """
