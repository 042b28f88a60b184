"""Messages through memory that two ranks see."""

from functools import partial
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest

from graycube.errors import PeerError
from graycube.run import channels as module, windows
from graycube.run.channels import Channels
from graycube.run.rounds import Handed, Item, room_for
from graycube.run.segment import HEAD

PEERS = {0: 1, 1: 0}


class WaitsError(Exception):
    """A rank would have to wait for another one."""


class Roll:
    """It knows of nobody who comes: who waits for long fails."""

    @staticmethod
    def wait(done, **_):
        if not done():
            raise WaitsError

    @staticmethod
    def give_up(error):
        raise error


@pytest.fixture
def two(monkeypatch):
    """The channels of two ranks in one process, with room for some bytes."""

    def made(nbytes):
        memories = []

        def segment(comm, wanted):
            if not comm.rank:
                memories.append(bytearray(HEAD + wanted))
            return memories[-1], ""

        monkeypatch.setattr(module, "segment", segment)
        comms = (SimpleNamespace(rank=rank, size=2) for rank in (0, 1))
        both = [Channels(SimpleNamespace(comm=comm, roll=Roll())) for comm in comms]
        assert all(through.reserve(nbytes) for through in both)
        return both

    return made


def copying(array, room, *, out):
    pair = (room.view(array.dtype), array) if out else (array, room.view(array.dtype))
    return partial(np.copyto, *pair)


def trade(through, sent, got, word=7):
    """What a rank sends to the other one, and gets, at a time."""
    peer = PEERS[through.comm.rank]
    going = [Item(peer, x.nbytes, partial(copying, x, out=True)) for x in sent]
    coming = [Item(peer, x.nbytes, partial(copying, x, out=False)) for x in got]
    return Handed(through, going, coming, word)


def run(handed):
    handed.gather()
    handed.start()
    handed.finish()


def test_all_comes_whole_and_in_order(two, monkeypatch):
    """Both ranks send at their own pace, in rounds of many lengths."""
    generator = np.random.default_rng(7)
    lengths = generator.integers(1, 300, 40).tolist()
    both = two(max(lengths) * 8)
    wrong = []

    def program(through):
        rank = through.comm.rank
        for k, length in enumerate(lengths):
            sent, got = np.full(length, 2 * k + rank), np.empty(length, int)
            run(trade(through, [sent], [got]))
            wrong.extend(got[got != 2 * k + PEERS[rank]].tolist())

    monkeypatch.setattr(module, "_YIELDS", 10**7)
    threads = [Thread(target=program, args=(through,)) for through in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_rank_is_two_rounds_ahead_at_most(two):
    """It writes to a half again only when what was there has been taken."""
    first, second = two(64)
    sent, got = np.zeros(8, int), np.empty(8, int)
    there, here = trade(first, [sent], []), trade(second, [], [got])
    for value in (1, 2):
        sent[:] = value
        run(there)
    sent[:] = 3
    with pytest.raises(WaitsError):
        there.gather()
    for value in (1, 2):
        run(here)
        assert got.tolist() == [value] * 8
    first.half = 0  # the round that failed had begun
    run(there)
    run(here)
    assert got.tolist() == [3] * 8
    assert [len(left) for left in first._left] == [1, 1], "what was taken is forgotten"


def test_who_gets_something_else_says_so(two):
    first, second = two(64)
    x = np.zeros(8, int)
    run(trade(first, [x], [], word=7))
    with pytest.raises(PeerError, match="rank 0 calls something else"):
        run(trade(second, [], [x], word=8))


def test_what_was_made_goes_on_in_larger_outboxes(two):
    both = two(64)
    sent, got = np.arange(8), np.empty(8, int)
    there, here = trade(both[0], [sent], []), trade(both[1], [], [got])
    for room in (64, 64, 1 << 14, 1 << 16):
        assert all(through.reserve(room) for through in both)
        got[:] = -1
        run(there)
        assert both[0].outbox(0, both[0].half, 0, 64).view(int).tolist() == sent.tolist()
        run(here)
        assert got.tolist() == sent.tolist()


def test_messages_begin_at_lines_of_the_cache(two):
    first, _ = two(256)
    items = [Item(1, nbytes, print) for nbytes in (1, 64, 65)]
    assert room_for(items) == 64 + 64 + 128
    starts = [start for *_, start in Handed(first, items, [], 0)._posted]
    assert starts == [0, 64, 128]
    assert first.outbox(0, 0, 0, 1).ctypes.data % 16 == 0


def test_where_there_is_no_room_the_first_rank_says_so_once(monkeypatch):
    monkeypatch.setattr(module, "segment", lambda *_: (None, "none"))
    for rank in (0, 1):
        said = []
        monkeypatch.setattr(windows, "warn", said.append)
        comm = SimpleNamespace(rank=rank, size=2, bcast=lambda heard: heard)
        through = Channels(SimpleNamespace(comm=comm, roll=Roll()))
        assert [through.reserve(nbytes) for nbytes in (8, 8, 4, 0)] == [False] * 3 + [True]
        assert len(said) == (rank == 0)
