"""An array with its halo: what is next to every element, wherever it is.

The blocks are put into frames (:mod:`graycube.stencil.frame`), and the messages of the halo
exchange fill what is missing. Axes that a star stencil reads are exchanged at the same time,
those of a box stencil one after the other.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.borders import Borders, borders
from graycube.array.held import Held
from graycube.array.neighbours import AllHere, Neighbours, frames_of
from graycube.array.ranks import facts_of, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidValueError, OutOfRangeError
from graycube.gf2 import require_ints
from graycube.host import host_array
from graycube.layout import Ownership
from graycube.layout.placement import Placement
from graycube.stencil import Frame, Halo, ReachLike
from graycube.stencil.owned import OwnedHalo, halo_of

if TYPE_CHECKING:
    from graycube.run.agreement import Facts
    from graycube.stencil.frame import Index

_Blocks = NDArray[Any]
_H = TypeVar("_H", bound=Held)
NEAR = 64
"""Windows may reach so far on short axes too, around a ring more than once."""


class Window(Generic[_H]):
    """An array and what is within reach of its elements; ``CubeArray.halo`` makes one.

    ``w[i, j]`` is the array that has at every index what the array has i and j farther on, in
    strides of the window.
    ``w.meshes`` are the meshes of the nodes here, with their frames, for kernels of your own.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.arange(8), Layout.mesh((8,), nodes=(4,), code="gray"))
    >>> w = x.halo(reach=1, periodic=False, fill=-1)
    >>> w[1].to_numpy(), w[-1].to_numpy()
    (array([ 1,  2,  3,  4,  5,  6,  7, -1]), array([-1,  0,  1,  2,  3,  4,  5,  6]))
    >>> w.meshes[1]
    array([1, 2, 3, 4])
    """

    def __init__(self, a: _H, exchange: Halo | OwnedHalo, fill: float) -> None:
        self.halo = exchange
        self._like = a
        self._frames = frames_of(
            exchange, a.nodes if len(a.nodes) == len(a.blocks) else range(1)
        )
        payload, value = a.blocks.shape[2:], require_fill(fill, a.dtype)
        self.meshes: list[_Blocks] = [
            np.full((*frame.shape, *payload), value, a.dtype) for frame in self._frames
        ]
        self._inner: dict[tuple[int, ...], list[Index]] = {}
        over = spread(a.comm)
        self._neighbours: Neighbours | Borders | AllHere = (
            AllHere(self._frames, self.meshes)
            if over is None
            else borders(self._frames[0], self.meshes[0], over)
        )

    def update(self, a: _H) -> "Window[_H]":
        """Take in an array like the first one, and exchange; collective.

        All ranks have to update. Whether they do is checked only where they share memory.

        >>> from graycube.array import CubeArray
        >>> from graycube.layout import Layout
        >>> x = CubeArray.from_numpy(np.arange(4), Layout.mesh((4,), nodes=(2,)))
        >>> w = x.halo()
        >>> for _ in range(2):
        ...     x = w.update(x)[1] + w[-1]
        >>> x.to_numpy()
        array([4, 8, 4, 8])
        """
        like = self._like
        shape, dtype = like.blocks.shape, like.dtype
        same = isinstance(a, type(like)) and a.layout == like.layout
        if not (same and (a.blocks.shape, a.dtype) == (shape, dtype)):
            raise InvalidValueError(
                f"the array is {a!r:.80}",
                f"the window was made for {like!r:.80}",
                "make a window of this array: a.halo()",
            )
        still = tuple(0 for _ in self.halo.reach)
        for frame, mesh, block in zip(self._frames, self.meshes, a.blocks, strict=True):
            mesh[frame.inner(still)] = self._mesh(frame, block)
        return self.exchange()

    def exchange(self) -> "Window[_H]":
        """Fill the frames with what is now in the meshes; collective.

        For programs that work on the meshes themselves: only what neighbours need is copied.

        >>> from graycube.array import CubeArray
        >>> from graycube.layout import Layout
        >>> w = CubeArray.from_numpy(np.zeros(4), Layout.mesh((4,), nodes=(2,))).halo()
        >>> for mesh in w.meshes:
        ...     mesh[1:-1] += 1
        >>> w.exchange().meshes[0]
        array([1., 1., 1., 1.])
        """
        self._neighbours.exchange()
        return self

    def __getitem__(self, steps: int | Sequence[int]) -> _H:
        """The array with what is so many steps on along every axis."""
        taken = require_ints(steps, "the step")
        self._require(taken)
        like = self._like
        blocks = np.empty_like(like.blocks)
        if taken not in self._inner:
            self._inner[taken] = [frame.inner(taken) for frame in self._frames]
        frames = zip(self._frames, self.meshes, self._inner[taken], strict=True)
        for (frame, mesh, places), block in zip(frames, blocks, strict=True):
            inner = mesh[places].reshape(block.shape)
            block[... if frame.order is None else frame.order] = inner
        return like.with_blocks(blocks)

    @staticmethod
    def _mesh(frame: Frame, block: _Blocks) -> _Blocks:
        """The block as the node's own mesh."""
        shape = tuple(len(along.own) for along in frame.axes)
        rows = block if frame.order is None else block[frame.order]
        return rows.reshape(*shape, *block.shape[1:])

    def _require(self, steps: tuple[int, ...]) -> None:
        reach = self.halo.reach
        if len(steps) != len(reach):
            raise InvalidValueError(
                f"the steps are {steps}",
                f"the array has {len(reach)} axes",
                "give one step for each axis",
            )
        if any(
            not -below <= s <= above for s, (below, above) in zip(steps, reach, strict=True)
        ):
            raise OutOfRangeError(
                f"the steps are {steps}",
                f"the window reaches {reach}, below and above",
                "make one with more reach",
            )
        if not self.halo.corners and sum(map(bool, steps)) > 1:
            raise InvalidValueError(
                f"the steps are {steps}",
                "this window has no corners",
                "make it with corners=True",
            )

    def __repr__(self) -> str:
        return f"<Window of {self._like!r}: {self.halo!r}>"


def _seen(a: Held) -> tuple[Placement, range]:
    """The layout and the nodes of the blocks: one block of all nodes is one of one node."""
    layout: Placement = a.layout
    if not isinstance(layout, Ownership) or spread(a.comm) is not None:
        return layout, a.nodes
    return layout.alone(), range(1)


def _require_near(exchange: Halo | OwnedHalo) -> None:
    """Refuse frames that go around a ring more than once, or far beyond the ends."""
    for k, (length, reach) in enumerate(
        zip(exchange.layout.shape, exchange.reach, strict=True)
    ):
        most = max(length // exchange.stride[k], NEAR)
        if max(reach) > most:
            raise InvalidValueError(
                f"the reach along axis {k} is {max(reach)}",
                f"a window of {length} elements reaches at most {most} beyond them",
                "a reach of the length of the axis reads all of it",
            )


def require_fill(fill: float, dtype: np.dtype[Any]) -> _Blocks:
    """The value for what lies beyond the ends, if the array can hold it.

    >>> require_fill(1, np.dtype(float))
    array(1.)
    """
    given = host_array(fill)
    try:
        with np.errstate(invalid="ignore"):
            made = given.astype(dtype)
            kept = dtype.kind not in "biufc" or np.array_equal(made, given, equal_nan=True)
    except (TypeError, ValueError, OverflowError):
        kept = False
    if not kept or made.shape:
        raise InvalidValueError(
            f"fill is {fill!r:.40}",
            f"the array has dtype {dtype}",
            "pass a number that it can hold",
        )
    return made


def window(  # noqa: PLR0913 - a stencil
    a: _H,
    reach: ReachLike,
    *,
    periodic: bool | Sequence[bool],
    corners: bool,
    fill: float,
    stride: int | Sequence[int] = 1,
) -> Window[_H]:
    """A new window of an array; collective.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 2)))
    >>> made = window(x, 1, periodic=True, corners=True, fill=0)
    >>> made[1, 1].to_numpy().trace(), made[1, -1].to_numpy().trace()
    (np.float64(4.0), np.float64(0.0))
    """

    def prepare() -> "tuple[Window[_H], Facts]":
        size = a.blocks.itemsize
        exchange = halo_of(
            _seen(a)[0],
            reach,
            periodic=periodic,
            corners=corners,
            itemsize=size,
            stride=stride,
        )
        _require_near(exchange)
        if spread(a.comm) is not None:
            require_plain(a.dtype)
        facts = facts_of("halo", a.layout, a.blocks)
        asked = {
            "reach": exchange.reach,
            "stride": exchange.stride,
            "periodic": exchange.periodic,
            "corners": corners,
            "fill": fill,
        }
        return Window(a, exchange, fill), {**facts, **asked}

    return together(a.comm, prepare).update(a)
