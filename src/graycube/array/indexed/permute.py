"""Elements in another order: the new index is an affine map of the bits of the old one."""

from typing import Any, TypeVar, overload

from numpy.typing import ArrayLike, NDArray

from graycube.array.held import Held
from graycube.array.moving import of_kind
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.gf2.permuting import permuted, require_map
from graycube.layout import Layout
from graycube.layout.in_bits import in_bits

_H = TypeVar("_H", bound=Held)


@overload
def permute(x: _H, map: AffineMap | Matrix, out: None = None) -> _H: ...
@overload
def permute(
    x: ArrayLike, map: AffineMap | Matrix, out: NDArray[Any] | None = None
) -> NDArray[Any]: ...
def permute(
    x: Held | ArrayLike,
    map: AffineMap | Matrix,  # noqa: A002
    out: NDArray[Any] | None = None,
) -> Held | NDArray[Any]:
    """``y`` with ``y[map(i)] == x[i]``: bit reversal, Gray order, a transpose, any affine map.

    The index i counts the rows of the first axes of x in C order, as many as the map has bits;
    what follows stays together. The result is ``out``, where one is given. Any number of
    threads: ``with scipy.fft.set_workers(2)``. With the extra ``fast``, arrays of 4 MiB and
    more take a loop that is compiled at its first use, in some seconds, and kept on disk.

    Of a :class:`CubeArray` nothing moves: the result has another layout, and
    :meth:`CubeArray.relayout` takes it to any other.

    >>> from graycube.gf2 import gray_matrix
    >>> permute([10, 11, 12, 13], gray_matrix(2)).tolist()
    [10, 11, 13, 12]
    >>> from graycube.array import CubeArray
    >>> x = CubeArray.from_numpy([10, 11, 12, 13], Layout.nodes(2))
    >>> permute(x, gray_matrix(2)).to_numpy().tolist()
    [10, 11, 13, 12]
    """
    if not isinstance(x, Held):
        return permuted(x, map, out)
    if out is not None:
        raise InvalidValueError(
            "out is given with a CubeArray",
            "nothing of it moves, and the result shares its blocks",
            "call it without out=",
        )
    layout = in_bits(x.layout, "a permutation")
    order, x = order_of(layout, map), of_kind(x, layout)
    return x.with_blocks(x.blocks, x.layout @ order.inverse())


def order_of(layout: Layout, map: AffineMap | Matrix) -> AffineMap:  # noqa: A002
    """The map, if it is one of the indices of the layout.

    >>> order_of(Layout.nodes(2), Matrix.identity(2)).width
    2
    """
    order = require_map(map)
    for k, axis in enumerate(layout.axes):
        if axis.extent > 1:
            raise InvalidValueError(
                f"axis {k} has {axis.length} = {axis.extent} * 2^{axis.bits} elements",
                "only powers of two have bits of the index alone",
                "pad the axis",
            )
    if layout.copies or order.width != layout.p:
        raise InvalidValueError(
            f"the map takes {order.width} bits to {order.height}",
            f"an index of {layout.shape} has {layout.p - layout.copies} bits"
            + (" on nodes that have copies" if layout.copies else ""),
            "give a map of these, and a layout without copies",
        )
    return order
