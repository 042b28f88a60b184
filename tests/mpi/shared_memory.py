"""Ranks of one machine that share memory: what they read, what they send, what goes wrong.

As a program, it ends as its argument says.
"""

import os
import signal
import sys
import time
import warnings
from functools import partial
from gc import collect
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
from mpi4py import MPI
from mpi_checks import carry_out, checks, one_error, over_messages, raised, size_of
from uneven_cases import uneven

import graycube as gc
from graycube.array.halo import borders
from graycube.errors import InvalidValueError
from graycube.run.agreement import agreed
from graycube.run.meeting import ROOM, in_order
from graycube.run.windows import Windows, windows

SENDING = ("Send_init", "Sendrecv", "Allreduce", "Iallreduce", "allgather", "bcast", "Barrier")
DTYPES = ("u1", "f4", "c16", "S3", [("a", "f4"), ("b", "i2")])


class Silent(MPI.Intracomm):
    """A communicator that cannot be called, nor its duplicates, while ``strict`` is set."""

    strict = False


def refusing(name):
    """A method that does the same only if it may."""
    own = getattr(MPI.Intracomm, name)

    def method(self, *args, **options):
        if Silent.strict:
            raise AssertionError(name)
        return own(self, *args, **options)

    return method


for sending in SENDING:
    setattr(Silent, sending, refusing(sending))


def layouts(n):
    """Layouts of one shape: views, lists of places, and no map of address bits between them."""
    ranks = 1 << n
    shape = (8 * ranks, 6 * ranks)
    for code in ("binary", "gray"):
        for allocation in ("consecutive", "cyclic"):
            yield gc.Layout.mesh(
                shape, (ranks, 1), code=code, allocation=allocation, ownership=False
            )
            yield gc.Layout.mesh(
                shape, (1, ranks), code=code, allocation=allocation, ownership=False
            )
    if n > 1:
        yield gc.Layout.mesh(shape, (2, ranks // 2), code="gray", ownership=False)


def array_of(layout, dtype, payload):
    """Bytes that are all over the place, as an array."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(0)
    shape = (*layout.shape, *payload)
    raw = rng.integers(1, 100, (*shape, dtype.itemsize), np.uint8)
    return raw.view(dtype).reshape(shape)


def everything_arrives(comm):
    """From every layout to every other one, what NumPy would put there."""
    assert windows(comm) is not None
    kinds = [*layouts(size_of(comm))]
    for k, source in enumerate(kinds):
        dtype, payload = DTYPES[k % len(DTYPES)], ((), (3,))[k % 2]
        x = array_of(source, dtype, payload)
        a = gc.CubeArray.from_numpy(x, source, comm)
        for target in kinds:
            found = a.relayout(target).blocks
            wanted = target.scatter(x, range(comm.rank, comm.rank + 1))
            yield np.array_equal(found, wanted), f"{source} to {target}, {dtype}"


def codes_of_bits(comm):
    """One axis of 2^p elements in all codes, also where places are in a list."""
    n = size_of(comm)
    words = ("binary", "gray")
    kinds = [gc.Layout.cyclic(n + 3, n, nodes=a, slots=b) for a in words for b in words]
    kinds += [gc.Layout.consecutive(n + 3, n, nodes=a, slots=b) for a in words for b in words]
    kinds += [gc.Layout.cyclic(n + 3, n, whole="gray")]
    for source in kinds:
        x = array_of(source, "c16", ())
        a = gc.CubeArray.from_numpy(x, source, comm)
        for target in kinds:
            wanted = target.scatter(x, range(comm.rank, comm.rank + 1))
            yield np.array_equal(a.relayout(target).blocks, wanted), f"{source} to {target}"


def nothing_is_sent(comm):
    """No call on the communicator at all, once the buffers are large enough."""
    silent = Silent(comm.Dup())
    first, second, *_ = layouts(size_of(comm))
    a = gc.CubeArray.from_numpy(array_of(first, "f8", ()), first, silent)
    a.relayout(second)
    for call in (lambda: a.relayout(second), lambda: np.roll(a, 1, axis=0)):
        with patch.object(Silent, "strict", new=True):
            error = raised(call)
        yield error is None, f"{error!r} was called"
    silent.Free()


def short_results_are_left_in_memory(comm):
    """Reductions send nothing where results are short, and give what messages give."""
    silent, n = Silent(comm.Dup()), size_of(comm)
    by_messages = patch("graycube.array.reducing.reductions._noted", return_value=None)
    room = ROOM // 8
    for k, layout in enumerate((*layouts(n), *uneven(comm.size))):
        if comm.size == 4 and k % 2:  # two ranks and eight try all
            continue
        for payload in ((), (3,)) if k % 3 else ((), (room,), (room + 1,)):
            x = np.random.default_rng(1).standard_normal((*layout.shape, *payload))
            a = gc.CubeArray.from_numpy(x, layout, silent)
            signs = np.copysign(0.0, a)  # the larger of two zeros is the first, or the second
            for axis, (of, work) in product(((0, 1), 0, 1), ((a, np.sum), (signs, np.max))):
                call = partial(work, of, axis=axis, keepdims=True)
                with by_messages:
                    wanted = call()
                with patch.object(Silent, "strict", new=_is_short(wanted)):
                    found = call()
                same = found.blocks.tobytes() == wanted.blocks.tobytes()
                yield (
                    same and found.layout == wanted.layout,
                    f"{layout}, {payload} along {axis}",
                )
                near = np.allclose(found.to_numpy(), work(of.to_numpy(), axis, keepdims=True))
                yield near, f"{layout}, {payload} along {axis}: NumPy's {work.__name__}"
    silent.Free()


def slabs(ranks):
    """Layouts whose borders are stretches of memory, or are not, and how far to read."""
    shape, far = (4 * ranks, 6), [(2, 1), (0, 0)]
    for code in ("binary", "gray"):
        yield gc.Layout.mesh(shape, (ranks, 1), code=code, ownership=False), far, True
    yield gc.Layout.mesh((8 * ranks,), (ranks,), ownership=False), far[:1], True
    yield gc.Layout.mesh(shape, (ranks, 1), ownership=False), [(1, 1), (0, 1)], False
    yield gc.Layout.mesh(shape, (ranks, 1), allocation="cyclic", ownership=False), far, False
    yield gc.Layout.mesh(shape[::-1], (1, ranks), ownership=False), far[::-1], False


def large_borders_are_sent(comm):
    """In two copies or in one, in shared memory or without: the same."""
    over, lone = comm.Dup(), over_messages(comm.Dup())
    for (layout, reach, stretches), ring, payload in product(
        slabs(comm.size), (True, False), ((), (3,))
    ):
        x = np.random.default_rng(0).random((*layout.shape, *payload))
        options = {"reach": reach, "periodic": ring, "fill": -1}
        alone = gc.CubeArray.from_numpy(x, layout).halo(**options)
        one, other = (gc.CubeArray.from_numpy(x, layout, c) for c in (over, lone))
        unused = (Windows, "reserve") if stretches else (borders, "Neighbours")
        with patch.object(borders, "LARGE", 1), patch.object(*unused, side_effect=OSError):
            large = one.halo(**options)
        for w in (large, one.halo(**options), other.halo(**options)):
            for z in (w, alone):
                for mesh in z.meshes:
                    np.multiply(mesh, 3, out=mesh)
                z.exchange()
            same = np.array_equal(w.meshes[0], alone.meshes[comm.rank])
            yield same, f"{w.halo!r} of {layout}"
            alone = gc.CubeArray.from_numpy(x, layout).halo(**options)
    over.Free()
    lone.Free()


def large_borders_that_differ(comm):
    """All ranks raise an error where they exchange different things."""
    over = comm.Dup()
    layout, reach, _ = next(slabs(comm.size))
    with patch.object(borders, "LARGE", 1):
        pair = [
            gc.CubeArray.from_numpy(np.zeros(layout.shape, kind), layout, over).halo(reach)
            for kind in ("f8", "i8")
        ]
    error = raised(pair[comm.rank == 0].exchange)
    yield isinstance(error, InvalidValueError), f"{error!r}"
    yield raised(pair[0].exchange) is None, "and go on"
    over.Free()


def updates_that_differ(comm):
    """What one rank cannot take in, all hear of: in memory, by messages, and in boxes."""
    for ownership, large in ((False, 1 << 30), (False, 1), (True, 1)):
        over = comm.Dup()
        layout = gc.Layout.mesh((4 * comm.size, 6), (comm.size, 1), ownership=ownership)
        x = np.random.default_rng(0).random(layout.shape)
        a = gc.CubeArray.from_numpy(x, layout, over)
        with patch.object(borders, "LARGE", large):
            window = a.halo((2, 0))
        given = a.astype("f4") if comm.rank == 1 else a
        error = raised(lambda w=window, z=given: w.update(z))
        yield "rank 1, the array has the dtype float32" in str(error), f"{ownership}: {error!r}"
        yield isinstance(error, InvalidValueError), f"{error!r}"
        window.update(2 * a)
        yield np.array_equal(window[2, 0].to_numpy(), np.roll(2 * x, -2, 0)), "it goes on"
        over.Free()


def _is_short(a):
    """Whether the results of all ranks are short enough; those of some may be empty."""
    return all(0 < nbytes <= ROOM for nbytes in a.comm.allgather(a.blocks.nbytes))


def notes_stay(comm):
    """What was said at a meeting can be read until who reads it comes to the next one."""
    over = comm.Dup()
    shared = windows(over)
    for value in range(6):
        note = np.full(ROOM, 16 * value + comm.rank, np.uint8)
        shared.meet(note=note)
        if comm.rank == value % comm.size:
            time.sleep(0.02)
        found, wanted = shared.notes(ROOM), 16 * value + np.arange(comm.size)
        yield (found == wanted[:, None]).all(), f"{found[:, 0]} is not {wanted}"
    over.Free()


def buffers_grow(comm):
    """What is larger than all before gets larger buffers; what was bound goes on in them."""
    n, over = size_of(comm), comm.Dup()
    layout, other = gc.Layout.cyclic(n + 4, n), gc.Layout.consecutive(n + 4, n)
    shared = windows(over)
    sizes = []
    for payload in (1, 700, 30, 1500):
        x = array_of(layout, "f8", (payload,))
        a = gc.CubeArray.from_numpy(x, layout, over)
        for _ in range(3):
            a = a.relayout(other).relayout(layout)
        yield np.array_equal(a.to_numpy(), x), f"payload {payload}"
        sizes.append(len(shared.buffers[0]))
        into = [buffer.ctypes.data % 4096 for buffer in shared.buffers]
        yield into == [2048] * 2, f"buffers begin {into} bytes into a page"
    yield sizes[0] < sizes[1] == sizes[2] < sizes[3], f"{sizes}"
    over.Free()
    yield not shared.alive, "the communicator is gone, and its memory is not"


def slow_readers(comm):
    """Nobody writes where somebody still reads, one exchange after the other."""
    shared = windows(comm)
    yield shared.reserve(8 * comm.size), "there is room"
    for value in range(6):
        words = shared.buffers[shared.turn][: 8 * comm.size].view(np.int64)
        words[comm.rank] = value
        shared.meet()
        if comm.rank == value % comm.size:
            time.sleep(0.02)
        yield (words == value).all(), f"{words} is not {value}"


def maps():
    """How many stretches of graycube's memory this process has."""
    text = Path("/proc/self/maps").read_text(encoding="utf-8")
    return sum("memfd:graycube" in line for line in text.splitlines())


def memory_is_given_back(comm):
    """With the communicator; before that, the buffers that larger ones replace."""
    collect()  # what checks before this one left
    over, before = comm.Dup(), maps()
    shared = windows(over)
    for nbytes in (1 << 16, 1 << 20):
        yield shared.reserve(nbytes), f"{nbytes} bytes"
        yield maps() == before + 2, f"{maps()} of {before}"
    n = size_of(over)
    pair = gc.Layout.cyclic(n + 1, n), gc.Layout.consecutive(n + 1, n)
    plan = gc.plan(*pair, 2, machine="ideal")
    for payload in (1, 1000):
        plan.execute(np.zeros((2, payload)), over)
        yield maps() == before + 3, f"{maps()} of {before}, with outboxes"
    del shared
    over.Free()
    yield maps() == before, f"{maps()} of {before} are left"


def no_room(comm):
    """What does not fit is sent in messages, and the first rank says so, once."""
    n, over = size_of(comm), comm.Dup()
    layout, other = gc.Layout.cyclic(n + 4, n), gc.Layout.consecutive(n + 4, n)
    x = array_of(layout, "f8", (64,))
    a = gc.CubeArray.from_numpy(x, layout, over)
    with (
        patch("graycube.run.segment._room", return_value=1 << 14),
        warnings.catch_warnings(record=True) as said,
    ):
        warnings.simplefilter("always")
        for _ in range(2):
            made = a.relayout(other)
    yield np.array_equal(made.to_numpy(), x), "the messages"
    texts = [str(warning.message) for warning in said]
    yield len(texts) == (comm.rank == 0), f"{texts}"
    yield all("messages are sent" in text for text in texts), f"{texts}"
    over.Free()
    over = comm.Dup()
    a = gc.CubeArray.from_numpy(x, layout, over)
    with (
        patch("graycube.run.segment._room", return_value=1 << 14),
        warnings.catch_warnings(action="error"),
    ):
        yield from one_error(comm, lambda: a.relayout(other), Warning, "messages are sent")
        yield np.array_equal(a.relayout(other).to_numpy(), x), "after the error"
    over.Free()
    if in_order():
        yield from no_outboxes(comm.Dup(), gc.plan(layout, other, 16, machine=gc.Machine(n)))


def no_outboxes(over, plan):
    with (
        patch("graycube.run.channels.segment", return_value=(None, "none")),
        warnings.catch_warnings(action="error"),
    ):
        yield from one_error(
            over, lambda: plan.execute(np.ones(16), over), Warning, "MPI sends"
        )
        yield plan.execute(np.ones(16), over).all(), "after the error"
    over.Free()


def elsewhere(comm):
    """A rank for which the first one's process number means another process."""
    over = comm.Dup()
    here = comm.rank == comm.size - 1
    wrong = OSError("not the memory of the first rank") if here else None
    with (
        patch("graycube.run.segment._opened", side_effect=wrong) if here else patch("os.name"),
        warnings.catch_warnings(action="ignore"),
    ):
        shared = windows(over)
    yield shared is None, "some ranks share memory that others have not"
    yield agreed(over, lambda: (5, {"size": comm.size})) == 5, "they cannot agree"
    over.Free()


def other_processors(comm):
    """Where stores may overtake each other, ranks meet in MPI."""
    n, over = size_of(comm), comm.Dup()
    layout, other = gc.Layout.cyclic(n + 4, n), gc.Layout.consecutive(n + 4, n)
    x = array_of(layout, "f8", ())
    with patch("graycube.run.meeting._IN_ORDER", new=False):
        a = gc.CubeArray.from_numpy(x, layout, over)
        found = a.relayout(other).blocks
        error = raised(lambda: agreed(over, lambda: (1, {"size": comm.rank})))
    wanted = other.scatter(x, range(comm.rank, comm.rank + 1))
    yield np.array_equal(found, wanted), f"{found}"
    yield isinstance(error, InvalidValueError), f"{error!r}"
    over.Free()


def messages_pass(comm):
    """Messages of the program come and go while a rank waits in memory.

    They are too large to be on their way at once, and the first rank does nothing but wait.
    """
    over, large = comm.Dup(), np.full(1 << 20, 7.0)
    shared = windows(over)
    shared.meet()
    found = np.zeros((comm.size, len(large)))
    peers = range(1, comm.size) if comm.rank == 0 else [0]
    requests = [comm.Irecv(found[peer], peer) for peer in peers]
    requests += [comm.Isend(large, peer) for peer in peers]
    late = time.monotonic() + 5
    passed = comm.rank == 0
    while not passed and time.monotonic() < late:
        passed = MPI.Request.Testall(requests)
        time.sleep(1e-3)
    yield passed, "a message does not pass while the other rank waits"
    yield shared.meet(), "they meet"
    MPI.Request.Waitall(requests)
    yield all((found[peer] == 7).all() for peer in peers), "the messages"
    over.Free()


def switched_off(comm):
    """One rank where it is switched off is enough."""
    over = comm.Dup()
    off = {"GRAYCUBE_WINDOWS": "0"} if comm.rank == 1 else {}
    with patch.dict(os.environ, off):
        yield windows(over) is None, "some ranks share memory"
    over.Free()
    yield windows(over_messages(comm.Dup())) is None, "they share memory"


def words_that_switch_it_off(comm):
    """The usual words do; whoever means them by another word learns of it, as all others do."""
    for word, off in (("off", True), ("No", True), ("false", True), ("on", False), ("", False)):
        over = comm.Dup()
        with patch.dict(os.environ, {"GRAYCUBE_WINDOWS": word}):
            yield (windows(over) is None) is off, f"{word!r} switches memory off or not"
        over.Free()
    for culprits in ({1}, set(range(comm.size))):
        over = comm.Dup()
        with patch.dict(os.environ, {"GRAYCUBE_WINDOWS": "2"} if comm.rank in culprits else {}):
            error = raised(lambda: windows(over))  # noqa: B023 - called here
        first = f"GRAYCUBE_WINDOWS is '2' in the environment of rank {min(culprits)}"
        yield isinstance(error, InvalidValueError) and first in str(error), f"heard {error!r}"
        yield windows(over) is not None, "nothing works after a wrong word"
        over.Free()


def endings(name):
    """Rank 1 is killed, while the others wait for it or read."""
    comm = MPI.COMM_WORLD
    n = size_of(comm)
    layout, other = gc.Layout.cyclic(n + 4, n), gc.Layout.consecutive(n + 4, n)
    a = gc.CubeArray.from_numpy(array_of(layout, "f8", (64,)), layout, comm)
    a = a.relayout(other)
    print(f"running, {name}", flush=True)  # noqa: T201 - the test waits for it
    while True:
        if comm.rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        a = a.relayout(layout).relayout(other)


CHECKS = checks(
    (2, 4, 8),
    everything_arrives,
    codes_of_bits,
    nothing_is_sent,
    short_results_are_left_in_memory,
    notes_stay,
    large_borders_are_sent,
    large_borders_that_differ,
    updates_that_differ,
    buffers_grow,
    slow_readers,
    memory_is_given_back,
    no_room,
    elsewhere,
    other_processors,
    messages_pass,
    switched_off,
    words_that_switch_it_off,
)

if __name__ == "__main__":
    if len(sys.argv) > 1:
        endings(sys.argv[1])
    else:
        carry_out({name: check for name, (check, _) in CHECKS.items()})
