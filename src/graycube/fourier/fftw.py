"""The transforms of lines by FFTW, for programs that ask for its planner.

FFTW times its codelets on lines like those it will get, and takes the fastest. That takes up
to some seconds, and pays for transforms that run often. It writes into arrays meanwhile: so it
tries on room with the same strides, which is as much memory again until the plan is there. Once
it has tried, its wisdom says the same plan again in some microseconds.
"""

from collections.abc import Callable
from functools import lru_cache
from statistics import median
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np

from graycube.errors import MissingExtraError
from graycube.fourier.parts import LINE, in_two, padded, parts
from graycube.fourier.works import Call, Copy, Lines, LineWork, all_of
from graycube.host import threads

Effort = Literal["estimate", "measure", "patient", "exhaustive"]
"""How long FFTW's planner tries, by FFTW's names."""
_TIMES, _TRIED, _CACHE, _WORTH = 5, 0.02, 1 << 22, 1 << 18
_KEPT = 1 << 10
Rival = Callable[[LineWork], Call]
"""It makes the call that does a work without FFTW."""


def planned(work: LineWork, effort: Effort, rival: Rival) -> Call:
    """The transform from one array into another, or in place, as FFTW plans it: unscaled.

    It may write into what is ``spent``, and has to, from half a spectrum along several axes. It
    is that of the ``rival`` if that is faster: on lines with long strides it may be. Large ones
    may be done in parts. What was found for such arrays is remembered.

    >>> x, y = np.array([1.0, 3.0]), np.empty(2, complex)
    >>> _ = planned(LineWork(x, (0,), y, "r2c"), "estimate", rival=None)()
    >>> y.real.tolist()
    [4.0, -2.0]
    """
    lines, out = work.lines, work.out
    if not out.size:
        return lambda: None
    if not (lines.flags.aligned and out.flags.aligned):  # FFTW takes no others
        return rival(work)
    source, target = _Strided.of(lines), _Strided.of(out)
    same = lines.ctypes.data == out.ctypes.data and source == target
    how = _How(work.kind, work.inverse, effort, threads(), work.spent)
    if effort == "estimate":  # which writes nothing
        return _executed(how.plan(work))
    way = _fastest(source, None if same else target, work.axes, how, rival)
    made = way(work, how, rival)
    if made is None:
        raise AssertionError(work)
    return made


class _Strided(NamedTuple):
    """All that FFTW looks at of an array; the start is that in a line of cache."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: "np.dtype[Any]"
    start: int

    @classmethod
    def of(cls, x: Lines) -> "_Strided":
        return cls(x.shape, x.strides, x.dtype, x.ctypes.data % LINE)

    def room(self) -> Lines:
        """An array like that one."""
        ends = [
            stride * (size - 1) for stride, size in zip(self.strides, self.shape, strict=True)
        ]
        low, high = (sum(pick(0, end) for end in ends) for pick in (min, max))
        room = np.zeros(high - low + self.dtype.itemsize + LINE, np.uint8)
        start = (self.start + low - room.ctypes.data) % LINE - low
        return np.ndarray(self.shape, self.dtype, room, start, self.strides)


class _How(NamedTuple):
    """What FFTW is asked for."""

    kind: str
    inverse: bool
    effort: Effort
    threads: int
    spent: bool

    def plan(self, work: LineWork, *flags: str) -> Any:  # noqa: ANN401
        """FFTW's plan; making it may write into both arrays."""
        return library().FFTW(
            work.lines,
            work.out,
            axes=work.axes,
            direction="FFTW_BACKWARD" if work.inverse else "FFTW_FORWARD",
            flags=(f"FFTW_{self.effort.upper()}", *["FFTW_DESTROY_INPUT"] * work.spent, *flags),
            threads=self.threads,
        )


def _rooms(source: _Strided, target: _Strided | None) -> tuple[Lines, Lines]:
    """Arrays like those, or one for both."""
    room = source.room()
    return room, room if target is None else target.room()


@lru_cache(maxsize=_KEPT)
def _fastest(
    source: _Strided, target: _Strided | None, axes: tuple[int, ...], how: _How, rival: Rival
) -> "_Way":
    """The way that is mostly the fastest on such arrays, which FFTW then knows."""
    lines, out = _rooms(source, target)
    work = LineWork(lines, axes, out, how.kind, how.inverse, spent=how.spent)
    made = {way: way(work, how, rival) for way in _WAYS}
    calls = {way: call for way, call in made.items() if call is not None}
    once = {way: min(_seconds(call) for _ in "ab") for way, call in calls.items()}
    near = [way for way in calls if once[way] <= 1.5 * min(once.values())]
    times = {way: list[float]() for way in near}
    end = perf_counter() + _TRIED * len(near)
    while len(times[near[0]]) < _TIMES or perf_counter() < end:
        for way in near:
            times[way].append(_seconds(calls[way]))
    return min(near, key=lambda way: median(times[way]))


_Way = Callable[[LineWork, _How, Rival], Call | None]


def _whole(work: LineWork, how: _How, _rival: Rival) -> Call:
    """As FFTW plans it."""
    try:
        plan = how.plan(work, "FFTW_WISDOM_ONLY")
    except RuntimeError:  # FFTW has not met it, or somebody made it forget
        source, target = _Strided.of(work.lines), _Strided.of(work.out)
        same = work.lines.ctypes.data == work.out.ctypes.data and source == target
        lines, out = _rooms(source, None if same else target)
        plan = how.plan(work._replace(lines=lines, out=out))
        plan.update_arrays(work.lines, work.out)
    return _executed(plan)


def _by_rival(work: LineWork, _how: _How, rival: Rival) -> Call:
    return rival(work)


def _in_parts(work: LineWork, how: _How, rival: Rival) -> Call | None:
    """One part after the other."""
    cut = parts(work)
    if len(cut) == 1 or len(work.axes) == 1:
        return None
    return all_of([_whole(part, how, rival) for part in cut])


def _through_room(work: LineWork, how: _How, rival: Rival) -> Call | None:
    """The same, each part in a room that is padded."""
    if work.kind != "c2c" or work.out.nbytes < _WORTH:
        return None
    cut, dtype = parts(work), work.out.dtype
    shape = cut[0].out.shape
    axis = max(work.axes, key=lambda k: abs(work.out.strides[k]))
    room = _Strided(shape, padded(shape, axis, dtype.itemsize), dtype, 0).room()
    there = _whole(work._replace(lines=room, out=room, spent=False), how, rival)
    calls = list[Call]()
    for part in cut:
        calls += Copy(part.lines, room).ready(), there, Copy(room, part.out).ready()
    return all_of(calls)


def _in_two(work: LineWork, how: _How, rival: Rival) -> Call | None:
    """Inner axes and the outermost one, each the fastest way."""
    if len(work.axes) == 1 or work.out.nbytes < _WORTH:
        return None
    return all_of([planned(each, how.effort, rival) for each in in_two(work)])


_WAYS: tuple[_Way, ...] = _whole, _by_rival, _in_parts, _through_room, _in_two


def _executed(plan: Any) -> Call:  # noqa: ANN401
    execute: Call = plan.execute
    return execute


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
