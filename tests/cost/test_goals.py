"""How many nodes have to know of a block, and in how many rounds they can: by trying all."""

from functools import reduce
from itertools import combinations, product
from operator import or_

import pytest
from hypothesis import given, settings, strategies as st
from strategies import affine_map, affine_parts
from sweeping import examples, sweep

import graycube as gc
from graycube.cost import lower_bounds
from graycube.schedule import Task


@st.composite
def tasks(draw, n, most=3):
    """Any two placements on 2^n nodes."""
    p = n + draw(st.integers(0, most))
    source, target = (gc.Layout(affine_map(*draw(affine_parts(p))), n) for _ in range(2))
    return Task(source, target, draw(st.integers(1, 3)) << p - n)


def wanted(task):
    """For each node the set of those that have to know of its block, as bits."""
    found = [1 << u for u in range(1 << task.n)]
    for i in range(1 << task.p):
        (here, _), (there, _) = task.source.locate(i), task.target.locate(i)
        found[here] |= 1 << there
    return found


def rounds_of(n, ports, switching):
    """All that a round can do: the set to which each node sends. Circuits may share links."""
    nodes = range(1 << n)
    far = (1, n)[switching == "circuit"]
    near = [[v for v in nodes if 0 < (u ^ v).bit_count() <= far] for u in nodes]
    sets = [[s for k in range(ports + 1) for s in combinations(at, k)] for at in near]
    admitted = [
        tuple(sum(1 << v for v in s) for s in sent)
        for sent in product(*sets)
        if max(sum(v in s for s in sent) for v in nodes) <= ports
    ]
    return [
        one
        for one in admitted
        if not any(one != other and covers(other, one) for other in admitted)
    ]


def covers(know, want):
    return all(not w & ~k for k, w in zip(know, want, strict=True))


def known_after(count, n, rounds):
    """Who can know of whom after so many of these rounds."""
    found = {tuple(1 << u for u in range(1 << n))}
    for _ in range(count):
        found = {
            tuple(reduce(or_, (sent[v] for v in range(1 << n) if k >> v & 1), k) for k in know)
            for know, sent in product(found, rounds)
        }
    return found


CUBES = [
    (1, 1, "circuit"), (2, 1, "store-and-forward"), (2, 1, "circuit"),
    (2, 2, "store-and-forward"), *sweep((2, 2, "circuit")),
]  # fmt: skip


@pytest.mark.parametrize(("n", "ports", "switching"), CUBES)
def test_no_rounds_at_all_do_a_task_below_the_bound(n, ports, switching):
    """All tasks of two layouts; the bound is often met, too."""
    machine = gc.Machine(n, ports, switching, startup=1.0, per_byte=0.0)
    rounds = rounds_of(n, ports, switching)
    after = [known_after(count, n, rounds) for count in range(4)]
    met = []

    @settings(max_examples=examples(100))
    @given(tasks(n))
    def holds(task):
        want = wanted(task)
        least = next(r for r in range(4) if any(covers(know, want) for know in after[r]))
        bound = max(bound.seconds for bound in lower_bounds(task, machine))
        assert bound <= least
        met.append(bound == least)

    holds()
    assert sum(met) > 0.9 * len(met)
