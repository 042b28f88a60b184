"""Figures of a machine: one for all dimensions, or one for each, dimension 0 first."""

from collections.abc import Sequence
from math import inf
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import require_int
from graycube.texts import as_given, in_digits

Costs = float | tuple[float, ...]
Counts = int | tuple[int, ...]
MOST_NODES = 1 << 256
MOST_SECONDS = 1e100
"""No figure is larger: then no sum of bytes, rounds and nodes is infinite."""
MOST_BYTES = 1 << 512
"""Nor is any message longer."""


def least(figures: Costs) -> float:
    """The least of them.

    >>> least((3.0, 1.0)), least(2.0)
    (1.0, 2.0)
    """
    return min(figures) if isinstance(figures, tuple) else figures


def most(figures: Costs) -> float:
    """The largest of them.

    >>> most((3.0, 1.0)), most(2.0)
    (3.0, 2.0)
    """
    return max(figures) if isinstance(figures, tuple) else figures


def bits_of(lengths: Sequence[int], name: str, otherwise: str) -> list[int]:
    """The bits of each length.

    >>> bits_of((4, 8), "side", "Interconnect.torus")
    [2, 3]
    """
    for k, length in enumerate(lengths):
        if not 1 <= length <= MOST_NODES or length & length - 1:
            raise InvalidValueError(
                f"{name} {k} is {in_digits(length)}",
                "plans are for powers of two, up to 2^256",
                f"take one, or place ranks on a graycube.{otherwise}, which needs none",
            )
    return [length.bit_length() - 1 for length in lengths]


def lowest(figures: Costs, dims: int) -> Costs:
    """Those of so many dimensions, the lowest ones.

    >>> lowest((3.0, 1.0, 4.0), 2), lowest(2.0, 2)
    ((3.0, 1.0), 2.0)
    """
    return figures[:dims] or least(figures) if isinstance(figures, tuple) else figures


def repeated(counts: tuple[int, ...], dims: int) -> Counts:
    """Those of so many dimensions, the lowest ones; more than there are have the last again.

    >>> repeated((3, 1), 1), repeated((1, 1), 3), repeated((1, 1), 0)
    ((3,), (1, 1, 1), 1)
    """
    return (counts + counts[-1:] * dims)[:dims] or 1


def require_ports(value: Any, dims: int) -> Counts:  # noqa: ANN401 - checked here
    """Numbers of links that a node uses at once.

    >>> require_ports([1, 2], dims=2)
    (1, 2)
    """
    top = max(dims, 1)
    limit = f"a node of a {dims}-cube has 1..{top} ports"
    return _counts(value, "ports (or 'all')", dims, (top, limit, ", or 'all'"))


def require_share(value: Any, dims: int) -> Counts:  # noqa: ANN401 - checked here
    """Numbers of nodes that share something.

    >>> require_share(1, dims=2)
    1
    """
    limit = f"it must be 1..{1 << dims}, as many as nodes"
    return _counts(value, "share", dims, (1 << dims, limit, ""))


def require_costs(value: object, name: str, dims: int) -> Costs:
    """Seconds; those that all agree are one.

    >>> require_costs([2, 2], "startup", dims=2)
    2.0
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, tuple | list):
        return require_cost(value, name)
    _require_each(value, name, dims)
    named = ((one, f"{name} of dimension {d}") for d, one in enumerate(value))
    costs = tuple(require_cost(one, called) for one, called in named)
    return costs if len(set(costs)) > 1 else costs[0]


def is_number(value: object) -> TypeGuard[Real]:
    """Whether it is a real number; to NumPy a length of time is one, too.

    >>> is_number(np.float32(3)), is_number(True), is_number(np.timedelta64(3, "ms"))
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool | np.timedelta64)


def require_cost(value: object, name: str) -> float:
    """A number of seconds; NumPy's numbers become Python's, so that files can hold them.

    >>> require_cost(3, "startup")
    3.0
    """
    if not is_number(value):
        found = f"{name} is {as_given(value)}"
        raise InvalidTypeError(found, "it must be a number", "pass seconds")
    try:
        seconds = float(value)
    except OverflowError:  # an integer
        seconds = inf
    if not 0 <= seconds <= MOST_SECONDS:
        raise InvalidValueError(
            f"{name} is {in_digits(value)[:40]}",
            f"it must be finite and >= 0, and at most {MOST_SECONDS:g}",
            "pass seconds",
        )
    return seconds


def require_bytes(nbytes: int) -> int:
    """The length of a message.

    >>> require_bytes(8)
    8
    """
    number = require_int(nbytes, "nbytes", least=0)
    if number > MOST_BYTES:
        raise InvalidValueError(
            f"nbytes is {in_digits(number)}",
            "it must be at most 2^512",
            "take a shorter message",
        )
    return number


def _counts(value: Any, name: str, dims: int, range_of: tuple[int, str, str]) -> Counts:  # noqa: ANN401
    given = value.tolist() if isinstance(value, np.ndarray) else value
    each = isinstance(given, tuple | list)
    if each:
        _require_each(given, name, dims)
    names = [f"{name} of dimension {d}" for d in range(dims)] if each else [name]
    ones = zip(given if each else [given], names, strict=True)
    counts = tuple(require_int(one, called) for one, called in ones)
    top, limit, other = range_of
    for count in counts:
        if not 1 <= count <= top:
            raise InvalidValueError(
                f"{name.partition(' ')[0]} is {in_digits(count)}",
                limit,
                f"use a number in that range{other}",
            )
    return counts if each else counts[0]


def _require_each(given: Sequence[object], name: str, dims: int) -> None:
    if len(given) != dims or not dims:
        raise InvalidValueError(
            f"{name.partition(' ')[0]} has {len(given)} figures",
            f"the machine has {dims} dimensions",
            "give one figure, or one for each dimension, dimension 0 first",
        )
