"""Where profiles are: the built-in ones, and those that a user saved.

Rules. Saved profiles are the files ``NAME.toml`` in the folders of ``$GRAYCUBE_PROFILES``, else
in ``graycube/profiles`` of ``$XDG_CONFIG_HOME`` or of ``~/.config``. The first folder with the
name counts, and the first of all is written to. A name is made of letters, digits, ``-``, ``_``
and ``.``, so that it cannot leave the folder. A built-in name means the built-in profile.
"""

import os
import re
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from shutil import copyfile
from typing import Any

from graycube.errors import InvalidValueError
from graycube.machine.profile_text import ABOUT, MAX_TEXT, no_profile, parse_profile
from graycube.texts import as_given
from graycube.whole_files import read_text, require_writable, write_whole

_BUILT_IN = files(__package__) / "profiles"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


def profiles() -> list[str]:
    """The names that :meth:`Machine.profile` knows, the built-in ones first.

    >>> profiles()[:4]
    ['cm2', 'dgx-h100', 'dgx-h100-cluster', 'hdr100-cluster']
    """
    return [*_built_in(), *_saved()]


def is_built_in(name: object) -> bool:
    """Whether it is the name of a profile that graycube itself has.

    >>> is_built_in("cm2"), is_built_in("our-cluster")
    (True, False)
    """
    return name in _built_in()


def read_profile(name: str) -> tuple[dict[str, Any], str]:
    """The machine's entries in the profile of that name, and where they come from.

    >>> read_profile("ipsc2")[0]["switching"]
    'circuit'
    """
    content, where = _read(name)
    return {key: content[key] for key in content if key not in ABOUT}, where


def read_measured(name: str) -> tuple[list[dict[str, Any]], str]:
    """The measurements in the profile of that name, and where they come from.

    >>> read_measured("ipsc2")
    ([], 'ipsc2.toml')
    """
    content, where = _read(name)
    return content.get("measured", []), where


def read_source(name: str) -> str:
    """Where the figures of the profile of that name come from.

    >>> read_source("ipsc2")
    'TR-20-92 section 3.4, predicted break-even'
    """
    return str(_read(name)[0]["source"])


def _read(name: str) -> tuple[dict[str, Any], str]:
    """What the profile of that name says, and where it is."""
    is_text = isinstance(name, str)
    if is_text and name in _built_in():
        where = f"{name}.toml"
        return parse_profile((_BUILT_IN / where).read_text(encoding="utf-8"), where), where
    folder = _saved().get(name) if is_text else None
    if folder is None:
        raise InvalidValueError(
            f"the profile is {as_given(name, 70)}",
            f"the known ones are {', '.join(profiles())}",
            "choose one of them, measure and save one with calibrate, or build a Machine;"
            " GRAYCUBE_PROFILES names the folders of saved ones",
        )
    path = folder / f"{name}.toml"
    return parse_profile(_text(path), str(path)), str(path)


def place_for(name: object) -> Path:
    """The file that a profile of that name will be, in a folder that is there from then on.

    >>> place_for("ipsc1")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the name is 'ipsc1': it is that of a built-in profile;
    choose another name
    """
    required = require_name(name)
    folder = next(iter(_folders()), None)
    if folder is None:
        raise InvalidValueError(
            "there is no home folder", "profiles are saved in it", "set GRAYCUBE_PROFILES"
        )
    target = folder / f"{required}.toml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot("write", target, error) from None
    if not os.access(require_writable(target).parent, os.W_OK):
        raise _cannot("write", target, PermissionError())
    return target


def write_profile(name: str, text: str) -> Path:
    """Write a profile, all of it or nothing.

    >>> write_profile("../ours", "dims = 3")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the name is '../ours': it must be up to 64 letters,
    digits, '-', '_' and '.', the first no '-' or '.'; choose a name such as 'our-cluster'
    """
    target = place_for(name)
    try:
        write_whole(target, text)
    except OSError as error:
        raise _cannot("write", target, error) from None
    return target


def set_aside(name: str) -> Path | None:
    """Copy what will be written over to a file beside it; ``None`` if nothing is there.

    >>> set_aside("nobody-saved-this")
    """
    folder = _saved().get(name)
    if folder is None or folder != _folders()[0]:
        return None
    saved, kept = folder / f"{name}.toml", folder / f"{name}.toml.before"
    try:
        copyfile(saved, kept)
    except OSError as error:
        raise _cannot("copy", saved, error) from None
    return kept


def require_name(name: object) -> str:
    """The name, if a profile can be saved under it.

    >>> require_name("our-cluster")
    'our-cluster'
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidValueError(
            f"the name is {as_given(name, 70)}",
            "it must be up to 64 letters, digits, '-', '_' and '.', the first no '-' or '.'",
            "choose a name such as 'our-cluster'",
        )
    if name in _built_in():
        raise InvalidValueError(
            f"the name is {name!r}",
            "it is that of a built-in profile",
            "choose another name",
        )
    return name


@cache
def _built_in() -> tuple[str, ...]:
    names = (entry.name for entry in _BUILT_IN.iterdir())
    return tuple(sorted(x.removesuffix(".toml") for x in names if x.endswith(".toml")))


def _saved() -> dict[str, Path]:
    """The names of files that may be profiles, in order, and the folder of each.

    What is in them is checked when one is read.
    """
    folders: dict[str, Path] = {}
    for folder in _folders():
        for name in _names(folder):
            folders.setdefault(name, folder)
    usable = {*filter(_NAME.fullmatch, folders)} - {*_built_in()}
    return {name: folders[name] for name in sorted(usable)}


def _names(folder: Path) -> list[str]:
    try:
        found = [entry.name for entry in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _cannot("read", folder, error) from None
    return [entry.removesuffix(".toml") for entry in found if entry.endswith(".toml")]


def _folders() -> list[Path]:
    """Where saved profiles are; nowhere for a user without a home."""
    if chosen := os.environ.get("GRAYCUBE_PROFILES"):
        return [Path(folder) for folder in chosen.split(os.pathsep) if folder]
    config = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    if not config.is_absolute():  # the specification: relative ones are ignored
        try:
            config = Path.home() / ".config"
        except RuntimeError:
            return []
    return [config / "graycube" / "profiles"]


def _text(path: Path) -> str:
    """What a saved profile holds; a pipe would let us wait for whoever writes to it."""
    refuse = partial(no_profile, str(path))
    try:
        if not path.is_file():
            raise refuse("it is no file")
        return read_text(path, MAX_TEXT, refuse)
    except OSError as error:
        raise _cannot("read", path, error) from None


def _cannot(what: str, path: Path, error: OSError) -> InvalidValueError:
    return InvalidValueError(
        f"cannot {what} {path}",
        error.strerror or "the system refuses",
        "check it, or set GRAYCUBE_PROFILES to another folder",
    )
