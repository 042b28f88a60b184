"""Plans carried out over MPI give, bit for bit, what they give in one process.

Every rank computes the blocks of all nodes, and compares its own.
"""

import random
import sys
import time
import warnings
from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path
from unittest.mock import Mock, patch

import numpy as np
from contents import RECORD, content, same
from kinds_of_tasks import invertible
from mpi_checks import checks, one_error, over_messages, raised, size_of

import graycube as gc
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError, PeerError
from graycube.gf2 import AffineMap, Matrix
from graycube.run import Execution
from graycube.run.rounds import Handed, Mailed
from graycube.run.windows import windows
from graycube.schedule import dump

DTYPES = ("f4", "c16", "?", RECORD, "U5", "M8[s]", ">i4", "S3", "f2", "V7", "u1")
SAMPLES = {2: 150, 4: 60, 8: 70, 16: 42}  # schedules that are carried out


def seeded(seed):
    """The same choices every time."""
    return random.Random(seed)  # noqa: S311 - no secrets here


def all_ports(n, switching="circuit", startup=0.0):
    """A machine on which most algorithms apply."""
    return gc.Machine(n, "all", switching, startup=startup)


def field_plan(n, block=8, **choice):
    """Gray to binary code of the nodes: strands of whole blocks."""
    layouts = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    return gc.plan(*layouts, block, itemsize=8, machine=all_ports(n), **choice)


def transpose_plan(n, block=8):
    """Cyclic to consecutive: rows from here and there are packed into a message."""
    p = n + 3
    layouts = gc.Layout.cyclic(p, n), gc.Layout.consecutive(p, n, whole="gray")
    return gc.plan(*layouts, block, itemsize=8, machine=all_ports(n), algorithm="exchange")


def both_plans(n, block=8):
    """A plan whose messages lie in the block as they are, and one that packs them."""
    return field_plan(n, block), transpose_plan(n, block)


# Every algorithm on many tasks


def layouts(n, slots, draw):
    """Layouts of the same elements: allocations, codes, meshes of two axes, any map."""
    p, code = n + slots, {"nodes": "gray"}
    yield gc.Layout.cyclic(p, n)
    yield gc.Layout.cyclic(p, n, **code)
    yield gc.Layout.consecutive(p, n)
    yield gc.Layout.consecutive(p, n, whole="gray")
    yield invertible(p, draw) @ gc.Layout.cyclic(p, n)
    yield gc.Layout.consecutive(p, n) @ invertible(p, draw)


def meshes(n, slots):
    """Two axes in each code, and transposed."""
    a, b = n // 2, n - n // 2
    c = slots // 2
    shape = (1 << a + c, 1 << b + slots - c)
    for code in ("gray", "binary"):
        yield gc.Layout.mesh(shape, nodes=(1 << a, 1 << b), code=code)
        dims = tuple(range(b, n)), tuple(range(b))
        yield gc.Layout.mesh(shape, nodes=(1 << a, 1 << b), code=code, dims=dims)


def machines(n):
    """Few and many ports, both ways to switch, start-ups that matter or do not."""
    for ports in sorted({1, min(2, n), n}):
        for switching in ("store-and-forward", "circuit"):
            for startup in (0.0, 1e4):
                yield gc.Machine(n, ports, switching, startup=startup)
    if n > 1:  # squares have other numbers than their cubes
        yield gc.Machine.torus((2,) * (n % 2) + (4,) * (n // 2), ports=1, startup=1e4)
        yield gc.Machine.torus((4,) * (n // 2) + (2,) * (n % 2))


def tasks(n, draw):
    """Pairs of layouts with a block, in random order; first those with fields only."""
    for code in ("gray", "binary"):
        other = {"gray": "binary", "binary": "gray"}[code]
        yield gc.Layout.nodes(n, code), gc.Layout.nodes(n, other), 12
    pairs = [
        (source, target, draw.choice((1, 2, 3)) << slots)
        for slots in (0, 1, 3)
        for family in (layouts(n, slots, draw), meshes(n, slots))
        for source, target in permutations(family, 2)
    ]
    draw.shuffle(pairs)
    yield from pairs


def some_plans(n, count, seed):
    """Different schedules for different tasks; rare algorithms come as often as others."""
    draw, found, seen = seeded(seed), {}, set()
    for source, target, block in list(tasks(n, draw))[:40]:
        for machine in draw.sample(list(machines(n)), 2):
            try:
                plan = gc.plan(source, target, block, machine=machine)
            except GraycubeError:  # nodes without memory cannot exchange anything
                continue
            for made in alternatives(plan):
                text = dump(made.schedule)
                if text not in seen:
                    seen.add(text)
                    found.setdefault(made.algorithm, []).append(made)
    return spread(list(found.values()), count)


def alternatives(plan):
    """The plan with each algorithm that applies."""
    for candidate in plan.candidates:
        if candidate.traffic is not None:
            schedule = candidate.traffic.schedule
            yield replace(plan, schedule=schedule, traffic=candidate.traffic)


def spread(groups, count):
    """So many entries, from all groups in turn."""
    deals = zip(*(group + [None] * count for group in groups), strict=False)
    return [entry for deal in deals for entry in deal if entry is not None][:count]


def number_of(plan, comm):
    """The node whose block the rank has at the end."""
    new = plan.renumbered(comm)
    number = new.rank
    if new != comm:
        new.Free()
    return number


def algorithms(comm):
    """Every algorithm, on whatever it can do."""
    plans = some_plans(size_of(comm), SAMPLES[comm.size], seed=comm.size)
    for k, plan in enumerate(plans):
        blocks = content((comm.size, plan.task.block), seed=k)
        made = plan.execute(blocks[comm.rank], comm)
        wanted = plan.apply(blocks)[number_of(plan, comm)]
        yield same(made, wanted), f"{plan!r} for {plan.task}: {made} instead of {wanted}"
    names = {plan.algorithm for plan in plans}
    yield len(names) >= min(5 + 3 * size_of(comm), 13), f"only {sorted(names)}"


def renumbering(comm):
    """The communicator is another one exactly where nodes get new numbers."""
    n = size_of(comm)
    for name in ("relabel", "gb1"):
        plan = field_plan(n, algorithm=name)
        new = plan.renumbered(comm)
        yield (new is comm) == (name == "gb1"), f"{name} gives {new}"
        blocks = content((comm.size, 8))
        made = plan.execute(blocks[comm.rank], comm)
        yield same(made, plan.apply(blocks)[new.rank]), f"{name}: wrong block"
        new_rank = new.rank
        there = field_plan(n).execute(made, new)  # and the new one is as good as any
        wanted = field_plan(n).apply(plan.apply(blocks))[new.rank]
        yield same(there, wanted), f"after {name}: wrong block"
        yield plan.renumbered(comm) is new, f"{name}: another one the second time"
        if new is not comm:
            new.Free()
            other = plan.renumbered(comm)  # a program may free it
            yield other.rank == new_rank, f"{name}: another number afterwards"


def boxes(comm):
    """Blocks in C order go by a plan too, between them and bits."""
    shape, nodes = (4 * 3, 20), (comm.size, 1)
    machine, x = all_ports(size_of(comm)), content(shape)
    for ways in (("gray", "consecutive"), ("gray", "cyclic")):
        box, bits = (
            gc.Layout.mesh(shape, nodes, code=ways[0], allocation=ways[1], ownership=own)
            for own in (True, False)
        )
        plain = gc.Layout.mesh(shape, nodes, allocation=ways[1], ownership=True)
        for source, target in ((box, plain), (bits, plain), (plain, bits)):
            u = gc.CubeArray.from_numpy(x, source, comm).relayout(target, machine=machine)
            expected = gc.CubeArray.from_numpy(x, target, comm)
            yield same(u.blocks, expected.blocks), f"{source} to {target}: {u.blocks}"


# What blocks can be


def dtypes(comm):
    """Bytes are moved, whatever they mean."""
    for plan in both_plans(size_of(comm)):
        for dtype in DTYPES:
            blocks = content((comm.size, 8), dtype)
            made = plan.execute(blocks[comm.rank], comm)
            yield same(made, plan.apply(blocks)[comm.rank]), f"{dtype}: {made}"


def objects(comm):
    """Python objects are not bytes: all ranks refuse them, and go on."""
    plan = field_plan(size_of(comm))
    for dtype in (object, np.dtype([("a", object)]), np.dtypes.StringDType()):
        call = partial(plan.execute, np.zeros(8, dtype), comm)
        yield from one_error(comm, call, InvalidTypeError, "the block has dtype")
    yield from simple(comm, "afterwards")


def simple(comm, when):
    """An ordinary plan works."""
    plan = transpose_plan(size_of(comm))
    blocks = content((comm.size, 8), seed=99)
    made = plan.execute(blocks[comm.rank], comm)
    yield same(made, plan.apply(blocks)[comm.rank]), f"{when}: {made}"


def shapes(comm):
    """Any payload behind the elements, of any width in bytes."""
    for plan in both_plans(size_of(comm)):
        for shape in ((8,), (8, 3), (2, 4), (4, 2, 5), (1, 8, 1), (24,), (8, 37)):
            for dtype in ("u1", "f8"):
                blocks = content((comm.size, *shape), dtype)
                made = plan.execute(blocks[comm.rank], comm)
                yield same(made, plan.apply(blocks)[comm.rank]), f"{shape} of {dtype}"


def large_blocks(comm):
    """Messages that MPI does not buffer."""
    for plan in both_plans(size_of(comm)):
        blocks = content((comm.size, 8, 1 << 14))
        made = plan.execute(blocks[comm.rank], comm)
        yield same(made, plan.apply(blocks)[comm.rank]), f"{plan.algorithm}"


def unaligned(block):
    """The same numbers at an odd address."""
    store = np.zeros(block.nbytes + 1, np.uint8)
    view = store[1:].view(block.dtype).reshape(block.shape)
    view[...] = block
    return view


def read_only(block):
    """The same numbers, that nobody may change."""
    copy = block.copy()
    copy.flags.writeable = False
    return copy


VIEWS = {
    "strided": lambda a: np.repeat(a, 2, axis=0)[::2],
    "reversed": lambda a: a[::-1].copy()[::-1],
    "Fortran order": np.asfortranarray,
    "transposed": lambda a: a.T.copy().T,
    "a slice": lambda a: np.pad(a, 1)[1:-1, 1:-1],
    "unaligned": unaligned,
    "read-only": read_only,
    "bytes": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "repeated": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "a list": lambda a: a.tolist(),
}


def memory_orders(comm):
    """Blocks may lie in memory in any way, and are not changed."""
    for plan in both_plans(size_of(comm)):
        for name, view in VIEWS.items():
            blocks = content((comm.size, 8, 3))
            if name == "repeated":
                blocks[...] = blocks[:, :, :1]
            block = view(blocks[comm.rank])
            made = plan.execute(block, comm)
            yield same(made, plan.apply(blocks)[comm.rank]), f"{name}: {made}"
            yield np.array_equal(block, blocks[comm.rank]), f"{name}: the block has changed"


OUTS = {
    "C order": lambda _: np.zeros((8, 3), np.int64),
    "strided": lambda _: np.zeros((16, 3), np.int64)[::2],
    "reversed": lambda _: np.zeros((8, 3), np.int64)[::-1],
    "Fortran order": lambda _: np.zeros((8, 3), np.int64, order="F"),
    "a slice": lambda _: np.zeros((9, 9), np.int64)[1:, 3:6],
    "unaligned": lambda _: unaligned(np.zeros((8, 3), np.int64)),
    "the block": lambda block: block,
    "the block upside down": lambda block: block[::-1],
}


def outs(comm):
    """The result goes to any array, the block included."""
    for plan in both_plans(size_of(comm)):
        for name, make in OUTS.items():
            blocks = content((comm.size, 8, 3))
            block = blocks[comm.rank].copy()
            out = make(block)
            made = plan.execute(block, comm, out)
            yield made is out, f"{name}: out is not what comes back"
            yield same(out, plan.apply(blocks)[comm.rank]), f"{name}: {out}"
            if "block" not in name:
                yield same(block, blocks[comm.rank]), f"{name}: the block has changed"


def overlapping_outs(comm):
    """The result may share some rows with the block, or lie between them."""
    for plan in both_plans(size_of(comm)):
        blocks = content((comm.size, 8, 3))
        for name, rows, into in (
            ("shifted", slice(0, 8), slice(3, 11)),
            ("shifted back", slice(5, 13), slice(2, 10)),
            ("interleaved", slice(0, 16, 2), slice(1, 17, 2)),
            ("crossed", slice(0, 16, 2), slice(8, 0, -1)),
        ):
            store = np.zeros((17, 3), np.int64)
            block, out = store[rows], store[into]
            block[...] = blocks[comm.rank]
            plan.execute(block, comm, out)
            yield same(out, plan.apply(blocks)[comm.rank]), f"{name}: {out}"


# Bound once, run often


def bound_runs(comm):
    """What is in the block at the time is what is sent."""
    for plan in both_plans(size_of(comm)):
        for view in (np.array, np.asfortranarray, lambda a: np.repeat(a, 2, axis=0)[::2]):
            block = view(np.zeros((8, 3), np.int64))
            bound = plan.bind(block, comm)
            for seed in range(12):
                blocks = content((comm.size, 8, 3), seed=seed)
                block[...] = blocks[comm.rank]
                made = bound.run()
                yield made is bound.result, "the result is another array"
                yield same(made, plan.apply(blocks)[comm.rank]), f"run {seed}: {made}"
            bound.free()


def many_rounds(comm):
    """Rank 0 says where many rounds come from; where that is an error, all raise it."""
    layouts = gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2)
    plans = sys.modules[gc.Plan.__module__]
    yield 500 < plans.MANY_ROUNDS < 1500, f"{plans.MANY_ROUNDS} rounds are many"
    for most, warns in ((11, True), (12, True), (13, False)):
        plan = gc.plan(*layouts, 24, machine=gc.Machine(2, "all"))
        yield plan.rounds == 13, f"{plan.rounds} rounds"
        with patch.object(plans, "MANY_ROUNDS", most):
            for call in (plan.execute, plan.bind):
                yield from told_of(comm, lambda call=call: call(np.zeros(24), comm), warns)


def told_of(comm, call, warns):
    """Whether a call warns of 13 rounds, and that is an error of all where it is one."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    texts = [(w.filename, "13 rounds" in str(w.message)) for w in told]
    yield texts == [(__file__, True)] * (comm.rank == 0 and warns), f"{texts}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        error = raised(call)
    if warns:
        yield isinstance(error, PeerError) and "13 rounds" in str(error), f"{error!r}"
    else:
        yield error is None, f"{error!r}"


def bound_in_place(comm):
    """A block that is its own result goes on from where it is."""
    for plan in both_plans(size_of(comm)):
        blocks = content((comm.size, 8))
        block = blocks[comm.rank].copy()
        bound = plan.bind(block, comm, out=block)
        for k in range(8):
            blocks = plan.apply(blocks)
            bound.run()
            yield same(block, blocks[comm.rank]), f"after {k + 1} times: {block}"
        bound.free()


def interleaved(comm):
    """Two bound plans in turn, on ranks of different speed."""
    draw = seeded(comm.rank)
    plans = both_plans(size_of(comm))
    mine = [np.zeros((8, k + 1), np.int64) for k in range(2)]
    bound = [plan.bind(block, comm) for plan, block in zip(plans, mine, strict=True)]
    for seed in range(20):
        k = (seed * seed // 3) % 2
        blocks = content(((comm.size, *mine[k].shape)), seed=seed)
        mine[k][...] = blocks[comm.rank]
        time.sleep(draw.choice((0, 0, 0.003)))
        yield same(bound[k].run(), plans[k].apply(blocks)[comm.rank]), f"run {seed} of {k}"
    bound[0].free()
    mine[1][...] = blocks[comm.rank][:, :1]  # the other one is as good as before
    wanted = plans[1].apply(np.repeat(blocks[:, :, :1], 2, axis=2))
    yield same(bound[1].run(), wanted[comm.rank]), "after the first one was freed"
    bound[1].free()


# In step


def on_a_path(n, startup=1e-6):
    """A machine on which nodes meet between rounds, if start-ups cost little."""
    return gc.Machine.torus((1 << n,), joined=False, startup=startup, per_byte=1e-3)


def in_step(comm):
    """Ranks that meet between rounds get what others get, also who has nothing to do."""
    n = size_of(comm)
    for source, target, block in list(tasks(n, seeded(n)))[:8]:
        for made in alternatives(gc.plan(source, target, block, machine=on_a_path(n))):
            if made.rounds > 1:
                yield made.in_step >= made.rounds, f"{made!r} goes ahead"
            blocks = content((comm.size, block))
            bound = made.bind(blocks[comm.rank], comm)
            wanted = made.apply(blocks)[number_of(made, comm)]
            for _ in range(2):
                yield same(bound.run(), wanted), f"{made!r} for {made.task}"
            bound.free()
    layout = gc.Layout.cyclic(n + 4, n)
    points = content((1 << n + 4,), complex)
    a = gc.CubeArray.from_numpy(points, layout, comm)
    for plan in alternatives(gc.plan_fft(layout, itemsize=16, machine=on_a_path(n))):
        yield plan.in_step >= plan.rounds, f"{plan!r} goes ahead"
        found = gc.fft(a, plan=plan, order="natural").to_numpy()
        yield np.allclose(found, np.fft.fft(points)), f"{plan!r}: {found}"


def who_meets(comm):
    """Nobody begins the second round before the first is over, even for who does nothing."""
    nodes = gc.Layout.nodes(2)
    turned = AffineMap(Matrix((2, 3), 2)) @ nodes  # node 0 stays where it is
    plan = gc.plan(nodes, turned, 24, machine=on_a_path(2), algorithm="exchange")
    yield plan.rounds == 2 and not plan.actions(0), f"{plan!r} moves what node 0 has"
    bound = plan.bind(np.zeros(24), comm)
    begun = comm.bcast(time.monotonic())
    if comm.rank == 0:
        time.sleep(0.2)
    bound.run()
    yield time.monotonic() - begun >= 0.2, "others were done before rank 0 came"
    bound.free()


def in_step_or_not(comm):
    """Ranks that do not agree about it all hear so."""
    startup = 1e9 if comm.rank == 1 else 1e-6
    plan = gc.plan(
        gc.Layout.nodes(2, "gray"),
        gc.Layout.nodes(2),
        8,
        machine=on_a_path(2, startup),
        algorithm="gb3",
    )
    call = partial(plan.execute, np.zeros(8), comm)
    yield from one_error(comm, call, GraycubeError, "plan", "in step")
    yield from simple(comm, "after ranks that did not agree")


# By memory


def bound_to(plan, comm, seed=0):
    """A plan bound to its block, and what comes of it."""
    blocks = content((comm.size, 8), seed=seed)
    return plan.bind(blocks[comm.rank], comm), plan.apply(blocks)[comm.rank]


def by_memory_or_messages(comm):
    """Through memory, unless that is much at a time, or the ranks share none."""
    lone, near = over_messages(comm.Dup()), Mailed if windows(comm) is None else Handed
    for plan in both_plans(size_of(comm)):
        for over, large, kind in (
            (comm, 1 << 20, near),
            (comm, 64, Mailed),
            (lone, 64, Mailed),
        ):
            with patch("graycube.run.bind.LARGE", large):
                bound, wanted = bound_to(plan, over)
            kinds = {type(messages) for _, messages, _ in bound._rounds}
            yield kinds == {kind}, f"{plan!r} of at most {large} bytes by {kinds}"
            for k in range(6):
                if comm.rank == k % comm.size:
                    time.sleep(0.01)
                bound.result[...] = -1
                yield same(bound.run(), wanted), f"{plan!r}, by {kind}: {bound.result}"
            bound.free()
    lone.Free()


def in_larger_outboxes(comm):
    """What was bound goes on after others needed more room, and takes turns with them."""
    over = comm.Dup()
    plans = [plan for block in (8, 64, 4096) for plan in both_plans(size_of(comm), block)]
    bounds = []
    for seed, plan in enumerate(plans):
        blocks = content((comm.size, 8, plan.task.block // 8), seed=seed)
        bounds.append((plan.bind(blocks[comm.rank], over), plan.apply(blocks)[comm.rank]))
        for bound, wanted in bounds[::-1] + bounds:
            bound.result[...] = -1
            yield same(bound.run(), wanted), f"{plan!r} after {len(bounds)}"
    over.Free()


def small_blocks_are_bound_once(comm):
    """Results are new ones all the same, and larger blocks are bound each time."""
    over, plan = comm.Dup(), field_plan(size_of(comm))
    for payload, times in ((1, 1), (2000, 4)):
        results = []
        with patch("graycube.run.bind.Execution", Mock(wraps=Execution)) as made:
            for seed in range(4):
                blocks = content((comm.size, 8, payload), seed=seed)
                found = plan.execute(blocks[comm.rank], over)
                results.append((found, plan.apply(blocks)[comm.rank]))
        yield made.call_count == times, f"{made.call_count} for a payload of {payload}"
        yield all(same(*pair) for pair in results), f"a payload of {payload}"
        out, order = np.empty_like(found), blocks[comm.rank].copy(order="F")
        yield plan.execute(order, over, out=out) is out, "another array"
        yield same(out, found), "from another order, to a given array"
    over.Free()


def other_runs(comm):
    """Ranks that run different things hear so, and nothing of that comes to an array."""
    over = comm.Dup()
    swap = gc.Layout.parse("(b1 || b0)"), gc.Layout.parse("(b0 || b1)")
    plan = gc.plan(*swap, 8, itemsize=8, machine=all_ports(1))
    pair = [plan.bind(np.ones((16, k), int), over) for k in (1, 2)]
    for bound in pair:
        yield (bound.run() == 1).all(), f"{bound.result}"
        bound.result[...] = -1
    if windows(over) is not None:
        for _ in range(2):  # and whatever they run afterwards
            error = raised(pair[comm.rank].run)
            yield isinstance(error, PeerError), f"{error!r}"
            yield f"rank {1 - comm.rank} calls something else" in str(error), f"{error}"
        kept = pair[comm.rank].result.reshape(2, 8, -1)[1 - comm.rank]
        yield (kept == -1).all(), f"{kept}"


# Files


def files(comm):
    """Plans from files are the plans that were saved, also beside ranks that made them."""
    for k, plan in enumerate(both_plans(size_of(comm))):
        path = Path(f"plan-{k}.json")
        if comm.rank == 0:
            plan.save(path)
        comm.Barrier()
        loaded = gc.load_plan(path)
        comm.Barrier()
        if comm.rank == 0:
            path.unlink()
        blocks = content((comm.size, 8))
        wanted = plan.apply(blocks)[comm.rank]
        yield same(loaded.execute(blocks[comm.rank], comm), wanted), "all have loaded it"
        some = loaded if comm.rank % 2 else plan
        yield same(some.execute(blocks[comm.rank], comm), wanted), "some have loaded it"


def sent(comm):
    """Plans that one rank made and sent to all are the plans that it made."""
    for plan in both_plans(size_of(comm)):
        received = comm.bcast(plan if comm.rank == 0 else None)
        yield received == plan, f"{received!r} instead of {plan!r}"
        blocks = content((comm.size, 8))
        wanted = plan.apply(blocks)[comm.rank]
        yield same(received.execute(blocks[comm.rank], comm), wanted), "all have received it"


# Communicators


def halves(comm):
    """Two halves of the ranks do different things at the same time."""
    color = comm.rank % 2
    half = comm.Split(color, comm.rank)
    n = size_of(half)
    plan = both_plans(n)[color]
    for seed in range(3 + 2 * color):
        blocks = content((half.size, 8), seed=seed + 10 * color)
        made = plan.execute(blocks[half.rank], half)
        yield same(made, plan.apply(blocks)[half.rank]), f"{color}: {made}"
    half.Free()
    yield from simple(comm, "in the whole afterwards")


def other_numbers(comm):
    """Ranks count, and not the processes behind them."""
    order = list(range(comm.size))
    seeded(1).shuffle(order)
    backwards = comm.Split(0, -comm.rank)
    shuffled = comm.Create(comm.group.Incl(order))
    mesh = comm.Create_cart([comm.size // 2, 2], reorder=True)
    for other in (backwards, shuffled, mesh):
        yield from simple(other, "on ranks with other numbers")
        yield from simple(comm, "on the ranks as they were")
        other.Free()


def one_node(comm):
    """A cube of one node sends nothing."""
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    plan = gc.plan(gc.Layout.nodes(0), gc.Layout.nodes(0), 4, machine="ideal")
    block = content((4,)) + comm.rank
    yield same(plan.execute(block, MPI.COMM_SELF), block), "on COMM_SELF"


def messages_of_the_program(comm):
    """What the program sends and waits for on the communicator is not graycube's."""
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    peers = [comm.rank ^ 1 << d for d in range(size_of(comm))]
    for plan in both_plans(size_of(comm)):
        mine = np.full(8, comm.rank + 1000)
        anything = [np.zeros(8, mine.dtype) for _ in peers]
        waiting = [comm.Irecv(a, MPI.ANY_SOURCE, MPI.ANY_TAG) for a in anything]
        blocks = content((comm.size, 8))
        made = plan.execute(blocks[comm.rank], comm)
        yield same(made, plan.apply(blocks)[comm.rank]), f"{made} while receives wait"
        under_way = [comm.Isend(mine, peer, tag=0) for peer in peers]
        made = plan.execute(blocks[comm.rank], comm)
        yield same(made, plan.apply(blocks)[comm.rank]), f"{made} while sends wait"
        MPI.Request.Waitall(waiting + under_way)
        got = sorted(int(a[0]) - 1000 for a in anything)
        yield got == sorted(peers), f"the program received {got}"


def many_communicators(comm):
    """Communicators that graycube makes for itself go when those of the program go."""
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    plan = transpose_plan(size_of(comm))
    blocks = content((comm.size, 8))
    wanted = plan.apply(blocks)[comm.rank]
    others = [MPI.COMM_SELF.Dup() for _ in range(1900)]  # MPICH has about 2000
    for _ in range(300):
        own = comm.Dup()
        made = plan.execute(blocks[comm.rank], own)
        own.Free()
        if not same(made, wanted):
            yield False, f"{made}"
    for own in others:
        own.Free()
    yield True, "as many as wanted"


def unfreed(comm):
    """Bound plans that nobody frees do no harm, not even at the end of the program."""
    for plan in both_plans(size_of(comm)):
        for _ in range(3):
            plan.bind(np.zeros(8), comm).run()
    KEPT.append(plan.bind(np.zeros(8), comm))
    yield from simple(comm, "beside forgotten ones")


def freed_communicators(comm):
    """The requests go with their communicator, not when each rank happens to forget them.

    With its last request MPI destroys a communicator, for which it may wait for all ranks: so
    no rank may be the first to do that while the others do something else.
    """
    n = size_of(comm)
    part = comm.Dup()
    bound = [plan.bind(np.zeros(8), part) for plan in both_plans(n)]
    cells = gc.CubeArray.from_numpy(
        np.zeros(8 << n), gc.Layout.mesh((8 << n,), (1 << n,)), part
    )
    window = cells.halo(1)
    for each in bound:
        each.run()
    part.Free()
    for call in (*(b.run for b in bound), window.exchange):
        error = raised(call)
        yield isinstance(error, InvalidValueError) and "freed" in str(error), f"{error!r}"
    if comm.rank == 0:
        bound.clear()
    comm.Barrier()
    yield from simple(comm, "after another communicator was freed")


KEPT = []
ALL = (2, 4, 8, 16)
CHECKS = (
    checks(ALL, algorithms, messages_of_the_program)
    | checks((4, 16), renumbering, objects)
    | checks((2, 4), boxes, unfreed, small_blocks_are_bound_once)
    | checks((2, 4, 8), by_memory_or_messages, in_larger_outboxes)
    | checks(
        (4,),
        dtypes,
        shapes,
        large_blocks,
        memory_orders,
        outs,
        overlapping_outs,
        who_meets,
        in_step_or_not,
        bound_runs,
        many_rounds,
        sent,
        one_node,
    )
    | checks((2, 4, 8), bound_in_place, freed_communicators)
    | checks((4, 8), interleaved, files, other_numbers)
    | checks((4, 8, 16), halves, in_step)
    | checks((2,), many_communicators, other_runs)
)
