"""Calls of transforms that legs carry out.

Rules.

1. What follows from what is asked for is remembered, as is that nothing was wrong with it.
2. A call begins at once. All ranks agree on the way, at their first crossing. What is wrong on
   one rank is raised on all there.
3. What a call gives is a new array: the next call does not write into it. What was made ready
   to write it stays with its memory. So a call like one before only makes its beginning, which
   reads another array.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any, NoReturn

import numpy as np

from graycube.array import CubeArray
from graycube.array.held import require_array
from graycube.array.moving import of_kind
from graycube.array.ranks import facts_of, spread, together
from graycube.fourier.along import KEPT
from graycube.fourier.arguments import Norm, Wanted, complex_dtype, delivered, facts_of_out
from graycube.fourier.carried import Legs
from graycube.fourier.carriers import Alone, carrier, room
from graycube.fourier.choice import as_in, begun_in, legs_of
from graycube.fourier.engine import effort_of_fftw
from graycube.fourier.fftw import Effort
from graycube.fourier.legs import AnyLeg, Blocks
from graycube.fourier.passes import LONGEST_PLANNED
from graycube.host import threads
from graycube.layout import Ownership
from graycube.layout.placement import Placement
from graycube.run.agreement import Facts, Told, agreed, different
from graycube.run.mpi import Comm, Private, memory_of
from graycube.run.reused import apart, components_last, kept_with, lent
from graycube.run.windows import windows_of

_SAME = {type(None), int, str}
_Asked = tuple[Wanted, Told]


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    """What follows from what is asked for.

    The layout that legs begin in, the legs, what ranks tell each other, the bytes, and what all
    is multiplied by in the end.
    """

    layout: Placement
    legs: tuple[AnyLeg, ...]
    facts: Told
    room: int
    factor: float | np.longdouble


def called(  # noqa: PLR0913, PLR0917
    a: CubeArray,
    what: str,
    given: tuple[object, ...],
    check: Callable[[], Wanted],
    out: CubeArray | None,
    without: Callable[[Wanted], CubeArray],
) -> CubeArray:
    """What legs make of an array, or what ``without`` makes if there are none; collective.

    ``check`` looks at what is ``given`` with the array: it raises whatever is wrong.

    >>> from graycube.layout import Layout
    >>> a = CubeArray.from_numpy([1, 2], Layout.nodes(1))
    >>> called(a, "a test", (), lambda: Wanted((0,), (2,)), None, lambda asked: asked.points)
    (2,)
    """
    require_array(a, "a transform")
    comm = spread(a.comm)
    known = memory_of(comm)
    effort = effort_of_fftw()

    def asked() -> _Asked:
        wanted, where = check(), tuple(facts_of_out(out).items())
        return wanted, _facts(what, a.layout, a.dtype, a.payload, wanted, where, effort)

    try:
        if _plain(given) and _usual(a, out):
            key = what, given, _kind(a), None if out is None else _kind(out), effort
            call = known.remembered(key, lambda: _call_of(a, out, *asked()), 4 * KEPT, "calls")
        else:
            call = _call_of(a, out, *asked())
    except Exception as error:
        if comm is not None:  # the other ranks have to hear of any
            tell(comm, error)
        raise
    made = None if call is None else _carried(a, comm, known, call, out)
    return without(together(comm, asked)) if made is None else made


def _usual(a: CubeArray, out: CubeArray | None) -> bool:
    """Whether nothing is wrong with what is given as ``out`` but what its kind says."""
    return out is None or (
        type(out) is CubeArray and out.comm is a.comm and out.blocks.flags.writeable
    )


def _kind(a: CubeArray) -> Hashable:
    return a.layout, a.dtype, a.payload


def _call_of(a: CubeArray, out: CubeArray | None, asked: Wanted, facts: Told) -> _Call | None:
    """What follows for an array, if legs can do it."""
    layout, legs, factor = legs_for(a, asked, None if out is None else out.layout)
    if legs is None:
        return None
    comm = spread(a.comm)
    needed = room(legs, 1 if comm is None else comm.size, prod(a.payload))
    return _Call(layout, legs, facts, needed, factor)


def legs_for(
    a: CubeArray, asked: Wanted, end: Placement | None
) -> tuple[Placement, tuple[AnyLeg, ...] | None, float | np.longdouble]:
    """Where legs begin that do it to an array, the legs if there are some, and a factor.

    All nodes that are here have one block together then.

    >>> from graycube.layout import Layout
    >>> a = CubeArray.from_numpy([1, 2], Layout.nodes(1))
    >>> legs_for(a, Wanted((0,), (2,)), end=None)[1:]
    (None, 1.0)
    """
    asked, factor = as_planned(asked)
    layout, legs = begun_in(a.layout, asked), None
    if a.size and (len(a.nodes) == 1 or isinstance(layout, Ownership)):
        legs = legs_of(layout, complex_dtype(a.dtype), a.nodes, asked, end)
    return layout, legs, factor


def as_planned(asked: Wanted) -> tuple[Wanted, float | np.longdouble]:
    """What is left to ask of the legs, and a factor: FFTW scales nothing, so one pass does.

    Its plans are for longer lines, too.

    >>> as_planned(Wanted((0,), (4,), inverse=True))[1]  # not by FFTW
    1.0
    """
    if effort_of_fftw() is None:
        return asked, 1.0
    norm: Norm = "forward" if asked.inverse else "backward"
    plain = replace(asked, norm=norm, longest=LONGEST_PLANNED)
    return plain, np.longdouble(prod(asked.points)) ** (-asked.scaling / 2)


def _plain(given: tuple[object, ...]) -> bool:
    """Whether what equals it is the same: 1.0 and True equal 1, and a list may change."""
    for x in given:
        if type(x) not in _SAME and not (type(x) is tuple and _plain(x)):
            return False
    return True


def tell(comm: Comm, error: Exception) -> NoReturn:
    """Raise an error of this rank on all, whatever they call at the moment; collective.

    >>> def program(comm):
    ...     try:
    ...         steps = open(f"steps of {comm.rank}")
    ...     except OSError as error:
    ...         tell(comm, error)
    """

    def fail() -> tuple[None, Facts]:
        raise error

    agreed(comm, fail)
    raise AssertionError(error)


@lru_cache(maxsize=16 * KEPT)
def _facts(  # noqa: PLR0913, PLR0917 - all that ranks have to have alike
    what: str,
    layout: Placement,
    dtype: "np.dtype[Any]",
    payload: tuple[int, ...],
    asked: Wanted,
    out: tuple[tuple[str, object], ...],
    effort: Effort | None,
) -> Told:
    """What ranks tell each other of a call."""
    facts = {
        **facts_of(what, layout, np.empty((0, 0, *payload), dtype)),
        "axes": asked.axes,
        "norm": asked.norm,
        "number of points": asked.points,
        "waves": asked.waves,
        "order": "natural" if asked.back else "any",
        "fftw": effort,
        **dict(out),
    }
    return Told(facts)


def _takes(out: CubeArray, layout: Placement, dtype: "np.dtype[Any]") -> bool:
    """Whether a result may be written straight into an array."""
    same = (as_in(layout, out.layout, out.nodes), out.dtype) == (layout, dtype)
    return same and out.blocks.flags.writeable


def _carried(
    a: CubeArray, over: Comm | None, known: Private, call: _Call, out: CubeArray | None
) -> CubeArray | None:
    """What legs make, in a new array or where it is wanted; None if nothing carries them."""
    if call.layout is not a.layout:
        a = of_kind(a, call.layout)
    shared = None if over is None else windows_of(known)
    legs, facts = call.legs, call.facts
    if shared is not None and shared.asks(call.room):
        if not shared.meet((0, *facts.digest)):
            raise different(known.comm, facts)
        shared.reserve(call.room)
    layout, dtype = legs[-1].layout, legs[-1].dtype

    def into(target: Blocks) -> Legs | None:
        way = Alone() if over is None else carrier(over, legs, prod(a.payload))
        if way is None:
            return None
        return Legs(legs, way, known, target, facts, factor=call.factor)

    there = out if out is not None and _takes(out, layout, dtype) else None
    key = legs, facts.digest, threads()
    try:
        if there is not None:
            made = there.blocks
            program = kept_with(known, there, key, lambda: into(made))
        else:
            made, program = _new(known, (1, legs[-1].rows), dtype, a.blocks, key, into)
        if program is None:
            return None
        ready = program.ready(a.blocks)
    except Exception as error:
        if over is None:
            raise
        tell(over, error)
    program.run(ready)
    return delivered(a.with_blocks(made, layout), out) if there is None else there


def _new(  # noqa: PLR0913, PLR0917
    known: Private,
    rows: tuple[int, int],
    dtype: "np.dtype[Any]",
    like: Blocks,
    key: Hashable,
    into: Callable[[Blocks], Legs | None],
) -> tuple[Blocks, Legs | None]:
    """A new array for rows, and what writes into it; components lie as those of a source."""
    payload = like.shape[2:]
    if not (payload and apart(like)):
        return lent(known, (*rows, *payload), dtype, key, into)
    room, program = lent(
        known, (*payload, *rows), dtype, (key, apart), lambda x: into(components_last(x))
    )
    return components_last(room), program
