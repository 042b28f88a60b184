"""Blocks and borders moved with what MPI offers."""

import atexit
from functools import partial

import numpy as np
from contest import Contender
from mpi4py import MPI
from tasks import Array, Halo, Move

Part = tuple[slice, ...]


def moves(task: Move) -> list[Contender]:
    if task.comm.size < 4:  # Gray and binary code of fewer ranks are the same
        return []
    return [by_sendrecv(task), by_alltoallv(task), by_persistent(task), by_split(task)]


def by_sendrecv(task: Move) -> Contender:
    held, got = task.block(task.destination), task.block(-1)

    def work() -> None:
        task.comm.Sendrecv(held, task.destination, recvbuf=got, source=task.source)

    return Contender("Sendrecv", work, lambda: task.right(got))


def by_alltoallv(task: Move) -> Contender:
    held, got = task.block(task.destination), task.block(-1)
    ranks = np.arange(task.comm.size)
    sent = [held, np.where(ranks == task.destination, held.size, 0)]
    received = [got, np.where(ranks == task.source, got.size, 0)]

    def work() -> None:
        task.comm.Alltoallv(sent, received)

    return Contender("Alltoallv", work, lambda: task.right(got))


def by_persistent(task: Move) -> Contender:
    held, got = task.block(task.destination), task.block(-1)
    requests: list[MPI.Prequest] = [
        task.comm.Recv_init(got, task.source),
        task.comm.Send_init(held, task.destination),
    ]

    for request in requests:
        atexit.register(request.Free)

    def work() -> None:
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)

    return Contender("persistent requests", work, lambda: task.right(got))


def by_split(task: Move) -> Contender:
    """Nothing moves: the rank that holds block i becomes rank i."""

    def work() -> None:
        task.comm.Split(0, task.destination).Free()

    def right() -> bool:
        renumbered = task.comm.Split(0, task.destination)
        same = renumbered.rank == task.destination
        renumbered.Free()
        return same

    return Contender("Split (no data moved)", work, right)


def halos(task: Halo) -> list[Contender]:
    return [by_types(task), by_packing(task), by_neighbors(task)]


def strips(extent: tuple[int, ...], axis: int) -> list[Part]:
    """Lowest and highest line inside, and the borders below and above, along this axis."""

    def line(at: int) -> Part:
        return tuple(
            slice(at, at + 1) if k == axis else slice(1, length + 1)
            for k, length in enumerate(extent)
        )

    return [line(1), line(extent[axis]), line(0), line(extent[axis] + 1)]


def datatype(field: Array, part: Part) -> MPI.Datatype:
    lengths = [piece.stop - piece.start for piece in part]
    starts = [piece.start for piece in part]
    return MPI.DOUBLE.Create_subarray(field.shape, lengths, starts).Commit()


def by_types(task: Halo) -> Contender:
    field = task.field()
    steps = []
    for axis in range(2):
        low, high, below, above = (datatype(field, s) for s in strips(task.extent, axis))
        down, up = task.cart.Shift(axis, 1)
        for sent, to, got, origin in ((low, down, above, up), (high, up, below, down)):
            send = partial(task.cart.Sendrecv, (field, 1, sent), to)
            steps.append(partial(send, recvbuf=(field, 1, got), source=origin))

    def work() -> None:
        for step in steps:
            step()

    return Contender("Sendrecv, strided types", work, lambda: task.right(field))


def by_packing(task: Halo) -> Contender:
    field = task.field()
    plans: list[tuple[Part, int, Part, int, Array, Array]] = []
    for axis in range(2):
        low, high, below, above = strips(task.extent, axis)
        down, up = task.cart.Shift(axis, 1)
        packed, unpacked = np.empty_like(field[low]), np.empty_like(field[low])
        plans.append((low, down, above, up, packed, unpacked))
        plans.append((high, up, below, down, packed, unpacked))

    def work() -> None:
        for sent, to, got, origin, packed, unpacked in plans:
            np.copyto(packed, field[sent])
            task.cart.Sendrecv(packed, to, recvbuf=unpacked, source=origin)
            np.copyto(field[got], unpacked)

    return Contender("Sendrecv, packed", work, lambda: task.right(field))


def by_neighbors(task: Halo) -> Contender:
    field = task.field()
    both = [[datatype(field, s) for s in strips(task.extent, axis)] for axis in range(2)]
    sent = [kind for low, high, _, _ in both for kind in (low, high)]
    got = [kind for _, _, below, above in both for kind in (below, above)]
    ones, zeros = [1] * 4, [0] * 4

    def work() -> None:
        task.cart.Neighbor_alltoallw(
            [field, ones, zeros, sent],
            [field, ones, zeros, got],
        )

    return Contender("Neighbor_alltoallw", work, lambda: task.right(field))
