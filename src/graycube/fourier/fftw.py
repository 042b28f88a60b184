"""The transforms of lines by FFTW, for programs that ask for its planner.

FFTW times its codelets on lines like those it will get, and takes the fastest. That takes up
to some seconds, and pays for transforms that run often. It writes into arrays meanwhile: so it
tries on room with the same strides, which is as much memory again until the plan is there.
"""

from collections.abc import Callable
from itertools import pairwise
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from graycube.errors import MissingExtraError
from graycube.host import threads

Effort = Literal["estimate", "measure", "patient", "exhaustive"]
"""How long FFTW's planner tries, by FFTW's names."""
_ALIGNED, _TIMES = 64, 3
_Lines = NDArray[Any]
Call = Callable[[], object]


def planned(  # noqa: PLR0913
    lines: _Lines,
    axis: int,
    out: _Lines,
    *,
    inverse: bool,
    effort: Effort,
    rival: Callable[[_Lines, _Lines], Call],
) -> Call:
    """The unscaled transform from one array into another, or in place, as FFTW plans it.

    Their dtypes say whether it is of complex lines, or between real ones and half a spectrum.
    It is that of the ``rival`` if that is faster: on lines with long strides it may be.

    >>> x, y = np.array([1.0, 3.0]), np.empty(2, complex)
    >>> _ = planned(x, 0, y, inverse=False, effort="estimate", rival=None)()
    >>> y.real.tolist()
    [4.0, -2.0]
    """
    if not out.size:
        return lambda: None
    room = _like(lines)
    target = room if _same(lines, out) else _like(out)
    plan = library().FFTW(
        room,
        target,
        axes=(axis,),
        direction="FFTW_BACKWARD" if inverse else "FFTW_FORWARD",
        flags=(f"FFTW_{effort.upper()}",),
        threads=threads(),
    )
    execute: Call = plan.execute
    if effort != "estimate" and _seconds(rival(room, target)) < _seconds(execute):
        return rival(lines, out)
    plan.update_arrays(lines, out)
    return execute


def _seconds(call: Call) -> float:
    """The least time that a call takes."""
    marks = [perf_counter()]
    for _ in range(_TIMES):
        call()
        marks.append(perf_counter())
    return min(after - before for before, after in pairwise(marks))


def library() -> Any:  # noqa: ANN401 - a module
    """The module pyfftw, from the extra ``fftw``."""
    try:
        import pyfftw  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingExtraError(
            "pyFFTW is not installed",
            "transforms by FFTW need it",
            "run: pip install 'graycube[fftw]', or leave out fftw=",
        ) from error
    return pyfftw


def _same(lines: _Lines, out: _Lines) -> bool:
    """Whether both are the same elements."""
    return (lines.ctypes.data, lines.strides, lines.dtype) == (
        out.ctypes.data,
        out.strides,
        out.dtype,
    )


def _like(x: _Lines) -> _Lines:
    """Room with the shape and strides of an array, which starts as far from a line of cache."""
    ends = [stride * (size - 1) for stride, size in zip(x.strides, x.shape, strict=True)]
    low, high = (sum(pick(0, end) for end in ends) for pick in (min, max))
    room = np.zeros(high - low + x.itemsize + _ALIGNED, np.uint8)
    start = (x.ctypes.data + low - room.ctypes.data) % _ALIGNED - low
    return np.ndarray(x.shape, x.dtype, room, start, x.strides)
