"""``numpy.fft`` on arrays over nodes: rows of the table of NumPy's functions.

Axes count as NumPy counts them, over all axes: those of the layout go to the transforms of this
package, those of the payload are in memory, and NumPy transforms them there.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from graycube.array import CubeArray
from graycube.array.functions import TABLE
from graycube.array.indexed.rolling import roll
from graycube.array.ranks import facts_of, spread, together
from graycube.array.rows import Kind, Row
from graycube.errors import InvalidValueError
from graycube.fourier.arguments import (
    OTHER_WAY,
    delivered,
    require_last,
    require_norm,
    require_out,
)
from graycube.fourier.calls import tell
from graycube.fourier.real import irfft, rfft
from graycube.fourier.transform import fftn, ifftn
from graycube.layout.required import require_axis

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
    named, s = given.get("axis", given.get("axes")), given.get("s")
    every = range(a.ndim) if s is None else range(-len(s), 0)
    chosen = every if named is None else [named] if "axis" in given else named
    return [require_axis(k, a.ndim) for k in chosen]


def _call(function: Callable[..., Any], args: Any, options: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """Of a call: the array, axes from 0, their numbers of points if given, norm and out."""
    bound = inspect.signature(function).bind(*args, **options)
    bound.apply_defaults()
    given = dict(bound.arguments)
    given |= {k: x.tolist() for k, x in given.items() if isinstance(x, np.ndarray)}
    a, n = given["a"], given.get("n")
    axes, s = _axes(a, given), given.get("s") if n is None else [n]
    if s is not None and len(s) != len(axes):
        raise InvalidValueError(
            f"s has {len(s)} entries for {len(axes)} axes",
            "each axis of the transform needs its number of points",
            "name as many axes",
        )
    return a, axes, s, given["norm"], given.get("out")


def _heard(args: Any, options: Any, work: Callable[[], Any]) -> Any:  # noqa: ANN401
    """What this rank does alone, before ranks agree: what it raises, all of them hear of."""
    try:
        return work()
    except Exception as error:
        given = next((x for x in (*args, *options.values()) if isinstance(x, CubeArray)), None)
        over = None if given is None else spread(given.comm)
        if over is None:
            raise
        tell(over, error)


def _transform(function: Callable[..., Any], ours: Callable[..., CubeArray]) -> Row:
    def call(*args: Any, **options: Any) -> CubeArray:  # noqa: ANN401
        a, axes, s, norm, out = _heard(args, options, lambda: _call(function, args, options))
        if s and len({*axes}) < len(axes):  # NumPy's way: one by one, the last one first
            rest = {"norm": norm, "axes": axes[:-1], "s": s[:-1], "out": out}
            return call(ours(a, axes[-1:], norm, s=s[-1:]), **rest)
        points, d = s or [None] * len(axes), len(a.layout.axes)
        inside = [(k - d + 2, n) for k, n in zip(axes, points, strict=True) if k >= d]
        if inside:
            along, lengths = zip(*inside, strict=True)
            how = {"s": s and lengths, "axes": along, "norm": norm}
            work = partial(_IN_MEMORY[ours], a.blocks, **how)
            facts = {**facts_of(function.__name__, a.layout, a.blocks), **how}
            a = a.with_blocks(together(a.comm, lambda: (work(), facts)))
        over = [(k, n) for k, n in zip(axes, points, strict=True) if k < d]
        return ours(a, [k for k, _ in over], norm, s=s and [n for _, n in over], out=out)

    return Row(Kind.TRANSFORMS, call)


def _real(function: Callable[..., Any], *, inverse: bool) -> Row:
    """The last axis is real; the others come after it, or in the inverse before."""

    def call(*args: Any, **options: Any) -> CubeArray:  # noqa: ANN401
        a, axes, s, norm, out = _heard(args, options, lambda: _call(function, args, options))
        require_last(axes[-1:], axes)
        *others, last = axes
        every = TABLE[np.fft.ifftn if inverse else np.fft.fftn].call
        rest: dict[str, Any] = {"s": s and s[:-1], "axes": others, "norm": norm}
        n = None if s is None or s[-1] == -1 else s[-1]
        if inverse and others:
            a = every(a, **rest)
        d, end = len(a.layout.axes), None if others and not inverse else out
        if last >= d:
            one = np.fft.irfft if inverse else np.fft.rfft

            def alone(a: CubeArray = a) -> CubeArray:
                made = a.with_blocks(one(a.blocks, n, axis=last - d + 2, norm=norm))
                require_out(end, a, made.shape, made.dtype)
                return made

            facts = {**facts_of(function.__name__, a.layout, a.blocks), "axis": last, "n": n}
            a = delivered(together(a.comm, lambda: (alone(), facts)), end)
        elif inverse:
            a = irfft(a, last, norm, n=n, out=end)
        else:
            a = rfft(a, last, norm, n=n, out=end)
        return every(a, **rest, out=out) if others and not inverse else a

    return Row(Kind.TRANSFORMS, call)


def _hermitian(*, inverse: bool) -> Row:
    """Of a signal that is Hermitian: the real transform back, of what is conjugated."""

    def call(a: Any, n: int | None = None, axis: int = -1, norm: Any = None) -> Any:  # noqa: ANN401
        _heard([a], {}, lambda: require_norm(norm))
        if inverse:
            return np.fft.rfft(a, n, axis, OTHER_WAY[norm]).conj()
        return np.fft.irfft(a.conj(), n, axis, OTHER_WAY[norm])

    return Row(Kind.TRANSFORMS, call)


def _shifted(sign: int) -> Row:
    """Half of the length farther, or back."""

    def call(x: CubeArray, axes: Any = None) -> CubeArray:  # noqa: ANN401
        given = [axes] if isinstance(axes, int | np.integer) else axes
        along = _heard([x], {}, lambda: _axes(x, {"axes": given}))
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
    TABLE[np.fft.hfft] = _hermitian(inverse=False)
    TABLE[np.fft.ihfft] = _hermitian(inverse=True)
    TABLE[np.fft.fftshift], TABLE[np.fft.ifftshift] = _shifted(1), _shifted(-1)
