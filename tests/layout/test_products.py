"""Whether what a node has is a product, beside its coordinates one by one."""

from math import prod

import numpy as np
from random_butterflies import layouts


def test_blocks_are_products_if_their_coordinates_are():
    seen = set()
    for layout, _ in layouts(np.random.default_rng(4), 60, most=256):
        own = layout.indices_on(range(1))
        wanted = prod(len(np.unique(along)) for along in own) == layout.block_size
        assert layout.is_product == wanted, layout
        seen.add(wanted)
    assert seen == {True, False}
