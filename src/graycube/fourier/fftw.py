"""The transforms of lines by FFTW, for programs that ask for its planner.

FFTW times its codelets on lines like those it will get, and takes the fastest. That takes up
to some seconds, and pays for transforms that run often. It writes into arrays meanwhile: so it
tries on room with the same strides, which is as much memory again until the plan is there. Once
it has tried, its wisdom says the same plan again in some microseconds.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.errors import MissingExtraError
from graycube.host import threads

Effort = Literal["estimate", "measure", "patient", "exhaustive"]
"""How long FFTW's planner tries, by FFTW's names."""
_ALIGNED, _TIMES = 64, 3
_KEPT = 1 << 10
_Lines = NDArray[Any]
Call = Callable[[], object]
Rival = Callable[[_Lines, _Lines], Call]
"""It makes the call that goes from one array into another."""


def planned(  # noqa: PLR0913
    lines: _Lines,
    axis: int,
    out: _Lines,
    *,
    inverse: bool,
    effort: Effort,
    rival: Rival,
) -> Call:
    """The unscaled transform from one array into another, or in place, as FFTW plans it.

    Their dtypes say whether it is of complex lines, or between real ones and half a spectrum.
    It is that of the ``rival`` if that is faster: on lines with long strides it may be. What
    was found for such arrays is remembered.

    >>> x, y = np.array([1.0, 3.0]), np.empty(2, complex)
    >>> _ = planned(x, 0, y, inverse=False, effort="estimate", rival=None)()
    >>> y.real.tolist()
    [4.0, -2.0]
    """
    if not out.size:
        return lambda: None
    if not (lines.flags.aligned and out.flags.aligned):  # FFTW takes no others
        return rival(lines, out)
    source, target = _Strided.of(lines), _Strided.of(out)
    same = lines.ctypes.data == out.ctypes.data and source == target
    how = _How(axis, inverse, effort, threads())
    if effort == "estimate":  # which writes nothing
        plan = how.plan(lines, out)
    elif not _is_faster(source, None if same else target, how, rival):
        return rival(lines, out)
    else:
        try:
            plan = how.plan(lines, out, "FFTW_WISDOM_ONLY")
        except RuntimeError:  # somebody made FFTW forget
            plan = how.plan(*_rooms(source, None if same else target))
            plan.update_arrays(lines, out)
    execute: Call = plan.execute
    return execute


class _Strided(NamedTuple):
    """All that FFTW looks at of an array; the start is that in a line of cache."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: "np.dtype[Any]"
    start: int

    @classmethod
    def of(cls, x: _Lines) -> "_Strided":
        return cls(x.shape, x.strides, x.dtype, x.ctypes.data % _ALIGNED)

    def room(self) -> _Lines:
        """An array like that one."""
        ends = [
            stride * (size - 1) for stride, size in zip(self.strides, self.shape, strict=True)
        ]
        low, high = (sum(pick(0, end) for end in ends) for pick in (min, max))
        room = np.zeros(high - low + self.dtype.itemsize + _ALIGNED, np.uint8)
        start = (self.start + low - room.ctypes.data) % _ALIGNED - low
        return np.ndarray(self.shape, self.dtype, room, start, self.strides)


class _How(NamedTuple):
    """What FFTW is asked for."""

    axis: int
    inverse: bool
    effort: Effort
    threads: int

    def plan(self, lines: _Lines, out: _Lines, *flags: str) -> Any:  # noqa: ANN401
        """FFTW's plan; making it may write into both arrays."""
        return library().FFTW(
            lines,
            out,
            axes=(self.axis,),
            direction="FFTW_BACKWARD" if self.inverse else "FFTW_FORWARD",
            flags=(f"FFTW_{self.effort.upper()}", *flags),
            threads=self.threads,
        )


def _rooms(source: _Strided, target: _Strided | None) -> tuple[_Lines, _Lines]:
    """Arrays like those, or one for both."""
    room = source.room()
    return room, room if target is None else target.room()


@lru_cache(maxsize=_KEPT)
def _is_faster(source: _Strided, target: _Strided | None, how: _How, rival: Rival) -> bool:
    """Whether FFTW, which then knows such arrays, is faster than the rival on them."""
    rooms = _rooms(source, target)
    plan = how.plan(*rooms)
    return _seconds(plan.execute) <= _seconds(rival(*rooms))


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
            "run: pip install 'graycube[fftw]', or leave FFTW out",
        ) from error
    return pyfftw
