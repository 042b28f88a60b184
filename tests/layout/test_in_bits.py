"""A layout by ownership in equal blocks, and the same places in bits."""

import random
from itertools import product

import numpy as np
import pytest
from way_mutants import random_map

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Ownership
from graycube.layout.axis import Axis
from graycube.layout.in_bits import in_bits, in_boxes, in_order
from graycube.layout.share import SharedAxis

SHAPE, NODES = (12, 8, 20), (2, 4, 2)
WAYS = list(product(("binary", "gray"), ("consecutive", "cyclic")))


def _box(code: str, allocation: str) -> gc.Layout:
    return gc.Layout.mesh(SHAPE, NODES, code=code, allocation=allocation, ownership=True)


@pytest.mark.parametrize(("code", "allocation"), WAYS)
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_every_element_stays_on_its_node(code, allocation, order):
    box = _box(code, allocation).permuted(order)
    index = np.indices(box.shape)
    assert np.array_equal(in_bits(box, "a plan").locate(*index)[0], box.node_of(*index))


@pytest.mark.parametrize(("code", "allocation"), WAYS)
def test_relayout_by_a_plan_between_boxes_and_bits(code, allocation):
    x = np.arange(np.prod(SHAPE)).reshape(SHAPE)
    machine = gc.Machine(dims=4, ports=1, startup=1e-4, per_byte=1e-9)
    box, plain = _box(code, allocation), _box("binary", allocation)
    for source, target in ((box, plain), (box, in_bits(plain, "")), (in_bits(box, ""), plain)):
        u = gc.CubeArray.from_numpy(x, source).relayout(target, machine=machine)
        assert u.layout == target
        assert np.array_equal(u.to_numpy(), x)


def test_a_plan_of_boxes_is_that_of_bits():
    machine = gc.Machine(dims=4, ports=1, startup=1e-4, per_byte=1e-9)
    box, plain = _box("gray", "consecutive"), _box("binary", "consecutive")
    found = gc.plan(box, plain, 120, machine=machine)
    assert found.task.source == in_bits(box, "a plan")
    assert found.verify()


def test_unequal_blocks_and_copies_are_refused():
    box = _box("binary", "consecutive")
    for layout, words in (
        (gc.Layout.mesh((9,), nodes=(4,)), "a plan needs equally"),
        (box.without_axes([0]), "a plan needs a layout without copies"),
    ):
        with pytest.raises(InvalidValueError, match=words):
            in_bits(layout, "a plan")


def test_boxes_have_every_element_where_bits_have_it():
    found = {True: 0, False: 0}
    for shape, nodes in (
        ((8, 8), (4, 2)),
        ((12, 16), (2, 8)),
        ((16,), (4,)),
        ((6, 4, 8), (2, 1, 4)),
    ):
        kinds = product(("gray", "binary"), ("consecutive", "cyclic"), ("gray", "binary"))
        for code, allocation, slots in kinds:
            bits = gc.Layout.mesh(
                shape, nodes, code=code, allocation=allocation, slots=slots, ownership=False
            )
            thin = [bits.without_axes([k], keepdims=True) for k in range(len(shape))]
            for layout in (bits, *(thin if len(shape) > 1 else ())):
                boxes = in_boxes(layout)
                index = np.indices(layout.shape)
                assert np.array_equal(boxes.node_of(*index), layout.locate(*index)[0])
                for node in range(layout.node_count):
                    assert boxes.nodes_like(node) == layout.nodes_like(node)
            rows = [bits.piece(range(node, node + 1)).rows for node in range(bits.node_count)]
            assert in_order(bits) <= all(row is None for row in rows)
            found[in_order(bits)] += 1
    assert min(found.values()) > 5


def test_what_is_no_box_has_none():
    rng, index, some = random.Random(1), np.arange(16), 0  # noqa: S311
    for _ in range(300):
        layout = gc.Layout(random_map(rng, 4), rng.choice((1, 2, 3)))
        boxes, nodes = in_boxes(layout), layout.locate(index)[0]
        kinds = product((False, True), (False, True))
        every = [
            Ownership((SharedAxis(16, 1 << layout.n, *kind),), 1 << layout.n) for kind in kinds
        ]
        same = [own for own in every if np.array_equal(own.node_of(index), nodes)]
        assert (boxes in same) if same else boxes is None
        some += bool(same)
    assert 0 < some < 300


def test_extents_between_the_bits_that_say_which_node():
    rng, some = random.Random(2), 0  # noqa: S311
    for _ in range(300):
        axis = Axis(3, rng.choice((3, 5)), rng.randrange(4))
        layout = gc.Layout(random_map(rng, 3), rng.choice((1, 2)), (axis,))
        boxes, index = in_boxes(layout), np.arange(axis.length)
        some += boxes is not None
        assert boxes is None or np.array_equal(boxes.node_of(index), layout.locate(index)[0])
    assert 0 < some < 300


def test_copies_on_other_nodes_are_no_boxes():
    across = gc.Layout(AffineMap(Matrix((1, 3), 2)), 2, (Axis(1),), copies=1)
    assert across.nodes_like(0) == [0, 3]
    assert in_boxes(across) is None


def test_a_relayout_has_blocks_of_its_own():
    u = gc.CubeArray.from_numpy(np.eye(8), gc.Layout.mesh((8, 8), (1, 1)))
    boxes = gc.Layout.mesh((8, 8), (1, 1), ownership=True)
    assert not np.may_share_memory(u.relayout(boxes).blocks, u.blocks)


@pytest.mark.parametrize("payload", [(), (3,)])
def test_arrays_of_both_kinds_are_mixed(payload):
    x, y = np.random.default_rng(0).standard_normal((2, 12, 16, *payload))
    for code, allocation, slots in product(
        ("gray", "binary"), ("consecutive", "cyclic"), ("gray", "binary")
    ):
        bits = gc.Layout.mesh(
            (12, 16), (2, 4), code=code, allocation=allocation, slots=slots, ownership=False
        )
        boxes = in_boxes(bits)
        u, v = gc.CubeArray.from_numpy(x, bits), gc.CubeArray.from_numpy(y, boxes)
        for found in (u + v, v + u):
            assert found.layout == boxes
            assert np.array_equal(found.to_numpy(), x + y)
        assert np.array_equal(
            (u - v.mean(axis=0, keepdims=True)).to_numpy(), x - y.mean(0, keepdims=True)
        )
        u *= u + 0 * v
        v *= u
        assert (u.layout, v.layout) == (bits, boxes)
        assert np.allclose(u.to_numpy(), x * x)
        assert np.allclose(v.to_numpy(), y * x * x)
        back = u.relayout(boxes).relayout(bits)
        assert np.array_equal(back.blocks, u.blocks)
        assert not np.may_share_memory(back.blocks, u.blocks)
