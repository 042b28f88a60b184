"""Meetings of ranks in memory that all of them see, and ranks that come no more."""

from threading import Thread
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from graycube.errors import PeerError
from graycube.run.meeting import _LEFT, Meeting, lines


def two():
    """The memory of two ranks, and their meetings."""
    memory = memoryview(bytearray(lines(2)))
    comms = (SimpleNamespace(rank=k, size=2, Iprobe=lambda: False) for k in (0, 1))
    return np.frombuffer(memory, np.int64), [Meeting(comm, memory) for comm in comms]


def met(meetings, words):
    """What both ranks hear in a meeting."""
    heard = {}

    def attend(k):
        heard[k] = meetings[k].meet(words[k])

    other = Thread(target=attend, args=(1,))
    other.start()
    attend(0)
    other.join()
    return heard[0], heard[1]


def test_ranks_hear_whether_all_say_the_same():
    _, meetings = two()
    assert met(meetings, [(0, 5, 7), (0, 5, 7)]) == (True, True)
    assert met(meetings, [(0, 5, 7), (0, 5, 8)]) == (False, False)


@pytest.mark.parametrize("before", [1, 2, 3])
def test_who_waits_for_a_rank_that_left_hears_so_in_all_meetings_and_says_nothing_more(before):
    memory, meetings = two()
    for _ in range(before):
        assert met(meetings, [(0, 5, 7)] * 2) == (True, True)
    last = memory.copy()
    meetings[1].leave()
    assert np.count_nonzero(memory != last) == 1, "others may still read its last words"
    with pytest.raises(PeerError, match="rank 1 has ended, and rank 0 waits for it"):
        meetings[0].meet((0, 5, 7))
    once = memory.copy()
    with pytest.raises(PeerError, match="rank 1 has ended"):
        meetings[0].meet((0, 1, 1))
    assert np.array_equal(memory, once), "a rank that is behind may still read what it said"


def test_a_rank_may_come_and_leave_between_two_looks():
    """It was not there at one look, has left at the next, and so came in between."""
    _, meetings = two()
    came, gone = (meetings[0]._sets[k][1] + word for k, word in ((1, 0), (0, _LEFT)))

    class Words(dict):
        def __getitem__(self, place):
            if place == gone:
                self[came] = 1
            return super().__getitem__(place)

    words = Words(enumerate([*meetings[0]._words]))
    words[gone] = 1
    meetings[0]._words = words
    meetings[0]._wait(came, 1)
    assert words[came] == 1


def test_a_rank_that_met_all_others_and_left_is_not_missed():
    memory, meetings = two()
    words = (0, 5, 7)
    other = Thread(target=meetings[1].meet, args=(words,))
    other.start()
    while not memory[lines(2) // 16 + 128]:  # until it is there, in the second set of lines
        pass
    meetings[1].leave()  # as soon as it has met
    assert meetings[0].meet(words)
    other.join()


def test_who_left_had_begun_less_or_as_much_as_others():
    _, (meeting, other) = two()
    assert meeting.gone(3) is None
    other.leave(2)
    assert [meeting.gone(begun) for begun in (1, 2, 3)] == [None, None, 1]


def test_who_gave_up_comes_to_no_other_meeting(monkeypatch):
    _, (meeting, _) = two()
    monkeypatch.setattr("graycube.run.meeting._LONG", 0)
    monkeypatch.setattr(meeting._roll, "late", Mock(side_effect=PeerError("a", "b", "c")))
    for _ in range(2):
        with pytest.raises(PeerError, match="a: b; c"):
            meeting.meet()
    assert meeting.number == 1
