"""From one layout to another: straight, as a plan says, or by new rank numbers."""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.moving import alike, straight
from graycube.array.ranks import facts_of, nodes_here, require_layout, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap
from graycube.layout import Layout
from graycube.layout.in_bits import in_bits
from graycube.layout.layout import require_cube
from graycube.machine import Machine, require_machine
from graycube.machine.profiles import is_built_in
from graycube.run import renumbered
from graycube.run.mpi import Comm, Private, memory_of
from graycube.schedule import Task

if TYPE_CHECKING:
    from graycube.planning import Plan

_Blocks = NDArray[Any]
_PLANS = 8  # so many are remembered for a communicator


def relaid(  # noqa: PLR0913, PLR0917 - from where to where, and how
    blocks: _Blocks,
    layout: Layout,
    comm: Comm | None,
    target: Layout,
    machine: Machine | str | None = None,
    algorithm: str = "auto",
    renumber: bool = False,  # noqa: FBT001, FBT002
) -> tuple[_Blocks, Layout, Comm | None]:
    """The blocks in the target layout, the layout, and the communicator; collective.

    >>> import numpy as np
    >>> relaid(np.array([[5], [6]]), Layout.nodes(1), None, Layout.nodes(1))[0].tolist()
    [[5], [6]]
    """

    def prepare() -> "tuple[Plan | None, dict[str, object]]":
        _require(layout, target, machine, algorithm)
        if spread(comm) is not None:
            require_plain(blocks.dtype)
        chosen = None
        if machine is not None:
            block = blocks.size // len(nodes_here(layout, comm))
            task = Task(
                in_bits(layout, "a plan"), in_bits(target, "a plan"), block, blocks.itemsize
            )
            chosen = _planned(task, machine, algorithm, renumber, memory_of(spread(comm)))
        way = {"new layout": target, "machine": machine, "algorithm": algorithm}
        return chosen, {**facts_of("relayout", layout, blocks), **way, "renumber": renumber}

    chosen = together(comm, prepare)
    over = spread(comm)
    if chosen is not None:  # plans number slots as bits do
        source, goal = chosen.task.source, chosen.task.target
        blocks = straight(blocks, layout, source, comm)
        if over is None:
            made = chosen.apply(blocks)
        else:
            made, relabel = chosen.execute(blocks, over), chosen.schedule.relabel
            comm = over if relabel is None else _renumbered(over, relabel)
        return straight(made, goal, target, comm), target, comm
    if not (renumber and alike(layout, target)):
        return _apart(straight(blocks, layout, target, comm), blocks), target, comm
    from graycube.table.relabel import without_renumbering  # noqa: PLC0415 - the table again

    cube, goal = (require_cube(x, "a renumbering") for x in (layout, target))
    left, numbers = without_renumbering(Task(cube, goal, cube.block_size))
    made = straight(blocks, cube, left.target, comm)
    if over is None:
        order = [numbers.inverse()(node) for node in range(cube.node_count)]
        return made[order], target, comm
    return _apart(made, blocks), target, _renumbered(over, numbers)


def _planned(
    task: Task,
    machine: Machine | str,
    algorithm: str,
    renumber: bool,  # noqa: FBT001
    known: Private,
) -> "Plan":
    """The plan for a task, made again only if the machine has changed: a profile may have."""

    def make() -> "Plan":
        from graycube.planning import plan  # noqa: PLC0415 - it knows the whole table

        moved = task.source, task.target, task.block
        made = partial(plan, *moved, itemsize=task.itemsize, machine=machine)
        chosen = made(algorithm=algorithm)
        renumbers = renumber and chosen.can_renumber
        return made(algorithm="relabel") if renumbers else chosen

    known_name = isinstance(machine, str) and is_built_in(machine)
    figures = machine if known_name else require_machine(machine, task.n)
    if not isinstance(algorithm, str):
        return make()  # raises
    key = task, figures, algorithm, renumber
    return known.remembered(key, make, _PLANS, "plans")


def _apart(made: _Blocks, blocks: _Blocks) -> _Blocks:
    """What was made, in memory of its own."""
    return made.copy() if np.may_share_memory(made, blocks) else made


def _renumbered(comm: Comm, numbers: AffineMap) -> Comm:
    """The communicator with the new node numbers, which is kept for the next time."""
    return renumbered(comm, [numbers(node) for node in range(comm.size)])


def _require(
    layout: Layout, target: Layout, machine: Machine | str | None, algorithm: str
) -> None:
    require_layout(target)
    if (target.shape, target.node_count) != (layout.shape, layout.node_count):
        raise InvalidValueError(
            f"the array has shape {layout.shape} on {layout.node_count} nodes",
            f"the new layout has shape {target.shape} on {target.node_count} nodes",
            "make a layout of the same shape on as many nodes",
        )
    if machine is None and algorithm != "auto":
        raise InvalidValueError(
            f"the algorithm is {algorithm!r} without a machine",
            "an algorithm is planned for a machine",
            "pass machine= too",
        )
