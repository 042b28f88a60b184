"""Butterfly emulations, followed element by element from the columns of their moves alone."""

import numpy as np

import graycube as gc
from graycube.layout import ALLOCATIONS
from graycube.schedule import expand

ROWS = {(row.kind, row.encoding): row for row in ALLOCATIONS}
METHODS = {
    "bi-sectioning": lambda _: gc.Method(),
    "inter-node": lambda _: gc.Method("inter-node"),
    "four-sectioning": lambda _: gc.Method(radix=2),
    "eight-sectioning": lambda _: gc.Method(radix=3),
    "all at once": lambda n: gc.Method(radix=n),
    "phase by phase": lambda _: gc.Method(overlap=False),
    "in pairs": lambda _: gc.Method(merged=1),
}


def reflected(i):
    return i ^ i >> 1


def table_1(kind, encoding, p, n):
    """The address (slot || node) of every element: TR-764 Table 1."""
    index = np.arange(1 << p)
    low_bits = n if kind == "cyclic" else p - n
    if encoding == "Gray":
        index = reflected(index)
    high, low = index >> low_bits, index & ((1 << low_bits) - 1)
    slot, node = (high, low) if kind == "cyclic" else (low, high)
    if encoding.endswith("|| Gray"):
        node = reflected(node)
    if encoding == "Gray || Gray":
        slot = reflected(slot)
    return slot << n | node


def addresses(layout):
    """The address of every index word, output bit by output bit."""
    word, found = np.arange(1 << layout.p), layout.map.constant
    for j, row in enumerate(layout.map.matrix.rows):
        found = found ^ (np.bitwise_count(word & row) & 1).astype(np.int64) << j
    return found + 0 * word


def axis_bits(layout, axis=0):
    """The bits of an axis in the index word, the lowest first."""
    lowest = sum(other.bits for other in layout.axes[axis + 1 :])
    return list(range(lowest, lowest + layout.axes[axis].bits))


def in_order(bits, *, descending):
    return sorted(bits, reverse=descending)


def stages_of(made):
    return list(made.stages)


def columns_of(moves):
    columns = (moves.cycle, moves.node, moves.dimension, moves.element)
    return [column.astype(np.int64) for column in columns]


def assert_good(made, source, stages):
    """Follow every element: links, pairs, load, cycles, and where it all ends.

    ``source`` has the address of every word, ``stages`` are the bits that have to be done, in
    their order. Messages arrive as a whole, so all times are in rounds.
    """
    assert stages_of(made) == stages
    task = made.task
    words, behind = np.meshgrid(np.arange(len(source)), np.arange(task.payload), indexing="ij")
    home, slot = source & ((1 << task.n) - 1), source >> task.n
    element = (home * task.block + slot * task.payload)[:, None] + behind
    assert sorted(element.ravel().tolist()) == list(range(task.block << task.n))
    where = places(made)[element]  # by word, payload and round
    assert_pairs_meet(where, words, behind, stages)
    end = addresses(task.target) & ((1 << task.n) - 1)
    assert (where[:, :, -1] == end[:, None]).all()


def assert_pairs_meet(where, words, behind, stages):
    """Each pair is on one node at some time after both are over with the stages before."""
    done = np.zeros(words.shape, dtype=int)
    for bit in stages:
        other = words ^ 1 << bit
        ready = np.maximum(done, done[other, behind])[..., None]
        meets = where == where[other, behind]
        meets &= np.arange(where.shape[2]) >= ready
        assert meets.any(axis=2).all(), f"a pair of bit {bit} does not meet"
        done = meets.argmax(axis=2)


def places(made):
    """The node of every element before every round and at the end; nothing may collide."""
    task, moves, length = made.task, expand(made), made.rounds.step
    elements, count = task.block << task.n, made.cycles // length
    assert made.rounds == range(0, count * length, length)
    assert moves.cycles == made.cycles == count * length
    cycle, node, dimension, element = columns_of(moves)
    rounds = cycle // length
    assert rounds.max(initial=-1) == count - 1, "there are rounds in which nothing crosses"
    assert len(np.unique(element * (count + 1) + rounds)) == len(moves), "two hops in a round"
    link = (dimension << task.n) + node
    over = len(np.unique(cycle * (task.n << task.n) + link))
    assert over == len(moves), "a link carries two elements in a cycle"
    _, full = np.unique(rounds * (task.n << task.n) + link, return_counts=True)
    assert (full == length).all(), "a message is not full"
    jump = np.zeros((elements, count + 1), dtype=np.int64)
    jump[element, rounds + 1] = 1 << dimension
    jump[:, 0] = np.arange(elements) // task.block
    where = np.bitwise_xor.accumulate(jump, axis=1)
    assert (where[element, rounds] == node).all(), "a node sends what it does not have"
    for at in range(count + 1):  # an exchange leaves every node as much as it had
        assert (np.bincount(where[:, at], minlength=1 << task.n) == task.block).all()
    return where


def assert_moves_are_steps(made, source):
    """The columns are what the steps say of one element after the other, in plain integers."""
    task, rows = made.task, set()
    nodes, end = (1 << task.n) - 1, addresses(task.target).tolist()
    for word, home in enumerate(source.tolist()):
        here, base = home, (home & nodes) * task.block + (home >> task.n) * task.payload
        for step in made.ways[0].steps:
            if step.stage is not None:
                continue
            exchange = step.move
            if (here & exchange.when).bit_count() % 2 != exchange.want:
                continue
            for crossing in step.crossings:
                tested = [(here & late.mask).bit_count() % 2 for late in crossing.delays]
                delays = zip(crossing.delays, tested, strict=True)
                first = crossing.start + sum(t.cycles for t, odd in delays if odd == t.want)
                dimension = (exchange.flip & nodes).bit_length() - 1
                rows |= {(first + k, dimension, base + k) for k in range(task.payload)}
            here ^= exchange.flip
        assert here == end[word]
    cycle, _, dimension, element = (column.tolist() for column in columns_of(expand(made)))
    assert len(cycle) == len(rows)
    assert rows == set(zip(cycle, dimension, element, strict=True))


def gray_field(rows):
    """The index bits that some address bits hold in reflected Gray code, the highest first.

    One of the bits holds the highest alone, each of the others a bit and the one above it.
    None if they do not.
    """
    tops = [row for row in rows if row.bit_count() == 1]
    field, left = tops[:1], set(rows) - set(tops)
    while left and field:
        found = [row for row in left if (row ^ field[-1]).bit_count() == 1]
        if len(found) != 1:
            return None
        field.append(found[0] ^ field[-1])
        left -= set(found)
    bits = [row.bit_length() - 1 for row in field]
    return bits if len(tops) == 1 and len(set(bits)) == len(rows) else None
