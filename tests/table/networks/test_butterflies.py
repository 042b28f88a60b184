"""Butterfly emulations: followed element by element, on data, and against TR-764's tables."""

import functools
import itertools

import numpy as np
import pytest
from butterfly_cases import (
    METHODS,
    ROWS,
    addresses,
    assert_good,
    assert_moves_are_steps,
    axis_bits,
    columns_of,
    gray_field,
    in_order,
    reflected,
    table_1,
)
from hypothesis import HealthCheck, given, settings, strategies as st
from strategies import affine_map, affine_parts, mesh_specs
from sweeping import examples, sweep

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap
from graycube.run import emulate
from graycube.schedule import expand
from graycube.verify import check_algebra

CODES = ("binary", "gray")
GRAY_NODES = ("Gray || Gray", "Binary || Gray")
ENCODINGS = ("Gray", *GRAY_NODES, "Binary")
SIZES = list(itertools.product(range(1, 7), range(1, 7)))  # dimensions and slot bits
SMALL = [(n, slots) for n, slots in SIZES if n <= 3 and slots <= 3]
LARGE = [size for size in SIZES if size not in SMALL]
MOST = 7  # bits of an index; `make sweep` tries 12
MANY = settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])

every_row = pytest.mark.parametrize(("kind", "encoding"), ROWS)
every_method = pytest.mark.parametrize("method", METHODS)
every_code = pytest.mark.parametrize("output", CODES)
both_ways = pytest.mark.parametrize("descending", [True, False], ids=["falling", "rising"])
mostly_falling = pytest.mark.parametrize("descending", [True, *sweep((False,))])
mostly_small = pytest.mark.parametrize("most", [MOST, *sweep((12,))])


@functools.cache
def made_for(row, size, method, output="binary", *, descending=True):
    """An emulation in one of the rows of Table 1."""
    n, slots = size
    layout = ROWS[row].layout(n + slots, n)
    how = METHODS[method](n)
    return gc.emulation(layout, method=how, output=output, descending=descending)


def enough_memory(row, size, method, *, descending):
    """Whether TR-764 has an algorithm: four slots for local, two for inter-node conversion."""
    return size[1] > 1 or (method == "inter-node" and (descending or row[0] == "consecutive"))


def cases(row, method, *, sizes=None, most=MOST):
    """Small sizes all, large ones some, but different ones for each row and method."""
    if sizes is None:
        shift = (list(ROWS).index(row) + 3 * list(METHODS).index(method)) % 17
        sizes = [size for size in SMALL + LARGE[shift::17] if sum(size) <= most]
    return itertools.product(sizes, CODES)


# Followed from the moves alone.


@pytest.mark.long
@every_row
@every_method
@mostly_falling
@mostly_small
def test_every_pair_of_every_stage_meets(kind, encoding, method, descending, most):
    row = (kind, encoding)
    for size, output in cases(row, method, most=most):
        n, slots = size
        try:
            made = made_for(row, size, method, output, descending=descending)
        except gc.GraycubeError:
            assert not enough_memory(row, size, method, descending=descending), size
            continue
        stages = in_order(range(n + slots), descending=descending)
        assert_good(made, table_1(kind, encoding, n + slots, n), stages)


@every_row
@every_method
@mostly_falling
def test_complemented_addresses_cost_nothing(kind, encoding, method, descending):
    row = (kind, encoding)
    for size, constant in [((2, 3), 0b11111), ((3, 3), 0b000100), ((3, 3), 0b101001)]:
        plain = made_for(row, size, method, descending=descending)
        shifted = AffineMap(plain.task.source.map.matrix, constant)
        layout, how = gc.Layout(shifted, size[0]), METHODS[method](size[0])
        made = gc.emulation(layout, method=how, descending=descending)
        stages = in_order(range(sum(size)), descending=descending)
        assert_good(made, table_1(kind, encoding, sum(size), size[0]) ^ constant, stages)
        assert made.cycles == plain.cycles
        assert addresses(made.task.target)[0] == 0


@every_row
@every_method
@mostly_falling
def test_the_moves_are_what_the_steps_say(kind, encoding, method, descending):
    row = (kind, encoding)
    for size, output in cases(row, method, sizes=[(1, 2), (2, 2), (3, 2), (2, 3)]):
        made = made_for(row, size, method, output, descending=descending)
        assert_moves_are_steps(made, table_1(kind, encoding, sum(size), size[0]))


@every_row
@both_ways
def test_phase_by_phase_one_dimension_is_in_use_at_a_time(kind, encoding, descending):
    for size in itertools.product((1, 2, 3, 4), (2, 3)):
        made = made_for((kind, encoding), size, "phase by phase", descending=descending)
        cycle, _, dimension, _ = columns_of(expand(made))
        using = [set(dimension[cycle == at].tolist()) for at in range(made.cycles)]
        assert {len(dims) for dims in using} == {1}


@pytest.mark.parametrize("n", range(1, 6))
def test_sectioning_in_all_dimensions_keeps_every_link_busy(n):
    for kind, encoding in ROWS:
        if kind == "cyclic":
            made = made_for((kind, encoding), (n, n + 1), "all at once")
            assert made.cycles == 1 << n
            assert len(expand(made)) == made.cycles * n << n


# Where everything ends.


def node_rows(made):
    """The index bits that each node bit is a sum of, found from the target's addresses."""
    found = addresses(made.task.target)
    p, n = made.task.p, made.task.n
    assert found[0] == 0
    columns = [int(found[1 << bit]) for bit in range(p)]
    rows = [sum((columns[bit] >> j & 1) << bit for bit in range(p)) for j in range(p)]
    return rows[:n], rows[n:]


@every_row
@every_method
@mostly_falling
def test_binary_output_and_memory_have_one_index_bit_in_every_address_bit(
    kind, encoding, method, descending
):
    row = (kind, encoding)
    for size, output in cases(row, method):
        if enough_memory(row, size, method, descending=descending):
            nodes, memory = node_rows(
                made_for(row, size, method, output, descending=descending)
            )
            single = nodes + memory if output == "binary" else memory
            assert {word.bit_count() for word in single} == {1}


@every_row
@every_method
@both_ways
@mostly_small
def test_gray_output_is_the_gray_code_of_a_field(kind, encoding, method, descending, most):
    """The first bit that goes out is the highest of the field, and the others follow in turn.

    The node number is the code itself where all dimensions are exchanged once, from the top.
    """
    row = (kind, encoding)
    for size, _ in cases(row, method, most=most):
        if not enough_memory(row, size, method, descending=descending):
            continue
        made = made_for(row, size, method, "gray", descending=descending)
        nodes, _ = node_rows(made)
        field = gray_field(nodes)
        assert field == in_order(field or (), descending=descending), str(made.task.target)
        words = np.arange(1 << made.task.p)
        node = addresses(made.task.target) & ((1 << made.task.n) - 1)
        moved, value = 0, 0
        for k, bit in enumerate(field):
            both = 1 << bit | (1 << field[k - 1] if k else 0)
            moved = moved << 1 | (node >> nodes.index(both) & 1)
            value = value << 1 | (words >> bit & 1)
        assert np.array_equal(gc.gray_inverse(moved), value)
        if kind == "cyclic" and descending:
            assert np.array_equal(moved, node)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("method", ["bi-sectioning", "inter-node", "in pairs"])
def test_cyclic_data_ends_consecutive_shifted_by_one_or_two(encoding, method):
    """TR-764 section 3.1.2: dimension k is assigned index bit k + 1.

    With local conversion two bits are in memory at any time: so it is k + 2 (Figure 3).
    """
    shift = 1 if encoding == "Binary" or method == "inter-node" else 2
    for n, slots in itertools.product(range(2, 7), (3, 5)):
        word = np.arange(1 << n + slots)
        field = word >> shift & ((1 << n) - 1)
        for output, node in [("binary", field), ("gray", reflected(field))]:
            made = made_for(("cyclic", encoding), (n, slots), method, output)
            assert np.array_equal(addresses(made.task.target) & ((1 << n) - 1), node)


# On data.


def reversed_bits(length):
    bits = length.bit_length() - 1
    return [int(f"{i:0{bits}b}"[::-1], 2) if bits else 0 for i in range(length)]


def carried_out(made, data, *, inverse=False):
    """What a whole array becomes; its words and addresses are worked out here."""
    task = made.task
    flat = data.reshape(1 << task.p)
    nodes = (1 << task.n) - 1
    blocks = np.empty((1 << task.n, 1 << task.p - task.n), dtype=data.dtype)
    source, target = addresses(task.source), addresses(task.target)
    blocks[source & nodes, source >> task.n] = flat
    out = emulate(made, blocks, inverse=inverse)
    return out[target & nodes, target >> task.n].reshape(data.shape)


def assert_transforms(made, data, axis=0, *, descending, inverse=False):
    """Falling stages reverse the digits of the result, rising ones want them reversed."""
    order = reversed_bits(data.shape[axis])
    if descending:
        found = carried_out(made, data, inverse=inverse).take(order, axis)
    else:
        found = carried_out(made, data.take(order, axis), inverse=inverse)
    exact = np.fft.ifft(data, axis=axis) * data.shape[axis] if inverse else None
    exact = np.fft.fft(data, axis=axis) if exact is None else exact
    assert np.allclose(found, exact)


@pytest.mark.long
@every_row
@every_method
@both_ways
@pytest.mark.parametrize("sizes", [[(1, 2), (2, 3), (3, 2)], *sweep(([(4, 2)],))], ids=str)
def test_the_butterflies_are_a_fourier_transform(kind, encoding, method, descending, sizes):
    """Forwards or backwards, in turn for the outputs."""
    row, random = (kind, encoding), np.random.default_rng(764)
    for k, (size, output) in enumerate(cases(row, method, sizes=sizes)):
        made = made_for(row, size, method, output, descending=descending)
        inverse = (k + k // 2) % 2 == 1
        data = random.normal(size=1 << sum(size)) * (1 - 2j if inverse else 1)
        assert_transforms(made, data, descending=descending, inverse=inverse)


@every_row
@both_ways
def test_inter_node_conversion_transforms_two_elements_per_node(kind, encoding, descending):
    random = np.random.default_rng(764)
    for n in range(2, 6):
        made = made_for((kind, encoding), (n, 1), "inter-node", descending=descending)
        assert_transforms(made, random.normal(size=2 << n), descending=descending)


# How long it takes: n dimensions, P/N slots on each node.


def ceil(a, b):
    return -(-a // b)


TIMED = [*itertools.product((1, 2, 3, 4, 5), (2, 3, 4)), (6, 2), (7, 3), (4, 6)]


def cycles_of(kind, encoding, method, *, descending, sizes=TIMED):
    """Sizes as (n, P/N), the cycles of both outputs, and the cycles of the code."""
    for n, slots in sizes:
        output = CODES[(n + slots) % 2]
        row = (kind, encoding)
        made = made_for(row, (n, slots), method, output, descending=descending)
        yield n, 1 << slots, made.cycles


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_cyclic_data_with_local_conversion(encoding):
    """TR-764 Table 4 and Theorem 4: P/2N + n - 1.

    Theorem 1 says n - 2, which is met for n = 2 only: there one exchange brings all there is.
    """
    for n, held, cycles in cycles_of("cyclic", encoding, "bi-sectioning", descending=True):
        once = n == 2 and encoding in GRAY_NODES
        assert cycles == held // 2 + n - (2 if once else 1), (n, held)


def test_two_elements_per_node_take_n_cycles():
    """TR-764 section 6, and the n + 1 of Theorem 4 for the entire address in Gray code."""
    for n in range(1, 9):
        assert made_for(("cyclic", "Binary"), (n, 1), "bi-sectioning").cycles == n
        for encoding in (*GRAY_NODES, "Gray"):
            made = made_for(("cyclic", encoding), (n, 1), "inter-node")
            assert made.cycles == n + (encoding == "Gray")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_cyclic_data_with_inter_node_conversion(encoding):
    """TR-764 Theorems 2 and 4: P/N + n - 2, and one more for the entire address in Gray."""
    for n, held, cycles in cycles_of("cyclic", encoding, "inter-node", descending=True):
        assert cycles == held + n - (1 if encoding == "Gray" else 2), (n, held)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_consecutive_data_with_local_conversion(encoding):
    """TR-764 Theorem 3: P/2N + max(n, P/2N), met by binary data.

    In Gray code the two dimensions that come first are used again after all others, and they
    come one after the other. Theorem 3 counts on from the n - 2 of Theorem 1; from the n - 1
    of Table 4 it is P/2N + max(n + 1, P/2N). With the entire address in Gray code the two
    slot bits that went out are needed by two stages each, so that their dimensions come back
    one after the other, however many elements there are.
    """
    for n, held, cycles in cycles_of("consecutive", encoding, "bi-sectioning", descending=True):
        half = held // 2
        filled = {"Binary": n, "Gray": n}.get(encoding, n + (n > 2))
        late = encoding == "Gray" and n > 2
        assert cycles == half + max(filled, half) + late, (n, held)
        assert 0 <= cycles - half - max(n, half) <= 1


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_consecutive_data_with_inter_node_conversion(encoding):
    """TR-764 Theorem 3 says P/2N + max(n, P/N): 3/2 P/N for many elements.

    A phase uses its dimensions in every other cycle, and the one that uses the top dimension
    again at the end takes the cycles between: P/N + n - 1, or one more where it would start in
    step with the first. For few elements the paper's P/2N + n is less: it has a last phase
    that uses every cycle.
    """
    sizes = [(n, slots) for n, slots in itertools.product(range(1, 8), (1, 2, 3, 4, 6))]
    timed = cycles_of("consecutive", encoding, "inter-node", descending=True, sizes=sizes)
    for n, held, cycles in timed:
        in_step = n % 2 == 0 and held > n
        if encoding == "Gray":  # stage p - n waits for the top dimension, and then for dim 0
            in_step = n > 1 and held > 2
        assert cycles == held + n - 1 + in_step, (n, held)


@every_row
@pytest.mark.parametrize("method", ["bi-sectioning", "inter-node"])
def test_rising_stages_mirror_falling_ones(kind, encoding, method):
    """TR-764 section 6: the complexity is the same from the least significant bit up.

    What is local first is then the other allocation, and the code makes no difference.
    """
    for n, held, cycles in cycles_of(kind, encoding, method, descending=False):
        half = held // 2
        if method == "bi-sectioning":
            expected = half + (n - 1 if kind == "consecutive" else max(n, half))
        elif kind == "consecutive":
            expected = held + n - 2
        else:
            expected = held + n - 1 + (n % 2 == 0 and held > n)
            if (n, encoding) == (1, "Gray"):
                expected += 2  # the second phase waits for two stages after the first
        assert cycles == expected, (n, held)


@every_row
@mostly_falling
def test_phase_by_phase_every_phase_takes_half_the_slots(kind, encoding, descending):
    timed = cycles_of(kind, encoding, "phase by phase", descending=descending)
    for n, held, cycles in timed:
        again = descending == (kind == "consecutive")  # a dimension is used once more
        if descending and again and encoding != "Binary" and n > 1:
            again = 2  # the first stage has brought two of them to memory
        assert cycles == held // 2 * (n + again), (n, held)


@every_row
@mostly_falling
def test_messages_of_two_slots_take_as_many_rounds_as_half_the_slots(
    kind, encoding, descending
):
    for n, slots in [(1, 3), (2, 3), (3, 4), (4, 3), (5, 4)]:
        row = (kind, encoding)
        one = made_for(row, (n, slots - 1), "bi-sectioning", descending=descending)
        two = made_for(row, (n, slots), "in pairs", descending=descending)
        assert two.cycles == 2 * one.cycles
        assert two.rounds == range(0, two.cycles, 2)


def sections(encoding, n, radix, slots):
    layout = ROWS["cyclic", encoding].layout(n + slots, n)
    return gc.emulation(layout, method=gc.Method(radix=radix)).cycles - (1 << slots - 1)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("n", [2, 3, 4, 5, *sweep((6,), (8,))])
def test_multi_sectioning_of_cyclic_data(encoding, n):
    """TR-764 section 6: P/2N + (n/r - 1) 2^(r-1), with n/r rounded up, r < n.

    There "pipelined bi-sectioning, or four-sectioning, are second best to N-sectioning": that
    holds for larger radices too, as they are free to exchange fewer dimensions at once.
    """
    for radix in range(1, n):
        delay = sections(encoding, n, radix, radix + 1)
        formula = (ceil(n, radix) - 1) << radix - 1
        if radix == 1:
            once = n == 2 and encoding in GRAY_NODES
            assert delay == formula - once
        elif radix == 2:  # for odd n the first phase has one dimension: Theorem 1's n - 2
            assert delay == n - 2 == formula - n % 2
        else:
            assert n - 2 <= delay <= min(formula, n - 1)
        assert sections(encoding, n, radix, radix + 3) == delay


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_n_sectioning_has_no_delay(encoding):
    """TR-764 section 6: P/2N for r = n; with the entire address in Gray from 2N slots on."""
    for n in range(1, 7):
        least = n + (encoding == "Gray")
        assert [sections(encoding, n, n, slots) for slots in (least, least + 1)] == [0, 0]
        if encoding == "Gray" and n > 1:
            assert sections(encoding, n, n, n) > 0


# TR-764, table by table.

TABLE_2 = """
00000 00001 00010 00011 00100 00101 00110 00111
01111 01110 01101 01100 01011 01010 01001 01000
11111 11110 11101 11100 11011 11010 11001 11000
10000 10001 10010 10011 10100 10101 10110 10111

00000 00001 00010 00011 11100 11101 11110 11111
01111 01110 01101 01100 10011 10010 10001 10000
00111 00110 00101 00100 11011 11010 11001 11000
01000 01001 01010 01011 10100 10101 10110 10111

00000 00001 00010 00011 10011 10010 10001 10000
01111 01110 01101 01100 11100 11101 11110 11111
00111 00110 00101 00100 10100 10101 10110 10111
01000 01001 01010 01011 11011 11010 11001 11000

00000 00001 01110 01111 11111 11110 10001 10000
00011 00010 01101 01100 11100 11101 10010 10011
00111 00110 01001 01000 11000 11001 10110 10111
00100 00101 01010 01011 11011 11010 10101 10100

00000 00001 01001 01000 11000 11001 10001 10000
00011 00010 01010 01011 11011 11010 10010 10011
00111 00110 01110 01111 11111 11110 10110 10111
00100 00101 01101 01100 11100 11101 10101 10100

00000 00111 01111 01000 11000 11111 10111 10000
00011 00100 01100 01011 11011 11100 10100 10011
00001 00110 01110 01001 11001 11110 10110 10001
00010 00101 01101 01010 11010 11101 10101 10010
"""


def held(layout, columns):
    """The index in every slot of every node; the nodes are in the order of the columns."""
    node = addresses(layout) & ((1 << layout.n) - 1)
    slot = addresses(layout) >> layout.n
    table = [[None] * len(columns) for _ in range(layout.block_size)]
    for word in range(1 << layout.p):
        table[slot[word]][columns.index(node[word])] = word
    return table


def test_table_2_entry_by_entry():
    """All 192 entries: the print has no slip."""
    blocks = TABLE_2.strip().split("\n\n")
    printed = [
        [[int(word, 2) for word in row.split()] for row in b.split("\n")] for b in blocks
    ]
    made = gc.emulation(gc.Layout.cyclic(5, 3, whole="gray"))
    columns = [reflected(i) for i in range(8)]
    layouts = [held(layout, columns) for layout in made.layouts()]
    assert layouts[:6] == printed
    # What is left reorders memory.
    for table in layouts[6:]:
        by_node = zip(*table, strict=True)
        assert [set(x) for x in by_node] == [set(x) for x in zip(*printed[-1], strict=True)]
    assert made.cycles == 2 + 3 - 1


def texts(layout, count, **options):
    every = gc.emulation(layout, **options).layouts()
    return [str(found) for found in itertools.islice(every, count)]


def test_table_3_and_figure_3_dimension_by_dimension():
    assert texts(gc.Layout.cyclic(8, 4, whole="gray"), 5) == [
        "(b7 g6 g5 g4 || g3 g2 g1 g0)",
        "(b7 g6 b5 g4 || g3 g2 g1 g0)",
        "(b7 g6 g3 g4 || b5 g2 g1 g0)",
        "(b7 g6 g3 b4 || b5 g2 g1 g0)",
        "(b7 g6 g3 g2 || b5 b4 g1 g0)",
    ]
    initial, _, first, second = texts(gc.Layout.cyclic(8, 4, nodes="gray"), 4)
    assert initial == "(b7 b6 b5 b4 || b3 g2 g1 g0)"
    assert first == "(b7 b6 b3 g2 || b5 b4 g1 g0)"
    assert second == "(b7 b6 g1 g2 || b5 b4 b3 g0)"


def test_section_3_2_brings_two_bits_to_the_top_of_memory():
    initial, _, after = texts(gc.Layout.consecutive(8, 4, nodes="gray"), 3)
    assert initial == "(b3 b2 b1 b0 || b7 g6 g5 g4)"
    assert after == "(b7 g6 b1 b0 || b3 b2 g5 g4)"


def leading(layout, drop):
    """The leading index bits in the slots of the nodes 00.., 01.., 11.. and 10.., as numbers.

    The nodes of one such subcube agree in them, and differ in the bits that are left out.
    """
    step = layout.n - 2
    columns = list(range(1 << layout.n))
    table = held(layout, columns)
    found = []
    for row in table:
        words = [
            [row[top << step | low] >> drop for low in range(1 << step)] for top in range(4)
        ]
        assert [len(set(same)) for same in words] == [1] * 4
        found.append([words[top][0] for top in (0, 1, 3, 2)])
    return found


def pairs(text):
    """Entries like 13, old slot 1 and then data index 3, as one number of four bits."""
    return [[4 * int(word[0]) + int(word[1]) for word in row.split()] for row in text]


FIGURE_6 = ["00 10 30 20", "01 11 31 21", "03 13 33 23", "02 12 32 22"]
FIGURE_7 = ["00 10 20 30", "01 11 21 31", "02 12 32 22", "03 13 33 23"]  # as printed


@pytest.mark.parametrize("n", [2, 3, 5])
def test_figure_6_all_to_all_without_code_conversion(n):
    made = gc.emulation(gc.Layout.cyclic(n + 2, n, nodes="gray"))
    after = list(made.layouts())[2]
    assert leading(after, n - 2) == pairs(FIGURE_6)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_figure_7_all_to_all_with_code_conversion(n):
    """Memory is put in order when it goes out, not before: nodes are compared, not slots.

    Erratum: in the lower half of the print, the columns 11 and 10 have changed places.
    """
    rows = pairs(FIGURE_7)
    right = rows[:2] + [[a, b, d, c] for a, b, c, d in rows[2:]]
    # As printed, two nodes would have elements of two slots each.
    assert [len({entry // 4 for entry in column}) for column in zip(*rows, strict=True)] == [
        1,
        1,
        2,
        2,
    ]
    made = gc.emulation(gc.Layout.cyclic(n + 2, n, nodes="gray"), output="gray")
    after = leading(list(made.layouts())[3], n - 2)
    assert after[:2] == right[:2]
    by_node = [set(column) for column in zip(*after, strict=True)]
    assert by_node == [set(column) for column in zip(*right, strict=True)]


@pytest.mark.parametrize("n", [3, 4])
def test_figures_8_and_9_the_next_exchange_in_a_subcube(n):
    """In subcube 00 of the two top dimensions, next dimension 0 and 1; memory in any order."""
    figures = ([{0b000, 0b011, 0b100, 0b111}, {0b001, 0b010, 0b101, 0b110}],)
    figures += ([{0b000, 0b011, 0b001, 0b010}, {0b100, 0b111, 0b101, 0b110}],)
    made = gc.emulation(gc.Layout.cyclic(n + 2, n, nodes="gray"))
    for layout, figure in zip(list(made.layouts())[2:4], figures, strict=True):
        table = held(layout, list(range(1 << n)))
        for low in range(1 << n - 3):
            nodes = [low, 1 << n - 3 | low]
            # The two leading bits are the subcube's: they are left out, as in the paper.
            by_node = [{row[node] >> n - 3 & 7 for row in table} for node in nodes]
            assert by_node == figure


FIGURE_15 = (["00 01 02 03", "10 11 12 13"], ["01 00 11 10", "03 02 13 12"])
FIGURE_16 = (
    ["03 02 01 00", "13 12 11 10"],
    ["02 03 12 13", "00 01 10 11"],
    ["00 01 10 11", "02 03 12 13"],
)


@every_code
@pytest.mark.parametrize("n", [2, 3, 5])
def test_figure_15_bi_section_and_inter_node_conversion(n, output):
    layout = gc.Layout.cyclic(n + 1, n, nodes="gray")
    made = gc.emulation(layout, method=gc.Method("inter-node"), output=output)
    before, _, after = list(made.layouts())[:3]
    assert [leading(found, n - 2) for found in (before, after)] == [*map(pairs, FIGURE_15)]


@pytest.mark.parametrize("n", [3, 4, 5])
def test_figure_16_reflected_sequences(n):
    matrix = gc.Layout.cyclic(n + 1, n, nodes="gray").map.matrix
    layout = gc.Layout(AffineMap(matrix, 1 << n - 1), n)
    made = gc.emulation(layout, method=gc.Method("inter-node"))
    before, _, first, second = list(made.layouts())[:4]
    found = [leading(found, n - 2) for found in (before, first, second)]
    assert found == [*map(pairs, FIGURE_16)]


# Any layout.

MESHES = {
    "of the README": gc.Layout.mesh((16, 8), nodes=(4, 2), code="gray"),
    "cyclic": gc.Layout.mesh((8, 16), nodes=(4, 4), code="gray", allocation="cyclic"),
    "mixed": gc.Layout.mesh(
        (16, 8), nodes=(4, 4), whole=("gray", None), allocation=("cyclic", "consecutive")
    ),
    "wired": gc.Layout.mesh((8, 8), nodes=(4, 4), code="gray", dims=((0, 3), (2, 1))),
    "whole rows": gc.Layout.mesh((8, 16), nodes=(8, 1), code="gray"),
}


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("axis", [0, 1])
@every_method
@mostly_falling
def test_one_axis_of_a_mesh(name, axis, method, descending):
    layout = MESHES[name]
    stages = in_order(axis_bits(layout, axis), descending=descending)
    random = np.random.default_rng(764)
    for output in CODES:
        options = {"method": METHODS[method](layout.n), "output": output}
        made = gc.emulation(layout, axis, **options, descending=descending)
        assert_good(made, addresses(layout), stages)
        data = random.normal(size=layout.shape)
        assert_transforms(made, data, axis, descending=descending)
        from_the_end = gc.emulation(layout, axis - 2, **options, descending=descending)
        assert from_the_end == made


def test_an_axis_within_the_nodes_costs_nothing():
    made = gc.emulation(MESHES["whole rows"], 1)
    assert (made.cycles, len(expand(made)), made.dimensions_at_once) == (0, 0, 0)
    assert made.task.target == made.task.source


methods = st.builds(
    gc.Method,
    st.just("local"),
    radix=st.integers(1, 4),
    merged=st.integers(0, 2),
    overlap=st.booleans(),
)
in_turn = st.builds(
    gc.Method, st.just("inter-node"), merged=st.integers(0, 1), overlap=st.just(value=False)
)
inter_node = st.builds(gc.Method, st.just("inter-node"), merged=st.integers(0, 1))


def done_or_refused(layout, axis=0, **options):
    """The emulation, or nothing if the error says what is missing."""
    try:
        return gc.emulation(layout, axis, **options)
    except InvalidValueError as error:
        refusal = str(error)
    known = ("too little memory", "messages are to have", "the nodes have it already")
    assert [words for words in known if words in refusal]
    return None


@given(
    mesh_specs(room=200, max_axes=3),
    st.data(),
    methods | in_turn | inter_node,
    st.sampled_from(CODES),
    st.booleans(),
)
@MANY
def test_any_axis_of_any_mesh_is_done_or_refused(spec, data, method, output, descending):
    """Behind the slots of odd lengths stands a payload, which stays together."""
    layout = spec.layout()
    axis = data.draw(st.integers(0, len(layout.axes) - 1))
    options = {"method": method, "output": output, "descending": descending}
    made = done_or_refused(layout, axis, **options)
    if made:
        stages = in_order(axis_bits(layout, axis), descending=descending)
        assert_good(made, addresses(layout), stages)
        assert_moves_are_steps(made, addresses(layout))


@st.composite
def layouts(draw, most=7):
    """Any invertible affine map."""
    p = draw(st.integers(0, most))
    n = draw(st.integers(0, p))
    return gc.Layout(affine_map(*draw(affine_parts(p))), n)


@given(layouts(), methods | in_turn, st.sampled_from(CODES), st.booleans())
@MANY
def test_any_layout_is_done_or_refused(layout, method, output, descending):
    options = {"method": method, "output": output, "descending": descending}
    made = done_or_refused(layout, **options)
    if made:
        stages = in_order(range(layout.p), descending=descending)
        assert_good(made, addresses(layout), stages)
        assert_moves_are_steps(made, addresses(layout))
        values = np.random.default_rng(layout.p).normal(size=1 << layout.p)
        assert_transforms(made, values, descending=descending)


@given(layouts(), inter_node, st.sampled_from(CODES), st.booleans())
@MANY
def test_any_layout_is_done_or_refused_with_inter_node_conversion(
    layout, method, output, descending
):
    options = {"method": method, "output": output, "descending": descending}
    made = done_or_refused(layout, **options)
    if made:
        stages = in_order(range(layout.p), descending=descending)
        assert_good(made, addresses(layout), stages)
        assert check_algebra(made, gc.Machine(dims=layout.n, ports="all"))


@pytest.mark.parametrize(
    ("text", "descending"),
    [
        ("(g3 b1 || b0 g1 b3^b1)", False),
        ("(b1 b2 || b4^b1 b4^b1^b0 g3)", True),
    ],
)
def test_phases_of_inter_node_conversion_do_not_collide(text, descending):
    layout = gc.Layout.parse(text)
    made = gc.emulation(layout, method=gc.Method("inter-node"), descending=descending)
    assert_good(made, addresses(layout), in_order(range(layout.p), descending=descending))


@every_code
@every_method
@pytest.mark.parametrize("text", ["(b3 b1 || b2 b4 b0)", "(b2 b1 b4 || b5 b3 b0)"])
def test_bits_in_any_order_are_done_or_refused(text, method, output):
    """Two dimensions at once may be asked for a code that the nodes have already."""
    layout = gc.Layout.parse(text)
    made = done_or_refused(layout, method=METHODS[method](3), output=output)
    assert made or output == "gray" or method == "all at once"
    if made:
        stages = in_order(range(layout.p), descending=True)
        assert_good(made, addresses(layout), stages)


@every_code
def test_without_memory_bits_nothing_can_be_exchanged(output):
    for layout in (gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), gc.Layout.nodes(1)):
        for method in (gc.Method(), gc.Method("inter-node"), gc.Method(radix=2)):
            assert done_or_refused(layout, method=method, output=output) is None


# Large.


@pytest.mark.parametrize(
    ("build", "method", "output", "cycles"),
    [
        (gc.Layout.cyclic, gc.Method(radix=2), "binary", (1 << 19) + 38),
        (gc.Layout.consecutive, gc.Method(), "gray", 1 << 20),
        *sweep(
            (gc.Layout.cyclic, gc.Method(), "binary", (1 << 19) + 39),
            (gc.Layout.cyclic, gc.Method(), "gray", (1 << 19) + 39),
            (gc.Layout.cyclic, gc.Method("inter-node"), "gray", (1 << 20) + 38),
            (gc.Layout.consecutive, gc.Method("inter-node"), "binary", (1 << 20) + 40),
        ),
    ],
)
def test_2_to_the_40_nodes(build, method, output, cycles):
    made = gc.emulation(build(60, 40, nodes="gray"), method=method, output=output)
    assert made.cycles == cycles
    assert check_algebra(made, gc.Machine(dims=40, ports="all"))
