"""One point on every node: each stage in one cycle, by copies (TR-764 Theorem 5).

Rule. The two inputs of a butterfly are on nodes that differ in the dimensions which depend on
the stage's bit, one or two of them. A node that differs from both in at most one dimension
gets copies of both and computes one output. Of two dimensions, one has no bit of a later stage
in it: whether it is flipped or the other one decides its final value, which is the code asked
for.
"""

from dataclasses import replace
from typing import get_args

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, parity
from graycube.layout import Layout
from graycube.machine import Machine
from graycube.schedule import Replication, Task
from graycube.table.algorithm import Algorithm
from graycube.table.networks.state import Code
from graycube.table.networks.sums import Tracked


def one_point(layout: Layout, *, output: Code = "binary") -> Replication:
    """The butterfly network on one point for each node, from the highest index bit down.

    Node d ends with bit d of the index, or of its Gray code. The bits of all axes
    count as one index.

    >>> for code in ("binary", "gray"):
    ...     network = one_point(Layout.nodes(5, "gray"), output=code)
    ...     print(network.cycles, network.layouts[-1])
    5 (|| b4 b3 b2 b1 b0)
    5 (|| b4 g3 g2 g1 g0)
    """
    stages = tuple(reversed(range(layout.p)))
    return _copies(Task(layout, layout, layout.block_size, 1, stages, bool(stages)), output)


def _copies(task: Task, output: Code = "binary") -> Replication:
    layouts = [task.source]
    if task.p != task.n:
        raise InvalidValueError(
            f"{task.source} has {1 << task.p - task.n} slots on a node",
            "copies are for one point on a node",
            "use emulation(layout)",
        )
    for bit in task.stages:
        layouts.append(_next(layouts[-1], bit, task.stages, output))
    task = replace(task, target=layouts[-1]) if task.free else task
    cycles = len(task.stages) * task.block
    return Replication(task, "copies", range(0, cycles, task.block), cycles, tuple(layouts))


def _applicable(task: Task, machine: Machine) -> str | None:  # noqa: ARG001 - all have both
    if not task.stages:
        return "it is for butterflies"
    return "it is for one element on a node" if task.p > task.n else None


def _emit(task: Task, machine: Machine) -> Replication:
    """With one port, two copies go one after the other."""
    either = _either(task)
    right = [made for made in either if made.layouts[-1].map == made.task.target.map]
    if not right:
        raise InvalidValueError(
            f"copies end in {either[0].layouts[-1]}",
            f"not in {task.target}",
            "take it as it is",
        )
    made = right[0]
    if machine.links_at_once > 1 or not any(
        map(_two_copies, map(made.inputs, range(len(made.stages))))
    ):
        return made
    return replace(made, cycles=2 * made.cycles, rounds=range(0, 2 * made.cycles, task.block))


def _either(task: Task) -> list[Replication]:
    """The networks with output in either code, as far as there are some."""
    made, refused = [], list[InvalidValueError]()
    for output in get_args(Code):
        try:
            made.append(_copies(task, output))
        except InvalidValueError as error:
            refused.append(error)
    if not made:
        raise refused[0]
    return made


def _two_copies(inputs: tuple[AffineMap, AffineMap]) -> bool:
    """Whether some node has neither of its inputs: then they differ in two dimensions."""
    low, high = inputs
    return (low.constant ^ high.constant).bit_count() > 1


def _next(layout: Layout, bit: int, stages: tuple[int, ...], output: Code) -> Layout:
    """Where the outputs of a stage are."""
    p, rows = layout.p, layout.map.matrix.rows
    dims = [d for d in range(p) if rows[d] >> bit & 1]
    now = stages.index(bit)
    pending = sum(1 << b for b in stages[now + 1 :])
    settled = [d for d in dims if not rows[d] & pending]
    if len(dims) == 1 and not settled:  # its value changes later: all stay until then
        return layout
    if len(dims) > 2 or not settled:
        raise InvalidValueError(
            f"bit {bit} of the index changes dimensions {dims} in {layout}",
            "copies reach neighbours: of one or two dimensions, one depends on no later bit",
            "convert to binary or Gray code first",
        )
    dim = settled[0]
    others = [d for d in dims if d != dim]
    wanted = 1 << bit
    if output == "gray" and bit + 1 in stages[:now]:
        wanted |= 1 << bit + 1
    wrong = rows[dim] ^ wanted  # of finished bits: they are on nodes that stay as they are
    mask = Tracked.of(layout.map).address_mask(wrong)
    if any(mask >> d & 1 for d in dims):  # some are not, and it stays as it is
        mask, wrong = 0, 0
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


ALGORITHM = Algorithm(
    name="copies",
    paper="TR-764 section 5",
    ports="any",
    formula="n (s + K t), twice on one port in Gray code",
    applicable=_applicable,
    emit=_emit,
    network=True,
)
