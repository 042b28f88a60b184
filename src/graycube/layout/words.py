"""What people are told about a layout: its sizes, its distances and what a node holds.

Rule: slot bits are taken lowest first. A slot bit that flips a single index bit adds the same
number to the index of every slot below it, because no index bit is flipped by two of them. So
an arithmetic progression of 2^t slots doubles as long as that number is its step times its
length; where it is not, or where several index bits flip, the next run begins.
"""

from collections.abc import Iterator
from itertools import islice

from graycube.layout.cells import number
from graycube.layout.embedding import mesh_distances
from graycube.layout.layout import Layout
from graycube.show import GAP


def sizes(layout: Layout) -> str:
    """How many elements and nodes there are.

    >>> sizes(Layout.mesh((1000, 96), nodes=(4, 4), ownership=False))
    '1000 x 96 = 96000 elements on 16 nodes, 6000 on each'
    """
    elements, nodes = amount(layout.size, "element"), amount(1 << layout.n, "node")
    if len(layout.axes) > 1:
        elements = " x ".join(map(number, layout.shape)) + f" = {elements}"
    copies = f" in {number(1 << layout.copies)} copies" if layout.copies else ""
    return f"{elements}{copies} on {nodes}, {number(layout.block_size)} on each"


def hops(layout: Layout) -> str:
    """How far neighbours are apart.

    >>> hops(Layout.mesh((64, 32), nodes=(8, 4), code=("gray", "binary")))
    'neighbours are at most 1 hop apart along axis 0, 2 along axis 1'
    """
    far = [mesh_distances(layout, k).dilation for k in range(len(layout.axes))]
    along = [f"{count} along axis {k}" for k, count in enumerate(far)]
    along[0] = f"{amount(far[0], 'hop')} apart" + (" along axis 0" if len(far) > 1 else "")
    return "neighbours are at most " + ", ".join(along)


def held(layout: Layout, node: int, room: int) -> str:
    """What a node of a one-axis layout holds: as many runs as there is room for, and the end.

    >>> held(Layout.cyclic(10, 2), 1, 40), held(Layout.parse("(b0 b1 b2 b3 ||)"), 0, 20)
    ('1, 5, 9, ... 1021', '0, 8, 4, 12, ... 15')
    """
    last = layout.index(node, layout.block_size - 1)
    end = f", {GAP} {last}"
    words: list[str] = []
    used = 0
    for run in runs(layout, node):
        word = _run(run)
        used += len(word) + (2 if words else 0)
        if words and used > (room if run[-1] == last else room - len(end)):
            return ", ".join(words) + end
        words.append(word)
    return ", ".join(words)


def _run(run: range) -> str:
    """A run in as few words as say it.

    >>> _run(range(125)), _run(range(3, 1, -1)), _run(range(0, 64, 8))
    ('0-124', '3, 2', '0, 8, 16, ... 56')
    """
    few = list(islice(run, 5))
    if len(few) > 2 and abs(run.step) == 1:
        return f"{run[0]}-{run[-1]}"
    if len(few) > 4:
        return f"{few[0]}, {few[1]}, {few[2]}, {GAP} {run[-1]}"
    return ", ".join(map(str, few))


def amount(x: int, what: str) -> str:
    """So many of something.

    >>> amount(1, "node"), amount(2**60, "node")
    ('1 node', '2^60 nodes')
    """
    return f"{number(x)} {what}" if x == 1 else f"{number(x)} {what}s"


def runs(layout: Layout, node: int) -> Iterator[range]:
    """The indices on a node, in slot order, as arithmetic progressions: not slot by slot.

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
