"""Machines saved as profiles."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.machine.interconnect import Interconnect
from graycube.machine.model import Machine
from graycube.machine.profile_text import MAX_TEXT, parse_profile, profile_text
from graycube.machine.profiles import read_profile, require_name, write_profile
from graycube.texts import as_given

Row = Mapping[str, str | int | float]
_LATER = {"per_row": 0.0, "share": 1, "sides": (), "joined": (), "nested": False}
"""What files leave out where it is as usual, so that older versions read the rest."""


def save_profile(
    machine: Machine | Interconnect,
    name: str,
    *,
    source: str,
    error: Mapping[str, float] | None = None,
    measured: Iterable[Row] = (),
) -> Path:
    """Save a machine where :meth:`Machine.profile` or :meth:`Interconnect.profile` finds it.

    ``source`` says where its figures come from, ``error`` has the "median" and the "worst"
    relative error of the model, and ``measured`` its measurements. A saved profile of the same
    name is replaced.

    >>> import os, tempfile
    >>> from unittest.mock import patch
    >>> machine = Machine(dims=4, startup=1e-6, per_byte=1e-10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with patch.dict(os.environ, GRAYCUBE_PROFILES=folder):
    ...         path = save_profile(machine, "ours", source="its data sheet")
    ...         path.name, Machine.profile("ours") == machine
    ('ours.toml', True)
    """
    if not isinstance(machine, Machine | Interconnect):
        raise InvalidTypeError(
            f"the machine is {as_given(machine)}",
            "it must be a Machine or an Interconnect",
            "build one with Machine(dims=...), or Interconnect.tree((8, 12))",
        )
    require_name(name)
    if isinstance(machine, Interconnect):
        Interconnect.checked(**asdict(machine))
    content: dict[str, Any] = {"source": source, **_said(machine)}
    if error is not None:
        content["error"] = dict(error)
    content["measured"] = [dict(row) for row in measured]
    text = _text(content)
    parse_profile(text, f"what is to be saved as {name!r}")
    if len(text.encode()) > MAX_TEXT:
        raise InvalidValueError(
            f"the profile has {len(text.encode())} bytes",
            f"at most {MAX_TEXT} are read",
            "save fewer measurements",
        )
    return write_profile(name, text)


def machine_named(name: str) -> Machine | Interconnect:
    """The machine or interconnect of that name, built in or saved.

    >>> machine_named("cm2").dims
    12
    """
    entries, _ = read_profile(name)
    return Interconnect.profile(name) if "sizes" in entries else Machine.profile(name)


def entries_of(machine: Machine | Interconnect) -> dict[str, Any]:
    """What files say of a machine.

    >>> ["per_row" in entries_of(Machine(2, per_row=seconds)) for seconds in (0.0, 1e-9)]
    [False, True]
    """
    found = asdict(machine)
    return {key: x for key, x in found.items() if key not in _LATER or x != _LATER[key]}


def _text(content: Mapping[str, Any]) -> str:
    try:
        return profile_text(content)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(
            f"a value of the profile is one that files cannot hold ({error})",
            "texts and Python's own numbers can be saved",
            "convert with float(x) or int(x)",
        ) from None


def _said(machine: Machine | Interconnect) -> dict[str, Any]:
    entries = entries_of(machine)
    return {k: v for k, v in entries.items() if v is not None and k != "name"}
