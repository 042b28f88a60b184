"""What no butterfly network can beat in which every index has one place.

Two elements that are a pair of some stage have to meet (copies are another matter). Links are
store-and-forward, all elements take the stages in the same order, and each node has a block
before and after. The output may be in any layout.

Rules.

1. Where a dimension depends on a bit of the axis, the pairs of that bit are on different sides
   of it at first, so one of each pair crosses it: half of all elements cross the dimension.
2. Every output depends on all inputs, so something travels as far as two elements along the
   axis are apart, a cycle a link.
3. The first stage whose bit a dimension depends on cannot end late. It joins one network of
   2^q elements: those that differ in its bit and in those of later stages. All of them depend
   on each of its pairs. Take a pair, one of which crosses the dimension when j cycles are left,
   to node u: after that it meets the other one, and all 2^q end up within j of u, since what
   they depend on walks from u, a link a cycle. They end on at least 2^q / block nodes, and only
   so many u are within j of all those (:mod:`graycube.cost.spread`). A node receives one
   element over the dimension in a cycle. So in the last cycles there are links over the
   dimension that carry none of the crossings of rule 1, and these take longer.
"""

from collections.abc import Sequence

from graycube.cost.bound import Bound
from graycube.cost.spread import near_all
from graycube.errors import InvalidValueError
from graycube.gf2 import Span
from graycube.layout import Layout
from graycube.layout.lines import exchanged_dims
from graycube.machine import Machine
from graycube.schedule import Task


def butterfly_cycles(
    layout: Layout, axis: int, block: int, ports: int, stages: Sequence[int] | None = None
) -> int:
    """Element transfers in sequence that every network along the axis needs at least.

    ``block`` elements are on a node, and it uses so many ``ports`` at once. If the order of
    the ``stages`` is given, stages in memory after the first one on nodes count as well.

    >>> butterfly_cycles(Layout.cyclic(8, 5, nodes="gray"), 0, block=8, ports=5)
    6
    >>> butterfly_cycles(Layout.cyclic(12, 5, nodes="gray"), 0, block=128, ports=5)
    64
    >>> consecutive = Layout.consecutive(8, 5, nodes="gray")
    >>> butterfly_cycles(consecutive, 0, block=8, ports=5, stages=range(7, -1, -1))
    9
    """
    joined = _joined(layout, axis, stages)
    if layout.p == layout.n:  # copies: no pair has to be in one place
        return _farthest(layout, axis)
    dims = len(exchanged_dims(layout, axis))
    if not dims:
        return 0
    shared = -(-dims * block // (2 * ports))
    return max(_farthest(layout, axis), shared, _first_stage(layout.n, block, joined))


def _first_stage(n: int, block: int, joined: int) -> int:
    """Rule 3: cycles for half of all elements to cross a dimension, the last ones in time.

    >>> [_first_stage(4, block, 4) for block in (2, 4, 8, 16, 32)]
    [4, 4, 5, 8, 16]
    """
    networks = -(-(block << n) >> joined)
    left = block << n  # twice the crossings, since half of all elements cross
    ends = min(1 << n, -(-(1 << joined) // block))
    for late, nodes in enumerate(near_all(n, ends)):
        left -= 2 * min(1 << n, networks * nodes)
        if left <= 0:
            return late + 1
    return n - (-left >> n + 1)


def _joined(layout: Layout, axis: int, stages: Sequence[int] | None) -> int:
    """How many stages there are at least from the first one on which a node bit depends.

    In any order these are all on which some node bit depends.
    """
    mask, remote = _mask(layout, axis), 0
    for d in exchanged_dims(layout, axis):
        remote |= layout.map.matrix.rows[d] & mask
    if stages is None:
        return remote.bit_count()
    if sorted(stages) != sorted(layout.word_bits(axis)):
        raise InvalidValueError(
            f"the stages are {list(stages)!r:.60}",
            f"the axis has the index bits {list(layout.word_bits(axis))!r:.60}",
            "give each of them once, in the order of the stages, or None for any order",
        )
    order = [remote >> bit & 1 for bit in stages]
    return len(order) - order.index(1) if remote else 0


def butterfly_bound(task: Task, machine: Machine) -> Bound:
    """The same in seconds: a start-up for every link of the way, and the elements in sequence.

    >>> cyclic = Layout.cyclic(8, 5, nodes="gray")
    >>> task = Task(cyclic, cyclic, 8, 16, stages=tuple(range(8)), free=True)
    >>> butterfly_bound(task, Machine(dims=5, startup=100.0)).seconds
    820.0
    """
    layout = task.source
    bits = [sorted(layout.word_bits(axis)) for axis in range(len(layout.axes))]
    if sorted(task.stages) not in bits:
        return Bound("nothing is known", 0.0, "its stages are not those of an axis")
    axis = bits.index(sorted(task.stages))
    cycles = butterfly_cycles(layout, axis, task.block, machine.links_at_once)
    startups, least = _farthest(layout, axis), machine.cheapest
    seconds = startups * least.startup + cycles * task.itemsize * least.per_byte
    if not machine.alike and layout.p > layout.n:
        seconds = max(seconds, _slowest(task, machine, exchanged_dims(layout, axis)))
    return Bound("pairs that have to meet", seconds, "half of a block crosses each dimension")


def _slowest(task: Task, machine: Machine, dims: Sequence[int]) -> float:
    """Half of a block over each dimension: over the slowest, or through the ports."""
    half = task.block_bytes / 2
    links = [machine.links[d] for d in dims]
    through = sum(half * link.per_byte for link in links) / machine.links_at_once
    return max([through, *(link.startup + half * link.per_byte for link in links)])


def _farthest(layout: Layout, axis: int) -> int:
    """A distance that two elements along the axis have.

    Node bits that no sum of others equals can all differ at once.
    """
    mask = _mask(layout, axis)
    rows = layout.map.matrix.rows
    return len(Span(rows[d] & mask for d in exchanged_dims(layout, axis)))


def _mask(layout: Layout, axis: int) -> int:
    return sum(1 << bit for bit in layout.word_bits(axis))
