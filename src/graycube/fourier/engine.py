"""The transforms of lines in memory, by the best library there is.

With the extra ``fast`` that is ducc0, which needs no planning and transforms strided lines
nearly as fast as contiguous ones; without it SciPy, whose code is an older one by its author.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable

_Lines = NDArray[Any]


def transformed(
    lines: _Lines, axis: int, *, inverse: bool, out: _Lines | None = None
) -> _Lines:
    """The unscaled transforms of complex lines along an axis; ``out`` may be ``lines``.

    As many threads work as ``scipy.fft.set_workers`` says: one, if nobody says anything.

    >>> import numpy as np
    >>> transformed(np.array([[1, 2], [3, 4]], complex), 1, inverse=False).real.tolist()
    [[3.0, -1.0], [7.0, -1.0]]
    """
    if not lines.size:
        return lines.copy() if out is None else out
    return _engine()(lines, axis, inverse, out)


@lru_cache(maxsize=1)
def _engine() -> "Callable[[_Lines, int, bool, _Lines | None], _Lines]":
    try:
        import ducc0  # noqa: PLC0415 - optional
    except ImportError:
        return _scipy
    return lambda lines, axis, inverse, out: ducc0.fft.c2c(
        lines, axes=(axis,), forward=not inverse, inorm=0, out=out, nthreads=_threads()
    )


def _scipy(lines: _Lines, axis: int, inverse: bool, out: _Lines | None) -> _Lines:  # noqa: FBT001
    from scipy import fft  # noqa: PLC0415 - importing it takes longer than most transforms

    transform, norm = (fft.ifft, "forward") if inverse else (fft.fft, "backward")
    made: _Lines = transform(lines, axis=axis, norm=norm, overwrite_x=out is lines)
    if out is None or made is out:
        return made
    out[...] = made
    return out


def _threads() -> int:
    from scipy import fft  # noqa: PLC0415

    return int(fft.get_workers())
