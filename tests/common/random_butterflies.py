"""Random butterflies in random layouts, beside a loop over the pairs, one by one."""

import numpy as np
from random_transforms import random_layout

import graycube as gc
from graycube.gf2 import AffineMap, Matrix


def any_affine(rng, layout):
    """The same array with elements anywhere: a random affine map."""
    p = layout.p
    while True:
        columns = tuple(int(column) for column in rng.integers(0, 1 << p, p))
        matrix = Matrix(columns, p)
        if matrix.is_invertible():
            break
    return gc.Layout(AffineMap(matrix, int(rng.integers(0, 1 << p))), layout.n, layout.axes)


def layouts(rng, count, longest=40, most=1024):
    """Meshes, cyclic, Gray and whole Gray, and every second one affine at random."""
    made = 0
    while made < count:
        layout = random_layout(rng, longest, most)
        axes = [k for k, axis in enumerate(layout.axes) if axis.extent == 1]
        if axes:
            made += 1
            yield any_affine(rng, layout) if made % 2 else layout, axes


def stage(low, high, bit, index):
    """A stage that depends on everything, and on the order of the stages."""
    return 3 * low + 5 * high + index * low + bit, 2 * (bit + 1) * low - 7 * high + index


def pair_by_pair(x, axis, bits, stage):
    """What stages make of a plain array, from the definition."""
    x = np.moveaxis(x, axis, 0).copy()
    for bit in bits:
        for i in range(len(x)):
            j = i + (1 << bit)
            if not i >> bit & 1:
                x[i], x[j] = stage(x[i].copy(), x[j].copy(), bit, i)
    return np.moveaxis(x, 0, axis)


def random_bits(rng, count):
    """Some of the bits: ascending, descending, or in any order; sometimes all or none."""
    found = rng.permutation(count)[: rng.integers(0, count + 1)]
    kind = rng.integers(4)
    if kind < 2:
        found = np.sort(found)[:: 1 - 2 * int(kind)]
    return None if kind == 3 else [int(bit) for bit in found]


def random_numbers(rng, layout):
    """Small integers, half of them with a payload."""
    payload = (2,) * int(rng.integers(0, 2))
    return rng.integers(-9, 9, (*layout.shape, *payload))
