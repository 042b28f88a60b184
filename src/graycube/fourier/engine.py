"""The transforms of lines in memory, by the best library there is.

With the extra ``fast`` that is ducc0, which needs no planning and transforms strided lines
nearly as fast as contiguous ones; without it SciPy, whose code is an older one by its author.
FFTW's planner is for those who ask for it, :func:`by_fftw`.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, partial
from typing import Any, get_args

import numpy as np

from graycube.fourier import fftw, ways
from graycube.fourier.parts import in_step
from graycube.fourier.works import Call, Copy, Lines, LineWork, all_of, joined
from graycube.host import threads
from graycube.layout.required import require_word

_EFFORT: ContextVar[fftw.Effort | None] = ContextVar("effort", default=None)


@contextmanager
def by_fftw(effort: fftw.Effort | None = "measure") -> Iterator[None]:
    """Let FFTW plan transforms meanwhile, with so much effort; not so for None.

    When it meets lines of a new kind, it tries for some seconds what is fastest, and
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


def transformed(lines: Lines, axis: int, *, inverse: bool, out: Lines | None = None) -> Lines:
    """The unscaled transforms of complex lines along an axis; ``out`` may be ``lines``.

    As many threads work as ``scipy.fft.set_workers`` says: one, if nobody says anything.

    >>> import numpy as np
    >>> transformed(np.array([[1, 2], [3, 4]], complex), 1, inverse=False).real.tolist()
    [[3.0, -1.0], [7.0, -1.0]]
    """
    made = np.empty(lines.shape, lines.dtype) if out is None else out
    return _done(LineWork(lines, (axis,), made, inverse=inverse))


def _done(work: LineWork) -> Lines:
    if work.out.size:
        bound(work, once=True)()
    return work.out


def bound(work: LineWork, *, once: bool = False) -> Call:
    """A work made ready: it only runs; ``once`` leaves out what takes long to make.

    >>> import numpy as np
    >>> x, y = np.array([1.0, 3.0]), np.empty(2, complex)
    >>> run = bound(LineWork(x, (0,), y, "r2c", scaling=2))
    >>> _ = run()
    >>> y.real.tolist()
    [2.0, -1.0]
    """
    effort = _EFFORT.get()
    if effort is None:
        return _unplanned(work)
    factor = np.longdouble(work.points) ** (-work.scaling / 2) * work.factor
    return ways.planned(work._replace(scaling=0, factor=factor), effort, _unplanned, once=once)


def ready(todo: Iterable[LineWork | Copy | Call], *, once: bool = False) -> list[Call]:
    """What is called to do all that, perhaps ``once``; FFTW is asked for works that are one.

    >>> x = np.array([1, 2], complex)
    >>> _ = [call() for call in ready([LineWork(x, (0,), x), x.sort])]
    >>> x.real.tolist()
    [-1.0, 3.0]
    """
    if _EFFORT.get() is not None:
        todo = joined(todo)
    made = partial(_made_ready, once=once)
    return [*map(made, todo if once else in_step(todo))]


def _made_ready(each: LineWork | Copy | Call, *, once: bool) -> Call:
    if isinstance(each, LineWork):
        return bound(each, once=once)
    return each.ready() if isinstance(each, Copy) else each


def half_spectrum(lines: Lines, axis: int) -> Lines:
    """The first half of the unscaled spectra of real lines along an axis.

    >>> import numpy as np
    >>> half_spectrum(np.array([1.0, 2, 3]), 0).real.round(6).tolist()
    [6.0, -1.5]
    """
    shape = [*lines.shape]
    shape[axis] = shape[axis] // 2 + 1
    made = np.empty(shape, np.result_type(lines.dtype, 1j))
    return _done(LineWork(lines, (axis,), made, "r2c"))


def from_half(lines: Lines, axis: int, points: int) -> Lines:
    """The real lines with that half of a spectrum, times so many points.

    >>> import numpy as np
    >>> from_half(np.array([6, -1.5]) + 0j, 0, 3).round(6).tolist()
    [3.0, 7.5, 7.5]
    """
    shape = [*lines.shape]
    shape[axis] = points
    made = np.empty(shape, lines.real.dtype)
    return _done(LineWork(lines, (axis,), made, "c2r", inverse=True))


def _unplanned(work: LineWork) -> Call:
    """By ducc0 or SciPy, one axis after the other."""
    if len(work.axes) == 1:
        return _bound(work)
    return all_of([*map(_bound, work.apart())])


def _bound(work: LineWork) -> Call:
    """One along one axis by ducc0 or SciPy."""
    ducc = _ducc()
    if ducc is None:
        return partial(_by_scipy, work)
    size = {"lastsize": work.points} if work.kind == "c2r" else {}
    return partial(
        getattr(ducc, work.kind),
        work.lines,
        axes=work.axes,
        forward=not work.inverse,
        inorm=work.scaling,
        out=work.out,
        nthreads=threads(),
        **size,
    )


def _by_scipy(work: LineWork) -> None:
    from scipy import fft  # noqa: PLC0415 - importing it takes longer than most transforms

    lines, (axis,), out, kind, inverse, scaling, *_ = work
    norm = ("backward", "ortho", "forward")[2 - scaling if inverse else scaling]
    if kind == "c2c":
        transform = fft.ifft if inverse else fft.fft
        made = transform(lines, axis=axis, norm=norm, overwrite_x=out is lines)
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
