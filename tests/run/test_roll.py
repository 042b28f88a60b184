"""Who has left a communicator, who waits there, and what is said of it."""

import contextlib
import io
from collections import deque
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest

from graycube.errors import PeerError
from graycube.run import roll, waiting
from graycube.run.waiting import complain, patience, wait

Roll = roll.Roll


class World:
    """Ranks that send each other a few words, as rules of MPI have it."""

    def __init__(self, size):
        self.boxes = [deque() for _ in range(size)]
        self.comms = [Comm(self, rank, size) for rank in range(size)]
        self.rolls = [Roll(comm, LIBRARY) for comm in self.comms]


class Comm:
    def __init__(self, world, rank, size):
        self.world, self.rank, self.size = world, rank, size

    def Isend(self, what, peer, tag):  # noqa: N802
        self.world.boxes[peer].append((self.rank, tag, what[0].copy()))
        return SimpleNamespace(Free=lambda: None)

    def Get_group(self):  # noqa: N802
        return SimpleNamespace(Free=lambda: None)

    def Improbe(self, tag):  # noqa: N802
        for found in (box := self.world.boxes[self.rank]):
            if found[1] == tag:
                box.remove(found)
                return Message(*found)
        return None


class Message:
    def __init__(self, source, _tag, word):
        self.source, self.word = source, word

    def Recv(self, into, status):  # noqa: N802
        into[0][:], status.source = self.word, self.source


LIBRARY = SimpleNamespace(
    BYTE=None,
    Is_finalized=lambda: False,
    Status=SimpleNamespace,
    Group=SimpleNamespace(Translate_ranks=lambda _there, ranks, _here: ranks),
)


def looks(one, passed=0.01, *, data=False, beside=()):
    """What a rank hears when it looks, with other communicators beside this one."""
    with patch.object(roll._farewells, "known", lambda: [one, *beside]):
        try:
            one._look(passed, data=data)
        except PeerError as error:
            return str(error)
    return None


@pytest.mark.parametrize("size", [2, 3, 5, 16, 33])
def test_all_who_wait_hear_of_a_rank_that_left(size):
    rolls = World(size).rolls
    rolls[1].begin()
    for one in rolls[:1] + rolls[2:]:
        one.begin()
        one.begin()
    rolls[1].leave()
    waiting_still = {0, *range(2, size)}
    for _ in range(size):
        waiting_still = {k for k in waiting_still if looks(rolls[k]) is None}
    assert not waiting_still
    for one in rolls[:1] + rolls[2:]:
        with pytest.raises(PeerError, match="the program of rank 1 has ended"):
            one.begin()


def test_a_rank_that_took_part_and_left_is_not_missed():
    one, other = World(2).rolls
    one.begin()
    other.begin()
    other.leave()
    assert looks(one) is None
    one.begin()
    assert "rank 1 has ended, and rank 0 waits for it in test_roll.py, line" in looks(one)


@pytest.mark.parametrize("how", ["forked", "over", "freed"])
def test_there_are_ends_that_say_nothing(how):
    world = World(2)
    one = world.rolls[0]
    if how == "over":
        one._over = lambda: True
    if how == "freed":
        one.comm = None
    one.leave(**{"process": lambda: 0} if how == "forked" else {})
    assert not world.boxes[1]


@pytest.mark.parametrize("seconds", [2.0, 64.0])
def test_who_waits_for_data_and_who_asks_hear_that_they_do_different_things(seconds):
    one, other = World(2).rolls
    one.begin()
    other.begin()
    other._told, other._tells = [None], seconds  # it may have told often before
    assert looks(one, 2.1, data=True) is None
    assert "rank 0 calls something else" in looks(other, 2.1)
    assert "rank 1 calls something else" in looks(one, 2.2, data=True)


def test_who_waits_for_data_and_was_asked_before_does_nothing_else():
    one, other = World(2).rolls
    for _ in range(2):
        one.begin()
    other.begin()
    assert looks(other, 2.1) is looks(one, 2.1, data=True) is looks(one, 2.2, data=True) is None


def crossed(threads):
    """Two ranks wait for each other, in a first and in a second communicator."""
    (a, a1), (b0, b) = World(2).rolls, World(2).rolls
    a.begin()
    b.begin()
    heard = []
    for one, passed, beside in ((a, 2.1, b0), (b, 2.1, a1), (a, 2.2, b0)):
        with patch("threading.active_count", lambda k=threads[one is b]: k):
            heard.append(looks(one, passed, beside=[beside]))
    return heard, b0, a1


def test_ranks_hear_that_they_wait_for_each_other_in_two_communicators():
    (first, *others), *beside = crossed(threads=(1, 1))
    assert first is None
    assert all("in a call on another communicator: neither can go on" in x for x in others)
    for k, there in enumerate(beside):  # who goes on waits elsewhere, and not in vain
        elsewhere = World(2).rolls[k]
        elsewhere.begin()
        assert looks(elsewhere, 2.1, beside=[there]) is None


@pytest.mark.parametrize("threads", [(2, 2), (2, 1), (1, 2)])
def test_another_thread_may_come_where_it_is_missed(threads):
    assert crossed(threads)[0] == [None] * 3


def test_who_told_that_it_waits_and_heard_that_this_is_in_vain_waits_no_more():
    (a, a1, gone), (_, b, _) = World(3).rolls, World(3).rolls
    a.begin()
    assert looks(a, 2.1) is None
    gone.leave()
    assert "rank 2 has ended" in looks(a, 2.2)
    b.begin()
    assert looks(b, 2.1, beside=[a1]) is None


def test_the_first_rank_that_waits_says_once_who_is_missing(capsys, monkeypatch):
    monkeypatch.setenv("GRAYCUBE_PATIENCE", "5")
    monkeypatch.setattr(waiting, "_complained", set())
    rolls = World(4).rolls
    for k in (1, 2):
        rolls[k].begin()
    for passed in (2.1, 5.1, 9.0):
        for k in (2, 1):
            assert looks(rolls[k], passed) is None
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("graycube: rank 1 has waited for 5 s in test_roll.py, line ")
    assert "and ranks 0, 3 did not come" in said


def test_a_rank_tells_once_a_wait_and_ever_more_seldom_that_it_waits(monkeypatch):
    world = World(2)
    one = world.rolls[0]
    for seconds in (3.0, 3.0, 5.0, 7.0, 9.0, 14.0, 17.0):  # after 2, 4, 8 and 16
        one.begin()
        looks(one, seconds)
        looks(one, 1.1 * seconds)
    assert [word[0] for *_, word in world.boxes[1]] == [1, 3, 5, 7]
    monkeypatch.setenv("GRAYCUBE_PATIENCE", "5")
    one.begin()
    looks(one, 2.6)
    assert len(world.boxes[1]) == 5, "it tells before it complains"


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("", 60), ("5", 5), ("0.5", 0.5), ("0", np.inf), ("-1", np.inf), ("soon", 60)],
)
def test_patience(said, seconds, monkeypatch):
    monkeypatch.setenv("GRAYCUBE_PATIENCE", said)
    assert patience() == seconds


def test_it_is_said_once_for_each_line(monkeypatch):
    monkeypatch.setattr(waiting, "_complained", set())
    with contextlib.redirect_stderr(io.StringIO()) as said:
        for _ in range(3):
            complain(60.0, 0)
        complain(60.0, 0)
    assert said.getvalue().count("other ranks did not come") == 2


def test_a_wait_ends_as_soon_as_all_is_done():
    turns, seen = iter([False] * 30 + [True]), []
    wait(lambda: next(turns), seen.append)
    assert next(turns, None) is None
    assert all(passed >= 0 for passed in seen)


@pytest.mark.parametrize(("data", "looked"), [(False, True), (True, False)])
def test_a_wait_looks_when_it_has_taken_a_while(data, looked, monkeypatch):
    """Who waits for data moves them, and looks for others much later."""
    monkeypatch.setattr(waiting, "_BRIEF", 0)
    turns, seen = iter([False] * 30 + [True]), []
    wait(lambda: next(turns), seen.append, moves=data)
    assert len(seen) == looked * (30 - waiting._SPINS)
    assert seen == sorted(seen)
