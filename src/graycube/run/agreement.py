"""All ranks go on together, or none does.

Rules.

1. Before anything moves, every rank looks at what it was given. One small reduction tells
   whether any of them is unhappy, or has something else than the others; if so, all ranks raise
   the same error; if each has one of its own, and all are of one class, each raises its own.
   Where the ranks share memory they meet there instead. The reduction never blocks, so that
   all of them are of one kind: some ranks may work while it is under way.
2. Once data move there is no way back: a rank that fails then ends the whole job, and says
   which rank it is, what it was doing, and why.
"""

import sys
import time
import traceback
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import sha256
from struct import Struct
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.errors import GraycubeError, InvalidValueError, PeerError
from graycube.run.meeting import Note
from graycube.run.mpi import Private, mpi, private, require_comm
from graycube.run.windows import windows_of

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_T = TypeVar("_T")
GRACE = 0.5  # seconds between the last words of a rank and the end of the job
_TWO = Struct("<2q")
_SHOWN = 64  # numbers that are told one by one
_SEVERAL = {"axes", "points", "names", "attributes", "ends", "corners", "qubits", "shots"}
Facts = Mapping[str, object]
"""What all ranks must have alike, by name: a plan, a shape, a dtype."""


class Told(dict[str, object]):
    """Facts that are told again and again: their digest is made once.

    >>> Told(dtype="int8").digest == digest_of({"dtype": "int8"})
    True
    """

    @cached_property
    def digest(self) -> tuple[int, int]:
        """What :func:`digest_of` gives."""
        return digest_of(self)


@lru_cache(maxsize=256)
def told_again(**facts: Hashable) -> Told:
    """The same facts once more, if they were told lately.

    >>> told_again(dtype="int8") is told_again(dtype="int8")
    True
    """
    return Told(facts)


def agreed(
    comm: "Intracomm",
    prepare: Callable[[], tuple[_T, Facts]],
    note: Callable[[_T], Note | None] | None = None,
) -> _T:
    """What ``prepare`` gives on this rank, if it succeeds with the same facts on all of them.

    Collective. Whatever it raises on one rank is raised on all. Where the ranks share memory,
    each may leave the others a note of what it gives, which :meth:`Windows.notes` reads.

    >>> def program(comm, x):  # x must have the same shape on all ranks
    ...     return agreed(comm, lambda: (x.copy(), {"shape": x.shape}))
    """
    known = private(require_comm(comm))
    shared, own = windows_of(known), known.comm
    prepared: list[_T] = []
    facts: Facts = {}
    left: Note | None = None
    error: Exception | None = None
    try:
        value, facts = prepare()
        left = note(value) if note is not None and shared is not None else None
        prepared.append(value)
    except Exception as raised:  # noqa: BLE001 - the other ranks have to hear of any
        error = raised
    failed = error is not None
    digest = facts.digest if isinstance(facts, Told) else digest_of(facts)
    if shared is not None:
        alike = shared.meet((failed, *digest), left) and not failed
    else:
        alike = Reduction(known, digest, failed=failed).alike()
    if not alike:
        refuse(own, facts, error)
    return prepared[0]


def refuse(own: "Intracomm", facts: Facts, error: Exception | None = None) -> NoReturn:
    """Raise on all ranks, once they know that they disagree; collective.

    >>> def program(known, facts, error):  # error: what this rank ran into, if anything
    ...     if not Reduction(known, digest_of(facts), failed=error is not None).alike():
    ...         refuse(known.comm, facts, error)
    """
    told = different(own, facts, error)
    if told is error:
        raise told
    raise told from None if isinstance(error, GraycubeError) else error


def digest_of(facts: Facts) -> tuple[int, int]:
    """Two words that other facts do not have.

    >>> digest_of({"dtype": "int8"}) == digest_of({"dtype": "int16"})
    False
    """
    digest = sha256(repr(sorted((k, _in_words(v)) for k, v in facts.items())).encode()).digest()
    high, low = _TWO.unpack_from(digest)
    return high >> 1, low >> 1


def of_array(array: NDArray[Any]) -> object:
    """A fact that an array has alike on all ranks: what is in it, or a digest of many numbers.

    >>> of_array(np.array([3, 1])), of_array(np.arange(100))
    ([3, 1], 'int64 (100,), sha256 96bdba67cd0b')
    """
    if array.size <= _SHOWN or array.dtype.hasobject:
        return array.tolist()
    digest = sha256(array.tobytes()).hexdigest()
    return f"{array.dtype} {array.shape}, sha256 {digest:.12}"


def _in_words(fact: object) -> str:
    return _dtype(fact) if isinstance(fact, np.dtype) else str(fact)


_dtype = lru_cache(maxsize=64)(str)  # NumPy takes as long for it as for a sum


def different(own: "Intracomm", facts: Facts, error: Exception | None = None) -> Exception:
    """The error that all ranks raise, once they know that they disagree; collective."""
    texts = {name: str(fact) for name, fact in facts.items()}
    known = error if isinstance(error, GraycubeError) or error is None else _text(error)
    reports = own.allgather((known, texts, _kind(error)))
    if error is not None and len({kind for *_, kind in reports}) == 1:
        return error
    return _common([report[:2] for report in reports])


def _kind(error: Exception | None) -> tuple[str, ...]:
    """What errors have alike that every rank may raise as its own.

    >>> _kind(FileNotFoundError("u.npy")) == _kind(FileNotFoundError("v.npy"))
    True
    """
    kind = type(error)
    own = map(str, error.args) if isinstance(error, GraycubeError) else ()
    return (kind.__module__, kind.__qualname__, *own)


class Reduction:
    """The question whether no rank failed, and all have the same facts: asked, and under way.

    >>> def program(comm, facts, work):  # all ranks ask, and all wait for the answer
    ...     asked = Reduction(private(comm), digest_of(facts))
    ...     work()
    ...     return asked.alike()
    """

    def __init__(
        self, known: Private, digest: tuple[int, int], *, failed: bool = False
    ) -> None:
        high, low = digest
        self._roll = known.roll
        self._roll.begin()
        status = np.array((failed, high, low, -high, -low), np.int64)
        self._most = np.empty_like(status)
        self._request = known.comm.Iallreduce(status, self._most, op=mpi().MAX)

    def alike(self) -> bool:
        """Whether it is so: the largest is the smallest. Collective, and asked once."""
        if not self._request.Test():
            self._wait()
        failed, high, low, minus_high, minus_low = self._most.tolist()
        return not failed and (high, low) == (-minus_high, -minus_low)

    def _wait(self) -> None:
        try:
            self._roll.wait(self._request.Test, data=False)
        except PeerError:
            _left_behind(self._request)
            raise


def _left_behind(request: object) -> None:
    """Keep a request and its buffers for ever: MPI may still write there."""
    import ctypes  # noqa: PLC0415 - it is seldom needed

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(request))


def _text(error: Exception) -> str:
    if isinstance(error, OSError):  # its repr leaves the path out
        return f"{type(error).__name__}: {error}"
    return repr(error)


def _common(
    reports: Sequence[tuple[GraycubeError | str | None, Mapping[str, str]]],
) -> GraycubeError:
    """The error that all ranks raise: that of the first rank that has one, or the difference.

    >>> facts = [{"dtype": "float64"}, {"dtype": "float64"}, {"dtype": "int32"}]
    >>> print(_common([(None, entry) for entry in facts]))
    the dtype is float64 on rank 0 and int32 on rank 2: all ranks need the same dtype; look at
    what each of them passes
    >>> print(_common([(None, {"axes": k}) for k in ("0", "1")]).found)
    the axes are 0 on rank 0 and 1 on rank 1
    """
    for rank, (error, _) in enumerate(reports):
        if isinstance(error, GraycubeError):
            return type(error)(f"on rank {rank}, {error.found}", error.limit, error.hint)
        if error is not None:
            return PeerError(
                f"rank {rank} raised {error:.300}",
                "no rank can go on without it",
                "look at what that rank did",
            )
    first = reports[0][1]
    for rank, (_, facts) in enumerate(reports):
        for name in {**first, **facts}:
            if facts.get(name) != first.get(name):
                be = "are" if name in _SEVERAL else "is"
                return InvalidValueError(
                    f"the {name} {be} {first.get(name)} on rank 0 and "
                    f"{facts.get(name)} on rank {rank}",
                    f"all ranks need the same {name}",
                    "look at what each of them passes",
                )
    raise AssertionError(reports)


class no_way_back:  # noqa: N801 - it reads as a function does
    """End the job if anything is raised within; ``doing`` says what the rank was doing.

    >>> with no_way_back(lambda: "a test"):
    ...     print("nothing is raised, nothing ends")
    nothing is raised, nothing ends
    """

    __slots__ = ("_doing",)

    def __init__(self, doing: Callable[[], str]) -> None:
        self._doing = doing

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, PeerError):  # all who wait hear the same
            return
        rank, doing = mpi().COMM_WORLD.rank, self._doing()
        if isinstance(error, KeyboardInterrupt):
            if rank:  # as a rule all are interrupted: then rank 0 says so, and ends the job
                time.sleep(3 * GRACE)
            _end(f"rank {rank} was interrupted in {doing}; the job ends here\n")
            raise SystemExit(1) from None  # no traceback, should the job take a while to end
        said = "".join(traceback.format_exception(error))
        _end(f"rank {rank} failed in {doing}: {error!r}; the job ends here\n{said}")


def _end(last: str) -> None:
    """The last words of this rank, and the end of the job."""
    sys.stderr.write(f"graycube: {last}")
    sys.stderr.flush()
    time.sleep(GRACE)  # mpiexec drops what it has not yet passed on
    mpi().COMM_WORLD.Abort(1)
