"""Amounts as people type them: ``64KiB``, ``1.5MB``, ``4096``, ``64x32``."""

import re
from fractions import Fraction

import click

_UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
_AMOUNT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*([a-z]*)", re.IGNORECASE)


def as_amount(text: str) -> tuple[int, bool]:
    """A number, or a number of bytes: how many, and whether they are bytes.

    >>> as_amount("64KiB"), as_amount("4096")
    ((65536, True), (4096, False))
    """
    found = _AMOUNT.fullmatch(text.strip())
    unit = found[2].lower() if found else ""
    if found is None or (unit and unit not in _UNITS):
        raise click.BadParameter(f"{text!r:.60} is no amount: write 4096, 64KiB or 1.5MB")
    number = Fraction(found[1]) * _UNITS.get(unit, 1)
    if number.denominator != 1:
        raise click.BadParameter(f"{text!r:.60} is no whole number: write 4096, 64KiB or 1.5MB")
    return int(number), bool(unit)


def as_amounts(text: str) -> tuple[int, ...]:
    """Amounts of bytes.

    >>> as_amounts("8,64KiB")
    (8, 65536)
    """
    return tuple(as_amount(part)[0] for part in text.split(","))


def as_lengths(text: str) -> tuple[int, ...]:
    """Lengths of axes.

    >>> as_lengths("64x32")
    (64, 32)
    """
    return tuple(map(int, _parts(text, "[0-9]{1,18}", "no shape: write 64x32")))


def as_sides(text: str) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """Sides of a torus or mesh, and which of them are joined.

    >>> as_sides("4x16o")
    ((4, 16), (True, False))
    """
    parts = _parts(text, "[0-9]{1,18}o?", "no mesh or torus: write 4x4, or 8x16o")
    joined = (not part.endswith("o") for part in parts)
    return tuple(int(part.rstrip("o")) for part in parts), tuple(joined)


def _parts(text: str, pattern: str, told: str) -> list[str]:
    parts = text.lower().replace(",", "x").split("x")
    if not all(re.fullmatch(pattern, part) for part in parts):
        raise click.BadParameter(f"{text!r:.60} is {told}")
    return parts


def as_figures(text: str) -> tuple[float, ...]:
    """Seconds: one figure, or one for each dimension.

    >>> as_figures("1e-6,5e-6")
    (1e-06, 5e-06)
    """
    try:
        return tuple(map(float, text.split(",")))
    except ValueError:
        told = f"{text!r:.60} is no number of seconds: write 2e-6, or 1e-6,5e-6"
        raise click.BadParameter(told) from None


def as_loads(text: str) -> tuple[float, ...]:
    """Bytes: one amount, or one for each axis.

    >>> as_loads("1e6,64KiB,0")
    (1000000.0, 65536.0, 0.0)
    """
    return tuple(map(_bytes, text.split(",")))


def _bytes(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        found = _AMOUNT.fullmatch(text.strip())
    if found is None or found[2].lower() not in _UNITS:
        told = f"{text!r:.60} is no number of bytes: write 1e6, 64KiB or 1.5MB"
        raise click.BadParameter(told)
    return float(found[1]) * _UNITS[found[2].lower()]
