"""A schedule by hand, of a kind that no algorithm of the table makes: nothing else is needed.

Each block goes to one node whole, and leaves half of it for another one in the next round.
"""

import numpy as np
import pytest

import graycube as gc
from graycube.cost import simulate
from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange, compose
from graycube.run import apply, scripts
from graycube.run.together import rehearse
from graycube.schedule import Schedule, Task, Way, dump, expand, hop, load
from graycube.verify import check_algebra, check_elements
from graycube.view.page.follow import follow

MACHINE = gc.Machine(dims=3, startup=5.0, per_byte=1.0)
THERE = Exchange(flip=0b001, when=0, want=0)
HALF = Exchange(flip=0b010, when=0b1000)  # of slot bit 0: the upper half of two slots


def dropping():
    source = gc.Layout.consecutive(4, 3)
    target = compose([THERE, HALF], 4) @ source
    task = Task(source, target, block=6)
    way = Way(0, 6, (hop(0, THERE, n=3), hop(6, HALF, n=3)))
    return Schedule(task, "dropping", rounds=(0, 6), cycles=9, ways=(way,))


def by_locate(task):
    """The blocks before and after, by the layouts alone."""
    index = np.arange(task.source.size)
    values = np.arange(task.block << task.n).reshape(len(index), -1)
    blocks = []
    for layout in (task.source, task.target):
        node, slot = layout.locate(index)
        made = np.empty((1 << task.n, layout.block_size, values.shape[1]), values.dtype)
        made[node, slot] = values
        blocks.append(made.reshape(1 << task.n, task.block))
    return blocks


def test_it_is_proved_followed_and_priced():
    made = dropping()
    assert check_algebra(made, MACHINE)
    assert check_elements(expand(made), MACHINE)
    assert [r.longest for r in simulate(made).rounds] == [6, 3]
    assert simulate(made).crossings == len(expand(made)) == 8 * 6 + 8 * 3
    hasty = Schedule(made.task, "hasty", (0, 5), 9, made.ways)
    assert not check_algebra(hasty, MACHINE)


def test_it_is_carried_out():
    made = dropping()
    before, after = by_locate(made.task)
    assert np.array_equal(apply(made, before), after)
    assert np.array_equal(rehearse([*scripts(made, range(8))], before), after)


def test_it_is_written_read_and_drawn():
    made = dropping()
    assert load(dump(made)) == made
    seen = follow(made)
    last = dict(zip(seen.element.tolist(), seen.position.tolist(), strict=True))
    assert all(seen.home_position[element] == place for element, place in last.items())


def test_steps_of_all_ways_have_to_fit():
    task = Task(gc.Layout.nodes(1), gc.Layout.nodes(1), 4)
    first, late = (hop(cycle, Exchange(flip=1, when=0, want=0), 1) for cycle in (0, 9))
    with pytest.raises(InvalidValueError, match="starts in cycle 9"):
        Schedule(task, "late", (0,), 8, (Way(0, 2, (first,)), Way(2, 4, (first, late))))
