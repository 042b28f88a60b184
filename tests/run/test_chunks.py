"""Scripts of whole chunks, on schedules of all kinds: right, and no longer for large blocks."""

import numpy as np
import pytest
from sweeping import sweep
from way_mutants import corpus, goals

import graycube as gc
from graycube.gf2 import AffineMap
from graycube.run.chunks import chunked
from graycube.run.together import rehearse


def within(move, blocks, n):
    """The blocks after a map that keeps all nodes, element by element."""
    made = np.empty_like(blocks)
    for node in range(1 << n):
        for slot in range(blocks.shape[1]):
            end = move(slot << n | node)
            assert end & (1 << n) - 1 == node
            made[node, end >> n] = blocks[node, slot]
    return made


@pytest.mark.parametrize("start", [0, *sweep(*zip(range(1, 24)))])
def test_chunks_end_where_their_elements_belong(start):
    schedules = [s for s, _ in corpus(synthesised=False) if not s.stages and s.relabel is None]
    assert len({s.algorithm for s in schedules}) > 15
    for schedule in schedules[start::24]:
        task, made = schedule.task, chunked(schedule)
        blocks = np.arange(task.block << task.n).reshape(1 << task.n, -1, task.payload)
        after = within(made.before, blocks, task.n)
        after = rehearse(made.scripts, after)
        after = within(made.after, after, task.n).reshape(1 << task.n, -1)
        for place, end in goals(task).items():
            assert after[end] == blocks.reshape(1 << task.n, -1)[place]


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
