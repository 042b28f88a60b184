"""Cosine and sine transforms with SciPy's types and norms, through memory.

Rule: an axis in memory is transformed there. An axis over nodes changes places with others:
that is one exchange, and the layout of the result says where everything is. Where no other axis
can take its nodes, it stays over them: :mod:`.lone_cosine`.
"""

from collections.abc import Sequence
from functools import partial
from typing import get_args

import numpy as np

from graycube.array import CubeArray
from graycube.errors import InvalidValueError
from graycube.fourier.arguments import (
    Norm,
    Order,
    all_agree,
    complex_dtype,
    delivered,
    points_of,
    require_axes,
    require_lengths,
    require_norm,
    require_out,
    resized_home,
)
from graycube.fourier.lines import evened, nodes_along
from graycube.fourier.lone_cosine import Cosines, Type
from graycube.fourier.owned import on_lines
from graycube.layout.required import require_word


def dct(  # noqa: PLR0913 - SciPy's, and two more
    a: CubeArray,
    type: Type = 2,  # noqa: A002 - SciPy's
    axis: int = -1,
    norm: Norm | None = None,
    *,
    n: int | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The cosine transform along an axis; of type 3, it is the inverse of that of type 2.

    Types 1 and 4 need an axis that can be brought to memory.
    ``n`` points are transformed: the axis is cut, or zeros follow it. An axis over nodes
    changes places with others; ``order="natural"`` brings the result back to the layout of
    ``a``. With ``out`` the result goes there.

    >>> from scipy import fft
    >>> from graycube.layout import Layout
    >>> x = np.arange(24.0).reshape(4, 6)
    >>> u = CubeArray.from_numpy(x, Layout.mesh((4, 6), nodes=(2, 2), code="gray"))
    >>> np.allclose(dct(u).to_numpy(), fft.dct(x))
    True
    """
    return _along_each("dct", a, type, (axis,), norm, points_of(n), order, out)


def idct(  # noqa: PLR0913
    a: CubeArray,
    type: Type = 2,  # noqa: A002
    axis: int = -1,
    norm: Norm | None = None,
    *,
    n: int | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The inverse of :func:`dct` of a type.

    >>> from graycube.layout import Layout
    >>> u = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(4, 1)))
    >>> np.allclose(idct(dct(u)).to_numpy(), np.eye(4))
    True
    """
    return _along_each("idct", a, type, (axis,), norm, points_of(n), order, out)


def dst(  # noqa: PLR0913
    a: CubeArray,
    type: Type = 2,  # noqa: A002
    axis: int = -1,
    norm: Norm | None = None,
    *,
    n: int | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The sine transform along an axis; arguments are as for :func:`dct`.

    >>> from scipy import fft
    >>> from graycube.layout import Layout
    >>> u = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(4, 1)))
    >>> np.allclose(dst(u, 3, axis=0).to_numpy(), fft.dst(np.eye(4), 3, axis=0))
    True
    """
    return _along_each("dst", a, type, (axis,), norm, points_of(n), order, out)


def idst(  # noqa: PLR0913
    a: CubeArray,
    type: Type = 2,  # noqa: A002
    axis: int = -1,
    norm: Norm | None = None,
    *,
    n: int | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The inverse of :func:`dst` of a type.

    >>> from graycube.layout import Layout
    >>> u = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(4, 1)))
    >>> np.allclose(idst(dst(u)).to_numpy(), np.eye(4))
    True
    """
    return _along_each("idst", a, type, (axis,), norm, points_of(n), order, out)


def dctn(  # noqa: PLR0913
    a: CubeArray,
    type: Type = 2,  # noqa: A002
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The cosine transform along several axes, by default along all of the layout.

    >>> from scipy import fft
    >>> from graycube.layout import Layout
    >>> u = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 2)))
    >>> np.allclose(dctn(u, norm="ortho").to_numpy(), fft.dctn(np.eye(4), norm="ortho"))
    True
    """
    return _along_each("dct", a, type, axes, norm, s, order, out)


def idctn(  # noqa: PLR0913
    a: CubeArray,
    type: Type = 2,  # noqa: A002
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The inverse of :func:`dctn` of a type.

    >>> from graycube.layout import Layout
    >>> u = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 2)))
    >>> np.allclose(idctn(dctn(u)).to_numpy(), np.eye(4))
    True
    """
    return _along_each("idct", a, type, axes, norm, s, order, out)


def dstn(  # noqa: PLR0913
    a: CubeArray,
    type: Type = 2,  # noqa: A002
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The sine transform along several axes, by default along all of the layout.

    >>> from scipy import fft
    >>> from graycube.layout import Layout
    >>> u = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 2)))
    >>> np.allclose(dstn(u).to_numpy(), fft.dstn(np.eye(4)))
    True
    """
    return _along_each("dst", a, type, axes, norm, s, order, out)


def idstn(  # noqa: PLR0913
    a: CubeArray,
    type: Type = 2,  # noqa: A002
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The inverse of :func:`dstn` of a type.

    >>> from graycube.layout import Layout
    >>> u = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 2)))
    >>> np.allclose(idstn(dstn(u, 3), 3).to_numpy(), np.eye(4))
    True
    """
    return _along_each("idst", a, type, axes, norm, s, order, out)


def _along_each(  # noqa: PLR0913, PLR0917 - what people call has them all
    name: str,
    a: CubeArray,
    kind: Type,
    axes: Sequence[int] | None,
    norm: Norm | None,
    s: Sequence[int] | None,
    order: Order,
    out: CubeArray | None,
) -> CubeArray:
    """The array after one of SciPy's transforms of lines along each axis."""

    def check() -> tuple[list[int], dict[int, int], np.dtype[np.generic]]:
        require_word(kind, get_args(Type), "type")
        require_word(order, get_args(Order), "order")
        require_norm(norm)
        chosen = require_axes(a.layout, axes)
        lengths = require_lengths(a.layout, chosen, s)
        made = complex_dtype(a.dtype)
        dtype = made if a.dtype.kind == "c" else np.finfo(made).dtype
        if kind == 1 and name.endswith("ct") and 1 in lengths.values():
            raise InvalidValueError(
                "an axis has 1 point", "cosines of type 1 need 2 or more", "use type 2"
            )
        shape = tuple(lengths.get(k, length) for k, length in enumerate(a.shape))
        require_out(out, a, shape, dtype)
        return chosen, lengths, dtype

    facts = {"axes": axes, "norm": norm, "order": order, "s": s, "type": kind}
    chosen, lengths, dtype = all_agree(a, name, check, out=out, **facts)
    now, work = a if chosen else a.copy(), Cosines.of(name, kind, norm)
    while chosen:
        axis = min(chosen, key=partial(nodes_along, now.layout))
        chosen.remove(axis)
        points = lengths[axis]
        alone = partial(work.over_nodes, points=points)
        now = on_lines(now, axis, dtype, points, points, work.in_memory, alone)
    now = evened(now, a)
    if out is None and order == "natural":
        return now.relayout(resized_home(a.layout, lengths))
    return delivered(now, out)
