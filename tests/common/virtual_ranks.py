"""Ranks as threads on a made-up machine whose clock shows what rounds cost there.

It stands in for mpi4py's communicators, and shares no code with what prices rounds: an exchange
starts when both partners are ready and takes what the machine says.
"""

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np


class Request:
    def __init__(self, comm, kind, buffer, partner):
        self.comm, self.kind, self.buffer, self.partner = comm, kind, buffer, partner

    @staticmethod
    def Waitall(requests):  # noqa: N802
        requests[0].comm.complete(requests)


@dataclass
class VirtualMachine:
    """``noise`` is relative; one call in 200 takes ``slow`` times as long.

    Rank 0 takes ``late`` times as long as the others. To gather a row takes ``per_row``.
    Dimensions from ``far`` on are ``slower`` than those below, and ``share`` ranks in a row
    send over them by one card.
    """

    ranks: int
    startup: float
    per_byte: float
    ports: int = 1
    hops: bool = False
    noise: float = 0.0
    slow: float = 1.0
    late: float = 1.0
    far: int = 64
    slower: float = 1.0
    share: int = 1
    per_row: float = 0.0

    def __post_init__(self):
        self.barrier = threading.Barrier(self.ranks, timeout=60)
        self.board = [None] * self.ranks
        self.local = threading.local()

    def message(self, nbytes, mask=1, crowd=1):
        hops = mask.bit_count() if self.hops else 1
        slower = self.slower if mask >> self.far else 1.0
        return hops * slower * (self.startup + crowd * nbytes * self.per_byte)

    def run(self, program):
        """What ``program(comm)`` returns or raises on each rank."""
        outcomes = [None] * self.ranks

        def work(rank):
            self.local.comm = comm = VirtualComm(self, rank)
            try:
                outcomes[rank] = program(comm)
            except Exception as error:  # noqa: BLE001
                outcomes[rank] = error
                if isinstance(error, threading.BrokenBarrierError | AssertionError):
                    self.barrier.abort()

        threads = [threading.Thread(target=work, args=(r,)) for r in range(self.ranks)]
        with self.clock():
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return outcomes

    @contextmanager
    def clock(self):
        def gather(scattered, places, message):
            message[:] = scattered[places]
            self.local.comm.now += len(places) * self.per_row

        room = "graycube.measure"
        clock = patch(f"{room}.stretches.perf_counter", lambda: self.local.comm.now)
        with clock, patch(f"{room}.measure._gather", gather):
            yield


class VirtualComm:
    def __init__(self, machine, rank):
        self.machine, self.rank, self.now = machine, rank, 0.0
        self.random = np.random.default_rng(rank)

    def meet(self, value):
        """The values of all ranks; nobody writes again before everybody has read."""
        self.machine.board[self.rank] = value
        self.machine.barrier.wait()
        values = list(self.machine.board)
        self.machine.barrier.wait()
        return values

    def spend(self, seconds, start):
        noise = np.exp(self.machine.noise * self.random.standard_normal())
        slow = self.machine.slow if self.random.random() < 0.005 else 1.0
        late = 1.0 if self.rank else self.machine.late
        self.now = start + seconds * noise * slow * late

    def Get_rank(self):  # noqa: N802
        return self.rank

    def Get_size(self):  # noqa: N802
        return self.machine.ranks

    def Dup(self):  # noqa: N802
        return self

    def Free(self):  # noqa: N802
        pass

    def Barrier(self):  # noqa: N802
        self.now = max(self.meet(self.now))

    def allgather(self, value):
        return self.meet(value)

    def bcast(self, value):
        return self.meet(value)[0]

    def Sendrecv(self, out, partner, recvbuf, source):  # noqa: N802
        assert source == partner
        assert out.size or partner == self.rank
        others = self.meet((self.now, partner, out.copy()))
        there, back, sent = others[partner]
        assert back == self.rank
        recvbuf[:] = sent
        if out.size:
            mask, share = self.rank ^ partner, self.machine.share
            card = range(self.rank // share * share, self.rank // share * share + share)
            crowd = sum((others[rank][1] ^ rank) >> self.machine.far > 0 for rank in card)
            time = self.machine.message(
                out.size, mask, crowd if mask >> self.machine.far else 1
            )
            self.spend(time, start=max(self.now, there))

    def Irecv(self, buffer, partner):  # noqa: N802
        return Request(self, "receive", buffer, partner)

    def Isend(self, buffer, partner):  # noqa: N802
        return Request(self, "send", buffer, partner)

    def complete(self, requests):
        sends = {r.partner: r.buffer for r in requests if r.kind == "send"}
        receives = {r.partner: r.buffer for r in requests if r.kind == "receive"}
        assert sends.keys() == receives.keys()
        assert all((self.rank ^ partner).bit_count() == 1 for partner in sends)
        others = self.meet((self.now, {p: b.copy() for p, b in sends.items()}))
        for partner, buffer in receives.items():
            buffer[:] = others[partner][1][self.rank]
        turns = -(-len(sends) // self.machine.ports)
        start = max(self.now, *(others[partner][0] for partner in sends))
        self.spend(turns * self.machine.message(buffer.size), start)

    def Alltoall(self, out, into):  # noqa: N802
        assert out.size == into.size
        assert out.size % self.machine.ranks == 0
        start = max(self.meet(self.now))
        part = out.size // self.machine.ranks
        masks = range(1, self.machine.ranks)
        self.spend(sum(self.machine.message(part, mask) for mask in masks), start)
