"""Functions bound to arrays: everything is made once, and then they only run."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from inspect import signature
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from graycube.array import CubeArray
from graycube.array.held import require_array
from graycube.array.moving import of_kind
from graycube.array.ranks import facts_of, spread, together
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.arguments import (
    Wanted,
    facts_of_out,
    points_of,
    require_out,
    wanted,
)
from graycube.fourier.calls import legs_for
from graycube.fourier.carried import Legs, relaid_legs
from graycube.fourier.carriers import Alone, carrier
from graycube.fourier.choice import as_in
from graycube.fourier.engine import by_fftw, effort_of_fftw, require_effort
from graycube.fourier.fftw import Effort
from graycube.fourier.real import irfft, irfft2, irfftn, rfft, rfft2, rfftn
from graycube.fourier.transform import fft, fft2, fftn, ifft, ifft2, ifftn
from graycube.fourier.waves import points_wanted, to_points, to_waves, waves_wanted
from graycube.layout import Layout
from graycube.layout.in_bits import in_order
from graycube.run import private
from graycube.run.mpi import nothing_yet

if TYPE_CHECKING:
    from graycube.fourier.legs import AnyLeg, Blocks

_Function = Callable[..., CubeArray]
_INVERSE: dict[_Function, bool] = {
    **dict.fromkeys((fft, fft2, fftn, rfft, rfft2, rfftn), False),
    **dict.fromkeys((ifft, ifft2, ifftn, irfft, irfft2, irfftn), True),
}
_REAL: tuple[_Function, ...] = (rfft, rfft2, rfftn, irfft, irfft2, irfftn)
_WANTED: dict[_Function, Callable[..., Wanted]] = {
    to_points: points_wanted,
    to_waves: waves_wanted,
}
_READ = {"a", "axis", "axes", "norm", "order", "n", "s"}  # what legs are made from


class BoundCall:
    """A function bound to its array and its result; :func:`bind` makes one.

    >>> x = CubeArray.from_numpy(np.ones(4), Layout.cyclic(2, 1))
    >>> bound = bind(fft, x)
    >>> x.blocks[...] = 2
    >>> bound.run() is bound.result, bound.result.to_numpy().real.tolist()
    (True, [8.0, 0.0, 0.0, 0.0])
    >>> bound
    <BoundCall of fft, with result <CubeArray (4,) complex128 on 2 nodes: (b1 || b0)>>
    >>> bound.free()
    """

    def __init__(
        self, name: str, call: Callable[[], CubeArray], result: CubeArray, program: Legs | None
    ) -> None:
        self.result = result
        self._name, self._call, self._program = name, call, program

    def __repr__(self) -> str:
        return f"<BoundCall of {self._name}, with result {self.result!r}>"

    def run(self) -> CubeArray:
        """Do it with what is in the array now; collective. It gives the one result."""
        if self._program is None:
            np.copyto(self.result.blocks, self._call().blocks)
        else:
            self._program.run()
        return self.result

    def free(self) -> None:
        """Let go of all but the result; :meth:`run` cannot be called any more."""
        asks = self._program is None or self._program.asks
        self._program = None  # others who run it wait for this rank, if they ask
        self._call = partial(together, self.result.comm if asks else None, _freed)


def _freed() -> NoReturn:
    raise InvalidValueError(
        "this transform was freed", "what it works with is gone", "bind it again"
    )


def bind(
    function: _Function,
    a: CubeArray,
    *args: Any,  # noqa: ANN401 - those of the function
    out: CubeArray | None = None,
    fftw: Effort | None = None,
    **options: Any,  # noqa: ANN401
) -> BoundCall:
    """A function of an array, bound to that array and its result: plan once, run many.

    The function is a transform of this package, or ``CubeArray.relayout``; then come its own
    arguments. It is called once, so all is checked, and the result is there at once: in
    ``out``, an array of its shape and dtype in any layout, or in a new one. If that is in the
    memory of ``a``, fill it afterwards. Collective, and so is ``run``.

    A run is the work and one exchange of blocks now and then, by memory that ranks share or by
    messages. On the way ranks tell each other whether all run the same. A run is a call of the
    function for the transforms of SciPy's names, such as ``dct``, where an axis stays over
    nodes that have blocks of different sizes, and where axes in bits are cut or padded
    (``n=``, ``s=``).

    With ``fftw="measure"``, or another effort of its planner, FFTW transforms the lines (extra
    ``fftw``). It tries for some seconds what is fastest here. So ranks, and jobs, may come to
    other ways, and results to other last digits. Within :func:`by_fftw` its effort holds.

    >>> u = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 1)))
    >>> forward = bind(rfftn, u)
    >>> back = bind(irfftn, forward.result, out=u)
    >>> for _ in range(3):
    ...     spectrum = forward.run().blocks  # work on this in place
    ...     spectrum *= 2
    ...     u = back.run()
    >>> u.to_numpy().diagonal().tolist()
    [8.0, 8.0, 8.0, 8.0]
    """
    require_array(a, "a transform")
    args = tuple(map(_kept, args))
    options = {name: _kept(given) for name, given in options.items()}
    fftw = effort_of_fftw() if fftw is None else fftw
    facts = {**facts_of("bind", a.layout, a.blocks), "fftw": fftw, **facts_of_out(out)}

    def check() -> tuple[None, dict[str, object]]:
        if not callable(function):
            raise InvalidTypeError(
                f"bind is given {function!r:.60}",
                "it takes a function",
                "write gc.bind(gc.fft, u)",
            )
        require_effort(fftw)
        with suppress(ValueError):  # there are functions that do not say what they take
            signature(function).bind(a, *args, **options)
        return None, facts

    def made_by_it() -> CubeArray:
        with by_fftw(fftw):
            return function(a, *args, **options)

    def call() -> CubeArray:
        found = made_by_it()
        return found if result.layout == found.layout else found.relayout(result.layout)

    together(a.comm, check)
    made = made_by_it()
    result = together(a.comm, lambda: (_result(made, out), facts))

    if result is not made:
        np.copyto(result.blocks, made.relayout(result.layout).blocks)
    arguments = _arguments(function, a, args, options)
    with by_fftw(fftw):
        program = (
            None if arguments is None else _program(function, a, made.layout, result, arguments)
        )
    if program is not None and fftw is not None:
        together(a.comm, lambda: (program.prepared(), facts))
    name = getattr(function, "__name__", "a function")
    return BoundCall(name, call, result, program)


def _kept(given: Any) -> Any:  # noqa: ANN401 - an argument
    """What stays as it was, also where a run is a call: a program may change its list."""
    return tuple(given) if isinstance(given, list) else given


def _result(made: object, out: CubeArray | None) -> CubeArray:
    """The array that results go to."""
    if not isinstance(made, CubeArray):
        raise InvalidTypeError(
            f"the function gives {made!r:.60}",
            "it must give a CubeArray",
            "bind a transform of an array",
        )
    require_out(out, made, made.shape, made.dtype)
    if out is None:
        return made
    if (out.payload, out.dtype) != (made.payload, made.dtype):
        raise InvalidValueError(
            f"out has dtype {out.dtype} and payload {out.payload}",
            f"results are written straight into it, and have {made.dtype} and {made.payload}",
            "make it of that dtype, or call the function with out=, which converts",
        )
    return out


def _arguments(
    function: _Function,
    a: CubeArray,
    args: Sequence[object],
    options: dict[str, object],
) -> dict[str, Any] | None:
    """What is passed, by name, if it is nothing but what legs are made from."""
    if function is CubeArray.relayout:
        plain = len(args) == 1 and not options
        return {"target": args[0]} if plain else None
    if function not in {*_INVERSE, *_WANTED}:
        return None
    given = signature(function).bind(a, *args, **options)
    given.apply_defaults()
    if function in _WANTED:
        return dict(given.arguments)
    known = signature(function).parameters
    other = (name for name in given.arguments if name not in _READ)
    if any(given.arguments[name] is not known[name].default for name in other):
        return None
    return dict(given.arguments)


def _program(
    function: _Function,
    a: CubeArray,
    home: Layout,
    result: CubeArray,
    arguments: dict[str, Any],
) -> Legs | None:
    """The legs of a call, bound; None where there are none."""
    over = spread(a.comm)
    found = _transform(function, a, home, result.layout, arguments) if a.size else None
    if found is None:
        return None
    legs, source, factor = found
    if legs[-1].layout != as_in(legs[-1].layout, result.layout, result.nodes):
        if legs[-1].layout != home:  # they would end elsewhere than the call
            return None
        way = relaid_legs(home, result.layout, result.dtype, a.nodes, first=False)
        if way is None:
            return None
        legs = (*legs, *way)
    how = Alone() if over is None else carrier(over, legs, prod(a.payload))
    if how is None or (over is None and any(leg.crosses is not None for leg in legs)):
        return None
    facts = facts_of(f"bound {function.__name__}", a.layout, a.blocks)
    alike = {**facts, **{name: given for name, given in arguments.items() if given is not a}}
    known = nothing_yet() if over is None else private(over)
    return Legs(legs, how, known, result.blocks, alike, source, factor=factor)


def _transform(
    function: _Function,
    a: CubeArray,
    home: Layout,
    end: Layout,
    arguments: dict[str, Any],
) -> "tuple[tuple[AnyLeg, ...], Blocks, float | np.longdouble] | None":
    """The legs of a call, what they read, and what all is multiplied by in the end."""
    several = len(a.nodes) > 1  # in one process
    if "target" in arguments:
        way = None if several else relaid_legs(a.layout, home, a.dtype, a.nodes, first=True)
        return None if way is None else (way, a.blocks, 1.0)
    layout, legs, factor = legs_for(a, _asked(function, a, arguments), end)
    if layout != a.layout and (several or not in_order(a.layout)):  # each run would copy it
        return None
    return None if legs is None else (legs, of_kind(a, layout).blocks, factor)


def _asked(function: _Function, a: CubeArray, arguments: dict[str, Any]) -> Wanted:
    """What is asked for."""
    if function in _WANTED:
        return _WANTED[function](**arguments)
    given = dict(arguments)
    if "axis" in given:
        given |= {"axes": (given["axis"],), "s": points_of(given.get("n"))}
    rest = {name: given[name] for name in ("axes", "norm", "order", "s") if name in given}
    return wanted(a, **rest, inverse=_INVERSE[function], real=function in _REAL)
