"""Which nodes are in this process: all of them, or the one of this rank.

Rule: a communicator of one rank has all nodes, as if there were none. So a program runs under
``python`` as it does under ``mpiexec``.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from graycube.errors import InvalidTypeError
from graycube.layout.placement import Placement
from graycube.run import agreed, require_comm
from graycube.run.agreement import Facts
from graycube.run.mpi import Comm

_T = TypeVar("_T")


def require_layout(layout: object) -> Placement:
    """The layout, if it is one of either kind.

    >>> from graycube.layout import Layout
    >>> print(require_layout(Layout.nodes(1)))
    (|| b0)
    """
    if not isinstance(layout, Placement):
        raise InvalidTypeError(
            f"the layout is {layout!r:.60}",
            "it must be a Layout",
            "build one, such as Layout.mesh((64,), (8,))",
        )
    return layout


def spread(comm: Comm | None) -> Comm | None:
    """The communicator, if it has more than one rank.

    >>> spread(None) is None
    True
    """
    return None if comm is None or require_comm(comm).size == 1 else comm


def nodes_here(layout: Placement, comm: Comm | None) -> range:
    """The nodes whose blocks are in this process.

    >>> from graycube.layout import Layout
    >>> nodes_here(Layout.nodes(3), None)
    range(0, 8)
    """
    over = spread(comm)
    if over is None:
        return range(layout.node_count)
    require_comm(over, layout.node_count)
    return range(over.rank, over.rank + 1)


def together(comm: Comm | None, prepare: Callable[[], tuple[_T, Facts]]) -> _T:
    """What ``prepare`` gives, if all ranks succeed with the same facts; see ``agreed``.

    >>> together(None, lambda: (3, {}))
    3
    """
    over = spread(comm)
    return prepare()[0] if over is None else agreed(over, prepare)


def facts_of(
    what: str, layout: Placement, blocks: np.ndarray[tuple[int, ...], np.dtype[np.generic]]
) -> Facts:
    """What arrays have alike on all ranks.

    >>> from graycube.layout import Layout
    >>> import numpy as np
    >>> facts_of("sum", Layout.nodes(1), np.zeros((2, 1, 3)))["payload"]
    (3,)
    """
    return {
        "operation": what,
        "layout": layout,
        "payload": blocks.shape[2:],
        "dtype": blocks.dtype,
    }


class Careful(Generic[_T]):
    """A function of the user's, called until it fails, and then another one in its place.

    A rank on which it fails goes on as if it had not, with what it was given, so that no other
    rank waits for it. In the end all ranks hear of it, and raise the same error.

    >>> half = Careful(lambda x: 1 / x, instead=lambda x: x)
    >>> half(2), half(0), half(2)
    (0.5, 0, 2)
    >>> half.settle(None)
    Traceback (most recent call last):
    ...
    ZeroDivisionError: division by zero
    """

    def __init__(self, function: Callable[..., _T], instead: Callable[..., _T]) -> None:
        self._function, self._instead = function, instead
        self._error: Exception | None = None

    def __call__(self, *given: Any) -> _T:  # noqa: ANN401 - whatever the function takes
        """What the function gives, or what stands for it."""
        if self._error is None:
            try:
                return self._function(*given)
            except Exception as error:  # noqa: BLE001 - the other ranks have to hear of any
                self._error = error
        return self._instead(*given)

    def settle(self, comm: Comm | None) -> None:
        """Raise what it raised on any rank on all of them; collective."""

        def prepare() -> tuple[None, dict[str, object]]:
            if self._error is not None:
                raise self._error
            return None, {}

        together(comm, prepare)
