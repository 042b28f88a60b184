"""What two arrays make is where nodes have both, element by element."""

from itertools import product

import numpy as np
import pytest
from sweeping import sweep

import graycube as gc
from graycube.gf2 import AffineMap, Matrix
from graycube.layout.common import common


def holders(layout, shape):
    """The nodes that have each element of a larger array: what is of length 1 is repeated."""
    found = np.empty(shape, object)
    own = (1,) * (len(shape) - len(layout.shape)) + layout.shape
    for index in np.ndindex(*shape):
        place = [0 if n == 1 else i for i, n in zip(index, own, strict=True)]
        node = int(layout.node_of(*map(np.array, place[len(shape) - len(layout.shape) :])))
        found[index] = frozenset(layout.nodes_like(node))
    return found


def complaint(first, second):
    """What is wrong with the common layout of two, or nothing."""
    shape = np.broadcast_shapes(first.shape, second.shape)
    a, b = holders(first, shape), holders(second, shape)
    both = [a[index] & b[index] for index in np.ndindex(*shape)]
    found = common(first, second)
    if found is None:
        everywhere = set().union(*both) == {*range(first.node_count)}
        return "they meet" if all(both) and everywhere else ""
    if found.shape != shape or [*holders(found, shape).ravel()] != both:
        return f"{found} is not where both are"
    return ""


def thin(layout):
    """What is left of a layout when all axes but some are summed away."""
    every = range(len(layout.shape))
    for kept in product((False, True), repeat=len(every)):
        gone = [k for k in every if not kept[k]]
        if gone:
            yield layout.without_axes(gone, keepdims=True)
            if gone == [*range(len(gone))] and len(gone) < len(every):
                yield layout.without_axes(gone)


def mixed(p, n, axes, seed):
    """A layout whose map is a random one on the bits of the nodes."""
    draw = np.random.default_rng(seed)
    while True:
        matrix = Matrix(tuple(int(c) for c in draw.integers(1, 1 << n, n)), n)
        if matrix.is_invertible():
            break
    slots = Matrix.identity(p - n)
    turned = Matrix.block_diagonal([matrix, slots])
    order = Matrix.permutation([int(k) for k in draw.permutation(p)])
    address = AffineMap(turned @ order, int(draw.integers(1 << n)))
    return gc.Layout(address, n, axes)


MESHES = [
    gc.Layout.mesh((4, 6, 2), (2, 2, 2), code="gray", ownership=False),
    gc.Layout.mesh((4, 6, 2), (4, 1, 2), allocation="cyclic", ownership=False),
    gc.Layout.mesh((8, 3, 4), (4, 1, 2), whole="gray"),
    AffineMap(Matrix.identity(6), 0b101010) @ gc.Layout.mesh((4, 8, 2), (2, 1, 2)),
    gc.Layout.mesh((5, 3, 4), (2, 3, 1)),
    gc.Layout.mesh((5, 4, 3), (1, 2, 3), allocation="cyclic"),
]


@pytest.mark.long
@pytest.mark.parametrize("layout", MESHES, ids=str)
def test_parts_of_one_layout_meet_in_it(layout):
    parts = [layout, *thin(layout)]
    assert not [text for a, b in product(parts, parts) if (text := complaint(a, b))]
    three = [layout.without_axes({0, 1, 2} - {k}, keepdims=True) for k in range(3)]
    assert common(common(*three[:2]), three[2]) == layout
    assert common(three[2], common(*three[1::-1])) == layout


@pytest.mark.long
@pytest.mark.parametrize("seed", [*range(4), *sweep(*((seed,) for seed in range(4, 60)))])
def test_any_two_layouts_meet_where_the_definition_says(seed):
    axes = [(2, 2), (1, 2, 1), (3, 1)][seed % 3]
    axes = tuple(gc.layout.Axis(bits) for bits in axes)
    first = mixed(4, 2 + seed % 2, axes, seed)
    near = gc.Layout(AffineMap(first.map.matrix, first.map.constant ^ 1), first.n, axes)
    far = mixed(4, first.n, axes, seed + 1)
    parts = []
    for layout in (first, near, far):
        parts += [layout, *thin(layout)]
    assert not [text for a, b in product(parts, parts) if (text := complaint(a, b))]


def test_by_ownership_what_is_on_all_nodes_takes_the_share_of_the_other():
    shared = gc.Layout.mesh((9, 5), (3, 2))
    whole = gc.layout.Ownership((gc.layout.ownership.SharedAxis(9),) * 1, 6)
    column = shared.without_axes([1])
    assert not complaint(column, whole)
    assert common(column, whole) == column
    assert common(shared, gc.Layout.mesh((9, 5), (2, 3))) is None
    same_digit = (gc.layout.ownership.SharedAxis(9, 6), gc.layout.ownership.SharedAxis(1))
    rows = gc.layout.Ownership(same_digit, 6)
    columns = gc.layout.Ownership((gc.layout.ownership.SharedAxis(1), same_digit[0]), 6)
    assert common(rows, columns) is None
    assert not complaint(rows, columns)
