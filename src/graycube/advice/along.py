"""The phases that work along one axis, but for transforms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graycube.errors import InvalidValueError
from graycube.gf2 import require_int, require_ints
from graycube.layout.required import require_flag

MAX_SIDES = 1 << 30


@dataclass(frozen=True, slots=True)
class Butterfly:
    """A butterfly network along an axis; see :func:`graycube.butterfly`.

    The stages are those of ``bits``, in this order; by default all, from the highest down. With
    "any" they are all, in whichever order is cheapest: so it is with :func:`graycube.hadamard`.

    >>> str(Butterfly()), str(Butterfly(0, bits=[0, 1])), str(Butterfly(1, "any"))
    ('butterfly along -1', 'butterfly of bits 0, 1 along 0', 'butterfly in any order along 1')
    """

    axis: int = -1
    bits: Sequence[int] | Literal["any"] | None = None

    def __post_init__(self) -> None:
        _require_axis(self)
        if isinstance(self.bits, str) and self.bits != "any":
            raise InvalidValueError(
                f"bits is {self.bits!r:.40}", "they are numbers, or 'any'", "leave it out"
            )
        if self.bits is not None and self.bits != "any":
            object.__setattr__(self, "bits", require_ints(self.bits, "bits"))

    def __str__(self) -> str:
        stages = f" of bits {', '.join(map(str, self.bits))}" if self.bits else ""
        return f"butterfly{' in any order' if self.bits == 'any' else stages} along {self.axis}"


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan along an axis, such as :func:`graycube.cumsum`; see :func:`graycube.scan`.

    >>> str(Scan(0))
    'scan along 0'
    """

    axis: int

    def __post_init__(self) -> None:
        _require_axis(self)

    def __str__(self) -> str:
        return f"scan along {self.axis}"


@dataclass(frozen=True, slots=True)
class Sort:
    """The lines of an axis sorted, whose keys are in random order; see :func:`graycube.sort`.

    >>> str(Sort())
    'sort along -1'
    """

    axis: int = -1

    def __post_init__(self) -> None:
        _require_axis(self)

    def __str__(self) -> str:
        return f"sort along {self.axis}"


@dataclass(frozen=True, slots=True)
class Tridiagonal:
    """Tridiagonal systems along an axis; see :func:`graycube.solve_tridiagonal`.

    An element has so many right ``sides``. The coefficients have its axes, and one number each.

    >>> str(Tridiagonal(0)), str(Tridiagonal(0, periodic=True, sides=3))
    ('tridiagonal along 0', 'tridiagonal, periodic, of 3 sides along 0')
    """

    axis: int = -1
    periodic: bool = False
    sides: int = 1

    def __post_init__(self) -> None:
        _require_axis(self)
        require_flag(self.periodic, "periodic")
        object.__setattr__(self, "sides", require_int(self.sides, "sides", least=1))
        if self.sides > MAX_SIDES:
            raise InvalidValueError(
                f"sides is {str(self.sides)[:40]}",
                f"at most {MAX_SIDES}",
                "solve them in several calls",
            )

    def __str__(self) -> str:
        ring = ", periodic," if self.periodic else ""
        many = f" of {self.sides} sides" if self.sides > 1 else ""
        return f"tridiagonal{ring}{many} along {self.axis}"


Along = Butterfly | Scan | Sort | Tridiagonal


def _require_axis(phase: Along) -> None:
    object.__setattr__(phase, "axis", require_int(phase.axis, "axis"))
