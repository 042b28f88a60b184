"""What phases of advice are said to send is what ranks send, message by message."""

from contextlib import ExitStack, suppress
from unittest.mock import patch

import numpy as np
from counting import GIVEN, Counting, sent
from mpi_checks import checks, over_messages
from random_butterflies import any_affine
from random_transforms import random_layout

import graycube as gc
from graycube.advice import Scan, Sort, Tridiagonal
from graycube.advice.sent import price
from graycube.array.ordering import merging, ways
from graycube.errors import InvalidValueError
from graycube.layout import Ownership
from graycube.layout.grids import tidied
from graycube.run import post

STARTUP, PER_BYTE, ITEM = 1000.0, 1.0, 8
MOST = {4: 10}  # layouts


def layouts(comm):
    """Meshes in any code and allocation, and some at random, on as many nodes as ranks."""
    rng, made = np.random.default_rng(comm.size), 0
    yield gc.Layout.consecutive(6, comm.size.bit_length() - 1, nodes="gray"), 0, 0
    while made < MOST.get(comm.size, 60):
        layout = random_layout(rng, 40, 400)
        dealt_out = [axis for axis in layout.axes if getattr(axis, "low", 0)]
        if isinstance(layout, Ownership) or dealt_out or layout.node_count != comm.size:
            continue
        axes = [k for k, length in enumerate(layout.shape) if length > 2]
        if axes:
            made += 1
            made_anyhow = tidied(any_affine(rng, layout)) if made % 4 == 0 else layout
            yield made_anyhow, int(rng.choice(axes)), made


def message(source, target, nbytes, switching):
    """Hop by hop, or at once; nothing is no message."""
    hops = (source ^ target).bit_count() if switching != "circuit" else 1
    return hops * (STARTUP + nbytes * PER_BYTE) if nbytes and source != target else 0.0


def steps_of(comm):
    """Ranks agree, send some messages one after the other, and agree again: what all send."""
    steps = [[]]
    for name, args in GIVEN:
        if name == "Iallreduce":
            steps.append([])
        elif name in {"Sendrecv", "Send_init"}:
            steps[-1].append((comm.rank, args[1], args[0][0].nbytes))
    return [*zip(*comm.allgather(steps), strict=True)]


def counted(steps, switching):
    """Seconds of the rank that sends most in each step."""
    return sum(max(sum(message(*m, switching) for m in own) for own in each) for each in steps)


def links(source, target):
    """Over the lowest dimension first."""
    while source != target:
        step = (source ^ target) & -(source ^ target)
        yield source, step
        source ^= step


def crowded(steps):
    """Whether messages of a step need a link at the same time: they wait for each other."""
    used = [[x for own in each for m in own for x in links(*m[:2])] for each in steps]
    return any(len({*some}) < len(some) for some in used)


def priced(phase, layout, itemsize, switching):
    machine = gc.Machine(layout.n, 1, switching, STARTUP, PER_BYTE)
    return price(phase, layout, itemsize, machine)


def compared(comm, phase, layout, itemsize, *, waiting=False):
    """Circuits; and hop by hop, where nothing was elsewhere; ``waiting`` where paths cross."""
    steps = steps_of(comm)
    for switching in ("circuit", "store-and-forward"):
        seconds, how = priced(phase, layout, itemsize, switching)
        if switching == "circuit" or "moved" not in how:
            found = counted(steps, switching)
            fine = seconds >= found if waiting and crowded(steps) else seconds == found
            yield fine, f"{seconds} for {found} of {phase} in {layout}, {switching}"


def scans(comm):
    counting = over_messages(Counting(comm.Dup()))
    for layout, axis, _ in layouts(comm):
        u = gc.CubeArray.from_numpy(np.ones(layout.shape), layout, counting)
        sent(lambda u=u, axis=axis: gc.cumsum(u, axis))
        yield from compared(comm, Scan(axis), layout, ITEM)
    counting.Free()


def systems(comm):
    counting = over_messages(Counting(comm.Dup()))
    for layout, axis, k in layouts(comm):
        phase = Tridiagonal(axis, periodic=k % 3 == 0, sides=1 + k % 2)
        if priced(phase, layout, ITEM, "circuit")[0] == np.inf:
            with suppress(InvalidValueError):  # no node has a product of coordinates
                yield not layout.digits, f"{layout} has a price"
            continue
        x = np.ones((*layout.shape, phase.sides))
        u = gc.CubeArray.from_numpy(x, layout, counting)
        ring = phase.periodic
        sent(lambda u=u, k=axis, r=ring: gc.solve_tridiagonal(1, 4, 1, u, k, periodic=r))
        yield from compared(comm, phase, layout, ITEM * phase.sides, waiting=True)
    counting.Free()


def collectives(comm, length, *, few):
    """What those of a sort take: of few keys one, else as many turns as a length has bits."""
    given = {name: [a[-1] for n, a in GIVEN if n == name] for name, _ in GIVEN}
    turns = int(np.log2(length))
    seconds, often = 0.0, (1,) if few else (1, turns, turns)  # lengths, keys and counts
    for k in range(comm.size.bit_length() - 1):
        for (buffer, _), times in zip(given.get("Allgather", []), often, strict=False):
            seconds += times * (STARTUP + (buffer.nbytes // comm.size << k) * PER_BYTE)
    for buffer, *_ in [*given.get("Alltoall", []), *given.get("Alltoallv", [])]:
        part = -(-buffer.nbytes // (ITEM * comm.size)) * ITEM
        seconds += (comm.size - 1) * (STARTUP + part * PER_BYTE)
    return seconds


def sorts(comm):
    """Of few keys, which go to all ranks, of many, and by merge-splits."""
    counting = over_messages(Counting(comm.Dup()))
    for layout, axis, k in layouts(comm):
        x = np.random.default_rng(k).random(layout.shape)
        u = gc.CubeArray.from_numpy(x, layout, counting)
        few, split = k % 3 == 0, k % 3 == 2
        with ExitStack() as patched:
            if not few:
                patched.enter_context(patch.object(merging, "SMALL", 0))
            patched.enter_context(patch.object(ways, "is_quicker", lambda *_, s=split: s))
            seconds, _ = priced(Sort(axis), layout, ITEM, "circuit")
            if seconds == np.inf:  # blocks are not equal
                continue
            patched.enter_context(patch.object(post, "_KEPT", 0))  # else requests count once
            _, made = sent(lambda u=u, axis=axis: gc.sort(u, axis))
        found = counted(steps_of(comm), "circuit")
        found += collectives(comm, layout.shape[axis], few=few)
        turns = layout.p == layout.n  # whole blocks, whose paths may share links
        fine = seconds >= found if turns else seconds == found
        yield fine, f"{seconds} for {found} of {axis} in {layout}"
        yield np.array_equal(made.to_numpy(), np.sort(x, axis)), f"{axis} in {layout}"
    counting.Free()


CHECKS = checks((2, 4, 8), scans, systems, sorts)
