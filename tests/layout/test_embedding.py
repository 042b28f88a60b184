"""Distances of communication patterns: every pair counted, and the theorems of CAM-87-02."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from strategies import ALLOCATIONS, AxisSpec, MeshSpec, gray_word, mesh_specs, ones
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import stride_profile

CUBES = [*range(1, 13), *sweep((14,), (16,))]
G4 = [
    *(0b0000, 0b0001, 0b0011, 0b0010, 0b0110, 0b0111, 0b0101, 0b1101),
    *(0b1111, 0b1110, 0b1010, 0b1011, 0b1001, 0b1000, 0b1100, 0b0100),
]


def gray_words(n):
    return [gray_word(i, n) for i in range(2**n)]


def moved(coordinates, axis, i):
    return (*coordinates[:axis], i, *coordinates[axis + 1 :])


def counted_steps(nodes, length, axis, periodic):
    """Distances of i and i + 1 along an axis; ``nodes`` is a node for each coordinate."""
    found = Counter()
    for here in nodes:
        following = here[axis] + 1
        if following == length and not periodic:
            continue
        there = moved(here, axis, following % length)
        found[ones(nodes[here] ^ nodes[there])] += 1
    return found


def counted_butterflies(nodes, words, stages, axis):
    """Distances of partners; ``words`` is (address word, extent digit) for each index."""
    found = Counter()
    for stage, here in itertools.product(stages, nodes):
        word, rest = words[here[axis]]
        if word >> stage & 1 == 0:
            partner = words.index((word + 2**stage, rest))
            found[ones(nodes[here] ^ nodes[moved(here, axis, partner)])] += 1
    return found


def nodes_of(spec):
    return {coordinates: node for coordinates, (node, _) in spec.table.items()}


def nodes_in(array):
    return {place: int(array[place]) for place in np.ndindex(array.shape)}


def agrees(distances, found):
    """The histogram and what is derived from it, against counted pairs."""
    assert dict(distances.histogram) == dict(found)
    pairs, total = found.total(), sum(d * count for d, count in found.items())
    assert distances.pairs == pairs
    assert distances.dilation == max(found, default=0)
    assert distances.mean == (Fraction(total, pairs) if pairs else 0)


def check_axis(spec, axis):
    layout, nodes = spec.layout(), nodes_of(spec)
    bits, length = spec.axes[axis].bits, spec.shape[axis]
    for periodic in (True, False):
        steps = counted_steps(nodes, length, axis, periodic)
        agrees(gc.mesh_distances(layout, axis, periodic=periodic), steps)
    words = [spec.axes[axis].word(i) for i in range(length)]
    by_stage = [counted_butterflies(nodes, words, [j], axis) for j in range(bits)]
    for j, found in enumerate(by_stage):
        agrees(gc.butterfly_distances(layout, j, axis), found)
    agrees(gc.butterfly_distances(layout, axis=axis), sum(by_stage, Counter()))


@given(mesh_specs(room=150), st.data())
def test_layout_histograms_are_the_counted_pairs(spec, data):
    check_axis(spec, data.draw(st.integers(0, len(spec.axes) - 1)))


@pytest.mark.long
@pytest.mark.parametrize("allocation", ALLOCATIONS)
@pytest.mark.parametrize(
    ("bits", "extent"), [(2, 3), (3, 3), (3, 5), (5, 3), (3, 125)], ids=str
)
def test_lengths_with_an_extent_are_counted_exactly(bits, extent, allocation):
    codings = [
        (node, slot, None) for node, slot in itertools.product(("binary", "gray"), repeat=2)
    ]
    codings.append(("binary", "binary", "gray"))
    for node_bits, coding in itertools.product(range(bits + 1), codings):
        check_axis(MeshSpec((AxisSpec(bits, extent, node_bits, allocation, *coding),)), 0)


@given(
    hnp.arrays(
        st.sampled_from([np.uint8, np.int16, np.int64, np.uint64]),
        hnp.array_shapes(max_dims=3, max_side=5),
        elements=st.integers(0, 127),
    ),
    st.data(),
)
def test_any_array_of_nodes_is_counted_pair_by_pair(nodes, data):
    axis = data.draw(st.integers(0, nodes.ndim - 1))
    for periodic in (True, False):
        found = counted_steps(nodes_in(nodes), nodes.shape[axis], axis, periodic)
        agrees(gc.mesh_distances(nodes, axis, periodic=periodic), found)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=3).flatmap(
        lambda bits: hnp.arrays(np.int64, [2**b for b in bits], elements=st.integers(0, 2**40))
    ),
    st.data(),
)
def test_butterflies_of_an_array_pair_the_places_that_differ_in_one_bit(nodes, data):
    axis = data.draw(st.integers(0, nodes.ndim - 1))
    words = [(i, 0) for i in range(nodes.shape[axis])]
    stages = range(len(words).bit_length() - 1)
    found = counted_butterflies(nodes_in(nodes), words, stages, axis)
    agrees(gc.butterfly_distances(nodes, axis=axis), found)
    for j in stages:
        alone = counted_butterflies(nodes_in(nodes), words, [j], axis)
        agrees(gc.butterfly_distances(nodes, j, axis), alone)


def test_axes_count_from_the_end_too():
    layout = gc.Layout.mesh((12, 8), (4, 4), ownership=False)
    order = gc.rank_order((4, 8), "binary")
    for placement in (layout, order):
        last = gc.mesh_distances(placement, 1)
        assert gc.mesh_distances(placement, -1) == last != gc.mesh_distances(placement, 0)
        assert gc.butterfly_distances(placement, axis=-2) == gc.butterfly_distances(placement)


@pytest.mark.parametrize("n", CUBES)
def test_theorem_1_a_binary_ring_has_dilation_n(n):
    ring = gc.mesh_distances(gc.Layout.nodes(n, "binary"))
    agrees(ring, Counter(ones(i ^ (i + 1) % 2**n) for i in range(2**n)))
    assert ring.dilation == n
    assert gc.mesh_distances(np.arange(2**n)) == ring


@pytest.mark.parametrize("n", CUBES)
def test_theorem_2_reflected_words_2_to_the_j_apart_differ_in_exactly_two_bits(n):
    words = gray_words(n)
    profile = stride_profile(gc.GrayCode.reflected(n))
    assert len(profile) == n
    for j in range(n):
        turned = words[2**j :] + words[: 2**j]
        found = Counter((a ^ b).bit_count() for a, b in zip(words, turned, strict=True))
        assert found == {1 if j == 0 else 2: 2**n}
        assert profile[j] == found


@pytest.mark.parametrize("n", CUBES)
def test_theorem_3_gray_coded_butterflies_have_dilation_two(n):
    words, layout = gray_words(n), gc.Layout.nodes(n, "gray")
    for j in range(n):
        pairs = [(i, i + 2**j) for i in range(2**n) if i // 2**j % 2 == 0]
        found = Counter((words[i] ^ words[k]).bit_count() for i, k in pairs)
        assert found == {1 if j == 0 else 2: 2 ** (n - 1)}
        agrees(gc.butterfly_distances(layout, j), found)
    assert gc.butterfly_distances(layout).dilation == min(n, 2)


def test_another_gray_code_breaks_theorems_2_and_3():
    code = gc.GrayCode(G4)
    assert gc.mesh_distances(np.array(G4)).dilation == 1
    profile = stride_profile(code)
    for j in range(4):
        assert profile[j] == Counter(ones(G4[i] ^ G4[(i + 2**j) % 16]) for i in range(16))
    assert max(max(histogram) for histogram in profile) == 4
    assert gc.butterfly_distances(gc.rank_order((16,), code)).dilation == 4


def test_sixty_bits_are_counted_exactly():
    assert gc.mesh_distances(gc.Layout.nodes(60, "gray")).histogram == {1: 2**60}
    # A carry of k bits happens to one index in 2^k; the last one and the wrap-around are two.
    carries = {k: 2 ** (60 - k) for k in range(1, 60)} | {60: 2}
    ring = gc.mesh_distances(gc.Layout.nodes(60))
    assert ring.histogram == carries
    assert ring.mean == Fraction(2**61 - 2, 2**60)
    blocks = gc.mesh_distances(gc.Layout.consecutive(60, 30, nodes="gray"))
    assert blocks.histogram == {0: 2**60 - 2**30, 1: 2**30}
    butterflies = gc.butterfly_distances(gc.Layout.nodes(60, "gray"))
    assert butterflies.histogram == {1: 2**59, 2: 59 * 2**59}


LAYOUT = gc.Layout.mesh((12, 4), (4, 2), ownership=False)
ARRAY = np.arange(8).reshape(2, 4)


@pytest.mark.parametrize(
    ("call", "arguments", "error", "words"),
    [
        (gc.mesh_distances, (LAYOUT, 2), OutOfRangeError, ["axis is 2", "0..1"]),
        (gc.mesh_distances, (ARRAY, -3), OutOfRangeError, ["axis is -3", "-2..1"]),
        (gc.mesh_distances, (np.array(3),), OutOfRangeError, ["axis is 0"]),
        (gc.butterfly_distances, (LAYOUT, 2), OutOfRangeError, ["is 2", "2 address bits"]),
        (gc.butterfly_distances, (LAYOUT, -1), OutOfRangeError, ["stage is -1"]),
        (gc.butterfly_distances, (ARRAY, 2, 1), OutOfRangeError, ["is 2", "axis 1 has 2"]),
        (
            gc.butterfly_distances,
            (np.arange(12),),
            InvalidValueError,
            ["axis 0", "is 12", "8 and 16"],
        ),
        (gc.mesh_distances, (np.array([-1, 0]),), gc.GraycubeError, ["-1"]),
        (gc.mesh_distances, (np.array([0.0, 1.0]),), InvalidTypeError, ["float64"]),
        (gc.butterfly_distances, (np.array([0.0, 1.0]),), InvalidTypeError, ["float64"]),
        (gc.mesh_distances, ("0132",), InvalidTypeError, []),
    ],
)
def test_bad_patterns_name_the_value_and_the_limit(call, arguments, error, words):
    with pytest.raises(error) as caught:
        call(*arguments)
    assert [word for word in words if word not in str(caught.value)] == []
