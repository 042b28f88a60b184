"""What is held here of an array: blocks, the layout that says what is in them, the ranks.

Whatever works on arrays is above, and makes new ones with :meth:`Held.with_blocks`.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.array.ranks import nodes_here, require_layout
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.host import host_array
from graycube.layout import Layout
from graycube.layout.placement import Placement
from graycube.run.mpi import Comm
from graycube.warned import as_written, at_users_line

_Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


@dataclass(frozen=True, eq=False, repr=False)
class Held:
    """The blocks of nodes, ``blocks[k, slot]``, and the layout that says what is where.

    In a layout by ownership there is one block: that of this rank, in its true size, or of the
    whole array where all nodes are in this process. To type checkers it is a Layout as well.

    >>> Held(np.zeros((2, 3, 5)), Layout.mesh((6,), nodes=(2,), ownership=False)).shape
    (6, 5)
    """

    blocks: NDArray[Any]
    layout: Layout
    comm: Comm | None = None

    def __post_init__(self) -> None:
        require_layout(self.layout)
        object.__setattr__(self, "blocks", host_array(self.blocks))
        expected = self.layout.held_shape(self.nodes)
        if self.blocks.shape[:2] != expected:
            raise InvalidValueError(
                f"the blocks have shape {self.blocks.shape}",
                f"their first axes must be {expected}",
                "put the node first and the slot second, or spread a whole array with "
                "CubeArray.from_numpy(x, layout)",
            )

    @cached_property
    def nodes(self) -> range:
        """The nodes whose blocks are in this process."""
        return nodes_here(self.layout, self.comm)

    @property
    def payload(self) -> tuple[int, ...]:
        """Shape of what each element holds: the axes after those of the layout."""
        return self.blocks.shape[2:]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the whole array, the payload included."""
        return (*self.layout.shape, *self.payload)

    @property
    def ndim(self) -> int:
        """Number of axes, those of the payload included."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements of the whole array, the payload included."""
        return prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self.blocks.dtype

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array; copies are counted once."""
        return self.size * self.itemsize

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: also whose share it is."""
        return {**self.__dict__, "nodes": self.nodes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The same array, on the rank that pickled it."""
        here = nodes_here(state["layout"], state["comm"])
        if here != state["nodes"]:
            raise InvalidValueError(
                f"the array was pickled by rank {state['nodes'].start}",
                f"it holds the share of that rank, and this is rank {here.start}",
                "send a.local, or a.gather(); every rank has its own share of a already",
            )
        self.__dict__.update(state)

    def with_blocks(self, blocks: NDArray[Any], layout: Placement | None = None) -> Self:
        """An array with other blocks, of the same layout or another one on the same nodes.

        >>> x = Held(np.array([[1], [2]]), Layout.nodes(1))
        >>> x.with_blocks(x.blocks + 1).blocks.tolist()
        [[2], [3]]
        """
        chosen: Any = self.layout if layout is None else layout
        if type(blocks) is not np.ndarray or blocks.shape[:2] != self._held_shape(chosen):
            return type(self)(blocks, chosen, self.comm)
        made = object.__new__(type(self))  # all else was looked at before
        made.__dict__.update(blocks=blocks, layout=chosen, comm=self.comm, nodes=self.nodes)
        return made

    def _held_shape(self, layout: object) -> tuple[int, ...] | None:
        """The first axes of blocks in a layout on these nodes, if it is one."""
        if layout is self.layout:
            return self.blocks.shape[:2]
        if isinstance(layout, Placement) and layout.node_count == self.layout.node_count:
            return layout.held_shape(self.nodes)
        return None

    @at_users_line
    def astype(
        self, dtype: DTypeLike, casting: _Casting = "unsafe", *, copy: bool = True
    ) -> Self:
        """The same array in another dtype.

        >>> Held(np.array([[1], [2]]), Layout.nodes(1)).astype(complex).dtype
        dtype('complex128')
        """
        blocks = as_written(self.blocks, dtype) if casting == "unsafe" else self.blocks
        return self.with_blocks(blocks.astype(dtype, casting=casting, copy=copy))


def require_array(a: object, what: str) -> None:
    """Refuse what is no array over nodes.

    >>> require_array(Held(np.array([[1], [2]]), Layout.nodes(1)), "a butterfly")
    """
    if not isinstance(a, Held):
        raise InvalidTypeError(
            f"got a {type(a).__name__}",
            f"{what} works on a CubeArray",
            "use CubeArray.from_numpy(x, layout), or a.to_cube() of a gc.jax.Array",
        )
