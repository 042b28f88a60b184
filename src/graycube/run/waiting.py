"""Waits that take other ranks: how, and what is said of them.

Who waits looks again and again, gives the processor to others, and soon sleeps, for at most a
fiftieth of the time that it has waited. Large messages move while ranks look, so who waits for
data does so for a second before it sleeps.
"""

import linecache
import os
import sys
from collections.abc import Callable, Iterable
from inspect import currentframe
from pathlib import Path
from time import monotonic, sleep

from graycube.errors import PeerError

PATIENCE = 60.0
"""Seconds after which a rank that waits says so, if ``GRAYCUBE_PATIENCE`` says nothing."""
_SPINS = 4  # looks, before a rank yields
_BRIEF = 3e-3  # seconds, before it sleeps and looks for others
_SLEEPS, _LONGEST = 0.02, 1e-3  # the share of a wait that a pause takes, and seconds at most
_MOVES, _SHORT = 1.0, 5e-5  # seconds, before who waits for data sleeps, and how long
_HERE = Path(__file__).parents[1]


def wait(
    done: Callable[[], bool], look: Callable[[float], None], *, moves: bool = False
) -> None:
    """Wait until something is done; look after a while, and again and again, at the seconds.

    >>> turns = iter([False, True])
    >>> wait(lambda: next(turns), print)
    """
    for _ in range(_SPINS):
        if done():
            return
    brief, longest = (_MOVES, _SHORT) if moves else (_BRIEF, _LONGEST)
    since = monotonic()
    while not done():
        passed = monotonic() - since
        if passed < brief:
            os.sched_yield()
        else:
            look(passed)
            sleep(min(longest, _SLEEPS * passed))


def in_vain(rank: int, own: int) -> PeerError:
    """The error of who waits for a rank whose program has ended.

    >>> print(in_vain(1, 0).found.partition(" in ")[0])
    the program of rank 1 has ended, and rank 0 waits for it
    """
    return PeerError(
        f"the program of rank {rank} has ended, and rank {own} waits for it{_where()}",
        "all ranks call what talks to others: sums, transforms, files",
        "take such calls out of 'if comm.rank == 0', and let no rank end before the others",
    )


def crossing(rank: int, own: int) -> PeerError:
    """The error of ranks that wait for each other.

    >>> print(crossing(1, 0).limit)
    neither can go on
    """
    return PeerError(
        f"rank {own} waits for rank {rank}{_where()}, and rank {rank} waits for rank {own} in "
        "a call on another communicator",
        "neither can go on",
        "let all ranks make their calls in the same order",
    )


def unlike(rank: int, own: int) -> PeerError:
    """The error of ranks that run what is bound, and call, at the same time.

    >>> print(unlike(1, 0).limit)
    all ranks have to call the same
    """
    return PeerError(
        f"rank {own} waits for rank {rank}{_where()}, and rank {rank} calls something else",
        "all ranks have to call the same",
        f"look at what rank {rank} calls: it raises this error there",
    )


def forked() -> PeerError:
    """The error of a process that was forked from a rank, and calls what ranks do together.

    >>> print(forked().limit)
    only the rank itself talks to other ranks
    """
    return PeerError(
        "this process was forked from a rank",
        "only the rank itself talks to other ranks",
        "let it make this call, and give other processes what they need, such as u.local",
    )


_complained: set[str] = set()


def complain(passed: float, own: int, missing: Iterable[int] = ()) -> None:
    """Say on stderr, once for each line of the program, that it waits.

    >>> import contextlib, io
    >>> with contextlib.redirect_stderr(io.StringIO()) as said:
    ...     complain(60.0, 0, [2, 3])
    >>> print(said.getvalue().partition(" in ")[0])
    graycube: rank 0 has waited for 60 s
    """
    where = _where()
    if where in _complained:
        return
    _complained.add(where)
    ranks = [*map(str, sorted(missing))]
    whom = f"rank{'s' * (len(ranks) > 1)} {', '.join(ranks)}" if ranks else "other ranks"
    sys.stderr.write(
        f"graycube: rank {own} has waited for {passed:.0f} s{where}, and {whom} did not come; "
        "all ranks have to make this call (GRAYCUBE_PATIENCE=0: never say this)\n"
    )
    sys.stderr.flush()


def _where() -> str:
    """The line of the program that waits: the innermost that is none of graycube's."""
    frame = currentframe()
    while frame is not None and _HERE in Path(frame.f_code.co_filename).parents:
        frame = frame.f_back
    if frame is None:
        return ""
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line).strip()
    return f" in {Path(file).name}, line {line}" + f": {text:.60}" * bool(text)


def patience() -> float:
    """The seconds after which a rank that waits says so; read when it waits."""
    try:
        said = float(os.environ.get("GRAYCUBE_PATIENCE") or PATIENCE)
    except ValueError:  # this is no time to raise errors: only some ranks would
        return PATIENCE
    return said if said > 0 else float("inf")
