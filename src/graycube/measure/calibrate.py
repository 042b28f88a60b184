"""The call that measures a machine, and what it refuses."""

from collections.abc import Callable, Sequence
from socket import gethostname
from typing import TypeVar

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import log2_exact, require_ints
from graycube.layout.required import require_flag
from graycube.machine.profiles import require_name
from graycube.measure.calibration import Calibration
from graycube.measure.measure import affordable, measure
from graycube.measure.placement import source_of
from graycube.measure.stretches import Comm, require_repeats
from graycube.texts import as_given

Value = TypeVar("Value")

SIZES = tuple(8 << 2 * k for k in range(10))
"""Bytes of the exchanges of neighbours: 8 B to 2 MiB."""
REPEATS = 25
QUICK = 3  # of so many sizes one is measured
MAX_SIZE = 1 << 30  # bytes; MPI counts them in 32 bits
MAX_COUNT = 64  # sizes
SPAN = 64  # the largest size over the smallest; a rate needs sizes that differ


def calibrate(
    comm: Comm,
    name: str | None = None,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int | None = None,
    quick: bool = False,
) -> Calibration:
    """Measure the machine that runs 2^n ranks, and fit a :class:`~graycube.Machine`.

    All ranks of ``comm``, a communicator of mpi4py, call it with the same arguments and get the
    same calibration: ``calibrate(MPI.COMM_WORLD).machine``, in a program that is started with
    ``mpiexec -n 8``. The result is saved only by its method ``save``; ``name`` is the name that
    the machine then has. ``sizes`` are those of the exchanges in bytes: without them 8 B to
    2 MiB, or to the first that takes more than a tenth of a second. Every round is timed in
    ``repeats`` stretches, 25 unless you say otherwise; ``quick`` takes 5, and fewer sizes.

    >>> calibrate("COMM_WORLD")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: the communicator is of type str: it must be an
    intracommunicator of mpi4py that was not freed; pass MPI.COMM_WORLD
    """
    if not hasattr(comm, "Get_size") or hasattr(comm, "Get_remote_size") or not comm:
        raise InvalidTypeError(
            f"the communicator is of type {type(comm).__name__}",
            "it must be an intracommunicator of mpi4py that was not freed",
            "pass MPI.COMM_WORLD",
        )
    facts = _agreed(comm, lambda: _checked(comm, name, sizes, repeats, quick=quick))
    dims, wanted, times, name, ours = facts
    own = comm.Dup()  # the caller's messages and ours never meet
    samples = measure(own, affordable(own, wanted, SPAN) if ours else wanted, times)
    source = source_of(own.Get_size(), own.allgather(gethostname()))
    own.Free()
    return from_first(comm, lambda: Calibration.of(samples, dims, name, source))


def _checked(
    comm: Comm,
    name: str | None,
    sizes: Sequence[int] | None,
    repeats: int | None,
    *,
    quick: bool,
) -> tuple[int, tuple[int, ...], int, str, bool]:
    """The number of dimensions, the arguments as used, and whether the sizes are our own."""
    dims = log2_exact(comm.Get_size(), "the number of ranks")
    if dims == 0:
        raise InvalidValueError(
            "the number of ranks is 1",
            "an exchange needs two",
            "start the program with mpiexec -n 2 or more",
        )
    few = require_flag(quick, "quick")
    times = (REPEATS // 5 if few else REPEATS) if repeats is None else repeats
    wanted = (SIZES[::QUICK] if few else SIZES) if sizes is None else sizes
    count = require_repeats(times, "repeats")
    name = "calibrated" if name is None else require_name(name)
    return dims, _checked_sizes(wanted), count, name, sizes is None


def _checked_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    found = sorted(set(require_ints(sizes, "sizes")))
    if not found or found[0] < 1 or found[-1] > MAX_SIZE or len(found) > MAX_COUNT:
        raise InvalidValueError(
            f"the sizes are {as_given(found)}",
            f"up to {MAX_COUNT} sizes of 1..{MAX_SIZE} bytes can be measured",
            f"use sizes such as {SIZES[0]}, {SIZES[5]}, {SIZES[-1]}",
        )
    if found[-1] < SPAN * found[0]:
        raise InvalidValueError(
            f"the sizes are {as_given(found)}",
            f"the largest must be at least {SPAN} times the smallest",
            "add a larger size",
        )
    return tuple(found)


def _agreed(comm: Comm, check: Callable[[], Value]) -> Value:
    """What all ranks found, or the same error on all of them."""
    found = _outcome(check)
    outcomes = comm.allgather(found)
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise outcome
    if any(outcome != outcomes[0] for outcome in outcomes):
        raise InvalidValueError(
            "the arguments differ between the ranks",
            "all ranks measure the same",
            "call calibrate with the same arguments on all ranks",
        )
    return outcomes[0]  # type: ignore[no-any-return]


def from_first(comm: Comm, work: Callable[[], Value]) -> Value:
    """What rank 0 makes of it, or its error, on all ranks.

    >>> def program(comm):  # only rank 0 reads the file
    ...     return from_first(comm, lambda: Calibration.saved("our-cluster"))
    """
    found = comm.bcast(_outcome(work) if comm.Get_rank() == 0 else None)
    if isinstance(found, Exception):
        raise found
    return found  # type: ignore[no-any-return]


def _outcome(work: Callable[[], Value]) -> Value | Exception:
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - the other ranks have to hear of any
        return error
