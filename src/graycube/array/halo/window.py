"""An array with its halo: what is next to every element, wherever it is.

The blocks are put into frames (:mod:`graycube.stencil.frame`), and the messages of the halo
exchange fill what is missing. Axes that a star stencil reads are exchanged at the same time,
those of a box stencil one after the other.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.halo.borders import Borders, borders
from graycube.array.halo.ends import (
    Fills,
    Pair,
    Rings,
    closed,
    ends_of,
    framed,
    require_seen,
    said,
)
from graycube.array.halo.neighbours import AllHere, Neighbours, add_back, frames_of, told
from graycube.array.halo.weights import dtype_of, terms_of, weighted
from graycube.array.held import Held, require_array
from graycube.array.ranks import spread, together
from graycube.array.sharing import require_plain
from graycube.errors import GraycubeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import require_ints
from graycube.layout import Ownership
from graycube.layout.placement import Placement
from graycube.run.agreement import Facts, told_again
from graycube.run.reused import reused
from graycube.stencil import Frame, Halo, ReachLike
from graycube.stencil.frame import Index
from graycube.stencil.owned import OwnedHalo, halo_of
from graycube.warned import at_users_line

_Blocks = NDArray[Any]
_H = TypeVar("_H", bound=Held)
NEAR = 64
"""Windows may reach so far on short axes too, around a ring more than once."""


class Window(Generic[_H]):
    """An array and what is within reach of its elements; ``CubeArray.halo`` makes one.

    ``w[i, j]`` is the array that has at every index what the array has i and j farther on, in
    strides of the window.
    ``w.meshes`` are the meshes of the nodes here, with their frames, for kernels of your own,
    and ``w.places(steps)`` says where neighbours are in them.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.arange(8), Layout.mesh((8,), nodes=(4,), code="gray"))
    >>> w = x.halo(reach=1, periodic=False, fill=-1)
    >>> w[1].to_numpy(), w[-1].to_numpy()
    (array([ 1,  2,  3,  4,  5,  6,  7, -1]), array([-1,  0,  1,  2,  3,  4,  5,  6]))
    >>> w.meshes[1]
    array([1, 2, 3, 4])
    """

    def __init__(self, a: _H, exchange: Halo | OwnedHalo, ends: Sequence[Pair | None]) -> None:
        self.halo = exchange
        self._like = a
        self._frames = frames_of(
            exchange, a.nodes if len(a.nodes) == len(a.blocks) else range(1)
        )
        made = [framed(frame, ends, a.blocks) for frame in self._frames]
        self.meshes: list[_Blocks] = [mesh for mesh, _ in made]
        self._ends = [end for _, every in made for end in every]
        self._take(a)
        over = spread(a.comm)
        self._neighbours: Neighbours | Borders | AllHere = (
            AllHere(self._frames, self.meshes)
            if over is None
            else borders(self._frames[0], self.meshes[0], over)
        )

    def update(self, a: _H) -> "Window[_H]":
        """Take in an array like the first one, and exchange; collective.

        An array that is not like it on one rank is an error on all of them.

        >>> from graycube.array import CubeArray
        >>> from graycube.layout import Layout
        >>> x = CubeArray.from_numpy(np.arange(4), Layout.mesh((4,), nodes=(2,)))
        >>> w = x.halo()
        >>> for _ in range(2):
        ...     x = w.update(x)[1] + w[-1]
        >>> x.to_numpy()
        array([4, 8, 4, 8])
        """
        error: Exception | None = None
        try:
            self._require_like(a)
        except GraycubeError as raised:  # the other ranks have to hear of it
            error = raised
        self._neighbours.update(partial(self._take, a), error)
        return self._with_ends()

    def _take(self, a: _H) -> None:
        still = tuple(0 for _ in self.halo.reach)
        for frame, mesh, block in zip(self._frames, self.meshes, a.blocks, strict=True):
            mesh[frame.inner(still)] = self._mesh(frame, block)

    def _require_like(self, a: _H, dtype: np.dtype[Any] | None = None) -> None:
        like = self._like
        kind = dtype or like.dtype
        require_array(a, "a window")
        if spread(a.comm) != spread(like.comm):
            raise InvalidValueError(
                "the array is on another communicator than the window",
                "it must be on the same",
                "make a window of this array with halo()",
            )
        if (a.shape, a.layout, a.dtype) == (like.shape, like.layout, kind):
            return
        for what, own, wanted, mend in (
            ("shape", a.shape, like.shape, ""),
            ("layout", a.layout, like.layout, "bring the array there with relayout, or "),
            ("dtype", a.dtype, kind, f"use astype({kind.name!r}), or "),
        ):
            if own != wanted:
                raise InvalidValueError(
                    f"the array has the {what} {own!s:.80}",
                    f"the window was made for the {what} {wanted!s:.80}",
                    f"{mend}make a window of this array with halo()",
                )

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
        return self._with_ends()

    @at_users_line
    def add_back(self) -> _H:
        """The array with what was added to the meshes, also in their frames; collective.

        It is the reverse of :meth:`exchange`, for kernels that write to neighbours, such as
        particles that deposit charge: what stands in a frame is added to the element it stands
        for, and the frame is zero afterwards. What lies beyond the ends of an axis is dropped,
        or where ``fill`` shows what is within, added to that.

        >>> from graycube.array import CubeArray
        >>> from graycube.layout import Layout
        >>> w = CubeArray.from_numpy(np.zeros(8), Layout.mesh((8,), nodes=(2,))).halo()
        >>> for mesh in w.meshes:
        ...     mesh += 1
        >>> w.add_back().to_numpy()
        array([2., 1., 1., 2., 2., 1., 1., 2.])
        """
        like = self._like
        facts = told(self.halo, like.dtype, "add_back")
        together(like.comm, lambda: (None, facts))
        for end in reversed(self._ends):
            end.add_back()
        add_back(self._frames, self.meshes, spread(like.comm))
        return self[(0,) * len(self.halo.reach)]

    def _with_ends(self) -> "Window[_H]":
        """The window, with what is mirrored beyond the ends."""
        for end in self._ends:
            end.fill()
        return self

    def places(self, steps: int | Sequence[int]) -> list[Index]:
        """Where what is so many steps on is in each of the meshes: slices if it can be.

        Here node 0 has 0 and 4, and what is beside them is 1 and 5.

        >>> from graycube.array import CubeArray
        >>> from graycube.layout import Layout
        >>> layout = Layout.mesh((8,), nodes=(4,), allocation="cyclic")
        >>> w = CubeArray.from_numpy(np.arange(8), layout).halo()
        >>> [mesh[on].tolist() for mesh, on in zip(w.meshes, w.places(1))]
        [[1, 5], [2, 6], [3, 7], [4, 0]]
        """
        taken = require_ints(steps, "the step")
        self._require(taken)
        return [frame.inner(taken) for frame in self._frames]

    def __getitem__(self, steps: int | Sequence[int]) -> _H:
        """The array with what is so many steps on along every axis."""
        like, every = self._like, self.places(steps)
        blocks = reused(like.blocks.shape, like.dtype, like.blocks)
        frames = zip(self._frames, self.meshes, every, strict=True)
        for (frame, mesh, places), block in zip(frames, blocks, strict=True):
            inner = mesh[places]
            if frame.order is None:
                block.reshape(inner.shape)[...] = inner
            else:
                block[frame.order] = inner.reshape(block.shape)
        return like.with_blocks(blocks)

    @at_users_line
    def correlate(self, weights: object, out: _H | None = None) -> _H:
        """The sum of what is around each element times ``weights``, whose middle is itself.

        That is ``scipy.ndimage.correlate``, in strides of the window: for second differences
        ``[1, -2, 1]``. Weights that are 0 are not read, so a star needs no corners. It takes
        about half the time of ``w[1] - 2 * w[0] + w[-1]`` and the like. The result is a
        new array, or ``out``, which may be the array itself.

        >>> from graycube.array import CubeArray
        >>> from graycube.layout import Layout
        >>> x = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 2)))
        >>> x.halo().correlate([[0, 1, 0], [1, -4, 1], [0, 1, 0]]).to_numpy()[0]
        array([-4.,  2.,  0.,  2.])
        """
        terms = terms_of(weights, len(self.halo.reach))
        places = [self.places(steps) for steps, _ in terms]
        like, dtype = self._like, dtype_of(terms, self._like.dtype)
        if out is None:
            out = like.with_blocks(reused(like.blocks.shape, dtype, like.blocks))
        else:
            self._require_like(out, dtype)
            if not out.blocks.flags.writeable:
                raise InvalidValueError(
                    "out cannot be written to", "the sums go there", "pass a copy of it"
                )
        for k, (frame, block) in enumerate(zip(self._frames, out.blocks, strict=True)):
            views = [self.meshes[k][on[k]] for on in places]
            shape = *(len(along.own) for along in frame.axes), *block.shape[1:]
            in_order = frame.order is None
            own = block.reshape(shape) if in_order else np.empty(shape, dtype)
            weighted([*zip((weight for _, weight in terms), views, strict=True)], own)
            if not in_order:
                block[frame.order] = own.reshape(block.shape)
        return out

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


def _seen(a: Held) -> Placement:
    """The layout of the blocks: one block of all nodes is one of one node."""
    layout: Placement = a.layout
    if isinstance(layout, Ownership) and spread(a.comm) is None:
        return layout.alone()
    return layout


def _exchange(  # noqa: PLR0913, PLR0917 - a stencil
    layout: Placement,
    reach: ReachLike,
    periodic: Rings,
    corners: bool,  # noqa: FBT001
    itemsize: int,
    stride: int | Sequence[int],
) -> Halo | OwnedHalo:
    """The halo exchange of a window."""
    found = halo_of(
        layout, reach, periodic=periodic, corners=corners, itemsize=itemsize, stride=stride
    )
    _require_near(found)
    return found


_SAME = {int, bool}  # what equals one of these, and is of its type, means the same
_remembered = lru_cache(maxsize=NEAR, typed=True)(_exchange)


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


def window(  # noqa: PLR0913 - a stencil
    a: _H,
    reach: ReachLike,
    *,
    periodic: Rings | None,
    corners: bool,
    fill: Fills | None,
    stride: int | Sequence[int] = 1,
) -> Window[_H]:
    """A new window of an array; collective.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 2)))
    >>> made = window(x, 1, periodic=True, corners=True, fill=None)
    >>> made[1, 1].to_numpy().trace(), made[1, -1].to_numpy().trace()
    (np.float64(4.0), np.float64(0.0))
    """

    def prepare() -> "tuple[Window[_H], Facts]":
        rings = closed(periodic, fill)
        given = _seen(a), reach, rings, corners, a.blocks.itemsize, stride
        same = all(type(x) in _SAME for x in (reach, rings, corners, stride))
        exchange = (_remembered if same else _exchange)(*given)
        ends = ends_of(fill, exchange.periodic, a.dtype)
        require_seen(ends, exchange.reach)
        if spread(a.comm) is None:
            return Window(a, exchange, ends), {}
        require_plain(a.dtype)
        return Window(a, exchange, ends), told_again(
            operation="halo",
            layout=a.layout,
            payload=a.payload,
            dtype=a.dtype,
            fill=said(ends),
            reach=exchange.reach,
            stride=exchange.stride,
            periodic=exchange.periodic,
            corners=exchange.corners,
        )

    return together(a.comm, prepare).exchange()
