"""Amounts as people type them: ``64KiB``, ``1.5MB``, ``4096``, ``64x32``."""

import re
from fractions import Fraction

import click

_UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
_AMOUNT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*([a-z]*)", re.IGNORECASE)


class Amount(click.ParamType[tuple[int, bool]]):
    """A number, or a number of bytes: (how many, whether they are bytes).

    >>> Amount().convert("64KiB", None, None), Amount().convert("4096", None, None)
    ((65536, True), (4096, False))
    """

    name = "number, or bytes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, bool]:
        """The amount of a text."""
        found = _AMOUNT.fullmatch(str(value).strip())
        unit = found[2].lower() if found else ""
        if found is None or (unit and unit not in _UNITS):
            self.fail(f"{value!r} is no amount: write 4096, 64KiB or 1.5MB", param, ctx)
        amount = Fraction(found[1]) * _UNITS.get(unit, 1)
        if amount.denominator != 1:
            self.fail(f"{value!r} is no whole number: write 4096, 64KiB or 1.5MB", param, ctx)
        return int(amount), bool(unit)


class Shape(click.ParamType[tuple[int, ...]]):
    """Lengths of axes.

    >>> Shape().convert("64x32", None, None)
    (64, 32)
    """

    name = "lengths"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The lengths of a text."""
        parts = str(value).lower().replace(",", "x").split("x")
        if not all(re.fullmatch("[0-9]{1,18}", part) for part in parts):
            self.fail(f"{value!r} is no shape: write 64x32", param, ctx)
        return tuple(map(int, parts))


class Sides(click.ParamType[tuple[tuple[int, ...], tuple[bool, ...]]]):
    """Sides of a torus or mesh, and which of them are joined.

    >>> Sides().convert("4x16o", None, None)
    ((4, 16), (True, False))
    """

    name = "sides"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[int, ...], tuple[bool, ...]]:
        """The sides of a text."""
        parts = str(value).lower().replace(",", "x").split("x")
        if not all(re.fullmatch("[0-9]{1,18}o?", part) for part in parts):
            self.fail(f"{value!r:.60} is no mesh or torus: write 4x4, or 8x16o", param, ctx)
        return tuple(int(part.rstrip("o")) for part in parts), tuple(
            not part.endswith("o") for part in parts
        )


class Figures(click.ParamType[tuple[float, ...]]):
    """Seconds: one figure, or one for each dimension.

    >>> Figures().convert("1e-6,5e-6", None, None)
    (1e-06, 5e-06)
    """

    name = "seconds"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """The figures of a text."""
        try:
            return tuple(float(part) for part in str(value).split(","))
        except ValueError:
            self.fail(
                f"{value!r:.60} is no number of seconds: write 2e-6, or 1e-6,5e-6", param, ctx
            )


class Loads(click.ParamType[tuple[float, ...]]):
    """Bytes: one amount, or one for each axis.

    >>> Loads().convert("1e6,64KiB,0", None, None)
    (1000000.0, 65536.0, 0.0)
    """

    name = "bytes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """The amounts of a text."""
        return tuple(self._bytes(part, param, ctx) for part in str(value).split(","))

    def _bytes(
        self, part: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            return float(part)
        except ValueError:
            found = _AMOUNT.fullmatch(part.strip())
        if found is None or found[2].lower() not in _UNITS:
            self.fail(
                f"{part!r:.60} is no number of bytes: write 1e6, 64KiB or 1.5MB", param, ctx
            )
        return float(found[1]) * _UNITS[found[2].lower()]


class Sizes(click.ParamType[tuple[int, ...]]):
    """Amounts of bytes.

    >>> Sizes().convert("8,64KiB", None, None)
    (8, 65536)
    """

    name = "bytes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The amounts of a text."""
        return tuple(Amount().convert(part, param, ctx)[0] for part in str(value).split(","))
