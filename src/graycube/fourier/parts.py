"""Transforms of lines in parts, each of which stays in the caches.

Rules.

1. A part is a piece of an axis that is not transformed. All is done to one part before the
   next one begins: so what one step writes is still in the caches when the next one reads it.
2. If the elements of a line are a large power of two bytes apart, they compete for few places
   in a cache. Such a part is copied into a room with padded rows, transformed there, and copied
   to where it belongs.
3. Several axes may be taken as the inner ones and then the outermost one.
"""

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

import numpy as np

from graycube.fourier.fftw import LINE, Strided
from graycube.fourier.works import Copy, Lines, LineWork, of_one

_LARGE, _MOST = 5 << 16, 64
"""Bytes of a part, and how many parts there may be."""


def parts(work: LineWork) -> list[LineWork]:
    """The parts of a work; one, if there is nothing to cut.

    >>> import numpy as np
    >>> x = np.zeros((96, 48, 64), complex)
    >>> [len(parts(LineWork(x, axes, x))) for axes in ((1, 2), (0,), (0, 1, 2))]
    [16, 16, 1]
    """
    axis = _outermost(work)
    before = (slice(None),) * axis
    cuts = [(*before, each) for each in _pieces(work, axis)]
    return [work._replace(lines=work.lines[cut], out=work.out[cut]) for cut in cuts]


def in_step(todo: Iterable[Any]) -> list[Any]:
    """The same to do, where copies and transforms of what they make take turns, part by part.

    >>> import numpy as np
    >>> x, y = np.zeros((2, 8, 96, 98), complex), np.zeros((8, 2, 96, 98), complex)
    >>> z = y.reshape(8, 192, 98)
    >>> todo = Copy(x.swapaxes(0, 1), y), LineWork(z, (1,), z)
    >>> [type(each).__name__ for each in in_step(todo)][:4]
    ['Copy', 'LineWork', 'Copy', 'LineWork']
    """
    found: list[Any] = []
    for each in todo:
        if isinstance(each, LineWork) and found and isinstance(found[-1], Copy):
            found[-1:] = _turns(found[-1], each)
        else:
            found.append(each)
    return found


def _turns(copy: Copy, work: LineWork) -> list[Copy | LineWork]:
    """A copy and a transform of what it makes, in parts if both have one outermost axis.

    All axes before that have length 1. If the copy is spent, its first part is room for all.
    """
    axis, lines, made = _outermost(work), work.lines, copy.out
    first = next((k for k, size in enumerate(made.shape) if size > 1), 0)
    alike = prod(lines.shape[: axis + 1]) == lines.shape[axis] == made.shape[first]
    whole = lines.flags.c_contiguous and made.flags.c_contiguous and of_one(lines, made)
    if not (alike and whole) or np.may_share_memory(copy.lines, work.out):
        return [copy, work]
    found = list[Copy | LineWork]()
    for piece in _pieces(work, axis):
        here, there = ((*(slice(None),) * before, piece) for before in (first, axis))
        if not (found and work.spent):
            into, room = made[here], lines[there]
        found.append(copy._replace(lines=copy.lines[here], out=into))
        found.append(work._replace(lines=room, out=work.out[there]))
    return found


def _outermost(work: LineWork) -> int:
    """The axis with the longest stride of those that are not transformed; or any."""
    strides = work.out.strides
    free = (k for k, size in enumerate(work.out.shape) if size > 1 and k not in work.axes)
    return max(free, key=lambda k: abs(strides[k]), default=0)


def _pieces(work: LineWork, axis: int) -> list[slice]:
    """Equal pieces of an axis; one, if it is transformed or nothing is there."""
    if axis in work.axes or not work.out.size:
        return [slice(None)]
    length = work.out.shape[axis]
    size = _size(length, _LARGE * length // work.out.nbytes)
    return [slice(k, k + size) for k in range(0, length, size)]


def _size(length: int, most: int) -> int:
    """How long pieces are that are equal, few, and not above ``most`` if there are such."""
    counts = [count for count in range(1, _MOST + 1) if length % count == 0]
    return length // next((count for count in counts if length // count <= most), counts[-1])


def padded(part: LineWork) -> Lines:
    """Room for a part of complex lines, where the longest stride is a line of cache longer.

    >>> import numpy as np
    >>> x = np.zeros((4, 2, 8), complex)
    >>> padded(LineWork(x, (1,), x)).strides
    (128, 576, 16)
    """
    x, axis = part.out, max(part.axes, key=lambda k: abs(part.out.strides[k]))
    others = [k for k in range(x.ndim) if k != axis]
    strides = {k: x.itemsize * prod(x.shape[j] for j in others if j > k) for k in others}
    strides[axis] = x.nbytes // x.shape[axis] + LINE
    room = Strided(x.shape, tuple(strides[k] for k in range(x.ndim)), x.dtype, 0)
    return room.room()


def in_two(work: LineWork) -> Iterator[LineWork]:
    """The inner axes and the outermost one, in the order in which the kind of lines has them.

    >>> import numpy as np
    >>> x, half = np.zeros((4, 4, 4)), np.zeros((4, 4, 3), complex)
    >>> [each.axes for each in in_two(LineWork(x, (0, 1, 2), half, "r2c"))]
    [(1, 2), (0,)]
    """
    axes = work.axes if work.kind == "c2c" else work.axes[:-1]
    outermost = max(axes, key=lambda k: abs(work.out.strides[k]))
    inner = tuple(axis for axis in work.axes if axis != outermost)
    if work.kind == "c2r":
        yield work._replace(
            axes=(outermost,), out=work.lines, kind="c2c", spent=False, factor=1
        )
        yield work._replace(axes=inner)
    else:
        yield work._replace(axes=inner, factor=1)
        yield work._replace(lines=work.out, axes=(outermost,), kind="c2c", spent=False)
