"""``numpy.fft`` on arrays over nodes: rows of the table of NumPy's functions.

Axes count as NumPy counts them, over all axes: those of the layout go to the transforms of this
package, those of the payload are in memory, and NumPy transforms them there.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from graycube.array import CubeArray
from graycube.array.functions import TABLE, Kind, Row, name_of
from graycube.array.rolling import roll
from graycube.errors import InvalidValueError
from graycube.fourier.real import irfft, rfft
from graycube.fourier.transform import fftn, ifftn
from graycube.layout.layout import require_axis

_COMPLEX: dict[Callable[..., Any], Callable[..., CubeArray]] = {
    np.fft.fft: fftn,
    np.fft.ifft: ifftn,
    np.fft.fft2: fftn,
    np.fft.ifft2: ifftn,
    np.fft.fftn: fftn,
    np.fft.ifftn: ifftn,
}
_FORWARD: tuple[Callable[..., Any], ...] = (np.fft.rfft, np.fft.rfft2, np.fft.rfftn)
_BACK: tuple[Callable[..., Any], ...] = (np.fft.irfft, np.fft.irfft2, np.fft.irfftn)
_IN_MEMORY = {fftn: np.fft.fftn, ifftn: np.fft.ifftn}


def _axes(a: CubeArray, given: dict[str, Any]) -> list[int]:
    """The axes of a call, from 0, in the order in which they are named."""
    named = given.get("axis", given.get("axes"))
    every = range(a.ndim) if named is None else [named] if "axis" in given else named
    return [require_axis(k, a.ndim) for k in every]


def _arguments(function: Callable[..., Any], args: Any, options: Any) -> dict[str, Any]:  # noqa: ANN401
    """The arguments by their names; what pads, cuts or takes memory is refused."""
    bound = inspect.signature(function).bind(*args, **options)
    bound.apply_defaults()
    given = dict(bound.arguments)
    for name in ("n", "s", "out"):
        if given.get(name) is not None and not (name == "n" and "irfft" in function.__name__):
            raise InvalidValueError(
                f"{name_of(function)} is given {name}={given[name]!r:.40}",
                "nothing is padded or cut over nodes, and the result is an array of its own",
                f"leave {name} out",
            )
    return given


def _transform(function: Callable[..., Any], ours: Callable[..., CubeArray]) -> Row:
    def call(*args: Any, **options: Any) -> CubeArray:  # noqa: ANN401
        given = _arguments(function, args, options)
        a: CubeArray = given["a"]
        norm = given["norm"]
        axes, d = _axes(a, given), len(a.layout.axes)
        inside = tuple(k - d + 2 for k in axes if k >= d)
        if inside:
            a = a.with_blocks(_IN_MEMORY[ours](a.blocks, axes=inside, norm=norm))
        return ours(a, [k for k in axes if k < d], norm)

    return Row(Kind.TRANSFORMS, call)


def _real(function: Callable[..., Any], *, inverse: bool) -> Row:
    """The last axis is real; the others come after it, or in the inverse before."""

    def call(*args: Any, **options: Any) -> CubeArray:  # noqa: ANN401
        given = _arguments(function, args, options)
        a: CubeArray = given["a"]
        norm, n = given["norm"], given.get("n")
        *others, last = _axes(a, given)
        every = TABLE[np.fft.ifftn if inverse else np.fft.fftn].call
        if inverse and others:
            a = every(a, axes=others, norm=norm)
        d = len(a.layout.axes)
        if last >= d:
            one = np.fft.irfft if inverse else np.fft.rfft
            a = a.with_blocks(one(a.blocks, n, axis=last - d + 2, norm=norm))
        else:
            a = irfft(a, n, last, norm) if inverse else rfft(a, last, norm)
        return every(a, axes=others, norm=norm) if others and not inverse else a

    return Row(Kind.TRANSFORMS, call)


def _shifted(sign: int) -> Row:
    """Half of the length farther, or back."""

    def call(x: CubeArray, axes: Any = None) -> CubeArray:  # noqa: ANN401
        along = _axes(x, {"axes": [axes] if isinstance(axes, int) else axes})
        halves = [x.shape[k] // 2 if sign > 0 else -(x.shape[k] // 2) for k in along]
        return roll(x, halves, along)

    return Row(Kind.MOVES, call)


def add_to_table() -> None:
    """Put these rows into the table.

    >>> TABLE[np.fft.fft].kind.name
    'TRANSFORMS'
    """
    TABLE.update({function: _transform(function, ours) for function, ours in _COMPLEX.items()})
    TABLE.update({function: _real(function, inverse=False) for function in _FORWARD})
    TABLE.update({function: _real(function, inverse=True) for function in _BACK})
    TABLE[np.fft.fftshift], TABLE[np.fft.ifftshift] = _shifted(1), _shifted(-1)
