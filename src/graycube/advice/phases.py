"""The phases of a program, as far as they need data of other nodes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from graycube.advice.along import Along, Butterfly, Sort
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import is_power_of_two, require_int, require_ints
from graycube.layout.required import require_axis, require_powers, require_word
from graycube.parsing import require_line
from graycube.stencil.exchange import asked

MAX_FACTOR = 1 << 62
Order = Literal["carried", "reversed", "free"]
MAX_TIMES = 1 << 30


@dataclass(frozen=True, slots=True)
class FFT:
    """Transforms along some axes, one after the other; all axes by default.

    The digits of the output index come out in another order, which the layout carries: that of
    :func:`graycube.fft` with a plan ("carried"), or all "reversed", as the
    butterflies of :func:`graycube.emulation` leave them; if it is "free", nobody minds, and the
    output counts as being in order. All axes are done by the same method: name them one by one
    to let that be chosen for each.

    >>> str(FFT()), str(FFT(axes=(0,)))
    ('fft', 'fft along 0')
    """

    axes: Sequence[int] | None = None
    order: Order = "carried"

    def __post_init__(self) -> None:
        if self.axes is not None:
            object.__setattr__(self, "axes", _axes(self.axes))
        require_word(self.order, get_args(Order), "the order")

    def __str__(self) -> str:
        return "fft" + _along(self.axes)


@dataclass(frozen=True, slots=True)
class Stencil:
    """A stencil that reads ``reach`` neighbours along the axes; see :func:`graycube.halo`.

    >>> str(Stencil()), str(Stencil(reach=(2, (0, 1)))), str(Stencil(stride=4))
    ('stencil of reach 1', 'stencil of reach 2 x 0-1', 'stencil of reach 1 and stride 4')
    """

    reach: int | Sequence[int | tuple[int, int]] = 1
    periodic: bool | Sequence[bool] = True
    corners: bool = False
    stride: int | Sequence[int] = 1

    def __post_init__(self) -> None:
        try:
            for name in ("reach", "periodic", "stride"):
                value = getattr(self, name)
                if isinstance(value, Iterable):
                    entries = tuple(tuple(v) if isinstance(v, Iterable) else v for v in value)
                    object.__setattr__(self, name, entries)
            hash((self.reach, self.periodic, self.corners, self.stride))
        except TypeError:
            raise InvalidTypeError(
                f"the reach is {self.reach!r:.40}, periodic {self.periodic!r:.40}",
                "each must be one value, or a tuple with one for each axis",
                "pass numbers and bools, as to graycube.halo",
            ) from None

    def __str__(self) -> str:
        apart = "" if self.stride == 1 else f" and stride {_by(self.stride)}"
        corners = " with corners" if self.corners else ""
        return f"stencil of reach {_by(self.reach)}{apart}{corners}"


@dataclass(frozen=True, slots=True)
class Transpose:
    """The axes in a new order, reversed by default: what was axis ``axes[k]`` is axis k.

    Nothing moves for it: the layout says where everything is now.

    >>> str(Transpose((1, 2, 0)))
    'transpose to 1, 2, 0'
    """

    axes: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if self.axes is not None:
            object.__setattr__(self, "axes", _axes(self.axes))

    def __str__(self) -> str:
        return "transpose" + (f" to {', '.join(map(str, self.axes))}" if self.axes else "")


@dataclass(frozen=True, slots=True)
class Elementwise:
    """Work on every element alone, wherever it is.

    >>> str(Elementwise())
    'elementwise'
    """

    def __str__(self) -> str:
        return "elementwise"


@dataclass(frozen=True, slots=True)
class Loop:
    """Phases that are repeated; ``name`` is how :meth:`Advice.vary` calls their number.

    >>> print(Loop([Stencil()], times=20, name="steps"))
    20 times (steps): stencil of reach 1
    """

    phases: "Sequence[Phase]"
    times: int = 1
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "phases", require_phases(self.phases))
        times = require_int(self.times, "times", least=0)
        if times > MAX_TIMES:
            raise InvalidValueError(
                f"times is {times}", f"it must be at most {MAX_TIMES}", f"use 0..{MAX_TIMES}"
            )
        object.__setattr__(self, "times", times)
        require_line(self.name, "the name of a loop")

    def __str__(self) -> str:
        name = f" ({self.name})" if self.name else ""
        return f"{self.times} times{name}: {', '.join(map(str, self.phases))}"


@dataclass(frozen=True, slots=True)
class Coarse:
    """Phases on the grid of every ``factor``-th element, as :func:`graycube.coarsen` makes it.

    The factor is a power of two, or one for each axis. The phases are stencils, elementwise
    work, scans, tridiagonal systems, loops of these, and coarser grids: a V-cycle is one
    phase. Before them the grid is coarsened, and gathered where that pays; after them the data
    are where they were.

    >>> print(Coarse(2, [Stencil(), Coarse(2, [Stencil()])]))
    coarse grids by 2
    """

    factor: int | Sequence[int]
    phases: "Sequence[Phase]"

    def __post_init__(self) -> None:
        object.__setattr__(self, "phases", require_phases(self.phases))
        count = len(self.factor) if isinstance(self.factor, Sequence) else 1
        factors = require_powers(self.factor, count, "factor", MAX_FACTOR)
        if isinstance(self.factor, Sequence):
            object.__setattr__(self, "factor", factors)
        kinds = FFT | Transpose | Butterfly | Sort
        moving = [p for p in single_phases(self.phases) if isinstance(p, kinds)]
        if moving:
            raise InvalidValueError(
                f"on a coarse grid there is the phase {str(moving[0])!r}",
                "there may be stencils, elementwise work, scans, tridiagonal systems, loops "
                "and coarser grids",
                "put it before the coarse grid, or after it",
            )

    def __str__(self) -> str:
        factors = [_by(self.factor), *_factors(self.phases)]
        many = "s" * (len(factors) > 1)
        return f"coarse grid{many} by {', '.join(dict.fromkeys(factors))}"


Network = FFT | Butterfly
"""Phases that leave the data where their exchanges end."""
Single = FFT | Stencil | Transpose | Elementwise | Coarse | Along
Phase = Single | Loop


def require_phases(phases: object) -> tuple[Phase, ...]:
    """The phases, if they are some.

    >>> require_phases(FFT())
    (FFT(axes=None, order='carried'),)
    """
    kinds = get_args(Phase)
    listed = (phases,) if isinstance(phases, kinds) else phases
    if not isinstance(listed, Sequence) or not all(isinstance(p, kinds) for p in listed):
        raise InvalidTypeError(
            f"the phases are {phases!r:.60}",
            f"they must be {', '.join(kind.__name__ for kind in kinds)}",
            "pass a list of them, or the path of a workload file",
        )
    return tuple(listed)


def checked(phases: Sequence[Phase], shape: tuple[int, ...]) -> tuple[Phase, ...]:
    """The phases with axes counted from the front, if an array of that shape can have them.

    >>> checked([FFT(axes=(-1,))], (8, 4))
    (FFT(axes=(1,), order='carried'),)
    """
    return tuple(_checked(phase, shape) for phase in phases)


def _checked(phase: Phase, shape: tuple[int, ...]) -> Phase:
    count = len(shape)
    if isinstance(phase, Loop):
        return replace(phase, phases=checked(phase.phases, shape))
    if isinstance(phase, Coarse):
        return replace(phase, phases=checked(phase.phases, _coarse_shape(phase, shape)))
    if isinstance(phase, Along):
        return replace(phase, axis=require_axis(phase.axis, count))
    if isinstance(phase, Stencil):
        asked(count, phase.reach, phase.periodic, phase.corners, 1, phase.stride)
    if isinstance(phase, FFT | Transpose) and phase.axes is not None:
        return replace(phase, axes=_from_the_front(phase, phase.axes, count))
    return phase


def _from_the_front(phase: FFT | Transpose, axes: Sequence[int], count: int) -> tuple[int, ...]:
    inside = all(-count <= axis < count for axis in axes)
    counted = tuple(axis % count for axis in axes)
    if isinstance(phase, Transpose) and not (inside and sorted(counted) == list(range(count))):
        raise InvalidValueError(
            f"the axes of a transpose are {axes}", f"the array has {count}", "name each once"
        )
    if not inside:
        raise OutOfRangeError(
            f"an FFT is along {axes}",
            f"the array has {count} axes",
            f"use {-count}..{count - 1}",
        )
    return counted


def _coarse_shape(phase: Coarse, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The lengths of a coarse grid, if nodes can have equal blocks of it."""
    factors = require_powers(phase.factor, len(shape), "factor", MAX_FACTOR)
    for k, (length, factor) in enumerate(zip(shape, factors, strict=True)):
        if length % factor and not is_power_of_two(length):
            raise InvalidValueError(
                f"the coarse grid takes one in {factor} of {length} elements along axis {k}",
                "a length that is no power of two must be a multiple of the factor",
                f"use at most {length & -length} there, or a length of 2^k",
            )
    return tuple(-(-length // factor) for length, factor in zip(shape, factors, strict=True))


def single_phases(phases: Sequence[Phase]) -> Iterator[Single]:
    """All phases that are no loops, each where it first occurs.

    >>> [str(p) for p in single_phases([Loop([FFT(), Loop([Stencil()])]), Elementwise()])]
    ['fft', 'stencil of reach 1', 'elementwise']
    """
    for phase in phases:
        if isinstance(phase, Loop):
            yield from single_phases(phase.phases)
        else:
            yield phase


def _axes(axes: object) -> tuple[int, ...]:
    listed = (axes,) if isinstance(axes, int) else axes
    if not isinstance(listed, Iterable):
        raise InvalidTypeError(
            f"the axes are {axes!r:.60}",
            "they must be whole numbers",
            "pass a tuple such as (0, 1)",
        )
    return require_ints(listed, "axes")


def _by(entries: object) -> str:
    """One entry, or those of all axes."""
    each = entries if isinstance(entries, Sequence) else (entries,)
    return " x ".join(
        "-".join(map(str, e)) if isinstance(e, Sequence) else str(e) for e in each
    )


def _factors(phases: Sequence[Phase]) -> Iterator[str]:
    """Those of the coarser grids within a coarse one."""
    for phase in phases:
        if isinstance(phase, Coarse):
            yield _by(phase.factor)
        if isinstance(phase, Coarse | Loop):
            yield from _factors(phase.phases)


def _along(axes: Sequence[int] | None) -> str:
    return "" if axes is None else f" along {', '.join(map(str, axes))}"
