"""The one place where mpi4py is imported; and the communicators that graycube talks over.

Rule: messages never meet those of the program: they go over a duplicate of its communicator,
made once and freed with it.
"""

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import finalize

from graycube.errors import InvalidTypeError, InvalidValueError, MissingExtraError
from graycube.run.roll import Roll, called
from graycube.run.waiting import complain, patience, wait

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm, Prequest

    from graycube.run.windows import Windows

    Comm = Intracomm
else:
    Comm = Any  # it is a type for checkers, and mpi4py may be missing

_T = TypeVar("_T")
_NOTHING: Any = object()


def mpi() -> ModuleType:
    """The module ``mpi4py.MPI``, or an error that says how to get it.

    >>> def program():  # under mpiexec -n 8
    ...     return mpi().COMM_WORLD.size
    """
    known = sys.modules.get("mpi4py.MPI")  # to import it again takes longer
    if known is not None:
        return known
    try:
        from mpi4py import MPI  # noqa: PLC0415 - it starts MPI
    except ImportError as error:
        raise MissingExtraError(
            f"mpi4py cannot be imported ({error})",
            "real runs need it and an MPI library",
            "run: pip install 'graycube[mpi]'",
        ) from error
    return MPI


def require_comm(comm: object, nodes: int | None = None) -> "Intracomm":
    """The communicator, if it is one with a rank for each node.

    >>> def program(comm):  # an error unless it is run under mpiexec -n 8
    ...     return require_comm(comm, nodes=8).rank
    """
    known: type[Intracomm] = mpi().Intracomm
    if not isinstance(comm, known):
        raise InvalidTypeError(
            f"the communicator is a {type(comm).__name__}",
            "it must be an intracommunicator of mpi4py",
            "pass mpi4py.MPI.COMM_WORLD",
        )
    if not comm:
        raise InvalidTypeError(
            "the communicator is null: it was freed, or never made",
            "it must have ranks",
            "keep it as long as what is on it",
        )
    if nodes is not None and comm.size != nodes:
        raise InvalidValueError(
            f"the communicator has {comm.size} ranks",
            f"the layout has {nodes} nodes, one for each rank",
            f"run under 'mpiexec -n {nodes}', or make a layout for {comm.size} nodes",
        )
    return comm


@dataclass(slots=True, eq=False)
class Private:
    """The duplicate of a communicator, and what is kept for its use, the latest last.

    It is on shelves. What all ranks make together has one of its own, where all of them put the
    same things in the same order; so if one finds it there, all do.

    ``orders`` are the communicators with other numbers of its ranks. ``ends`` free the requests
    on it that are left. ``windows`` are what its ranks share, if they share anything, once they
    have been ``asked``.
    """

    comm: "Intracomm"
    roll: Roll = field(default_factory=lambda: Roll(None))
    kept: dict[str, OrderedDict[Hashable, Any]] = field(default_factory=dict)
    orders: "dict[tuple[int, ...], Intracomm]" = field(default_factory=dict)
    ends: "set[finalize[..., object]]" = field(default_factory=set)
    windows: "Windows | None" = None
    asked: bool = False

    def remembered(
        self, key: Hashable, make: Callable[[], _T], most: int, shelf: str = "own"
    ) -> _T:
        """What was made for a key, or is made now; all but the latest few are forgotten."""
        kept = self.kept.setdefault(shelf, OrderedDict())
        found: _T = kept.pop(key, _NOTHING)  # and in again, as the latest
        if found is _NOTHING:
            found = make()
        kept[key] = found
        while len(kept) > most:
            kept.popitem(last=False)
        return found


def private(comm: "Intracomm") -> Private:
    """What only graycube uses of a communicator; collective the first time.

    >>> def program(comm):
    ...     private(comm).comm.Barrier()  # meets no message of the program
    """
    key = _keyval()
    known = comm.Get_attr(key)
    if not isinstance(known, Private):
        if comm.size > 1:
            _come_together(comm)
        own = comm.Dup()
        known = Private(own, called(own, mpi()))
        comm.Set_attr(key, known)
    return known


def nothing_yet() -> Private:
    """A memory of its own, for what is done in one process.

    >>> nothing_yet().comm is None
    True
    """
    nobody: Any = None
    return Private(nobody)


class _Here(threading.local):
    """What is remembered in one process, for each thread."""

    def __init__(self) -> None:
        self.known = nothing_yet()


_HERE = _Here()


def memory_of(comm: "Intracomm | None") -> Private:
    """What is remembered for a communicator, or by this thread, where all is in one process.

    Threads may transform at the same time, so none writes into what another one works in.

    >>> memory_of(None) is memory_of(None)
    True
    """
    return _HERE.known if comm is None else private(comm)


def _come_together(comm: "Intracomm") -> None:
    """Wait for all ranks, and say so if they do not come: the duplicate would wait silently."""

    def look(passed: float) -> None:
        if passed > patience():
            complain(passed, comm.rank)

    wait(comm.Ibarrier().Test, look)


def freed_with(
    owner: object, requests: "Iterable[Prequest]", known: Private
) -> "finalize[..., object]":
    """Free the requests with their owner, their communicator, or when this is called.

    MPI destroys a communicator together with its last request, which may take all ranks. So
    none may be left to the garbage collector, which each rank calls at a time of its own.

    >>> class Owner: ...
    >>> done = freed_with(Owner(), [], Private(None))  # the owner is gone at once
    >>> done.alive
    False
    """
    kept = list(requests)

    def free() -> None:
        known.ends.discard(end)
        if kept and not mpi().Is_finalized():
            for request in kept:
                request.Free()

    end = finalize(owner, free)
    end.atexit = False  # MPI may be over by then, and frees them itself
    known.ends.add(end)
    return end


@lru_cache(maxsize=1)
def _keyval() -> int:
    keyval: int = mpi().Comm.Create_keyval(delete_fn=_free)
    return keyval


def _free(_comm: object, _key: int, known: Private) -> None:
    for end in tuple(known.ends):
        end()
    known.roll.meeting = None
    if known.windows is not None:
        known.windows.close()
    if not mpi().Is_finalized():
        for other in filter(None, known.orders.values()):  # a freed one is false
            other.Free()
        known.comm.Free()
    known.kept.clear()
    known.orders.clear()
