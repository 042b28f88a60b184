"""What a node of a one-axis layout holds, in slot order, without visiting every slot.

Rule: slot bits are taken lowest first. A slot bit that flips a single index bit adds the same
number to the index of every slot below it, because no index bit is flipped by two of them. So
an arithmetic progression of 2^t slots doubles as long as that number is its step times its
length; where it is not, or where several index bits flip, the next run begins.
"""

from collections.abc import Iterator

from graycube.layout.layout import Layout


def runs(layout: Layout, node: int) -> Iterator[range]:
    """The indices on a node, in slot order, as arithmetic progressions.

    >>> list(runs(Layout.cyclic(60, 30), 5)) == [range(5, 2**60, 2**30)]
    True
    >>> list(runs(Layout.consecutive(5, 2, slots="gray"), 0))
    [range(0, 2), range(3, 1, -1), range(7, 5, -1), range(4, 6)]
    """
    (axis,) = layout.axes
    flips = layout.inverse_map.matrix.columns[layout.n :]
    index = (1 << axis.bits) - 1  # without the bits that tell copies apart
    slots, slot = 1 << len(flips), 0
    while slot < slots:
        word = layout.inverse_map(slot << layout.n | node) & index
        count, step, size = axis.extent, 1 << axis.low, 1
        for flip in flips:
            if slot & size or flip.bit_count() > 1:
                break
            ahead = axis.join(flip, 0) * (-1 if word & flip else 1)
            if count > 1 and ahead != step * count:
                break
            step = ahead if count == 1 else step
            count, size = 2 * count, 2 * size
        start = axis.join(word, 0)
        yield range(start, start + step * count, step)
        slot += size
