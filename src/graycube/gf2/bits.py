"""Bit vectors as Python integers."""

from collections.abc import Iterable, Iterator
from operator import index
from typing import Any, SupportsIndex

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.texts import as_given, in_digits


def require_int(x: SupportsIndex, what: str, least: int | None = None) -> int:
    """``x`` as a Python integer, NumPy's integers included; the errors name ``what``.

    >>> require_int(3.0, "the number of nodes")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: the number of nodes is 3.0: it must be an integer; pass
    an int
    """
    if type(x) is int and (least is None or x >= least):  # nearly always
        return x
    try:
        number = None if isinstance(x, bool) else index(x)
    except TypeError:
        number = None
    if number is None:
        found = f"{what} is {as_given(x)}"
        raise InvalidTypeError(found, "it must be an integer", "pass an int")
    if least is not None and number < least:
        raise InvalidValueError(
            f"{what} is {in_digits(number)}",
            f"it must be at least {least}",
            f"use {least} or more",
        )
    return number


def require_ints(x: SupportsIndex | Iterable[SupportsIndex], what: str) -> tuple[int, ...]:
    """A tuple of integers; one integer stands for a tuple of one, as in NumPy's shapes.

    >>> require_ints(8, "shape"), require_ints([8, 4], "shape")
    ((8,), (8, 4))
    """
    try:
        entries: tuple[Any, ...] = tuple(x)  # type: ignore[arg-type]
    except TypeError:  # an array of no axes is no sequence
        entries = (x,)
    if set(map(type, entries)) <= {int}:
        return entries
    return tuple(require_int(entry, f"{what}[{k}]") for k, entry in enumerate(entries))


def parity(x: int) -> int:
    """Sum of the bits of x modulo 2.

    >>> parity(0b1011), parity(0b11)
    (1, 0)
    """
    return x.bit_count() & 1


def bit_indices(x: int) -> Iterator[int]:
    """Positions of the ones of x, lowest first.

    >>> list(bit_indices(0b10110))
    [1, 2, 4]
    """
    while x:
        low = x & -x
        yield low.bit_length() - 1
        x ^= low


def is_power_of_two(x: int) -> bool:
    """Whether x is 1, 2, 4, 8, ...

    >>> [k for k in range(10) if is_power_of_two(k)]
    [1, 2, 4, 8]
    """
    return x > 0 and x & (x - 1) == 0


def log2_exact(x: int, what: str) -> int:
    """The k with 2^k == x; the error names ``what`` and the nearest powers of two.

    >>> log2_exact(64, "the number of nodes")
    6
    >>> log2_exact(6, "the number of nodes")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the number of nodes is 6: it must be a power of two;
    the nearest are 4 and 8
    """
    if is_power_of_two(x):
        return x.bit_length() - 1
    near = "the smallest is 1"
    if x > 0:
        low = 1 << x.bit_length() - 1
        near = f"the nearest are {in_digits(low)} and {in_digits(2 * low)}"
    raise InvalidValueError(f"{what} is {in_digits(x)}", "it must be a power of two", near)
