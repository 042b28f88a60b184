"""Where ways take everything, and where the task wants it."""

from collections.abc import Iterator

from graycube.schedule import Schedule, Way


def wrong_ends(schedule: Schedule, way: Way) -> Iterator[tuple[int, int]]:
    """Addresses that a way takes elsewhere than its task says, and where to.

    Affine maps agree on a subcube if they agree at a corner and its neighbours there.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task, stay = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1), Way(0, 1, ())
    >>> [*wrong_ends(Schedule(task, "nothing", (), 0, (stay,)), stay)]
    [(2, 2)]
    """
    task, moves = schedule.task, [step.move for step in way.steps if step.move is not None]
    free = (1 << bit for bit in range(task.p) if not way.mask >> bit & 1)
    for address in (way.value, *(way.value ^ bit for bit in free)):
        end = address
        for move in moves:
            end = move(end)
        if schedule.relabel is not None:
            end = schedule.relabel(end)
        if end != task.move(address):
            yield address, end
