"""What a device does with its block: slots first, whatever stays together behind every slot.

Rules. A block has shape ``(2^m, ...)``. A map within nodes is transposes and flips of the bits
of its slots, so there are no tables, and nothing is gathered or scattered, also in gradients.
What a node's number decides is a select by a parity that the device computes. Only cards take
rows by an index, which they count. That is one pass, whatever the map, while XLA has no quick
transpose for many axes, or for short ones: it did not compile a reversal of 26 bits for an H200
within a minute. A card reads memory in lines, so it takes the elements of a line together,
before and after one transpose.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from math import prod

import jax
import jax.numpy as jnp
import numpy as np

from graycube.gf2 import AffineMap, bit_indices
from graycube.jax.cube import MeshCube
from graycube.jax.moves import Local, factor, in_lines, local
from graycube.jax.names import Block

MOST_AXES, LEAST_ENDS = 8, 4
"""Of three axes and more: at most so many, and before and after the last one has such bits."""

LINE, LEAST_TRADED = 6, 4
"""A line has 2^LINE elements; two more passes pay if so many bits leave the place in it."""


def carried(block: Block, move: AffineMap, cube: MeshCube) -> Block:
    """The block of this node after a map of addresses; within ``shard_map``.

    >>> block = jnp.arange(4)
    >>> from graycube.gf2 import Matrix
    >>> carried(block, AffineMap(Matrix.permutation([1, 0])), MeshCube((), ())).tolist()
    [0, 2, 1, 3]
    """
    parts = factor(move, cube.n, cube.axes)
    block = arranged(block, parts.before, cube)
    rest = block.shape[1:]
    if parts.dims:
        chunks = block.reshape(1 << len(parts.dims), -1, *rest)
        block = jax.lax.all_to_all(chunks, cube.named(parts.dims), 0, 0)
    elif parts.targets:
        chunks = block.reshape(len(parts.targets), -1, *rest)
        nodes = tuple(range(1 << cube.n))
        sent = [
            chunks[k]
            if targets == nodes
            else permuted(chunks[k], cube.names, enumerate(targets))
            for k, targets in enumerate(parts.targets)
        ]
        block = sent[0] if len(sent) == 1 else jnp.stack(sent)
    return arranged(block.reshape(-1, *rest), parts.after, cube)


def relaid(block: Block, move: AffineMap, cube: MeshCube) -> Block:
    """The same where one axis has the slots with all that stays with each, before payload.

    >>> from graycube.gf2 import Matrix
    >>> relaid(jnp.arange(6), AffineMap(Matrix.identity(1), 1), MeshCube((), ())).tolist()
    [3, 4, 5, 0, 1, 2]
    """
    slots = block.reshape(1 << move.width - cube.n, -1, *block.shape[1:])
    return carried(slots, move, cube).reshape(block.shape)


def permuted(block: Block, names: Sequence[str], pairs: Iterable[tuple[int, int]]) -> Block:
    """The block of another node, by pairs of source and target; zeros where none comes.

    JAX numbers the nodes of a permutation in the order of the mesh, and those of all other
    collectives in the order of the names.

    >>> mesh = jax.make_mesh((2, 2), ("x", "y"))
    >>> spec = jax.P(("y", "x"))
    >>> turned = jax.shard_map(lambda block: permuted(block, ("y", "x"), [(0, 1), (1, 2)]),
    ...                        mesh=mesh, in_specs=spec, out_specs=spec)
    >>> x = jax.device_put(jnp.arange(5, 9), jax.NamedSharding(mesh, spec))
    >>> jax.jit(turned)(x).tolist()
    [0, 5, 6, 0]
    """
    mesh = jax.sharding.get_abstract_mesh()
    order = tuple(name for name in mesh.axis_names if name in names)
    sizes = [jax.lax.psum(1, name) for name in names]
    numbers = np.arange(prod(sizes)).reshape(sizes)
    numbers = numbers.transpose([names.index(name) for name in order])
    places = np.argsort(numbers.ravel()).tolist()
    return jax.lax.ppermute(block, order, [(places[a], places[b]) for a, b in pairs])


def arranged(block: Block, move: AffineMap, cube: MeshCube) -> Block:
    """The block after a map that keeps all nodes.

    >>> from graycube.gf2 import gray_matrix
    >>> arranged(jnp.arange(8), AffineMap(gray_matrix(3)), MeshCube((), ())).tolist()
    [0, 1, 3, 2, 7, 6, 4, 5]
    """
    parts = local(move, cube.n)
    in_parts = partial(_by_parts, parts=parts, cube=cube)
    if _quick(parts):
        return in_parts(block)
    ways = dict.fromkeys(("cuda", "rocm"), partial(by_index, move=move, cube=cube))
    return jax.lax.platform_dependent(block, default=in_parts, **ways)


def _quick(parts: Local) -> bool:
    """Whether this is a transpose that XLA makes as quick as a copy on a card."""
    runs = _runs(parts.places)
    if parts.shears or parts.flips:
        return False
    if len(runs) <= 2:
        return True
    last = min(runs, key=lambda run: parts.places[run.start])
    return len(runs) <= MOST_AXES and min(len(runs[-1]), len(last)) >= LEAST_ENDS


def _by_parts(block: Block, parts: Local, cube: MeshCube) -> Block:
    for control, bits in parts.shears:
        block = _sheared(block, control, bits)
    block = transposed(block, parts.places)
    for mask, constant, bits in parts.flips:
        odd = (parity_of(cube.node(), mask) ^ constant) == 1 if mask else None
        block = _flipped(block, bits, odd)
    return block


def by_index(block: Block, move: AffineMap, cube: MeshCube) -> Block:
    """The same as :func:`arranged`: each row is taken from where it was.

    >>> from graycube.gf2 import gray_matrix
    >>> by_index(jnp.arange(8), AffineMap(gray_matrix(3)), MeshCube((), ())).tolist()
    [0, 1, 3, 2, 7, 6, 4, 5]
    """
    parts = in_lines(move, cube.n, min(LINE, move.width - cube.n))
    if parts.traded < LEAST_TRADED or prod(block.shape[1:]) > 1:
        return _taken(block, move, cube)
    if parts.before != AffineMap.identity(move.width):
        block = _taken(block, parts.before, cube)
    return _taken(transposed(block, parts.places), parts.after, cube)


def _taken(block: Block, move: AffineMap, cube: MeshCube) -> Block:
    """The same in one pass, whose index the device counts."""
    back, n = move.inverse(), cube.n
    index = jax.lax.iota(jnp.uint32, block.shape[0])
    before = jnp.full_like(index, back.constant >> n)
    for k, column in enumerate(back.matrix.columns):
        if column >> n:
            number, bit = (index, k - n) if k >= n else (cube.node().astype(jnp.uint32), k)
            before ^= (number >> bit & 1) * jnp.uint32(column >> n)
    return block.at[before].get(mode="promise_in_bounds", unique_indices=True)


def transposed(block: Block, places: Sequence[int]) -> Block:
    """The block with bit i of its slots at bit ``places[i]``; runs of bits stay together.

    >>> transposed(jnp.arange(8), (1, 2, 0)).tolist()
    [0, 4, 1, 5, 2, 6, 3, 7]
    """
    runs = _runs(places)
    if len(runs) <= 1:
        return block
    order = sorted(range(len(runs)), key=lambda k: -places[runs[k].start])
    rest = block.shape[1:]
    split = block.reshape(*(1 << len(run) for run in runs), *rest)
    behind = range(len(runs), len(runs) + len(rest))
    return split.transpose(*order, *behind).reshape(block.shape)


def _runs(places: Sequence[int]) -> list[range]:
    """The bits that stay together, the highest first."""
    m = len(places)
    starts = [i for i in range(m) if not i or places[i] != places[i - 1] + 1]
    return [range(a, b) for a, b in pairwise([*starts, m])][::-1]


def parity_of(number: Block, mask: int) -> Block:
    """The sum of the bits of an integer under a mask, modulo 2.

    >>> parity_of(jnp.arange(8), 0b101).tolist()
    [0, 1, 0, 1, 1, 0, 1, 0]
    """
    bits = [jnp.right_shift(number, b) & 1 for b in bit_indices(mask)]
    total = jnp.zeros_like(number)
    for bit in bits:
        total ^= bit
    return total


def _sheared(block: Block, control: int, bits: Sequence[int]) -> Block:
    """The block with bits flipped where the bit ``control`` is one."""
    split, axes = _split(block, (control, *bits))
    zeros, ones = _halves(split, axes[control])
    ones = jax.lax.rev(ones, tuple(axes[b] for b in bits))
    return jnp.concatenate([zeros, ones], axes[control]).reshape(block.shape)


def _flipped(block: Block, bits: Sequence[int], odd: Block | None) -> Block:
    """The block with bits flipped: always, or if something is odd.

    Halves that are put together again, no select of the whole: XLA makes one loop of a chain
    of those, in which each doubles the work.
    """
    split, axes = _split(block, bits)
    if odd is None:
        return jax.lax.rev(split, tuple(axes[b] for b in bits)).reshape(block.shape)
    first, *others = (axes[b] for b in bits)
    zeros, ones = _halves(split, first)
    which = jnp.broadcast_to(odd, zeros.shape)
    chosen = [
        jax.lax.select(which, jax.lax.rev(theirs, others) if others else theirs, mine)
        for mine, theirs in ((zeros, ones), (ones, zeros))
    ]
    return jnp.concatenate(chosen, first).reshape(block.shape)


def _halves(split: Block, axis: int) -> tuple[Block, Block]:
    zeros = jax.lax.slice_in_dim(split, 0, 1, axis=axis)
    return zeros, jax.lax.slice_in_dim(split, 1, 2, axis=axis)


def _split(block: Block, bits: Sequence[int]) -> tuple[Block, dict[int, int]]:
    """The block with an axis for each of some bits of its slots, and which that is."""
    m = block.shape[0].bit_length() - 1
    shape, axes = list[int](), dict[int, int]()
    above = m
    for b in sorted(bits, reverse=True):
        shape += [1 << above - b - 1, 2]
        axes[b] = len(shape) - 1
        above = b
    return block.reshape(*shape, 1 << above, *block.shape[1:]), axes


def to_slots(block: Block, bits: Sequence[int]) -> Block:
    """A device's part of an array as its slots, extents and payload.

    Axis k has ``2^bits[k]`` slots times an extent, which stays behind the slots.

    >>> to_slots(jnp.arange(12).reshape(4, 3), (2, 0)).shape
    (4, 1, 3)
    """
    d = len(bits)
    split = [length for k, b in enumerate(bits) for length in (1 << b, block.shape[k] >> b)]
    payload = block.shape[d:]
    pairs = block.reshape(*split, *payload)
    order = (*range(0, 2 * d, 2), *range(1, 2 * d, 2), *range(2 * d, pairs.ndim))
    return pairs.transpose(order).reshape(1 << sum(bits), *split[1::2], *payload)


def from_slots(block: Block, bits: Sequence[int]) -> Block:
    """The inverse of :func:`to_slots`.

    >>> from_slots(to_slots(jnp.arange(12).reshape(4, 3), (2, 0)), (2, 0)).shape
    (4, 3)
    """
    d = len(bits)
    extents, payload = block.shape[1 : d + 1], block.shape[d + 1 :]
    pairs = block.reshape(*(1 << b for b in bits), *extents, *payload)
    order = [axis for k in range(d) for axis in (k, d + k)]
    behind = range(2 * d, pairs.ndim)
    lengths = [extent << b for b, extent in zip(bits, extents, strict=True)]
    return pairs.transpose(*order, *behind).reshape(*lengths, *payload)
