"""Scripts of whole chunks, on schedules of all kinds: right, and no longer for large blocks."""

from dataclasses import replace

import numpy as np
import pytest
from sweeping import seeds
from way_mutants import corpus, goals

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap
from graycube.run.chunks import chunked
from graycube.run.together import rehearse
from graycube.run.whole import moves_whole


def within(move, blocks, n):
    """The blocks after a map that keeps all nodes, element by element."""
    made = np.empty_like(blocks)
    for node in range(1 << n):
        for slot in range(blocks.shape[1]):
            end = move(slot << n | node)
            assert end & (1 << n) - 1 == node
            made[node, end >> n] = blocks[node, slot]
    return made


def schedules(*, whole):
    """Right schedules in which nodes send whole blocks, or in which slots go their own ways."""
    found = [s for s, _ in corpus(synthesised=False) if not s.stages and s.relabel is None]
    assert len({s.algorithm for s in found}) > 15
    return [s for s in found if moves_whole(s) == whole]


def require_right(schedule):
    task, made = schedule.task, chunked(schedule)
    blocks = np.arange(task.block << task.n).reshape(1 << task.n, -1, task.payload)
    after = within(made.before, blocks, task.n)
    after = rehearse(made.scripts, after)
    after = within(made.after, after, task.n).reshape(1 << task.n, -1)
    for place, end in goals(task).items():
        assert after[end] == blocks.reshape(1 << task.n, -1)[place]
    assert {script.rows * script.unit for script in made.scripts} == {task.block}


@pytest.mark.long
@pytest.mark.parametrize("start", seeds(1, 24))
def test_whole_blocks_end_where_they_belong(start):
    for schedule in schedules(whole=True)[start::24]:
        require_right(schedule)


@pytest.mark.long
@pytest.mark.parametrize("start", seeds(1, 5))
def test_chunks_end_where_their_elements_belong(start):
    for schedule in schedules(whole=False)[start::5]:
        require_right(schedule)


def test_ways_of_some_nodes_end_alike_or_are_refused():
    cyclic, consecutive = gc.Layout.cyclic(6, 3), gc.Layout.consecutive(6, 3)
    machine = gc.Machine(3, startup=1.0)
    made = gc.plan(cyclic, consecutive, 8, machine=machine, algorithm="exchange").schedule
    (way,) = made.ways
    even, odd = (replace(way, mask=1, value=value) for value in range(2))
    require_right(replace(made, ways=(even, odd)))
    short = replace(odd, steps=way.steps[:-1])
    with pytest.raises(InvalidValueError, match="parts of the block end in different layouts"):
        chunked(replace(made, ways=(even, short)))


def test_copies_and_other_numbers_are_refused():
    gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    renumbered = gc.plan(gray, binary, 8, machine=gc.Machine(3), algorithm="relabel").schedule
    with pytest.raises(InvalidValueError, match=r"'relabel' renumbers the nodes.*mesh"):
        chunked(renumbered)
    copies = gc.plan_fft(gc.Layout.nodes(3), machine=gc.Machine(3)).schedule
    with pytest.raises(InvalidValueError, match="sends copies of whole blocks"):
        chunked(copies)


@pytest.mark.parametrize("algorithm", ["exchange", "all-to-all"])
def test_lists_do_not_grow_with_the_block(algorithm):
    sizes = set()
    for p in (8, 40):
        cyclic, consecutive = gc.Layout.cyclic(p, 3), gc.Layout.consecutive(p, 3)
        switching = "circuit" if algorithm == "all-to-all" else "store-and-forward"
        machine = gc.Machine(3, switching=switching, startup=1.0)
        made = gc.plan(cyclic, consecutive, 1 << p - 3, machine=machine, algorithm=algorithm)
        found = chunked(made.schedule)
        sizes.add(found.scripts[0].rows)
        assert found.before != AffineMap.identity(p) or found.after != AffineMap.identity(p)
    assert len(sizes) == 1
