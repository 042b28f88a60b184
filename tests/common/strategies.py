"""What the placement tests share: oracles from the definitions, and random layouts."""

import functools
import itertools
import math
from dataclasses import dataclass

from hypothesis import strategies as st

import graycube as gc
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Axis

CODES = ("binary", "gray")
ALLOCATIONS = ("consecutive", "cyclic")


@functools.cache
def gray_word(i, bits):
    """Word i of the reflected code: the shorter code behind 0, then reversed behind 1."""
    if bits == 0:
        return 0
    half = 2 ** (bits - 1)
    if i < half:
        return gray_word(i, bits - 1)
    return half + gray_word(2 * half - 1 - i, bits - 1)


def coded(code, i, bits):
    return gray_word(i, bits) if code == "gray" else i


def ones(word):
    return word.bit_count()


def apply_rows(rows, constant, x):
    """The affine map, output bit by output bit."""
    bits = [(ones(row & x) + (constant >> i)) % 2 for i, row in enumerate(rows)]
    return sum(bit << i for i, bit in enumerate(bits))


@dataclass(frozen=True)
class AxisSpec:
    bits: int
    extent: int
    node_bits: int
    allocation: str
    nodes: str
    slots: str
    whole: str | None

    @property
    def length(self):
        return self.extent * 2**self.bits

    def parts(self, i):
        """Node component, slot bits and extent digit of an index, before any coding."""
        count = 2**self.node_bits
        if self.allocation == "consecutive":
            node, local = divmod(i, self.length // count)
        else:
            local, node = divmod(i, count)
        return node, local // self.extent, local % self.extent

    def word(self, i):
        """The address word of an index, and its extent digit."""
        node, slot, rest = self.parts(i)
        if self.allocation == "consecutive":
            return node * 2 ** (self.bits - self.node_bits) + slot, rest
        return slot * 2**self.node_bits + node, rest

    def coded(self, i):
        """Coded node component, coded slot bits and extent digit of an index."""
        node, slot, rest = self.parts(i)
        slot_bits = self.bits - self.node_bits
        if self.whole is None:
            return (
                coded(self.nodes, node, self.node_bits),
                coded(self.slots, slot, slot_bits),
                rest,
            )
        word = coded(self.whole, self.word(i)[0], self.bits)
        if self.allocation == "consecutive":
            node, slot = divmod(word, 2**slot_bits)
        else:
            slot, node = divmod(word, 2**self.node_bits)
        return node, slot, rest


@dataclass(frozen=True)
class MeshSpec:
    axes: tuple[AxisSpec, ...]
    dims: tuple[tuple[int, ...], ...] | None = None

    @property
    def shape(self):
        return tuple(axis.length for axis in self.axes)

    @property
    def n(self):
        return sum(axis.node_bits for axis in self.axes)

    @property
    def extents(self):
        return math.prod(axis.extent for axis in self.axes)

    def layout(self):
        return gc.Layout.mesh(
            self.shape,
            nodes=[2**axis.node_bits for axis in self.axes],
            code=[axis.nodes for axis in self.axes],
            slots=[axis.slots for axis in self.axes],
            whole=[axis.whole for axis in self.axes],
            allocation=[axis.allocation for axis in self.axes],
            dims=self.dims,
        )

    def wires(self):
        """Cube dimensions of the axes, most significant first."""
        if self.dims is not None:
            return self.dims
        falling = iter(range(self.n - 1, -1, -1))
        return [list(itertools.islice(falling, axis.node_bits)) for axis in self.axes]

    def place(self, coordinates):
        """Node and slot of an element."""
        node, slot, digit = 0, 0, 0
        for axis, wires, i in zip(self.axes, self.wires(), coordinates, strict=True):
            node_code, slot_code, rest = axis.coded(i)
            for k, wire in enumerate(wires):
                node += (node_code >> (axis.node_bits - 1 - k)) % 2 * 2**wire
            slot = slot * 2 ** (axis.bits - axis.node_bits) + slot_code
            digit = digit * axis.extent + rest
        return node, slot * self.extents + digit

    @functools.cached_property
    def table(self):
        """Place of every element, by coordinates, in C order."""
        everywhere = itertools.product(*map(range, self.shape))
        return {coordinates: self.place(coordinates) for coordinates in everywhere}


@st.composite
def codings(draw, bits, extent, node_bits=None):
    """An axis of a given length, distributed and coded in any way."""
    if node_bits is None:
        node_bits = draw(st.integers(0, bits))
    whole = draw(st.sampled_from((None, *CODES)))
    code = st.sampled_from(CODES) if whole is None else st.just("binary")
    allocation = draw(st.sampled_from(ALLOCATIONS))
    return AxisSpec(bits, extent, node_bits, allocation, draw(code), draw(code), whole)


@st.composite
def wirings(draw, axes):
    """No dims, or any assignment of the cube's dimensions to the axes."""
    if draw(st.booleans()):
        return None
    order = iter(draw(st.permutations(range(sum(axis.node_bits for axis in axes)))))
    return tuple(tuple(itertools.islice(order, axis.node_bits)) for axis in axes)


@st.composite
def mesh_specs(draw, room=400, max_axes=4):
    """Meshes of 1 to 4 axes with at most ``room`` elements."""
    axes = []
    for _ in range(draw(st.integers(1, max_axes))):
        bits = draw(st.integers(0, min(4, room.bit_length() - 1)))
        fitting = [e for e in (1, 3, 5, 7, 15, 25, 125) if e << bits <= room]
        axes.append(draw(codings(bits, draw(st.sampled_from(fitting)))))
        room //= axes[-1].length
    return MeshSpec(tuple(axes), draw(wirings(axes)))


@st.composite
def recoded(draw, spec):
    """Another mesh of the same shape."""
    axes = tuple(draw(codings(axis.bits, axis.extent)) for axis in spec.axes)
    return MeshSpec(axes, draw(wirings(axes)))


@st.composite
def invertible_rows(draw, p):
    """Rows of an invertible matrix: a permutation after elementary row additions."""
    rows = [1 << j for j in draw(st.permutations(range(p)))]
    if p > 1:
        pairs = st.tuples(st.integers(0, p - 1), st.integers(1, p - 1))
        for i, step in draw(st.lists(pairs, max_size=2 * p)):
            rows[i] ^= rows[(i + step) % p]
    return rows


@st.composite
def affine_parts(draw, p):
    """Rows and constant of an invertible affine map of p bits."""
    return draw(invertible_rows(p)), draw(st.integers(0, 2**p - 1))


def affine_map(rows, constant):
    return AffineMap(Matrix.from_rows(rows, width=len(rows)), constant)


@st.composite
def axes_of(draw, p):
    """Library axes that hold p address bits between them, with odd extents anywhere."""
    axes = []
    for last in (False,) * draw(st.integers(0, 3)) + (True,):
        bits = p if last else draw(st.integers(0, p))
        extent = draw(st.sampled_from((1, 1, 3, 5)))
        axes.append(Axis(bits, extent, draw(st.integers(0, bits))))
        p -= bits
    return tuple(axes)
