"""Ranks that pass something wrong, and ranks that fail: all learn of it, or all end.

After each of the checks the ranks go on. As a program, it ends as its argument says.
"""

import atexit
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
from mpi_checks import SHARED, carry_out, checks, one_error, size_of

import graycube as gc
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError, PeerError


def planned(comm, algorithm="gb1", block=8, **change):
    """Gray to binary code of the ranks, or another task."""
    return plan_of(change.get("n", size_of(comm)), algorithm, block, back="back" in change)


@cache
def plan_of(n, algorithm, block, *, back):
    """The plan, made once."""
    layouts = [gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)]
    if back:
        layouts.reverse()
    machine = gc.Machine(n, "all", "circuit")
    return gc.plan(*layouts, block, itemsize=8, machine=machine, algorithm=algorithm)


@cache
def transposition(n):
    """A plan that is none of those which go wrong."""
    layouts = gc.Layout.cyclic(n + 2, n), gc.Layout.consecutive(n + 2, n)
    return gc.plan(*layouts, 8, machine="ideal")


def refused(comm, call, kind, *texts):
    """All ranks raise the same error, whose class and text are these; then all go on."""
    error = yield from one_error(comm, call, GraycubeError, *texts)
    yield type(error) is kind, f"{error!r} is no {kind.__name__}"
    yield from works(comm, f"after {error}")


def works(comm, when):
    """A correct call does what it should."""
    plan = transposition(size_of(comm))
    blocks = np.arange(8 * comm.size).reshape(comm.size, 8)
    made = plan.execute(blocks[comm.rank], comm)
    yield np.array_equal(made, plan.apply(blocks)[comm.rank]), f"{when}: {made}"


def culprits(comm):
    """The ranks that do something wrong, one at a time."""
    return sorted({0, comm.size // 2, comm.size - 1})


def mixed_calls(comm, wrong, right, call):
    """For each culprit, a call with the wrong thing on it and the right one elsewhere."""
    for rank in culprits(comm):
        given = wrong if comm.rank == rank else right
        yield rank, lambda given=given: call(given)


# Blocks


def other_dtypes(comm):
    plan, right = planned(comm), np.zeros(8)
    for dtype in ("f4", "i8", ">f8", "M8[s]", "U2", [("a", "f8")]):
        wrong = np.zeros(8, dtype)
        for rank, call in mixed_calls(comm, wrong, right, lambda b: plan.execute(b, comm)):
            first, other = (0, rank) if rank else (0, 1)
            where = f"on rank {first} and"
            texts = "the dtype is ", where, f"on rank {other}: all ranks need the same dtype"
            yield from refused(comm, call, InvalidValueError, *texts, str(wrong.dtype))


def other_shapes(comm):
    plan, right = planned(comm), np.zeros(8)
    for shape in ((4, 2), (8, 1), (16,), (8, 3)):
        wrong = np.zeros(shape)
        for _, call in mixed_calls(comm, wrong, right, lambda b: plan.execute(b, comm)):
            texts = "the shape of the block is ", str(shape), "(8,)"
            yield from refused(comm, call, InvalidValueError, *texts)


def impossible_blocks(comm):
    plan, right = planned(comm), np.zeros(8)
    for wrong, kind, text in (
        (np.zeros(7), InvalidValueError, "the block has shape (7,): 7 numbers"),
        (np.zeros(0), InvalidValueError, "the block has shape (0,)"),
        (np.zeros((8, 0)), InvalidValueError, "the block has shape (8, 0)"),
        (1.0, InvalidValueError, "the block has shape ()"),
        (None, InvalidTypeError, "the block has dtype object"),
        (object(), InvalidTypeError, "the block has dtype object"),
        ({1: 2}, InvalidTypeError, "the block has dtype object"),
        ([[1, 2], [3]], InvalidTypeError, "got a list: NumPy says: setting an array element"),
    ):
        for rank, call in mixed_calls(comm, wrong, right, lambda b: plan.execute(b, comm)):
            yield from refused(comm, call, kind, text, f"rank {rank}")


def different_complaints(comm):
    """Where several ranks are wrong, all hear of the first."""
    plan = planned(comm)
    wrong = [np.zeros(8), None, np.zeros(5), "text", np.zeros(8, "f4"), [[1], [2, 3]]]
    block = wrong[comm.rank % len(wrong)]
    kind, text = InvalidTypeError, "on rank 1, the block has dtype object"
    yield from refused(comm, lambda: plan.execute(block, comm), kind, text)


# Plans


def other_plans(comm):
    right, block = planned(comm), np.zeros(8)
    others = [planned(comm, "relabel"), planned(comm, back=True), planned(comm, block=4)]
    others += [planned(comm, "gb3")] if comm.size > 2 else []
    for wrong in others:
        for _, call in mixed_calls(comm, wrong, right, lambda p: p.execute(block, comm)):
            texts = "the plan is ", f"{wrong.algorithm}, digest", "gb1, digest"
            yield from refused(comm, call, InvalidValueError, *texts)


def other_cubes(comm):
    right, block = planned(comm), np.zeros(8)
    for n in (size_of(comm) - 1, size_of(comm) + 1, 10):
        wrong, text = planned(comm, "relabel", n=n), f"the layout has {1 << n} nodes"
        for rank, call in mixed_calls(comm, wrong, right, lambda p: p.execute(block, comm)):
            yield from refused(comm, call, InvalidValueError, text, f"on rank {rank}, ")
        call = lambda wrong=wrong: wrong.execute(block, comm)  # noqa: E731
        yield from refused(comm, call, InvalidValueError, text, f"has {comm.size} ranks")


def other_renumberings(comm):
    """Ranks that no node has cannot get a new number."""
    for n in (size_of(comm) - 1, size_of(comm) + 1):
        plan = planned(comm, "relabel", n=n)
        texts = f"has {comm.size} ranks", f"has {1 << n} nodes"
        call = lambda plan=plan: plan.renumbered(comm)  # noqa: E731
        yield from refused(comm, call, InvalidValueError, *texts)


# Results


def other_outs(comm):
    plan = planned(comm)
    locked = np.zeros(8)
    locked.flags.writeable = False
    for wrong, kind, text in (
        (np.zeros(9), InvalidValueError, "out has shape (9,)"),
        (np.zeros((4, 2)), InvalidValueError, "out has shape (4, 2)"),
        (np.zeros(8, "f4"), InvalidValueError, "dtype float32"),
        (locked, InvalidValueError, "out must be writeable"),
        ([0.0] * 8, InvalidTypeError, "out is [0.0"),
        ("out", InvalidTypeError, "out is 'out'"),
    ):
        for right in (None, np.zeros(8)):
            call_with = lambda o: plan.execute(np.zeros(8), comm, o)  # noqa: E731
            for rank, call in mixed_calls(comm, wrong, right, call_with):
                yield from refused(comm, call, kind, text, f"on rank {rank}, ")


def outs_here_and_there(comm):
    """Whether there is an out is a rank's own business."""
    plan = planned(comm)
    block = np.full(8, comm.rank)
    out = np.zeros(8, block.dtype) if comm.rank % 2 else None
    made = plan.execute(block, comm, out)
    wanted = plan.apply(np.repeat(np.arange(comm.size), 8).reshape(-1, 8))[comm.rank]
    yield np.array_equal(made, wanted), f"{made}"


# Communicators


def no_communicator(comm):
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    plan = planned(comm)
    freed = comm.Dup()
    freed.Free()
    for wrong in (None, "world", comm.rank * 0, MPI.COMM_NULL, MPI.Intracomm(), freed):
        for call in (
            lambda wrong=wrong: gc.calibrate(wrong),
            lambda wrong=wrong: plan.execute(np.zeros(8), wrong),
            lambda wrong=wrong: planned(comm, "relabel").renumbered(wrong),
        ):
            text = "the communicator is"
            yield from refused(comm, call, InvalidTypeError, text)


def between_two_groups(comm):
    """An intercommunicator is none with a rank for each node."""
    plan, half = planned(comm), comm.Split(comm.rank % 2)
    inter = half.Create_intercomm(0, comm, 1 - comm.rank % 2)
    for call in (lambda: plan.execute(np.zeros(8), inter), lambda: gc.calibrate(inter)):
        yield from refused(comm, call, InvalidTypeError, "the communicator is")
    inter.Free()
    half.Free()


def wrong_size(comm):
    """A part of the ranks with the plan of all: what they hear is theirs alone."""
    plan, half = planned(comm), comm.Split(comm.rank % 2)
    call = lambda: plan.execute(np.zeros(8), half)  # noqa: E731
    text = f"the communicator has {comm.size // 2} ranks"
    yield from refused(comm, call, InvalidValueError, text)
    half.Free()


# Failures while everything is prepared


class OddError(Exception):
    """An error that cannot be sent to another process."""

    def __init__(self):
        super().__init__("odd", lambda: None)


def failing_preparation(comm):
    plan, block = planned(comm), np.zeros((8, 2048))  # what is small was prepared before
    for error, text in (
        (MemoryError("no room for 9 TiB"), "raised MemoryError('no room for 9 TiB')"),
        (ZeroDivisionError(), "raised ZeroDivisionError()"),
        (RecursionError("x" * 10_000), "raised RecursionError('xxx"),
        (OddError(), "raised OddError("),
    ):
        for rank in culprits(comm):
            target = "graycube.run.execution._banks"
            trouble = patch(target, side_effect=error) if comm.rank == rank else nullcontext()
            with trouble:
                calls = [
                    heard
                    for call in (plan.execute, plan.bind)
                    for heard in refused_call(comm, call, block)
                ]
            yield len(set(calls)) == 1, f"different things are heard: {set(calls)}"
            yield calls[0][0] == "PeerError", f"{calls[0]}"
            yield f"rank {rank} {text}" in calls[0][1], f"{calls[0]}"
            yield len(calls[0][1]) < 500, "the text is too long"
            yield from works(comm, f"after {text:.40}")


def errors_stay(comm):
    """Where ranks called different things, later calls raise, and none waits for ever.

    Neighbours may have exchanged all they have before one of them hears of it.
    """
    u = field(comm.Dup())
    window, heard = u.halo(), []
    last = comm.rank == comm.size - 1
    for call in (window.add_back if last else window.exchange, u.sum, window.exchange):
        with suppress(PeerError):
            call()
            heard.append(call)
        comm.Barrier()
    yield len(heard) < 2 and u.sum not in heard, f"{heard} went on"


def forked(comm):
    """A process that is forked from a rank says nothing in the place of that rank."""
    own = comm.Dup()
    u = field(own)
    calls = u.sum, u.halo().exchange, gc.bind(gc.fftn, u).run
    wanted = u.sum()
    for call in calls:
        there, here = os.pipe()
        if not os.fork():
            signal.alarm(5)
            try:
                call()
            except PeerError as error:
                os.write(here, str(error).encode())
            os._exit(0)
        os.close(here)
        with os.fdopen(there) as said:
            heard = said.read()
        yield "this process was forked from a rank" in heard, f"{call} in a fork: {heard!r}"
        os.wait()
    yield u.sum() == wanted, "the rank goes on"
    own.Free()


def refused_call(comm, call, block):
    """What all ranks hear of a call that fails."""
    try:
        call(block, comm)
        heard = ("nothing", "")
    except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
        heard = (type(error).__name__, str(error))
    return comm.allgather(heard)


def after_the_end(comm):
    """An execution that was freed does not pretend to run."""
    plan = planned(comm)
    block = np.full(8, comm.rank)
    bound = plan.bind(block, comm)
    bound.run()
    bound.free()
    before = bound.result.copy()
    block += 100
    try:
        bound.run()
        yield False, f"a freed execution ran from {before} to {bound.result}"
    except GraycubeError as error:
        yield "free" in str(error), str(error)
    bound.free()  # twice does no harm
    yield from works(comm, "afterwards")


def handled_in_a_program(comm):
    """The error is caught as any other, and a bound plan from before goes on."""
    plan = planned(comm)
    block = np.full(8, comm.rank)
    bound = plan.bind(block, comm)
    wanted = bound.run().copy()
    try:
        plan.execute(np.zeros(8 + comm.rank), comm)
    except ValueError as error:
        yield error.hint != "", f"{error!r}"
    else:
        yield False, "nothing was raised"
    yield np.array_equal(bound.run(), wanted), f"{bound.result}"
    bound.free()


# The end of everything: one launch for each


def fail_in_round(bound, k, action):
    """Let round number k of an execution begin with something else."""

    bound._rounds[k] = bound._rounds[k]._replace(messages=SimpleNamespace(gather=action))


def shared_memory():
    """The files in memory that MPI shares among ranks, and leaves behind if it is ended."""
    maps = Path("/proc/self/maps")
    lines = maps.read_text(encoding="utf-8").split() if maps.exists() else []
    return sorted({word for word in lines if word.startswith("/dev/shm/")})  # noqa: S108


def say(text):
    print(text, flush=True)  # noqa: T201 - the test waits for it


def raiser(error):
    def action():
        raise error

    return action


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def forever(run):
    """What the other ranks do meanwhile."""
    while True:
        run()


def endings(name):
    """End as the name says; what comes back from here was not ended."""
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    comm = MPI.COMM_WORLD
    for path in shared_memory():
        say(f"{SHARED}{path}")
    comm.Barrier()
    if name == "killed before" and comm.rank == 1:
        die()
    if name == "raises in a half":
        comm = comm.Split(comm.rank // (comm.size // 2))
    plan = planned(comm, "gb3") if comm.size > 2 else transposition(1)  # two have one code
    bound = plan.bind(np.zeros(8), comm)
    bound.run()
    say("running")
    if MPI.COMM_WORLD.rank == 1 or name == "all interrupted":
        harm(name, bound)
    if name == "waits":
        forever(lambda: time.sleep(1))
    forever(bound.run)


def at_exit():
    """What programs do at their end is done with all ranks there, though some come late."""
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    comm, made = MPI.COMM_WORLD, []

    def last():
        time.sleep(0.5 * comm.rank)
        say(f"in the end {made[0].sum()}")

    atexit.register(last)  # before anything that graycube has for the end
    made.append(gc.CubeArray.from_function(lambda i: 1.0 * i, gc.Layout.mesh(8, 2), comm))


def alone(how):
    """The program of rank 1 ends, while the others call what takes all ranks."""
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    if how == "messages":
        os.environ["GRAYCUBE_WINDOWS"] = "0"
    comm = MPI.COMM_WORLD
    calls = [call for made in CALLS for call in made(comm.Dup())]
    for call in calls:
        call()
    with patch("graycube.run.roll._TELLS", 0.2):
        at_once(comm)
        late(comm)
    if comm.rank == 1:
        if comm.size == 4:  # it says that it leaves then, or when Python ends
            MPI.Finalize()
        return
    for call in calls:
        for _ in range(2):
            try:
                call()
                say("nothing was heard")
            except PeerError as error:
                say(f"alone: {error.found}")


def field(comm, *, ownership=True):
    """An array with its first axis over all ranks."""
    layout = gc.Layout.mesh((4, 8), (comm.size, 1), ownership=ownership)
    return gc.CubeArray.from_function(lambda i, j: 1.0 * i * j, layout, comm)


def some_calls(comm):
    u = field(comm)
    window = u.halo()
    return u.sum, u.to_numpy, lambda: gc.fft2(u), u.halo, lambda: window.update(u)


def an_exchange(comm):
    return (far(field(comm)).exchange,)


def far(u):
    """A window for which each rank needs something of all."""
    return u.halo((3, 1))


def a_bound_transform(comm):
    return (gc.bind(gc.fftn, field(comm, ownership=False)).run,)


def a_bound_plan(comm):
    return (transposition(size_of(comm)).bind(np.zeros(8), comm).run,)


CALLS = some_calls, an_exchange, a_bound_transform, a_bound_plan


def at_once(comm):
    """Rank 1 calls something else than the others, where nobody asks; or in another order."""
    u, v, w = (field(comm.Dup()) for _ in range(3))
    for call, instead in ((far(u).exchange, u.sum), (v.sum, w.sum)):
        try:
            (instead if comm.rank == 1 else call)()
            say("nothing was heard")
        except PeerError as error:
            say(f"at once: {error.found}")


def late(comm):
    """Rank 1 comes late; the first of the others says so."""
    u = field(comm.Dup())
    comm.Barrier()
    if comm.rank == 1:
        time.sleep(2)
    with patch.dict(os.environ, GRAYCUBE_PATIENCE="1"):
        say(f"late: {u.sum()}")


def harm(name, bound):
    """What rank 1 does, or all."""
    actions = {
        "killed inside": die,
        "raises": raiser(ZeroDivisionError("a bad day")),
        "raises in a half": raiser(ZeroDivisionError("a bad day")),
        "interrupted inside": raiser(KeyboardInterrupt()),
        "all interrupted": raiser(KeyboardInterrupt()),
        "leaves inside": raiser(SystemExit(0)),
    }
    if name in actions:
        fail_in_round(bound, len(bound._rounds) // 2, actions[name])
    if name == "hangs":
        forever(lambda: time.sleep(1))


def misbehave(name):
    """What the watchdog has to see; needs no MPI but a launch."""
    if name == "litters":
        Path("litter").write_text("left", encoding="ascii")
    if name == "outlives":
        with Path(os.devnull).open("w") as nothing:
            command = [sys.executable, "-c", "import time; time.sleep(600)"]
            subprocess.Popen(command, stdout=nothing, stderr=nothing, start_new_session=True)
    say("running")


SIZES = (2, 4, 8)
CHECKS = (
    checks((4,), other_dtypes, other_shapes, impossible_blocks, other_outs)
    | checks(
        SIZES,
        different_complaints,
        outs_here_and_there,
        between_two_groups,
        wrong_size,
        handled_in_a_program,
    )
    | checks((4, 8), other_plans)
    | checks((2, 4), other_cubes, no_communicator, failing_preparation, after_the_end)
    | checks((2, 4), errors_stay)
    | checks((2, 8), forked)
)
APART = {"other renumberings": other_renumberings}  # if it goes wrong, it hangs


def main(name, *how):
    if name == "apart":
        carry_out(APART)
    elif name == "alone":
        alone(*how)
    elif name == "at exit":
        at_exit()
    elif name in {"litters", "outlives"}:
        misbehave(name)
    else:
        endings(name)


if __name__ == "__main__":
    main(*sys.argv[1:])
