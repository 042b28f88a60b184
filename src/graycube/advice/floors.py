"""What steps cost at least, quick to have: the search prices only what these leave in doubt.

Rules.

1. Along its axes, every output of a transform depends on all inputs. If r is the rank of the
   node bits on the index bits of these axes, two of them are r links apart, a start-up a link,
   and half of all elements cross r dimensions (:mod:`graycube.cost.butterflies`). So it is with
   the bits of a butterfly.
2. Of n node bits, those that find no room on the other axes are on the axes of the transform,
   in whatever layout.
3. A node that has m of the L indices along an axis, the first one included, needs the next h:
   at least min(h, L - m) are elsewhere, whichever m they are. So for the last one and those
   before. A stencil is done only where nodes divide axis by axis, and then one node is at such
   an end of all axes. With a stride s, the indices that are strides apart are such an axis, of
   L // s indices or more.
4. The last output of a scan, of a sort and of a tridiagonal solver depends on all inputs along
   the axis. Those of 2^r nodes take r start-ups in sequence to meet on one port, and fewer on
   more ports: what a node knows of grows by so many times, and one, in a round.
5. What is on one node before a conversion is on 2^k nodes after it, if k node bits are no sums
   of those before: a node keeps a part in 2^k. Where k is 0, some node keeps nothing.
"""

from collections.abc import Iterable, Iterator
from math import ceil, log2

from graycube.advice.along import Butterfly, Scan, Sort, Tridiagonal
from graycube.advice.phases import FFT, Network, Single, Stencil
from graycube.gf2 import Matrix
from graycube.layout import Layout
from graycube.layout.required import require_bits
from graycube.machine import Machine
from graycube.stencil.exchange import asked


def anywhere(phase: Single, example: Layout, itemsize: int, machine: Machine) -> float:
    """What a phase costs at least, wherever the data of an array like the example are.

    >>> machine = Machine(dims=4, startup=10.0, per_byte=1.0)
    >>> layout = Layout.mesh((8, 8), nodes=(4, 4))
    >>> [anywhere(FFT(axes), layout, 1, machine) for axes in ((0,), (0, 1))]
    [12.0, 48.0]
    >>> anywhere(Stencil((0, 1)), layout, 1, machine)
    11.0
    >>> anywhere(Scan(0), Layout.nodes(4), 1, machine)
    40.0
    """
    if isinstance(phase, Stencil):
        return min(_halo(phase, parts, example, itemsize, machine) for parts in _parts(example))
    if not isinstance(phase, Network | Scan | Sort | Tridiagonal):
        return 0.0
    mask = _mask(phase, example)
    forced = max(0, example.n - (example.p - mask.bit_count()))
    if not isinstance(phase, Network):
        return ceil(forced / log2(1 + machine.links_at_once)) * machine.cheapest.startup
    return _transform(forced, example, itemsize, machine)


def here(phase: Network, layout: Layout, itemsize: int, machine: Machine) -> float:
    """What a transform costs at least on data in a layout.

    >>> machine = Machine(dims=4, startup=10.0, per_byte=1.0)
    >>> here(FFT((0,)), Layout.mesh((8, 8), nodes=(4, 4)), 1, machine)
    24.0
    """
    rows, mask = layout.map.matrix.rows[: layout.n], _mask(phase, layout)
    rank = _rank((row & mask for row in rows), layout.p)
    return _transform(rank, layout, itemsize, machine)


def conversion(source: Layout, target: Layout, itemsize: int, machine: Machine) -> float:
    """What a conversion costs at least; for :func:`graycube.advice.prices.least` it is rough.

    >>> machine = Machine(dims=2, startup=10.0, per_byte=1.0)
    >>> conversion(Layout.cyclic(4, 2), Layout.consecutive(4, 2), 1, machine)
    13.0
    """
    both = *source.map.matrix.rows[: source.n], *target.map.matrix.rows[: target.n]
    new = _rank(both, source.p) - source.n
    block = source.block_size
    leaving = block - (block >> new) if new else block
    least = machine.cheapest
    return least.startup + leaving * itemsize * least.per_byte / machine.links_at_once


def _transform(rank: int, layout: Layout, itemsize: int, machine: Machine) -> float:
    """Rule 1, for so many node bits."""
    cycles = max(rank, -(-rank * layout.block_size // (2 * machine.links_at_once)))
    least = machine.cheapest
    return rank * least.startup + cycles * itemsize * least.per_byte


def _mask(phase: Network | Scan | Sort | Tridiagonal, layout: Layout) -> int:
    if isinstance(phase, Butterfly):
        asked = None if isinstance(phase.bits, str) else phase.bits
        start = layout.word_bits(phase.axis).start
        return sum((1 << start + bit for bit in require_bits(layout, phase.axis, asked)), 0)
    axes = phase.axes if isinstance(phase, FFT) else (phase.axis,)
    axes = axes if axes is not None else range(len(layout.axes))
    return sum(1 << bit for axis in set(axes) for bit in layout.word_bits(axis))


def _rank(rows: Iterable[int], width: int) -> int:
    return Matrix.from_rows(list(rows), width).rank()


def _parts(layout: Layout) -> Iterator[tuple[int, ...]]:
    """How many node bits the axes may have."""

    def divided(left: int, rooms: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not rooms:
            if not left:
                yield ()
            return
        for bits in range(min(left, rooms[0]) + 1):
            for rest in divided(left - bits, rooms[1:]):
                yield bits, *rest

    return divided(layout.n, tuple(axis.bits for axis in layout.axes))


def _halo(
    phase: Stencil, parts: tuple[int, ...], layout: Layout, itemsize: int, machine: Machine
) -> float:
    """Rule 3, where axes are divided into 2^part pieces."""
    messages = elements = 0
    stencil = phase.reach, phase.periodic, phase.corners, 1, phase.stride
    reaches, *_, strides = asked(len(parts), *stencil)
    for part, length, reach, stride in zip(parts, layout.shape, reaches, strides, strict=True):
        own, line = length >> part, length // stride
        if part and max(reach) and line > own:
            messages += 1
            elements += min(max(reach), line - own) * (layout.block_size // own)
    ports, least = machine.links_at_once, machine.cheapest
    seconds = elements * itemsize * least.per_byte / ports
    return -(-messages // ports) * least.startup + seconds
