"""NumPy's functions on any number of ranks give NumPy's results, and none gathers unasked."""

import warnings
from contextlib import suppress
from dis import get_instructions
from functools import partial

import numpy as np
from counting import GIVEN, Counting, sent
from mpi4py import MPI
from mpi_checks import checks, over_messages
from numpy_cases import CASES, SORTING, alike, operands
from uneven_cases import of_either_kind

import graycube as gc

GATHERS = {"Allgatherv", "Gatherv", "Allreduce", "bcast", "Bcast", "gather"}
"""What brings all that is somewhere to one rank or to all."""
ONCE = {"Send_init", "Isend", "Send", "Sendrecv", "Alltoallv"}
"""What sends the buffer that is passed first once; ``Allgather`` sends it to all."""


def by_layout(comm, kinds, step=1):
    """Each case in one of the layouts: with arrays over nodes, and plain ones.

    Of the cases that are one function along all axes, one of so many.
    """
    gc.fft  # noqa: B018 - it brings numpy.fft
    numbered = enumerate(CASES.items())
    cases = [case for k, case in numbered if k % step == 0 or not case[1].__kwdefaults__]
    for k, layout in enumerate(kinds):
        whole = operands(layout)
        over = [gc.CubeArray.from_numpy(x, layout, comm) for x in whole]
        for name, call in cases[k :: len(kinds)]:
            yield f"{name} in {layout}", call, over, whole


def compared(comm, step):
    """Each function gives what NumPy gives, by shared memory and by messages."""
    for each in (comm, over_messages(comm.Dup())):
        for name, call, over, whole in by_layout(each, [*of_either_kind(comm.size)], step):
            wrong = alike(call, over, whole)
            yield not wrong, f"{name}: {wrong}"


def quietly(call, over):
    """What is sent in a call, and what it gives, if NumPy's does not refuse it."""
    with warnings.catch_warnings(action="ignore"), suppress(ValueError, IndexError):
        return sent(partial(call, *over))
    return {}, None


def counted(comm, step):
    """Nothing is gathered."""
    counting = over_messages(Counting(comm.Dup()))
    for name, call, over, _ in by_layout(counting, [*of_either_kind(comm.size)], step):
        calls, _ = quietly(call, over)
        yield not GATHERS & {*calls}, f"{name}: {calls}"
    calls, _ = sent(over[0].to_numpy)
    yield (
        comm.size == 1 or GATHERS & {*calls},
        f"the counter misses that all is gathered: {calls}",
    )


def taken(call, operands):
    """The operands that a case takes: the one that it picks, or those that it names."""
    if call.__kwdefaults__:
        return [operands[call.__kwdefaults__["k"]]]
    (named,) = call.__defaults__ or (call,)
    values = [each.argval for each in get_instructions(named)]
    names = {x for value in values for x in (value if type(value) is tuple else [value])}
    return [x for name, x in zip("uwvt", operands, strict=True) if name in names]


def volume(comm):
    """On eight ranks no more than twice is sent what comes in and goes out.

    To give all of them one array would be seven times its size. A plain result is on all ranks.
    """
    counting = over_messages(Counting(comm.Dup()))
    for layout in (
        gc.Layout.mesh((65, 96), (8, 1), allocation="cyclic"),
        gc.Layout.mesh((64, 96), (2, 4), code="gray", ownership=False),
    ):
        for name, call, over, _ in by_layout(counting, [layout], 5):
            if name.startswith(SORTING):
                continue
            _, found = quietly(call, over)
            total = all_sent(comm)
            coming = sum(x.nbytes for x in taken(call, over))
            copies = comm.size if isinstance(found, np.ndarray) else 1
            going = copies * getattr(found, "nbytes", 0)
            most = 2 * (coming + going) + comm.size * 4096
            yield total <= most, f"{name}: {total} bytes, and {most} may be"
    sent(over[0].to_numpy)
    yield all_sent(comm) > 7 * over[0].nbytes, "what is gathered is not counted"


def all_sent(comm):
    """How many bytes all ranks together sent in the last call that was counted."""
    size = 0
    for what, args in GIVEN:
        if what in ONCE or what.startswith("Allgather"):
            buffer, *others = (x[0] if isinstance(x, list | tuple) else x for x in args)
            copies = 1 if what in ONCE else comm.size
            if buffer is MPI.IN_PLACE:  # what each rank has is its part of the other one
                buffer, copies = others[0], 1
            size += buffer.nbytes * copies
    return comm.allreduce(size)


def some(comm):
    """Some of the cases."""
    yield from compared(comm, 11)
    yield from counted(comm, 11)


def every(comm):
    """All cases; of reductions along all axes the messages of some are counted."""
    yield from compared(comm, 1)
    yield from counted(comm, 5)


CHECKS = checks((3,), some) | checks((1, 2, 3, 4, 6, 8), every) | checks((8,), volume)
