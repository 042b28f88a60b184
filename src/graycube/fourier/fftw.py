"""The transforms of lines by FFTW, for programs that ask for its planner.

FFTW times its codelets on lines like those it will get, and takes the fastest. That takes up
to some seconds, and pays for transforms that run often. It writes into arrays meanwhile: so it
tries on room with the same strides, which is as much memory again until the plan is there. Once
it has tried, its wisdom says the same plan again in some microseconds.
"""

from collections.abc import Callable
from functools import lru_cache
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np

from graycube.errors import MissingExtraError
from graycube.fourier.works import Lines, LineWork
from graycube.host import threads

Effort = Literal["estimate", "measure", "patient", "exhaustive"]
"""How long FFTW's planner tries, by FFTW's names."""
_ALIGNED, _TIMES, _TRIED, _CACHE = 64, 5, 0.05, 1 << 22
_KEPT = 1 << 10
Call = Callable[[], object]
Rival = Callable[[Lines, Lines], Call]
"""It makes the call that goes from one array into another."""


def planned(work: LineWork, effort: Effort, rival: Rival) -> Call:
    """The transform from one array into another, or in place, as FFTW plans it: unscaled.

    It may write into what is ``spent``, and has to, from half a spectrum along several axes. It
    is that of the ``rival`` if that is faster: on lines with long strides it may be. What was
    found for such arrays is remembered.

    >>> x, y = np.array([1.0, 3.0]), np.empty(2, complex)
    >>> _ = planned(LineWork(x, (0,), y, "r2c"), "estimate", rival=None)()
    >>> y.real.tolist()
    [4.0, -2.0]
    """
    lines, out = work.lines, work.out
    if not out.size:
        return lambda: None
    if not (lines.flags.aligned and out.flags.aligned):  # FFTW takes no others
        return rival(lines, out)
    source, target = _Strided.of(lines), _Strided.of(out)
    same = lines.ctypes.data == out.ctypes.data and source == target
    how = _How(work.axes, work.inverse, effort, threads(), work.spent)
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
    def of(cls, x: Lines) -> "_Strided":
        return cls(x.shape, x.strides, x.dtype, x.ctypes.data % _ALIGNED)

    def room(self) -> Lines:
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

    axes: tuple[int, ...]
    inverse: bool
    effort: Effort
    threads: int
    spent: bool

    def plan(self, lines: Lines, out: Lines, *flags: str) -> Any:  # noqa: ANN401
        """FFTW's plan; making it may write into both arrays."""
        return library().FFTW(
            lines,
            out,
            axes=self.axes,
            direction="FFTW_BACKWARD" if self.inverse else "FFTW_FORWARD",
            flags=(f"FFTW_{self.effort.upper()}", *["FFTW_DESTROY_INPUT"] * self.spent, *flags),
            threads=self.threads,
        )


def _rooms(source: _Strided, target: _Strided | None) -> tuple[Lines, Lines]:
    """Arrays like those, or one for both."""
    room = source.room()
    return room, room if target is None else target.room()


@lru_cache(maxsize=_KEPT)
def _is_faster(source: _Strided, target: _Strided | None, how: _How, rival: Rival) -> bool:
    """Whether FFTW, which then knows such arrays, is mostly faster than the rival on them."""
    rooms = _rooms(source, target)
    plan, other = how.plan(*rooms), rival(*rooms)
    won, end = list[bool](), perf_counter() + _TRIED
    while len(won) < _TIMES or perf_counter() < end:
        won.append(_seconds(plan.execute) <= _seconds(other))
    return 2 * sum(won) >= len(won)


def _seconds(call: Call) -> float:
    """The time that a call takes if what it reads is not in the nearest caches."""
    np.ones(_CACHE, np.uint8)
    start = perf_counter()
    call()
    return perf_counter() - start


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
