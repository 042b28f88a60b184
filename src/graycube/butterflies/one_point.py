"""One point on every node: each stage in one cycle, by copies (TR-764 Theorem 5).

Rule. The two inputs of a butterfly are on nodes that differ in the dimensions which depend on
the stage's bit, one or two of them. A node that differs from both in at most one dimension
gets copies of both and computes one output. Of the dimensions, one has no later bit in it:
whether it is flipped or the other one decides its final value, which is the code asked for.
"""

from graycube.butterflies.state import Code
from graycube.butterflies.sums import address_mask
from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange, parity
from graycube.layout import Layout
from graycube.schedule import Replication


def one_point(
    layout: Layout, axis: int | None = None, *, output: Code = "binary"
) -> Replication:
    """The butterfly network on one point for each node, from the highest index bit down.

    Node d ends with bit d of the index, or of its Gray code. Of several axes, one may be
    named; all bits count as one index otherwise.

    >>> for code in ("binary", "gray"):
    ...     network = one_point(Layout.nodes(5, "gray"), output=code)
    ...     print(network.cycles, network.layouts[-1])
    5 (|| b4 b3 b2 b1 b0)
    5 (|| b4 g3 g2 g1 g0)
    """
    if layout.p != layout.n:
        raise InvalidValueError(
            f"{layout} has {1 << layout.p - layout.n} slots on a node",
            "copies are for one point on a node",
            "use emulation(layout)",
        )
    bits = range(layout.p) if axis is None else layout.word_bits(axis)
    layouts, stages = [layout], tuple(reversed(bits))
    for bit in stages:
        layouts.append(_next(layouts[-1], bit, bits, output))
    return Replication(tuple(layouts), stages)


def _next(layout: Layout, bit: int, bits: range, output: Code) -> Layout:
    """Where the outputs of a stage are."""
    p, rows = layout.p, layout.map.matrix.rows
    dims = [d for d in range(p) if rows[d] >> bit & 1]
    pending = (1 << bit) - (1 << bits.start)  # the bits of later stages
    settled = [d for d in dims if not rows[d] & pending]
    if len(dims) > 2 or not settled:
        raise InvalidValueError(
            f"bit {bit} of the index changes dimensions {dims} in {layout}",
            "copies reach neighbours: of one or two dimensions, one depends on no later bit",
            "convert to binary or Gray code first",
        )
    dim = settled[0]
    others = [d for d in dims if d != dim]
    wanted = 1 << bit
    if output == "gray" and bit + 1 in bits:
        wanted |= 1 << bit + 1
    wrong = rows[dim] ^ wanted  # of finished bits: they are on nodes that stay as they are
    mask = address_mask(layout.map, wrong)
    constant = parity(mask & layout.map.constant) ^ (layout.map.constant >> dim & 1)
    if not mask:
        flips = [dim] if constant else others
        moves = [Exchange(1 << d, 0, 0) for d in flips]
    else:
        moves = [Exchange(1 << dim, mask, 1 ^ constant)]
        moves += [Exchange(1 << d, mask, constant) for d in others]
    for move in moves:
        layout = move.affine(p) @ layout
    return layout
