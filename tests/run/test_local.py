"""Schedules carried out on data: any dtype, any payload, in place, and as the moves say."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import gray_word

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange
from graycube.run import apply
from graycube.schedule import Way, expand, hop
from graycube.verify import check_algebra, check_elements

RECORD = np.dtype([("name", "U3"), ("place", np.int16), ("weight", np.complex64)])
DTYPES = (np.float32, np.complex128, np.bool_, np.object_, RECORD, "U5", "datetime64[s]")
NAMES = ("relabel", "direct", "gb1", "gb2", "gb3", "any-order", "circuit-split")


@cache
def planned(name="gb3", n=3, block=8, p=None):
    p = n if p is None else p
    machine = gc.Machine(dims=n, ports=2, switching="circuit")
    layouts = gc.Layout.cyclic(p, n, nodes="gray"), gc.Layout.cyclic(p, n)
    return gc.plan(*layouts, block, machine=machine, algorithm=name)


def converted(blocks):
    """Gray to binary, block by block."""
    n = len(blocks).bit_length() - 1
    return [blocks[gray_word(i, n)] for i in range(1 << n)]


def sample(shape, dtype):
    """An array with different entries, as far as the dtype has them."""
    numbers = np.arange(np.prod(shape))
    if dtype == RECORD:
        rows = [(str(k), k, k - 2j) for k in numbers]
        return np.array(rows, dtype=RECORD).reshape(shape)
    if dtype is np.bool_:
        return (numbers % 3 == 0).reshape(shape)
    if dtype is np.object_:
        objects = np.empty(len(numbers), dtype=object)
        objects[:] = [(k, str(k)) for k in numbers]
        return objects.reshape(shape)
    return numbers.astype(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_every_dtype_is_carried(name, dtype):
    blocks = sample((8, 8), dtype)
    after = planned(name).apply(blocks)
    assert after.dtype == blocks.dtype
    assert after.tolist() == [block.tolist() for block in converted(blocks)]


@pytest.mark.parametrize("shape", [(8, 8), (8, 8, 3), (8, 2, 4), (8, 1, 8), (8, 2, 2, 2, 5)])
@pytest.mark.parametrize("name", NAMES)
def test_every_payload_shape_is_carried(name, shape):
    blocks = sample(shape, np.int64)
    after = planned(name).apply(blocks)
    assert after.shape == shape
    assert after.tolist() == [block.tolist() for block in converted(blocks)]


def test_the_input_is_untouched_and_not_shared():
    blocks = sample((8, 8), np.int64)
    before = blocks.copy()
    after = planned().apply(blocks)
    assert np.array_equal(blocks, before)
    assert not np.shares_memory(after, blocks)


@pytest.mark.parametrize("name", NAMES)
def test_in_place_is_the_same(name):
    blocks = sample((8, 8), np.int64)
    expected = converted(blocks.tolist())
    assert planned(name).apply(blocks, out=blocks) is blocks
    assert blocks.tolist() == expected


def test_out_is_filled_even_where_it_is_strided_or_overlaps():
    store = np.zeros((9, 16), dtype=np.int64)
    blocks, out = store[:8, ::2], store[1:, ::2]
    blocks[...] = sample((8, 8), np.int64)
    expected = converted(blocks.tolist())
    assert planned().apply(blocks, out=out) is out
    assert out.tolist() == expected


@pytest.mark.parametrize(
    "view", [lambda a: a[::-1, ::-1], np.asfortranarray, lambda a: a.T.copy().T, list]
)
def test_any_memory_order_and_read_only_input(view):
    blocks = view(sample((8, 8), np.int64))
    if isinstance(blocks, np.ndarray):
        blocks.flags.writeable = False
    expected = converted(np.array(blocks).tolist())
    assert planned().apply(blocks).tolist() == expected


def test_read_only_input_is_refused_as_output():
    blocks = sample((8, 8), np.int64)
    blocks.flags.writeable = False
    with pytest.raises(InvalidValueError, match="out must be writeable"):
        planned().apply(blocks, out=blocks)


@pytest.mark.parametrize("shape", [(), (7, 8), (8,), (8, 7), (8, 12), (8, 0), (16, 4), (8, 4)])
def test_blocks_of_another_size_are_refused(shape):
    with pytest.raises(InvalidValueError, match="the blocks have shape"):
        planned().apply(np.zeros(shape))


@pytest.mark.parametrize(
    "out", [np.zeros((8, 8), np.float32), np.zeros((8, 4, 2)), np.zeros((8, 9))]
)
def test_an_output_of_another_kind_is_refused(out):
    with pytest.raises(InvalidValueError, match="out has shape"):
        planned().apply(np.zeros((8, 8)), out=out)


def followed(moves, blocks):
    """The content of every node after the moves, taken one by one, in order of cycles."""
    block = moves.task.block
    node = {e: e // block for e in range(block << moves.task.n)}
    rows = zip(
        moves.cycle.tolist(),
        moves.node.tolist(),
        moves.dimension.tolist(),
        moves.element.tolist(),
        strict=True,
    )
    for _, u, d, e in sorted(rows, key=lambda row: row[0]):
        assert node[e] == u
        node[e] = u ^ 1 << d
    after = {}
    for e, u in node.items():
        after[u, e % block] = blocks[e // block][e % block]
    return [[after[u, k] for k in range(block)] for u in range(1 << moves.task.n)]


@given(
    st.sampled_from([name for name in NAMES if name != "relabel"]),
    st.integers(2, 6),
    st.integers(1, 9),
    st.integers(0, 2),
)
def test_data_goes_where_the_moves_take_every_element(name, n, payload, slot_bits):
    plan = planned(name, n, payload << slot_bits, n + slot_bits)
    blocks = sample((1 << n, plan.task.block), np.int64)
    assert plan.apply(blocks).tolist() == followed(plan.moves(), blocks.tolist())


def test_relabelling_says_where_every_block_is_without_a_move():
    plan = planned("relabel")
    assert len(plan.moves()) == 0
    assert [plan.schedule.relabel(gray_word(i, 3)) for i in range(8)] == list(range(8))
    assert plan.verify()


def swap_schedule(payload):
    """Node bit 0 and slot bit 0 change places, by one exchange of half of every block."""
    n, p = 2, 4
    exchange = Exchange(flip=0b0101, when=0b0101)
    source = gc.Layout.cyclic(p, n, nodes="gray")
    task = gc.Task(source, exchange.affine(p) @ source, payload << (p - n))
    strand = Way(0, task.block, (hop(0, exchange, n),))
    return gc.Schedule(task, "swap", (0,), task.block // 2, (strand,))


@pytest.mark.parametrize("payload", [1, 3])
def test_slots_trade_places_with_nodes(payload):
    schedule = swap_schedule(payload)
    blocks = sample((4, 4 * payload, 2), np.int64)
    expected = blocks.copy().reshape(4, 4, payload, 2)
    for node in (0, 2):
        for slot in (1, 3):
            here, there = expected[node, slot].copy(), expected[node + 1, slot - 1].copy()
            expected[node, slot], expected[node + 1, slot - 1] = there, here
    assert np.array_equal(apply(schedule, blocks), expected.reshape(blocks.shape))
    machine = gc.Machine(dims=2)
    assert check_algebra(schedule, machine)
    assert check_elements(expand(schedule), machine)


def test_slot_swaps_take_the_array_from_one_layout_to_the_other():
    schedule = swap_schedule(payload=1)
    x = np.arange(16)
    after = apply(schedule, schedule.task.source.scatter(x))
    assert np.array_equal(schedule.task.target.gather(after), x)


def test_part_of_a_block_cannot_change_slots():
    whole = swap_schedule(payload=2)
    hops = whole.ways[0].steps
    strands = (Way(0, 4, hops), Way(4, 8, hops))
    parts = gc.Schedule(whole.task, "parts", (0,), 4, strands)
    with pytest.raises(InvalidValueError, match="changes slots"):
        apply(parts, np.zeros((4, 8)))
