"""Butterflies and Walsh-Hadamard transforms over ranks: results, bytes, one error for all."""

from unittest.mock import patch

import numpy as np
from counting import Counting, sent
from mpi_checks import checks, one_error, over_messages, raised
from random_butterflies import layouts, pair_by_pair, random_bits, random_numbers, stage

import graycube as gc
from graycube.errors import InvalidValueError, PeerError
from graycube.run.network import node_network


def over(rng, comm, count):
    """Layouts on as many nodes as there are ranks, and axes that have butterflies."""
    made = 0
    for layout, axes in layouts(rng, 400):
        if layout.node_count == comm.size and made < count:
            made += 1
            yield layout, axes


def results(comm):
    """What one process gives, in the same layout, block by block; with plans too."""
    rng = np.random.default_rng(1)
    planned = 0
    for layout, axes in over(rng, comm, 8):
        axis = int(rng.choice(axes))
        bits = random_bits(rng, layout.axes[axis].bits)
        x = random_numbers(rng, layout)
        a = gc.CubeArray.from_numpy(x, layout, comm)
        every = range(layout.axes[axis].bits)[::-1] if bits is None else bits
        wanted = pair_by_pair(x, axis, every, stage)
        y = gc.butterfly(a, stage, axis, bits, order="natural")
        yield np.array_equal(y.to_numpy(), wanted), f"{axis} {bits} in {layout}"
        alone = gc.hadamard(gc.CubeArray.from_numpy(x, layout), axis, "sequency")
        y = gc.hadamard(a, axis, "sequency")
        yield y.layout == alone.layout, f"{axis} in {layout}"
        mine = alone.blocks[comm.rank : comm.rank + 1]
        yield np.array_equal(y.blocks, mine), f"{axis} in {layout}"
        if not planned % 4:
            try:
                plan = gc.plan_butterfly(layout, axis, bits, machine="ideal")
            except InvalidValueError:
                continue
            y = gc.butterfly(a, stage, axis, bits, plan=plan)
            yield np.array_equal(y.to_numpy(), wanted), f"{plan} {axis} {bits} in {layout}"
        planned += 1


def own_memory(comm):
    """What a stage gives as it was given is written as any other result."""
    n = comm.size.bit_length() - 1
    a = gc.CubeArray.from_numpy(np.arange(comm.size), gc.Layout.nodes(n, "gray"), comm)
    y = gc.butterfly(a, lambda *given: given[1::-1])
    y += 1
    yield np.array_equal(y.to_numpy(), np.arange(comm.size)[::-1] + 1), "reversed"
    yield np.array_equal(a.to_numpy(), np.arange(comm.size)), "as it was"


def one_point(comm):
    """One element on a node: a message for each bit, and no more."""
    n = comm.size.bit_length() - 1
    counting = over_messages(Counting(comm.Dup()))
    for code in ("binary", "gray"):
        a = gc.CubeArray.from_numpy(np.arange(comm.size), gc.Layout.nodes(n, code), counting)
        calls, _ = sent(lambda a=a: gc.hadamard(a))
        yield calls.get("Sendrecv", 0) == n, f"{calls} in {code}"
        yield set(calls) <= {"Sendrecv", "Iallreduce"}, f"{calls} in {code}"
    counting.Free()


def convolutions(comm):
    """Whole numbers exactly, and others, of any length over all ranks."""
    rng = np.random.default_rng(2)
    for length, more in ((37, 11), (8 * comm.size, comm.size)):
        x, y = rng.integers(-(2**28), 2**28, length), rng.integers(-(2**28), 2**28, more)
        a, v = (
            gc.CubeArray.from_numpy(u, gc.Layout.mesh(u.shape, (comm.size,)), comm)
            for u in (x, y)
        )
        found = gc.convolve(a, v)
        yield np.array_equal(found.to_numpy(), np.convolve(x, y)), f"{length} and {more}"
        found = gc.convolve(a * 1.0, v)
        yield np.allclose(found.to_numpy(), np.convolve(x, y)), f"{length} and {more}"
    last = comm.rank == comm.size - 1
    error = raised(lambda: gc.convolve(a, a, mode="periodic" if last else "full"))
    yield "mode" in str(error), f"{error!r}"
    error = raised(lambda: gc.convolve(a * 2**30, a))
    yield isinstance(error, InvalidValueError), f"{error!r}"


def mistakes(comm):
    """What is wrong on the last rank, also in the middle of the work, is raised on all."""
    n = comm.size.bit_length() - 1
    last = comm.rank == comm.size - 1
    for layout in (gc.Layout.cyclic(2 * n, n, nodes="gray"), gc.Layout.nodes(n)):
        a = gc.CubeArray.from_numpy(np.zeros(layout.shape), layout, comm)

        def shrinks(low, high, bit, index):  # noqa: ARG001 - a stage takes all
            return (low[..., None], high) if last and bit == 0 else (low, high)

        def fails(low, high, bit, index):  # noqa: ARG001
            if last and bit == 0:
                raise ArithmeticError("within")
            return low, high

        for call, kind, words in (
            (
                lambda a=a: gc.butterfly(a, shrinks),
                InvalidValueError,
                "the stage of bit 0 gives",
            ),
            (lambda a=a: gc.butterfly(a, fails), PeerError, "within"),
            (
                lambda a=a: gc.butterfly(a, stage, bits=[int(last)]),
                InvalidValueError,
                "bits is",
            ),
            (
                lambda a=a: gc.hadamard(a, order="gray" if last else "natural"),
                InvalidValueError,
                "order",
            ),
        ):
            yield from one_error(comm, call, kind, words)
        found = gc.butterfly(a + 1, stage).to_numpy()  # all goes on
        wanted = pair_by_pair(np.ones(layout.shape), 0, range(layout.p)[::-1], stage)
        yield np.array_equal(found, wanted), f"after errors in {layout}"


def refusals(comm):
    """What the last rank cannot carry out is raised on all, before anything is sent."""
    n = comm.size.bit_length() - 1
    layout = gc.Layout.cyclic(2 * n, n)
    a = gc.CubeArray.from_numpy(np.ones(layout.shape), layout, comm)
    plan = gc.plan_butterfly(layout, itemsize=8, machine="ideal")

    def carried_out(schedule, node, lines):
        if node == comm.size - 1:
            raise InvalidValueError("it is too late", "it has gone", "go on")
        return node_network(schedule, node, lines)

    with patch("graycube.butterflies.planned.node_network", carried_out):
        for call in (
            lambda: gc.butterfly(a, stage, plan=plan),
            lambda: gc.hadamard(a, plan=plan),
            lambda: gc.fft(a, plan=plan),
        ):
            yield from one_error(comm, call, InvalidValueError, "it is too late")


CHECKS = checks((2, 4, 8), results, own_memory, one_point, convolutions, mistakes, refusals)
