"""Profiles as TOML text: read with every key and value checked, and written.

Rules. A profile says where its figures come from (``source``) and what a machine is; with
``sizes`` it is an interconnect. A measured one may add how well the model fits (``error``) and
the measurements (``measured``).
"""

import json
from collections.abc import Mapping
from functools import partial
from math import isfinite
from typing import Any

from graycube.errors import InvalidValueError
from graycube.parsing import parsed_toml
from graycube.texts import LONGEST_NAME, is_name

MAX_TEXT = 1 << 16  # bytes of a file
MAX_LINE = 500  # characters; the time to read a dotted key grows with its square
NEEDED = {"source", "dims", "ports", "switching", "startup", "per_byte"}
SHARED = {"share", "sides", "joined", "nested"}
MACHINE = NEEDED - {"source"} | {"packet", "arithmetic", "per_row"} | SHARED
INTERCONNECT = {"sizes", "per_byte", "joined"}
ABOUT = {"source", "error", "measured"}
ERROR = {"median", "worst"}
ROW = {"kind", "count", "nbytes", "seconds", "spread", "predicted"}


def parse_profile(text: str, where: str) -> dict[str, Any]:
    """All entries; those of a machine or interconnect check their values themselves.

    >>> text = 'source = "a guess"; dims = 2; ports = 1; switching = "circuit"; startup = 1'
    >>> sorted(parse_profile((text + "; per_byte = 0.5").replace("; ", chr(10)), "here"))
    ['dims', 'per_byte', 'ports', 'source', 'startup', 'switching']
    >>> parse_profile("dims = 2", "here")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: here is no profile: the key 'per_byte' is missing; see
    docs/calibration.md, or calibrate again
    """
    content = parsed_toml(text, MAX_LINE, partial(no_profile, where))
    if "sizes" in content:
        _require_keys(content, INTERCONNECT | ABOUT, {"source", "per_byte"}, where)
    else:
        _require_keys(content, MACHINE | ABOUT, NEEDED, where)
    _check_source(content["source"], where)
    if "error" in content:
        _check_table(content["error"], ERROR, where)
    rows = content.get("measured", [])
    if not isinstance(rows, list):
        raise no_profile(where, "measured is no list of tables")
    for row in rows:
        _check_table(row, ROW, where)
    return content


def profile_text(content: Mapping[str, Any]) -> str:
    """The text of a profile: plain keys first, then the table and the rows.

    >>> print(profile_text({"dims": 2, "startup": 1e-6, "error": {"median": 0.5}}), end="")
    dims = 2
    startup = 1e-06
    <BLANKLINE>
    [error]
    median = 0.5
    """
    plain = {k: v for k, v in content.items() if k not in ("error", "measured")}
    blocks = [_lines(plain)]
    if "error" in content:
        blocks.append("[error]\n" + _lines(content["error"]))
    blocks += ["[[measured]]\n" + _lines(row) for row in content.get("measured", ())]
    return "\n".join(blocks)


def no_profile(where: str, why: str) -> InvalidValueError:
    """The error for a file that cannot be used.

    >>> print(no_profile("x.toml", "it is empty"))
    x.toml is no profile: it is empty; see docs/calibration.md, or calibrate again
    """
    return InvalidValueError(
        f"{where} is no profile", why, "see docs/calibration.md, or calibrate again"
    )


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in table.items()
    )


def _require_keys(table: object, allowed: set[str], needed: set[str], where: str) -> None:
    if not isinstance(table, dict):
        raise no_profile(where, f"{str(table)[:40]!r} is no table")
    for key in sorted(table.keys() - allowed):
        known = ", ".join(sorted(allowed))
        raise no_profile(where, f"the key {key[:40]!r} is unknown (the known ones are {known})")
    for key in sorted(needed - table.keys()):
        raise no_profile(where, f"the key {key!r} is missing")


def _check_source(source: object, where: str) -> None:
    if not isinstance(source, str) or not is_name(source):
        raise no_profile(where, f"its source is no line of up to {LONGEST_NAME} characters")


def _check_table(table: object, keys: set[str], where: str) -> None:
    """Numbers, and for a row the kind of what was measured."""
    _require_keys(table, keys, keys, where)
    for key, value in table.items():  # type: ignore[attr-defined] # the line above checks
        fits = isinstance(value, str) if key == "kind" else _is_amount(value)
        if not fits:
            raise no_profile(where, f"{key} is {str(value)[:40]!r}")


def _is_amount(value: object) -> bool:
    """Whether it is a number that can be counted or timed."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value >= 0 and (isinstance(value, int) or isfinite(value))
