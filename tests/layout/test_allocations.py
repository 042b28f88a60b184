"""The eight allocations of TR-764 Table 1, element by element, and the algebra of layouts."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import (
    affine_map,
    affine_parts,
    apply_rows,
    gray_word,
    mesh_specs,
    ones,
    recoded,
)
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError, SingularError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import ALLOCATIONS

TABLE_1 = [
    (kind, encoding)
    for kind in ("consecutive", "cyclic")
    for encoding in ("Gray", "Gray || Gray", "Binary || Gray", "Binary")
]
ROWS = {(row.kind, row.encoding): row for row in ALLOCATIONS}
every_row = pytest.mark.parametrize(("kind", "encoding"), TABLE_1)


def place(kind, encoding, p, n, q):
    """Node and slot of element q, read off the table."""
    high_bits, low_bits = (n, p - n) if kind == "consecutive" else (p - n, n)
    high, low = divmod(q, 2**low_bits)
    high_code, low_code = gray_word(high, high_bits), gray_word(low, low_bits)
    if encoding == "Gray" and ones(high_code) % 2:
        low_code = gray_word(2**low_bits - 1 - low, low_bits)
    if encoding == "Binary":
        high_code, low_code = high, low
    if encoding == "Binary || Gray" and kind == "consecutive":
        low_code = low
    if encoding == "Binary || Gray" and kind == "cyclic":
        high_code = high
    return (high_code, low_code) if kind == "consecutive" else (low_code, high_code)


def address(layout, index):
    node, slot = layout.locate(index)
    return slot * 2**layout.n + node


def flat_layouts(count):
    """Rows, constants and node bits of several layouts of one size."""

    @st.composite
    def draw_all(draw):
        p = draw(st.integers(0, 6))
        return p, [(*draw(affine_parts(p)), draw(st.integers(0, p))) for _ in range(count)]

    return draw_all()


def built(parts):
    rows, constant, n = parts
    return gc.Layout(affine_map(rows, constant), n)


def test_the_table_has_the_eight_rows_in_the_papers_order():
    assert [(row.kind, row.encoding) for row in ALLOCATIONS] == TABLE_1


@every_row
@pytest.mark.parametrize("most", [9, *sweep((12,))])
def test_every_size_agrees_with_the_table(kind, encoding, most):
    for p in range(most + 1):
        for n in range(p + 1):
            table = [place(kind, encoding, p, n, q) for q in range(2**p)]
            layout = ROWS[kind, encoding].layout(p, n)
            node, slot = layout.locate(np.arange(2**p))
            assert list(zip(node.tolist(), slot.tolist(), strict=True)) == table, (p, n)
            everywhere = set(itertools.product(range(2**n), range(2 ** (p - n))))
            assert set(table) == everywhere, (p, n)
            assert layout.index(node, slot).tolist() == list(range(2**p)), (p, n)


@every_row
def test_scalars_agree_with_the_table(kind, encoding):
    for p in range(7):
        for n in range(p + 1):
            layout = ROWS[kind, encoding].layout(p, n)
            for q in range(2**p):
                found = layout.locate(q)
                assert found == place(kind, encoding, p, n, q), (p, n, q)
                assert layout.index(*found) == q, (p, n, q)
                assert layout.coordinates(*found) == (q,), (p, n, q)


@every_row
def test_sixty_bits_on_thirty_are_exact(kind, encoding):
    layout = ROWS[kind, encoding].layout(60, 30)
    assert gc.Layout.parse(str(layout)) == layout
    assert (layout.p, layout.n, layout.size, layout.block_size) == (60, 30, 2**60, 2**30)
    # Powers of three have irregular bits over the whole range.
    for q in [0, 1, 2**60 - 1, 2**30 - 1, 2**30, *(3**k % 2**60 for k in range(20, 80))]:
        node, slot = place(kind, encoding, 60, 30, q)
        assert layout.locate(q) == (node, slot)
        assert layout.index(node, slot) == q
        assert layout.inverse_map(slot * 2**30 + node) == q


@every_row
def test_conversions_between_all_rows_compose_at_sixty_bits(kind, encoding):
    source = ROWS[kind, encoding].layout(60, 30)
    binary = gc.Layout.cyclic(60, 30)
    for row in ALLOCATIONS:
        target = row.layout(60, 30)
        move = source.conversion(target)
        assert binary.conversion(target) @ source.conversion(binary) == move
        assert move.inverse() == target.conversion(source)
        for q in (1, 3**37, 2**60 - 3**20):
            assert move(address(source, q)) == address(target, q)


@pytest.mark.parametrize("kind", ["consecutive", "cyclic"])
def test_entire_gray_addresses_are_a_cyclic_gray_code(kind):
    for n in range(9):
        layout = ROWS[kind, "Gray"].layout(8, n)
        addresses = [address(layout, q) for q in range(256)]
        steps = zip(addresses, addresses[1:] + addresses[:1], strict=True)
        assert {ones(a ^ b) for a, b in steps} == {1}


@pytest.mark.parametrize("kind", ["consecutive", "cyclic"])
def test_the_class_methods_build_the_rows(kind):
    build = getattr(gc.Layout, kind)
    assert build(7, 3) == ROWS[kind, "Binary"].layout(7, 3)
    assert build(7, 3, whole="binary") == ROWS[kind, "Binary"].layout(7, 3)
    assert build(7, 3, nodes="gray") == ROWS[kind, "Binary || Gray"].layout(7, 3)
    assert build(7, 3, nodes="gray", slots="gray") == ROWS[kind, "Gray || Gray"].layout(7, 3)
    assert build(7, 3, whole="gray") == ROWS[kind, "Gray"].layout(7, 3)
    # A Gray slot behind a binary node is none of the eight.
    unlisted = build(7, 3, slots="gray")
    assert unlisted not in [row.layout(7, 3) for row in ALLOCATIONS]


def test_a_block_per_node_is_the_coded_node_number():
    for n, code in itertools.product(range(7), ("binary", "gray")):
        layout = gc.Layout.nodes(n, code)
        words = [gray_word(i, n) if code == "gray" else i for i in range(2**n)]
        assert [layout.locate(i) for i in range(2**n)] == [(word, 0) for word in words]


@given(flat_layouts(1), st.data())
def test_any_affine_map_is_the_address(drawn, data):
    p, [(rows, constant, n)] = drawn
    layout = built((rows, constant, n))
    for q in range(2**p):
        slot, node = divmod(apply_rows(rows, constant, q), 2**n)
        assert layout.locate(q) == (node, slot)
    flips = data.draw(st.integers(0, 2**p - 1))
    changes = {layout.locate(q)[0] ^ layout.locate(q ^ flips)[0] for q in range(2**p)}
    assert changes == {layout.node_change(flips)}


@given(flat_layouts(2))
def test_a_conversion_takes_each_address_to_its_new_one(drawn):
    p, [first, second] = drawn
    source, target = built(first), built((*second[:2], first[2]))
    move = source.conversion(target)
    for q in range(2**p):
        assert move(address(source, q)) == address(target, q)


@given(flat_layouts(2))
def test_a_map_before_reorders_indices_and_a_map_after_moves_elements(drawn):
    p, [first, (rows, constant, _)] = drawn
    layout, change = built(first), affine_map(rows, constant)
    before, after = layout @ change, change @ layout
    for q in range(2**p):
        assert before.locate(q) == layout.locate(apply_rows(rows, constant, q))
        assert address(after, q) == apply_rows(rows, constant, address(layout, q))


@given(mesh_specs(room=12, max_axes=2), st.data())
def test_layouts_are_equal_exactly_when_every_element_has_the_same_place(spec, data):
    # So few elements that different recipes often mean the same layout.
    other = data.draw(recoded(spec))
    same = spec.table == other.table
    assert (spec.layout() == other.layout()) == same
    if same:
        assert hash(spec.layout()) == hash(other.layout())


def test_equality_ignores_what_changes_no_place():
    mesh, nodes = gc.Layout.mesh, gc.Layout.nodes
    assert mesh((8, 4), (1, 4)) == mesh((8, 4), (1, 4), allocation="cyclic")
    assert mesh((8, 4), (1, 4)) == mesh((8, 4), (1, 4), dims=((), (1, 0)))
    # A field of one bit has one code.
    assert mesh((8, 4), (2, 1)) == mesh((8, 4), (2, 1), code=("gray", "binary"))
    assert mesh((8,), (4,), whole="gray") == gc.Layout.consecutive(3, 2, whole="gray")
    assert nodes(3, "gray") == gc.Layout.cyclic(3, 3, whole="gray")
    assert mesh((12,), (1,), ownership=False) == mesh(
        (12,), (1,), allocation="cyclic", ownership=False
    )


def test_equality_sees_every_change_of_place():
    mesh = gc.Layout.mesh
    assert mesh((8, 4), (1, 4)) != mesh((8, 4), (4, 1))
    assert mesh((8, 4), (1, 4)) != mesh((8, 4), (1, 4), dims=((), (0, 1)))
    assert mesh((12,), (4,), ownership=False) != mesh(
        (12,), (4,), allocation="cyclic", ownership=False
    )
    assert mesh((12,), (4,), ownership=False) != mesh((20,), (4,), ownership=False)
    assert mesh((12,), (4,), ownership=False) != mesh((12,), (2,), ownership=False)
    assert gc.Layout.nodes(2) != "(|| b1 b0)"


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: gc.Layout.cyclic(3, 4), InvalidValueError, ["3", "4"]),
        (lambda: gc.Layout.consecutive(-1, 0), InvalidValueError, ["-1"]),
        (lambda: ALLOCATIONS[0].layout(2, 5), InvalidValueError, ["2", "5"]),
        (lambda: gc.Layout.cyclic(3.0, 2), InvalidTypeError, ["3.0"]),
        (lambda: gc.Layout.cyclic(p=3, n=True), InvalidTypeError, ["True"]),
        (lambda: gc.Layout.nodes(-1), InvalidValueError, ["-1"]),
        (lambda: gc.Layout.nodes(3, "grey"), InvalidValueError, ["'grey'", "'gray'"]),
        (lambda: gc.Layout.cyclic(3, 2, slots="x"), InvalidValueError, ["'x'"]),
        (
            lambda: gc.Layout.cyclic(3, 2, nodes="gray", whole="gray"),
            InvalidValueError,
            ["whole", "nodes"],
        ),
        (lambda: gc.Layout.cyclic(3, 2).locate(8), OutOfRangeError, ["8", "0..7"]),
        (lambda: gc.Layout.cyclic(3, 2).index(4, 0), OutOfRangeError, ["4", "0..3"]),
        (lambda: gc.Layout.cyclic(3, 2).index(0, 2), OutOfRangeError, ["2", "0..1"]),
        (
            lambda: gc.Layout.cyclic(4, 2).conversion(gc.Layout.cyclic(4, 3)),
            InvalidValueError,
            ["2^2", "2^3"],
        ),
        (lambda: gc.Layout(AffineMap.identity(3), 4), InvalidValueError, ["4", "3"]),
        (lambda: gc.Layout(Matrix.identity(3), 2), InvalidTypeError, ["AffineMap(matrix)"]),
        (lambda: gc.Layout.nodes(1025), InvalidValueError, ["1025", "1024"]),
        (
            lambda: gc.Layout.cyclic(10**12, 4),  # which are elements, and no bits
            InvalidValueError,
            [f"Layout.mesh(({10**12},), (4,))"],
        ),
        (lambda: gc.Layout(affine_map([1, 1], 0), 1), SingularError, ["rank 1"]),
    ],
)
def test_bad_input_names_the_value_and_the_limit(build, error, words):
    with pytest.raises(error) as caught:
        build()
    assert [word for word in words if word not in str(caught.value)] == []
