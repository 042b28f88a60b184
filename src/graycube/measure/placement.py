"""Where the ranks of a calibration were, and under which MPI: what its figures hold for."""

import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby

_HEAD = "measured by graycube on "


def source_of(ranks: int, hosts: Sequence[str]) -> str:
    """A line for a profile: how many ranks were where, the MPI, and the day.

    >>> source_of(2, ["a", "a"]).partition(";")[0]
    'measured by graycube on 2 ranks, on one computer'
    """
    day = datetime.now(UTC).date().isoformat()
    return "; ".join(filter(None, (f"{_HEAD}{ranks} ranks, {dealt(hosts)}", _library(), day)))


def dealt(hosts: Sequence[str]) -> str:
    """How ranks are dealt out to computers, from the name of each rank's computer.

    >>> dealt(["a", "a"]), dealt(["a", "a", "b", "b"]), dealt(["a", "b", "a", "b"])
    ('on one computer', '2 on each of 2 computers', '2 on each of 2 computers, in turn')
    """
    each = Counter(hosts)
    if len(each) == 1:
        return "on one computer"
    few, most = min(each.values()), max(each.values())
    scattered = len(list(groupby(hosts))) > len(each)
    count = f"{most}" if few == most else f"{few} to {most}"
    return f"{count} on each of {len(each)} computers{', in turn' if scattered else ''}"


def differs(source: str, other: str) -> bool:
    """Whether ranks that are near in one calibration may be far in the other, if that is known.

    Fewer computers with as many ranks each are alike; so is one that has all ranks of a run.

    >>> two, four, other = (source_of(len(h), h) for h in ("aabb", "aabbccdd", "aaaabbbb"))
    >>> differs(two, four), differs(two, other)
    (False, True)
    """
    first, second = _each(source), _each(other)
    return bool(first and second and first != second)


def _each(source: str) -> str:
    """What is said of each computer."""
    where = source.partition(" ranks, ")[2].partition(";")[0]
    if where == "on one computer":
        return source.removeprefix(_HEAD).partition(" ")[0]
    count, _, rest = where.partition(" on each of ")
    return count + (", in turn" if rest.endswith("in turn") else "")


def _library() -> str:
    """The MPI in use, if one is."""
    if "mpi4py.MPI" not in sys.modules:
        return ""
    name, version = sys.modules["mpi4py.MPI"].get_vendor()
    return f"{name} {'.'.join(map(str, version))}"
