"""The transforms of lines in memory, by the best library there is.

With the extra ``fast`` that is ducc0, which needs no planning and transforms strided lines
nearly as fast as contiguous ones; without it SciPy, whose code is an older one by its author.
FFTW's planner is for those who ask for it, :func:`by_fftw`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, partial
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from graycube.fourier import fftw
from graycube.host import threads
from graycube.layout.required import require_word

_Lines = NDArray[Any]
_EFFORT: ContextVar[fftw.Effort | None] = ContextVar("effort", default=None)


@contextmanager
def by_fftw(effort: fftw.Effort | None = "measure") -> Iterator[None]:
    """Let FFTW plan transforms meanwhile, with so much effort; not so for None.

    When it meets lines of a new kind, it tries for some seconds at most what is fastest, and
    remembers that. All ranks have to say the same. It needs the extra ``fftw``.

    >>> with by_fftw(None):
    ...     transformed(np.array([1, 2], complex), 0, inverse=False).real.tolist()
    [3.0, -1.0]
    """
    token = _EFFORT.set(require_effort(effort))
    try:
        yield
    finally:
        _EFFORT.reset(token)


def require_effort(effort: fftw.Effort | None) -> fftw.Effort | None:
    """Refuse what is no effort of FFTW's planner, and one where FFTW is not installed.

    >>> require_effort(None)
    """
    if effort is not None:
        require_word(effort, get_args(fftw.Effort), "fftw")
        fftw.library()
    return effort


def effort_of_fftw() -> fftw.Effort | None:
    """The effort that FFTW makes at the moment; None where it does nothing.

    >>> effort_of_fftw()
    """
    return _EFFORT.get()


def transformed(
    lines: _Lines, axis: int, *, inverse: bool, out: _Lines | None = None
) -> _Lines:
    """The unscaled transforms of complex lines along an axis; ``out`` may be ``lines``.

    As many threads work as ``scipy.fft.set_workers`` says: one, if nobody says anything.

    >>> import numpy as np
    >>> transformed(np.array([[1, 2], [3, 4]], complex), 1, inverse=False).real.tolist()
    [[3.0, -1.0], [7.0, -1.0]]
    """
    made: _Lines = np.empty(lines.shape, lines.dtype) if out is None else out
    if lines.size:
        bound(lines, axis, made, inverse=inverse, scaling=0)()
    return made


def bound(  # noqa: PLR0913
    lines: _Lines, axis: int, out: _Lines, *, kind: str = "c2c", inverse: bool, scaling: int
) -> Callable[[], object]:
    """A transform from one array into another, or in place: all is ready, and it only runs.

    The ``kind`` is "c2c", or "r2c" or "c2r" with half a spectrum. The ``scaling`` is 0 for
    none, 1 for that by the root of the number of points, 2 for that by their number.

    >>> import numpy as np
    >>> x, y = np.array([1.0, 3.0]), np.empty(2, complex)
    >>> run = bound(x, 0, y, kind="r2c", inverse=False, scaling=2)
    >>> _ = run()
    >>> y.real.tolist()
    [2.0, -1.0]
    """
    effort = _EFFORT.get()
    if effort is None:
        return _bound(lines, out, axis=axis, kind=kind, inverse=inverse, scaling=scaling)
    rival = _unscaled(axis, kind, inverse)
    run = fftw.planned(lines, axis, out, inverse=inverse, effort=effort, rival=rival)
    points = (lines if kind == "r2c" else out).shape[axis]
    return _then(run, scaled(out, np.longdouble(points) ** (-scaling / 2)))


def scaled(out: _Lines, factor: float | np.longdouble) -> Callable[[], object] | None:
    """What multiplies an array by a real number, in place; None for 1.

    Real and imaginary parts are multiplied apart: what is infinite gives no NaN.

    >>> x = np.array([1, np.inf + 2j])
    >>> _ = scaled(x, 0.5)()
    >>> x.tolist()
    [(0.5+0j), (inf+1j)]
    """
    if factor == 1:
        return None
    real = out.real.dtype.type(factor)
    if out.dtype.kind != "c" or (out.ndim and out.strides[-1] == out.itemsize):
        parts = out.view(real.dtype)
        return partial(np.multiply, parts, real, parts)
    first, second = (partial(np.multiply, part, real, part) for part in (out.real, out.imag))
    return _then(first, second)


def half_spectrum(lines: _Lines, axis: int) -> _Lines:
    """The first half of the unscaled spectra of real lines along an axis.

    >>> import numpy as np
    >>> half_spectrum(np.array([1.0, 2, 3]), 0).real.round(6).tolist()
    [6.0, -1.5]
    """
    shape = [*lines.shape]
    shape[axis] = shape[axis] // 2 + 1
    made: _Lines = np.empty(shape, np.result_type(lines.dtype, 1j))
    if made.size:
        bound(lines, axis, made, kind="r2c", inverse=False, scaling=0)()
    return made


def from_half(lines: _Lines, axis: int, points: int) -> _Lines:
    """The real lines with that half of a spectrum, times so many points.

    >>> import numpy as np
    >>> from_half(np.array([6, -1.5]) + 0j, 0, 3).round(6).tolist()
    [3.0, 7.5, 7.5]
    """
    shape = [*lines.shape]
    shape[axis] = points
    made: _Lines = np.empty(shape, lines.real.dtype)
    if made.size:
        bound(lines, axis, made, kind="c2r", inverse=True, scaling=0)()
    return made


def _then(
    first: Callable[[], object], second: Callable[[], object] | None
) -> Callable[[], object]:
    """Both, one after the other."""

    def both() -> None:
        first()
        if second is not None:
            second()

    return first if second is None else both


@cache
def _unscaled(axis: int, kind: str, inverse: bool) -> fftw.Rival:  # noqa: FBT001
    """What FFTW is compared with: for equal lines the same object, so that is remembered."""
    return partial(_bound, axis=axis, kind=kind, inverse=inverse, scaling=0)


def _bound(  # noqa: PLR0913
    lines: _Lines, out: _Lines, *, axis: int, kind: str, inverse: bool, scaling: int
) -> Callable[[], object]:
    """By ducc0 or SciPy."""
    ducc = _ducc()
    if ducc is None:
        return partial(_by_scipy, lines, axis, out, kind, inverse, scaling)
    size = {"lastsize": out.shape[axis]} if kind == "c2r" else {}
    return partial(
        getattr(ducc, kind),
        lines,
        axes=(axis,),
        forward=not inverse,
        inorm=scaling,
        out=out,
        nthreads=threads(),
        **size,
    )


def _by_scipy(  # noqa: PLR0913, PLR0917
    lines: _Lines,
    axis: int,
    out: _Lines,
    kind: str,
    inverse: bool,  # noqa: FBT001
    scaling: int,
) -> None:
    from scipy import fft  # noqa: PLC0415 - importing it takes longer than most transforms

    norm = ("backward", "ortho", "forward")[2 - scaling if inverse else scaling]
    if kind == "c2c":
        work = fft.ifft if inverse else fft.fft
        made = work(lines, axis=axis, norm=norm, overwrite_x=out is lines)
        if made is not out:
            out[...] = made
    elif kind == "r2c":
        out[...] = fft.rfft(lines, axis=axis, norm=norm)
    else:
        out[...] = fft.irfft(lines, out.shape[axis], axis=axis, norm=norm)


@lru_cache(maxsize=1)
def _ducc() -> Any:  # noqa: ANN401 - a module, or None
    try:
        from ducc0 import fft  # noqa: PLC0415 - optional
    except ImportError:
        return None
    return fft
