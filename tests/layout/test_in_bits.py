"""A layout by ownership in equal blocks, and the same places in bits."""

import itertools

import numpy as np
import pytest

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.layout.in_bits import in_bits

SHAPE, NODES = (12, 8, 20), (2, 4, 2)
WAYS = list(itertools.product(("binary", "gray"), ("consecutive", "cyclic")))


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
