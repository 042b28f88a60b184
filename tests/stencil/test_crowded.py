"""Halos where links are shared: each round counted again from single messages."""

import random
from collections import Counter

import pytest
from crowds import any_machine
from sweeping import sweep

import graycube as gc
from graycube.gf2 import AffineMap, Matrix
from graycube.stencil import halo

LONG_WAYS = 215, 308, 338  # messages that go along several sides of a torus


def a_halo(chance, n):
    """A stencil on one axis or two, in any code, place and order of nodes."""
    bits = [n] if chance.random() < 0.4 else [(a := chance.randint(0, n)), n - a]
    shape = tuple(chance.choice([1, 2, 3, 4]) << b for b in bits)
    layout = gc.Layout.mesh(
        shape,
        tuple(1 << b for b in bits),
        code=[chance.choice(["gray", "binary"]) for _ in bits],
        allocation=[chance.choice(["cyclic", "consecutive"]) for _ in bits],
        ownership=False,
    )
    if chance.random() < 0.5:  # nodes with other numbers
        order = chance.sample(range(n), n)
        low = Matrix.block_diagonal([Matrix.permutation(order), Matrix.identity(layout.p - n)])
        layout = AffineMap(low, chance.randrange(1 << n)) @ layout
    if chance.random() < 0.2 and len(bits) > 1:
        layout = layout.without_axes([chance.randrange(2)])
    axes = range(len(layout.axes))
    return halo(
        layout,
        [chance.choice([0, 1, (0, 1), (2, 1)]) for _ in axes],
        periodic=[chance.random() < 0.6 for _ in axes],
        corners=chance.random() < 0.3,
        itemsize=chance.choice([1, 4, 16]),
        stride=chance.choice([1, 1, 2]),
    )


class Replay:
    """The messages of a halo, in the rounds that it tells."""

    def __init__(self, exchange, machine):
        self.exchange, self.machine = exchange, machine
        self.messages = [
            m for node in range(1 << exchange.layout.n) for m in exchange.messages(node)
        ]
        self.at = [m.source for m in self.messages]

    def hop(self, m, at):
        """The dimensions that a message crosses next: a circuit all, on a torus a side's."""
        left = [d for d in range(self.machine.dims) if (at ^ m.target) >> d & 1]
        if self.machine.switching == "circuit":
            return left
        first = 0
        for length in reversed(self.machine.sides):
            side = range(first, first + length.bit_length() - 1)
            if found := [d for d in left if d in side]:
                return found
            first = side.stop
        return left[:1]

    def round(self, made):
        sent, going = Counter(), set()
        for move in made.moves:
            for k, m in enumerate(self.messages):
                hop = self.hop(m, self.at[k])
                if (m.axis, m.step, sorted(move.path)) != (move.axis, move.step, hop):
                    continue
                assert k not in going
                going.add(k)
                there = self.at[k] ^ sum(1 << d for d in hop)
                key = self.at[k], there, move.path, (m.axis, m.step)
                sent[key] += m.size * self.exchange.itemsize
        for k in going:
            m = self.messages[k]
            self.at[k] ^= sum(1 << d for d in self.hop(m, self.at[k]))
        for end in (0, 1):
            busy = Counter(key[end] for key in sent)
            assert max(busy.values()) <= self.machine.links_at_once
        return [(*key[:3], nbytes) for key, nbytes in sent.items()]


def uneven(exchange):
    """With corners, nodes at the ends of an open axis have less to send on."""
    return exchange.corners and not all(exchange.periodic)


@pytest.mark.long
@pytest.mark.parametrize(
    "seeds",
    [
        [*range(60), *LONG_WAYS],
        *sweep(*((range(k, k + 200),) for k in (60, 260, 460, 660, 860))),
    ],
)
def test_each_round_takes_what_its_busiest_link_takes(seeds):
    tried = 0
    for seed in seeds:
        chance = random.Random(seed)  # noqa: S311
        machine, seconds = any_machine(chance)
        exchange = a_halo(chance, machine.dims)
        replay = Replay(exchange, machine)
        counted = sum(seconds(replay.round(made)) for made in exchange.rounds(machine))
        assert replay.at == [m.target for m in replay.messages]
        told = seed, machine, exchange, exchange.layout
        assert exchange.time(machine) >= counted * (1 - 1e-12), told
        if not uneven(exchange):
            assert exchange.time(machine) == pytest.approx(counted), told
            tried += counted > 0
    assert tried > len(seeds) / 3
