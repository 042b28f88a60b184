"""An array over 2^n nodes that carries its layout; all nodes in this process."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike, DTypeLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout import Layout


@dataclass(frozen=True, eq=False, repr=False)
class CubeArray(NDArrayOperatorsMixin):
    """The blocks of all nodes, ``blocks[node, slot]``, and the layout that says what is where.

    Axes after the slot are payload. Elementwise NumPy operations work on arrays of one layout.

    >>> x = CubeArray.from_numpy(np.arange(8.0), Layout.cyclic(3, 2, nodes="gray"))
    >>> x
    <CubeArray (8,) float64 on 4 nodes: (b2 || b1 g0)>
    >>> (np.sqrt(x * x) + 1).to_numpy().tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    """

    blocks: NDArray[Any]
    layout: Layout

    def __post_init__(self) -> None:
        _require_layout(self.layout)
        object.__setattr__(self, "blocks", np.asarray(self.blocks))
        expected = (1 << self.layout.n, self.layout.block_size)
        if self.blocks.shape[:2] != expected:
            raise InvalidValueError(
                f"the blocks have shape {self.blocks.shape}",
                f"their first axes must be {expected}",
                "put the node first and the slot second",
            )

    @classmethod
    def from_numpy(cls, x: ArrayLike, layout: Layout) -> "CubeArray":
        """The array x, spread over the nodes; what follows the axes of the layout is payload.

        >>> CubeArray.from_numpy([[1, 2], [3, 4]], Layout.nodes(1)).blocks.tolist()
        [[[1, 2]], [[3, 4]]]
        """
        _require_layout(layout)
        return cls(layout.scatter(x), layout)

    def to_numpy(self) -> NDArray[Any]:
        """The whole array, in natural order.

        >>> CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2, "gray")).to_numpy().tolist()
        [5, 6, 7, 8]
        """
        return self.layout.gather(self.blocks)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the whole array, the payload included."""
        return (*self.layout.shape, *self.blocks.shape[2:])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self.blocks.dtype

    def astype(self, dtype: DTypeLike) -> "CubeArray":
        """The same array in another dtype.

        >>> CubeArray.from_numpy([1, 2], Layout.nodes(1)).astype(complex).dtype
        dtype('complex128')
        """
        return CubeArray(self.blocks.astype(dtype), self.layout)

    def relayout(self, target: Layout) -> "CubeArray":
        """The same array in another layout.

        >>> x = CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2, "gray"))
        >>> x.relayout(Layout.nodes(2)).blocks.ravel().tolist()
        [5, 6, 7, 8]
        """
        _require_layout(target)
        if target == self.layout:
            return self
        if target.shape != self.layout.shape:
            raise InvalidValueError(
                f"the array has shape {self.layout.shape}",
                f"the layout is one of {target.shape}",
                "take a layout of the same shape",
            )
        return CubeArray.from_numpy(self.to_numpy(), target)

    def __array__(
        self,
        dtype: DTypeLike | None = None,
        copy: bool | None = None,  # noqa: FBT001 - NumPy's protocol
    ) -> NDArray[Any]:
        """The whole array, for NumPy's functions: always a copy."""
        if copy is False:
            raise InvalidValueError(
                "the blocks are those of all nodes",
                "the whole array is a copy of them",
                "use blocks, or allow a copy",
            )
        return np.array(self.to_numpy(), dtype=dtype, copy=None)

    def __bool__(self) -> bool:
        """Refuse to be one truth value, as NumPy's arrays do."""
        return bool(self.to_numpy())

    def __array_ufunc__(
        self,
        ufunc: np.ufunc,
        method: str,
        *inputs: object,
        **options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - NumPy's protocol: an array or NotImplemented
        """Elementwise operations, node by node; payload axes are matched from the first on."""
        out = options.pop("out", ())
        operands = [*inputs, *out]
        arrays = [x for x in operands if isinstance(x, CubeArray)]
        plain = all(isinstance(x, CubeArray) or np.ndim(x) == 0 for x in inputs)  # type: ignore[arg-type]
        elementwise = method == "__call__" and ufunc.signature is None and ufunc.nout == 1
        known = set(options) <= {"dtype", "casting"} and len(arrays) >= len(out)
        if not (elementwise and plain and known):
            return NotImplemented
        for other in arrays[1:]:
            if other.layout != arrays[0].layout:
                raise InvalidValueError(
                    f"the layouts are {arrays[0].layout} and {other.layout}",
                    "elementwise operations need the same layout",
                    "call relayout on one of the arrays",
                )
        axes = max(x.blocks.ndim for x in arrays)
        blocks = [_padded(x.blocks, axes) if isinstance(x, CubeArray) else x for x in inputs]
        if out:
            ufunc(*blocks, out=out[0].blocks, **options)
            return out[0]
        return CubeArray(ufunc(*blocks, **options), arrays[0].layout)

    def __repr__(self) -> str:
        nodes = f"{1 << self.layout.n} node{'s' if self.layout.n else ''}"
        return f"<CubeArray {self.shape} {self.dtype} on {nodes}: {self.layout}>"


def _padded(blocks: NDArray[Any], axes: int) -> NDArray[Any]:
    """The blocks with as many axes, those that are missing at the end."""
    return blocks.reshape(*blocks.shape, *(1,) * (axes - blocks.ndim))


def _require_layout(layout: object) -> None:
    if not isinstance(layout, Layout):
        raise InvalidTypeError(f"the layout is {layout!r}", "it must be a Layout", "build one")
