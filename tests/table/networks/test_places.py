"""Places that follow exchanges, beside maps that are composed and inverted."""

import random

import pytest
from sweeping import seeds
from way_mutants import random_map

from graycube.gf2 import Exchange, parity
from graycube.table.networks.sums import Tracked


def any_exchange(rng, size):
    while True:
        flip, when = rng.randrange(1, 1 << size), rng.randrange(1 << size)
        if not parity(flip & when):
            return Exchange(flip, when, rng.randrange(2) if when else 0)


@pytest.mark.parametrize("seed", seeds(20, 400))
def test_a_place_after_exchanges_is_that_of_the_composed_map(seed):
    rng = random.Random(seed)  # noqa: S311
    size = rng.randint(2, 8)
    whole = random_map(rng, size)
    place = Tracked.of(whole)
    for _ in range(8):
        exchange = any_exchange(rng, size)
        whole, place = exchange @ whole, place.after(exchange)
        assert (place, place.masks) == (Tracked.of(whole), whole.matrix.inverse().rows)
        assert place.inverse() == whole.inverse()
    for bit in range(size):  # the sum of its address bits is an index bit, or its opposite
        mask = place.address_mask(1 << bit)
        assert len({parity(whole(x) & mask) ^ x >> bit & 1 for x in range(1 << size)}) == 1
