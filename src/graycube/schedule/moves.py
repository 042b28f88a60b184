"""The explicit schedule: every crossing of a link by an element, as columns of arrays.

Element e is the one that node ``e // block`` holds at position ``e % block`` before the task.
The order of the rows means nothing, except that hops of one element within one cycle (the path
of a circuit) are listed in the order of the path.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import require_integers
from graycube.schedule.schedule import Timetable

MAX_CROSSINGS = 1 << 28
"""Most crossings, and most cycles, that are written out: more would need tens of gigabytes."""


COLUMNS: dict[str, type[np.signedinteger[Any]]] = {
    "cycle": np.int32,
    "node": np.int32,
    "dimension": np.int8,
    "element": np.int64,
}


@dataclass(frozen=True, eq=False)
class Moves(Timetable):
    """Row r says: in ``cycle[r]``, ``node[r]`` sends ``element[r]`` over ``dimension[r]``.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1)
    >>> moves = Moves(task, "by hand", (0,), 1, [0, 0], [2, 3], [0, 0], [2, 3])
    >>> len(moves), moves.element.dtype
    (2, dtype('int64'))
    """

    cycle: NDArray[np.int32]
    node: NDArray[np.int32]
    dimension: NDArray[np.int8]
    element: NDArray[np.int64]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, dtype in COLUMNS.items():
            column = require_integers(getattr(self, name))
            stored = column.astype(dtype, copy=False)
            if not np.array_equal(stored, column):
                raise InvalidValueError(
                    f"the {name}s reach from {column.min()} to {column.max()}",
                    f"they are stored as {np.dtype(dtype)}",
                    "check the column",
                )
            object.__setattr__(self, name, stored)
        shapes = [getattr(self, name).shape for name in COLUMNS]
        if len(set(shapes)) > 1 or len(shapes[0]) != 1:
            raise InvalidValueError(
                f"the columns have shapes {shapes}",
                "they must be one-dimensional and equally long",
                "give one entry per crossing in each",
            )

    def __repr__(self) -> str:
        return f"<Moves of {self.algorithm}: {len(self)} crossings in {self.cycles} cycles>"

    def __len__(self) -> int:
        return len(self.cycle)
