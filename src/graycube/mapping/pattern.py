"""What ranks send to one another: the pairs of places, and the bytes of each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import log2_exact, require_ints
from graycube.machine.figures import is_number
from graycube.texts import as_given, in_digits

MOST_PAIRS = 1 << 24
"""Most pairs of places that are counted."""
MOST_AXES = 64
"""As many as arrays of NumPy's have."""
MOST_SENT = 1e100
"""No pair sends more bytes: then no link works for ever, however slow it is."""
Weights = float | Sequence[float]
_LIMIT = f"it must be finite and >= 0, and at most {MOST_SENT:g}"
_Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Pattern:
    """Bytes from each place to others; places of a mesh are numbered in C order.

    >>> halo = Pattern.mesh((4, 4), neighbours=1.0)
    >>> halo
    <Pattern of 4 x 4 places: 64 pairs>
    >>> both = halo + Pattern.mesh((4, 4), all_to_all=(0.0, 2.0))
    >>> len(both.nbytes), both.nbytes.sum()
    (112, np.float64(160.0))
    >>> (10 * halo).nbytes.sum()  # ten times in a step
    np.float64(640.0)
    """

    shape: tuple[int, ...]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    nbytes: NDArray[np.float64]
    __array_ufunc__ = None  # NumPy's numbers ask here what a product with them is

    def __repr__(self) -> str:
        places = " x ".join(map(str, self.shape))
        return f"<Pattern of {places} places: {len(self.nbytes)} pairs>"

    def __add__(self, other: "Pattern") -> "Pattern":
        if not isinstance(other, Pattern):
            return NotImplemented
        if other.shape != self.shape:
            raise InvalidValueError(
                f"a pattern of {other.shape} places is added to one of {self.shape}",
                "both are of one mesh",
                "give both the same shape",
            )
        parts = ((self.source, other.source), (self.target, other.target))
        source, target = map(np.concatenate, parts)
        return Pattern(self.shape, source, target, np.concatenate([self.nbytes, other.nbytes]))

    def __mul__(self, times: float) -> "Pattern":
        if not is_number(times):
            return NotImplemented
        (weight,) = _each(times, 1, "the number of times")
        nbytes = weight * self.nbytes
        if (heaviest := nbytes.max(initial=0.0)) > MOST_SENT:
            raise InvalidValueError(
                f"a pair sends {heaviest:g} bytes", _LIMIT, "take the pattern fewer times"
            )
        return replace(self, nbytes=nbytes)

    __rmul__ = __mul__

    @property
    def places(self) -> int:
        """How many there are.

        >>> Pattern.mesh((4, 2), butterflies=1.0).places
        8
        """
        return prod(self.shape)

    @classmethod
    def mesh(
        cls,
        shape: int | Sequence[int],
        *,
        neighbours: Weights | None = None,
        butterflies: Weights | None = None,
        all_to_all: Weights | None = None,
        periodic: bool | Sequence[bool] = True,
    ) -> "Pattern":
        """What the ranks of a mesh send: bytes a message, one figure or one for each axis.

        Each rank sends to its two ``neighbours`` along an axis, to those whose place along it
        differs in one bit (``butterflies``), or to all others along it. The first and the last
        along an axis are neighbours if it is ``periodic``: one word, or one for each axis.
        Without any figure it is a byte to each neighbour.

        >>> Pattern.mesh((8,)).nbytes.sum()
        np.float64(16.0)
        >>> Pattern.mesh((8,), neighbours=3.0, periodic=False).nbytes.sum()
        np.float64(42.0)
        >>> Pattern.mesh((4, 2), neighbours=1.0, periodic=(False, True)).nbytes.sum()
        np.float64(28.0)
        """
        lengths = _lengths(shape)
        rings = _rings(periodic, len(lengths))
        if neighbours is butterflies is all_to_all is None:
            neighbours = 1.0
        kinds: tuple[tuple[str, Weights | None, Callable[[int], Iterator[_Pairs]]], ...] = (
            ("neighbours", neighbours, lambda k: _neighbours(lengths[k], periodic=rings[k])),
            ("butterflies", butterflies, lambda k: _butterflies(lengths[k])),
            ("all_to_all", all_to_all, lambda k: _all_to_all(lengths[k])),
        )
        _require_few(prod(lengths))
        numbers, pairs_so_far = np.arange(prod(lengths)).reshape(lengths), 0
        sources, targets, amounts = [], [], []
        for name, weights, pairs in kinds:
            given = 0.0 if weights is None else weights
            for axis, weight in enumerate(_each(given, len(lengths), name)):
                for ahead, behind in pairs(axis) if weight else ():
                    pairs_so_far += numbers.size // lengths[axis] * len(ahead)
                    _require_few(pairs_so_far)
                    lines = np.moveaxis(numbers, axis, 0)
                    sources.append(lines[ahead].ravel())
                    targets.append(lines[behind].ravel())
                    amounts.append(np.full(sources[-1].size, weight))
        empty = np.zeros(0, np.int64)
        return cls(
            lengths,
            np.concatenate([empty, *sources]),
            np.concatenate([empty, *targets]),
            np.concatenate([empty.astype(float), *amounts]),
        )

    @classmethod
    def matrix(cls, nbytes: ArrayLike, shape: int | Sequence[int] | None = None) -> "Pattern":
        """What a program was seen to send: row i has the bytes from place i to each other.

        What a place has for itself is not sent, and does not count. ``shape`` is the mesh that
        the places are, if they are one.

        >>> Pattern.matrix([[0, 5], [7, 0]]).nbytes.tolist()
        [5.0, 7.0]
        """
        try:
            table = np.asarray(nbytes)
        except ValueError:  # rows that are not as long as each other
            table = np.zeros(0)
        if table.ndim != 2 or table.shape[0] != table.shape[1] or table.dtype.kind not in "iuf":
            raise InvalidValueError(
                f"the matrix has shape {table.shape} and dtype {table.dtype}"
                if table.size
                else f"the matrix is {as_given(nbytes)}",
                "it has a row and a column of numbers for each place",
                "pass the bytes from each rank to each rank",
            )
        most = np.float64(MOST_SENT)  # in single precision it is infinite
        if not np.all((table >= 0) & (table <= most)):
            raise InvalidValueError(
                "the matrix has entries that are no numbers of bytes",
                f"each {_LIMIT.removeprefix('it ')}",
                "pass bytes",
            )
        lengths = _lengths(len(table) if shape is None else shape)
        if prod(lengths) != len(table):
            raise InvalidValueError(
                f"the mesh {as_given(lengths)} has {in_digits(prod(lengths))} places",
                f"the matrix has {len(table)}",
                "give a mesh of as many places",
            )
        source, target = np.nonzero(table)
        apart = source != target
        source, target = source[apart], target[apart]
        _require_few(len(source))
        return cls(lengths, source, target, table[source, target].astype(float))


def _lengths(shape: int | Sequence[int]) -> tuple[int, ...]:
    lengths = require_ints(shape, "the mesh")
    if not 1 <= len(lengths) <= MOST_AXES or any(length < 1 for length in lengths):
        raise InvalidValueError(
            f"the mesh is ({', '.join(map(in_digits, lengths)):.60})",
            f"it must have places, along 1 to {MOST_AXES} axes",
            "use a mesh such as (4, 4)",
        )
    return lengths


def _neighbours(length: int, *, periodic: bool) -> Iterator[_Pairs]:
    places = np.arange(length)
    for step in (1, -1):
        other = places + step
        inside = np.ones(length, bool) if periodic else (other >= 0) & (other < length)
        inside &= other % length != places
        yield places[inside], other[inside] % length


def _butterflies(length: int) -> Iterator[_Pairs]:
    places = np.arange(length)
    for bit in range(log2_exact(length, "an axis with butterflies")):
        yield places, places ^ 1 << bit


def _all_to_all(length: int) -> Iterator[_Pairs]:
    places = np.arange(length)
    for step in range(1, length):
        yield places, (places + step) % length


def _rings(periodic: Any, axes: int) -> Sequence[bool]:  # noqa: ANN401 - checked here
    given = periodic.tolist() if isinstance(periodic, np.ndarray) else periodic
    each = given if isinstance(given, list | tuple) else [given] * axes
    if len(each) != axes or not all(isinstance(one, bool | np.bool_) for one in each):
        raise InvalidValueError(
            f"periodic is {as_given(periodic)}",
            f"the mesh has {axes} axes, and each is periodic or not",
            "give True or False, or one for each axis",
        )
    return [bool(one) for one in each]


def _each(weights: Any, axes: int, name: str) -> Sequence[float]:  # noqa: ANN401 - checked here
    given = weights.tolist() if isinstance(weights, np.ndarray) else weights
    each = given if isinstance(given, list | tuple) else [given] * axes
    if len(each) != axes:
        raise InvalidValueError(
            f"{name} has {len(each)} figures",
            f"the mesh has {axes} axes",
            "give one figure, or one for each axis",
        )
    for one in each:
        weight = one.item() if isinstance(one, np.floating) else one  # of Python's precision
        if not is_number(weight):
            raise InvalidTypeError(
                f"{name} is {as_given(weight, 40)}", "it is a number of bytes", "pass bytes"
            )
        if not 0 <= weight <= MOST_SENT:  # type: ignore[operator] # reals compare
            raise InvalidValueError(f"{name} is {in_digits(weight)}", _LIMIT, "pass bytes")
    return [float(weight) for weight in each]


def _require_few(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        raise InvalidValueError(
            f"the pattern has {in_digits(pairs)} places or pairs, or more",
            f"at most {MOST_PAIRS} are counted",
            "place a part of the machine, or count fewer kinds of messages",
        )
