"""What readers ask of a JSON value: keys, types and sizes, before anything is built."""

from typing import Any

import numpy as np

from graycube.errors import GraycubeError, InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Matrix
from graycube.gf2.exchange import MAX_BITS
from graycube.schedule.moves import COLUMNS
from graycube.schedule.task import MAX_COUNT
from graycube.schedule.way import Delay, Step

MAX_HOPS = 1 << 12
"""Most steps of a way that are read: proofs compare them."""
MAX_DELIVERIES = 1 << 20
"""Most maps that send everything somewhere times the square of the dimensions."""


def keys(entry: object, names: set[str], what: str) -> dict[str, Any]:
    """The object, if it has these keys and no others."""
    mapping: dict[str, Any] = typed(entry, dict, f"the {what}")
    if set(mapping) != names:
        wrong = min(set(mapping) ^ names)
        raise malformed(
            f"the {what} has the keys {sorted(mapping)[:9]}; look at {wrong[:40]!r} "
            f"(it needs {', '.join(sorted(names))})"
        )
    return mapping


def typed(value: object, kind: type, what: str) -> Any:  # noqa: ANN401 - checked right here
    """The value, if it is of this type."""
    if not isinstance(value, kind):
        raise malformed(f"{what} is {str(value)[:40]!r}, not a {kind.__name__}")
    return value


def number(value: object, what: str, limit: int = MAX_COUNT + 1) -> int:
    """The value, if it is an integer below the limit."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < limit:
        most = limit - 1 if limit <= MAX_COUNT + 1 else f"2^{limit.bit_length() - 1} - 1"
        raise malformed(f"{what} is {str(value)[:40]}, not an integer from 0 to {most}")
    return value


def numbers(entry: object, what: str, limit: int = 1 << MAX_BITS) -> tuple[int, ...]:
    """The integers of a list."""
    return tuple(number(value, what, limit) for value in typed(entry, list, f"the {what}"))


def exchange_of(entry: object) -> Exchange:
    """The exchange of a text."""
    return Exchange.parse(typed(entry, str, "an exchange"))


def delays_of(entry: object, names: tuple[str, str]) -> tuple[Delay, ...]:
    """The delays of a list; the keys are called so, and ``want``."""
    found = []
    for one in typed(entry, list, "the delays"):
        late = keys(one, {*names, "want"}, "delay")
        mask = number(late[names[1]], "a mask", 1 << MAX_BITS)
        cycles, want = number(late[names[0]], "a delay"), number(late["want"], "want", 2)
        found.append(Delay(cycles, mask, want))
    return tuple(found)


def map_of(entry: object, what: str) -> AffineMap:
    """The affine map of its columns and constant."""
    written = keys(entry, {"columns", "constant"}, what)
    columns = typed(written["columns"], list, "the columns")
    if len(columns) > MAX_BITS:
        raise malformed(f"the {what} has {len(columns)} columns")
    limit = 1 << len(columns)
    matrix = Matrix(tuple(number(c, "a column", limit) for c in columns), len(columns))
    return AffineMap(matrix, number(written["constant"], "the constant", limit))


def pattern_of(entry: object, bits: int, what: str) -> tuple[int, int]:
    """Mask and value of a pattern such as ``"1."``, the highest bit first."""
    pattern = typed(entry, str, f"the {what} of a way")
    if len(pattern) != bits or set(pattern) - set("01."):
        raise malformed(f"the {what} {pattern[:40]!r} are not {bits} times 0, 1 or .")
    mask = int("0" + pattern.replace("0", "1").replace(".", "0"), 2)
    return mask, int("0" + pattern.replace(".", "0"), 2)


def stage_of(entry: object) -> Step:
    """The step of a stage."""
    return Step(stage=number(keys(entry, {"stage"}, "step")["stage"], "a stage", MAX_BITS))


def span_of(entry: object) -> tuple[int, int]:
    """The first and last position of a way."""
    bounds = typed(entry, list, "the elements")
    if len(bounds) != 2:
        raise malformed("the elements are not [start, stop]")
    return number(bounds[0], "start"), number(bounds[1], "stop")


def column_of(entry: object, name: str) -> Any:  # noqa: ANN401 - Moves makes it an array
    """A column of moves."""
    largest = np.iinfo(COLUMNS[name]).max
    column = [number(value, name) for value in typed(entry, list, f"the column {name}")]
    if max(column, default=0) > largest:
        raise malformed(f"a {name} of {max(column)} does not fit {np.dtype(COLUMNS[name])}")
    return column


def limit(what: str, count: int, most: int) -> None:
    """Refuse what would take minutes to prove; no schedule that graycube makes is near."""
    if count > most:
        raise InvalidValueError(
            f"there are {count} {what}", f"at most {most} are read", "write a shorter schedule"
        )


def malformed(why: str) -> GraycubeError:
    """The error of a text that is no schedule."""
    return InvalidValueError(
        f"the file is no schedule: {why}", "it must follow its grammar", "see docs/format.md"
    )
