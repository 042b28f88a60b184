"""The ways to do a transform of lines that FFTW plans, and which of them is the fastest.

Rules.

1. FFTW does all of it; or ducc0 does, which on lines with long strides may be faster; or large
   works are done in parts, which stay in the caches, in place or through a room; or inner axes
   are done before the outermost one.
2. All ways are tried on arrays like those that there are, and the fastest one is remembered.
   They are tried when what they read is not in the caches: so it is in most programs.
"""

from collections.abc import Callable
from functools import lru_cache
from statistics import median
from time import perf_counter

import numpy as np

from graycube.fourier.fftw import Effort, How, Like, executed
from graycube.fourier.parts import in_two, padded, parts
from graycube.fourier.works import Call, Copy, LineWork, all_of, scaled
from graycube.host import threads

_TIMES, _TRIED, _LATEST, _KEPT = 5, 0.02, 1.0, 1 << 10
_WORTH = 1 << 18
"""Fewer bytes are in the nearest caches anyhow."""
_NEAREST, _ALL = 1 << 22, 1 << 25
"""Bytes of caches: of the nearest ones, and of all."""
_APART, _ROOM = 1 << 10, 1 << 24
"""A room is for elements that are so many bytes apart, and has so many bytes at most."""
_ABOUT = 1.5
"""What takes so much longer than the best is out."""
Rival = Callable[[LineWork], Call]
"""It makes the call that does a work without FFTW."""


def planned(work: LineWork, effort: Effort, rival: Rival, *, once: bool = False) -> Call:
    """The transform from one array into another, or in place, as FFTW plans it.

    What is ``spent`` may be overwritten; half a spectrum along several axes always is. The
    fastest way is looked for and remembered: ``once`` leaves out those of many plans.

    >>> x, y = np.array([1.0, 3.0]), np.empty(2, complex)
    >>> _ = planned(LineWork(x, (0,), y, "r2c"), "estimate", rival=None)()
    >>> y.real.tolist()
    [4.0, -2.0]
    """
    lines, out = work.lines, work.out
    if not out.size:
        return lambda: None
    if not (lines.flags.aligned and out.flags.aligned):  # FFTW takes no others
        return _with_factor(rival(work), work)
    how = How(effort, threads())
    way: _Way = _whole
    if effort != "estimate":
        ways = _WAYS[:2] if once else _WAYS
        way = _fastest(Like.of(work), how, rival, ways)
    made = way(work, how, rival)
    if made is None:
        raise AssertionError(work)
    return made


@lru_cache(maxsize=_KEPT)
def _fastest(like: Like, how: How, rival: Rival, ways: "tuple[_Way, ...]") -> "_Way":
    """The way that is mostly the fastest on such arrays, which FFTW then knows."""
    work = like.work()
    how.plan(work)  # here, where nothing is lost
    made = {way: way(work, how, rival) for way in ways}
    calls = {way: call for way, call in made.items() if call is not None}
    caches = _NEAREST if work.out.nbytes < _WORTH else _ALL
    once = {way: min(_seconds(call, caches) for _ in range(2)) for way, call in calls.items()}
    near = [way for way in calls if once[way] <= _ABOUT * min(once.values())]
    times, begin, passed = {way: [once[way]] for way in near}, perf_counter(), 0.0
    while passed < (_LATEST if len(times[near[0]]) < _TIMES else _TRIED * len(near)):
        for way in near:
            times[way].append(_seconds(calls[way], caches))
        passed = perf_counter() - begin
    return min(near, key=lambda way: median(times[way]))


_Way = Callable[[LineWork, How, Rival], Call | None]


def _whole(work: LineWork, how: How, _rival: Rival) -> Call:
    return _with_factor(executed(work, how), work)


def _by_rival(work: LineWork, _how: How, rival: Rival) -> Call:
    return _with_factor(rival(work), work)


def _in_parts(work: LineWork, how: How, rival: Rival) -> Call | None:
    """One part after the other."""
    cut = parts(work)
    if len(cut) == 1 or len(work.axes) == 1:
        return None
    return all_of([_whole(part, how, rival) for part in cut])


def _through_room(work: LineWork, how: How, rival: Rival) -> Call | None:
    """The same, each part in a room that is padded."""
    cut, longest = parts(work), max(abs(work.out.strides[axis]) for axis in work.axes)
    small = work.out.nbytes < _WORTH or longest < _APART
    if work.kind != "c2c" or small or cut[0].out.nbytes > _ROOM:
        return None
    room = padded(cut[0])
    there = _whole(work._replace(lines=room, out=room, factor=1), how, rival)
    calls = list[Call]()
    for part in cut:
        coming, going = Copy(part.lines, room), Copy(room, part.out, work.factor)
        calls += coming.ready(), there, going.ready()
    return all_of(calls)


def _in_two(work: LineWork, how: How, rival: Rival) -> Call | None:
    """Inner axes and the outermost one, each the fastest way."""
    if len(work.axes) == 1 or work.out.nbytes < _WORTH:
        return None
    return all_of([planned(each, how.effort, rival) for each in in_two(work)])


_WAYS: tuple[_Way, ...] = _whole, _by_rival, _in_parts, _through_room, _in_two


def _with_factor(call: Call, work: LineWork) -> Call:
    scaling = scaled(work.out, work.factor)
    return call if scaling is None else all_of([call, scaling])


def _seconds(call: Call, caches: int) -> float:
    """The time that a call takes if what it reads is not in caches of so many bytes."""
    np.ones(caches, np.uint8)
    start = perf_counter()
    call()
    return perf_counter() - start
