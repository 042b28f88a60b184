"""Walsh-Hadamard transforms: the butterfly of sums and differences, in any order.

Rules.

1. The stages do not depend on their order, so those in memory come first. Of several axes all
   stages are one network.
2. In memory a compiled loop does what is large, where the extra ``fast`` is installed.
   Elsewhere four stages at once are a product with a matrix of 16 x 16, and what fits a cache
   stays there for many stages. Integers are added and subtracted, exactly.
3. The output has its index in natural order. Dyadic order is the bits of the index reversed;
   sequency order is the Gray code of an index, and its bits reversed. Both are other words for
   the same addresses: a layout.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from graycube.array import CubeArray
from graycube.array.held import require_array
from graycube.array.moving import of_kind
from graycube.array.ranks import facts_of, together
from graycube.butterflies.groups import StageGroup, groups, reached
from graycube.butterflies.planned import Planned, on_planned_pairs, planned_stages, require_plan
from graycube.butterflies.stages import Blocks, OnGroup, Pair, carried_out
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Matrix, compiled, require_ints
from graycube.gf2.arrays import IntArray
from graycube.layout import Layout
from graycube.layout.in_bits import in_bits
from graycube.layout.required import require_axis, require_bits, require_word
from graycube.warned import at_users_line

if TYPE_CHECKING:
    from graycube.planning import Plan

HadamardOrder = Literal["natural", "dyadic", "sequency"]
_RADIX = 4  # bits of one product
_WIDEST = 64  # lines that are far apart: so many are looked at together
_COLUMNS = 1024  # of one product: more would make BLAS start threads, which ranks fight for
_CACHE = 1 << 19  # bytes
_LARGE = 1 << 14  # numbers, from which on a compiled loop is worth its call
_COMPILED = "fd"  # dtypes that it knows
_REAL = {"F": "f", "D": "d", "G": "g"}


@at_users_line
def hadamard(
    a: CubeArray,
    axes: int | Sequence[int] | None = None,
    order: HadamardOrder = "natural",
    norm: Literal["ortho"] | None = None,
    *,
    plan: "Plan | None" = None,
) -> CubeArray:
    """The Walsh-Hadamard transform along some axes of 2^k elements, by default along all.

    In "natural" order it is the product with ``scipy.linalg.hadamard``; in "dyadic" order the
    bits of the output index are reversed; in "sequency" order output k changes its sign k
    times. The order costs nothing: it is part of the layout, which the result carries. With
    ``norm="ortho"`` the transform is its own inverse, else twice gives the number of points
    times the array. Real numbers stay real, of single precision at least; integers and truth
    values become int64, and are exact, or float64 with a norm. A ``plan`` of
    :func:`graycube.plan_butterfly` is for all bits of one axis, in any order.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([5, 1, 2, 0], Layout.nodes(2, "gray"))
    >>> hadamard(x).to_numpy().tolist(), hadamard(x, order="sequency").to_numpy().tolist()
    ([8, 6, 4, 2], [8, 4, 2, 6])
    """
    require_array(a, "a Walsh-Hadamard transform")

    def prepare() -> tuple[
        tuple[Layout, tuple[int, ...], np.dtype[Any], Planned | None], dict[str, object]
    ]:
        layout = in_bits(a.layout, "a Walsh-Hadamard transform")
        d = len(layout.axes)
        given = range(d) if axes is None else require_ints(axes, "axes")
        chosen = tuple(dict.fromkeys(require_axis(k, d) for k in given))
        bits = [layout.word_bits(k).start + b for k in chosen for b in require_bits(layout, k)]
        require_word(order, get_args(HadamardOrder), "order")
        require_word(norm, (None, "ortho"), "norm")
        dtype, network = _dtype(a, 1 << len(bits), norm), None
        if plan is not None:
            stages = getattr(getattr(plan, "task", None), "stages", ())
            require_plan(plan, layout, stages if {*stages} == {*bits} else tuple(bits))
            network = planned_stages(plan.schedule, a.nodes, plan.in_step) if stages else None
        told = plan and plan.identity
        facts = {"axes": chosen, "order": order, "norm": norm, "plan": told}
        return (layout, chosen, dtype, network), {
            **facts_of("hadamard", layout, a.blocks),
            **facts,
        }

    layout, chosen, dtype, network = together(a.comm, prepare)
    a = of_kind(a, layout)
    stages = memory_first(layout, chosen)
    blocks = a.blocks.astype(dtype, copy=False)
    if network is not None:
        result = network.result
        blocks = network.run(blocks, a.comm, on_planned_pairs(_sums))
    else:
        made = groups(layout, stages)
        blocks = carried_out(blocks, layout, made, a.comm, _sums, _in_memory(layout, a.blocks))
        result = reached(layout, made)
    if np.may_share_memory(blocks, a.blocks):  # there was no stage
        blocks = blocks.copy()
    if norm == "ortho":
        blocks *= dtype.type(np.longdouble(2) ** (-len(stages) / 2))
    return a.with_blocks(blocks, result @ words_of(layout, chosen, order))


def _dtype(a: CubeArray, points: int, norm: str | None) -> "np.dtype[Any]":
    """The dtype of the result; integers that could overflow are refused."""
    kind = a.dtype.kind
    if kind not in "biufc":
        raise InvalidTypeError(
            f"the array has dtype {a.dtype}", "numbers are needed", "convert it with astype"
        )
    if kind in "fc":
        return np.result_type(a.dtype, np.float32)
    if norm == "ortho":
        return np.dtype(np.float64)
    if a.blocks.size:
        most = max(abs(int(a.blocks.max())), abs(int(a.blocks.min())))
        if most * points >= 1 << 63:
            raise InvalidValueError(
                f"a sum of {points} integers as large as {most}",
                "sums must fit 64 bits",
                "convert the array with astype(float)",
            )
    return np.dtype(np.int64)


@lru_cache(maxsize=64)
def memory_first(layout: Layout, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The bits of some axes: those in memory, then those that nodes depend on.

    >>> memory_first(Layout.consecutive(4, 2), (0,))
    (1, 0, 3, 2)
    """
    bits = sorted((b for k in axes for b in layout.word_bits(k)), reverse=True)
    return (*sorted(bits, key=lambda b: layout.node_change(1 << b) != 0),)


@lru_cache(maxsize=64)
def words_of(layout: Layout, axes: tuple[int, ...], order: HadamardOrder) -> AffineMap:
    """Which index in natural order has the output of each index in another one.

    >>> [words_of(Layout.nodes(2), (0,), "sequency")(k) for k in range(4)]
    [0, 2, 3, 1]
    """
    columns = [1 << b for b in range(layout.p)]
    if order != "natural":
        for bits in map(layout.word_bits, axes):
            turned = [1 << b for b in reversed(bits)]
            for k, b in enumerate(bits):
                columns[b] = turned[k]
                if order == "sequency" and k:
                    columns[b] |= turned[k - 1]
    return AffineMap(Matrix(tuple(columns), layout.p))


def _sums(low: Blocks, high: Blocks, _bit: int, _words: IntArray) -> Pair:
    return low + high, low - high


def _in_memory(layout: Layout, given: Blocks) -> OnGroup:
    """What transforms blocks along the bits of a group, in place but for those given."""
    rest = prod(axis.extent for axis in layout.axes)

    def on_group(blocks: Blocks, group: StageGroup) -> Blocks:
        below = rest * prod(blocks.shape[2:]) << group.slot
        size = 1 << len(group.bits)
        if not blocks.size:
            return blocks
        lines = np.ascontiguousarray(blocks).reshape(-1, size, below)
        made = np.empty_like(lines) if np.may_share_memory(lines, given) else lines
        return walsh(lines, made).reshape(blocks.shape)

    return on_group


def walsh(lines: Blocks, out: Blocks) -> Blocks:
    """The transforms along axis 1 of three, in natural order; all is contiguous.

    They go into ``out``, which may be the lines.

    >>> x = np.array([[[5], [1], [2], [0]]])
    >>> walsh(x, x).ravel().tolist()
    [8, 6, 4, 2]
    """
    real = _REAL.get(lines.dtype.char, lines.dtype.char)
    numbers, made = lines.view(real), out.view(real)
    _, size, below = numbers.shape
    if numbers.size >= _LARGE and numbers.dtype.char in _COMPILED and compiled.available():
        from graycube.butterflies import loops  # noqa: PLC0415 - it needs Numba

        loops.summed()(numbers.reshape(-1), made.reshape(-1), size, below)
        return out
    room, low = _CACHE // numbers.itemsize, size
    while low > 1 and low * below > room:
        low //= 2
    source, target = (x.reshape(-1, low, below) for x in (numbers, made))
    some = max(1, room // (low * below))
    for k in range(0, len(source), some):
        target[k : k + some] = _in_cache(source[k : k + some])
    while low < size:
        radix = min(_WIDEST, size // low)
        target = made.reshape(-1, radix, low * below)
        some = max(1, room // radix)
        for row in target:
            for k in range(0, low * below, some):
                row[:, k : k + some] = _in_cache(row[None, :, k : k + some])[0]
        low *= radix
    return out


def _in_cache(lines: Blocks) -> Blocks:
    """The same of few numbers."""
    shape, (_, size, below) = lines.shape, lines.shape
    if lines.dtype.char not in "fd":
        return _added(lines)
    done = 1
    while done < size:
        radix = min(1 << _RADIX, size // done)
        wide, matrix = done * below, matrix_of(radix, lines.dtype.char)
        if wide < radix:  # products are quick where rows are long
            turned = lines.reshape(-1, radix, wide).swapaxes(1, 2)
            flat = turned.reshape(-1, radix)
            made = flat.reshape(-1, math.gcd(len(flat), _COLUMNS), radix) @ matrix
            lines = made.reshape(turned.shape).swapaxes(1, 2)
        else:
            made = np.empty(lines.shape, lines.dtype)
            some = math.gcd(wide, _COLUMNS)
            split = (x.reshape(-1, radix, wide // some, some) for x in (lines, made))
            given, found = (x.swapaxes(1, 2) for x in split)
            lines = np.matmul(matrix, given, out=found).swapaxes(1, 2)
        lines = lines.reshape(shape)
        done *= radix
    return lines.reshape(shape)


@lru_cache(maxsize=16)
def matrix_of(points: int, dtype: str) -> Blocks:
    """The matrix of so many points.

    >>> matrix_of(2, "float32").tolist()
    [[1.0, 1.0], [1.0, -1.0]]
    """
    matrix, two = np.ones((1, 1)), np.array([[1, 1], [1, -1]])
    while len(matrix) < points:
        matrix = np.kron(matrix, two)
    return matrix.astype(dtype)


def _added(lines: Blocks) -> Blocks:
    """The same by sums and differences alone, for any numbers."""
    made = lines.copy()
    _, size, below = made.shape
    done = 1
    while done < size:
        pairs = made.reshape(-1, 2, done * below)
        low, high = pairs[:, 0], pairs[:, 1]
        less = low - high
        low += high
        high[...] = less
        done *= 2
    return made
