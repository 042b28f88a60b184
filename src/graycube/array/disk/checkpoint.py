"""Checkpoints: several arrays and what belongs to them, whole or not there.

Rule: each is a folder of its own, a generation, and a small file says which one counts. That
file is replaced at once when all ranks have written everything, and it is on the disk. So
whenever a program is killed, or the power is cut, what was there before can be loaded.
Generations that do not count go with the next one.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import Any, TypeVar

from graycube.array.cube_array import CubeArray
from graycube.array.disk.archive import load_zarr, need_zarr, plain_number, save_zarr
from graycube.array.disk.meanwhile import undisturbed
from graycube.array.ranks import spread, together
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout import Layout
from graycube.layout.placement import Placement
from graycube.parsing import parsed_json
from graycube.run.agreement import Facts
from graycube.run.mpi import Comm
from graycube.texts import as_given
from graycube.whole_files import read_text, require_path, settled, write_whole

_T = TypeVar("_T")
_POINTER = "current.json"
_GENERATION = re.compile(r"[0-9a-f]{16}\.generation")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
MOST = 1 << 20
"""Bytes of names and attributes at most."""


@dataclass(frozen=True)
class Checkpoint:
    """A folder with the last state of a program; all methods are collective.

    >>> import tempfile
    >>> u = CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2, "gray"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state = Checkpoint(folder)
    ...     state.save({"u": u}, {"time": 0.25})
    ...     again = state.load(Layout.nodes(2))
    ...     again["u"].blocks.ravel(), state.attributes()
    (array([5, 6, 7, 8]), {'time': 0.25})
    """

    folder: str | Path
    comm: Comm | None = None

    def __post_init__(self) -> None:
        need_zarr()  # now, and not after the hours until the first state is saved

    def save(
        self, arrays: Mapping[str, CubeArray], attributes: Mapping[str, Any] | None = None
    ) -> None:
        """Write arrays by their names, and what JSON can write; then it counts."""
        over = spread(self.comm)
        first = over is None or over.rank == 0

        def begin() -> tuple[tuple[str, str], Facts]:
            folder = self._path
            _require_arrays(arrays, self.comm)
            text = _written(f"{token_hex(8)}.generation", [*arrays], attributes or {})
            if first:
                _make(folder, json.loads(text)["generation"])
            facts = {"folder": self.folder, "names": [*arrays], "attributes": attributes}
            return (json.loads(text)["generation"], text), facts

        generation, text = together(self.comm, begin)
        if over is not None:
            generation, text = over.bcast((generation, text))
        for name, a in arrays.items():
            save_zarr(self._path / generation / f"{name}.zarr", a)

        def finish() -> tuple[None, Facts]:
            if first:
                settled(self._path)
                settled(self._path.resolve().parent)
                write_whole(self._path / _POINTER, text)
                for old in self._path.iterdir():
                    if _GENERATION.fullmatch(old.name) and old.name != generation:
                        rmtree(old, ignore_errors=True)
            return None, {}

        together(self.comm, finish)

    def load(self, layouts: Layout | Mapping[str, Layout]) -> dict[str, CubeArray]:
        """The arrays that were saved last, each in its layout by name, or all in one."""

        def begin() -> tuple[tuple[Path, list[str]], Facts]:
            generation, names, _ = self._current()
            wanted = names if isinstance(layouts, Placement) else [*layouts]
            if missing := [name for name in wanted if name not in names]:
                raise InvalidValueError(
                    f"the checkpoint {self.folder} has no array {missing[0]!r:.60}",
                    f"it has {', '.join(names)}",
                    "name one of these",
                )
            folder = self._path / generation
            if gone := [name for name in wanted if not (folder / f"{name}.zarr").exists()]:
                raise self._refused(f"{gone[0]} is gone")
            return (folder, wanted), {"generation": generation, "names": wanted}

        def read() -> dict[str, CubeArray]:
            folder, names = together(self.comm, begin)
            each = dict.fromkeys(names, layouts) if isinstance(layouts, Placement) else layouts
            return {
                name: CubeArray(
                    load_zarr(folder / f"{name}.zarr", each[name], self.comm),
                    each[name],
                    self.comm,
                )
                for name in names
            }

        return self._undisturbed(read)

    def attributes(self) -> dict[str, Any]:
        """What was saved beside the arrays."""

        def read() -> tuple[dict[str, Any], Facts]:
            generation, _, attributes = self._current()
            return attributes, {"generation": generation}

        return self._undisturbed(lambda: together(self.comm, read))

    def exists(self) -> bool:
        """Whether anything was saved, so that a program can go on from there.

        >>> Checkpoint("nowhere").exists()
        False
        """

        def look() -> tuple[bool, Facts]:
            found = (self._path / _POINTER).exists()
            return found, {"found": found}

        return together(self.comm, look)

    @property
    def _path(self) -> Path:
        return require_path(self.folder)

    def _undisturbed(self, read: Callable[[], _T]) -> _T:
        """What is read of one state: the files of an older one go when another counts."""
        return undisturbed(f"{self.folder}/{_POINTER}", self.comm, read)

    def _current(self) -> tuple[str, list[str], dict[str, Any]]:
        """The generation that counts, the names of its arrays, and its attributes."""
        path = self._path / _POINTER
        if not path.exists():
            raise self._refused("nothing has been saved there")
        content = parsed_json(read_text(path, 2 * MOST, self._refused), self._refused)
        match content:
            case {"generation": str(word), "arrays": [*names], "attributes": dict(attributes)}:
                fine = _GENERATION.fullmatch(word) and all(map(_is_name, names))
                if fine:
                    return word, names, attributes
        raise self._refused(f"{_POINTER} is not as it was written")

    def _refused(self, why: str) -> InvalidValueError:
        return InvalidValueError(
            f"{self.folder} cannot be read as a checkpoint ({why})",
            "it must be the folder of a Checkpoint that was saved",
            "check the path, or begin without one",
        )


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(_NAME.fullmatch(name))


def _make(folder: Path, generation: str) -> None:
    """Make the folder, if it is new, and that of a generation."""
    try:
        folder.mkdir(exist_ok=True)
        (folder / generation).mkdir()
    except OSError as error:
        raise InvalidValueError(
            f"cannot write the checkpoint {folder} ({error.strerror})",
            "it must be a folder, or the name of one in a folder that exists",
            "check the path",
        ) from None


def _require_arrays(arrays: object, comm: Comm | None) -> None:
    if not isinstance(arrays, Mapping):
        raise InvalidTypeError(
            f"what is to be saved is a {type(arrays).__name__}",
            "a checkpoint has arrays by their names",
            'pass a dictionary, such as {"u": u}',
        )
    for name, a in arrays.items():
        _require_array(name, a, comm)


def _require_array(name: object, a: object, comm: Comm | None) -> None:
    if not _is_name(name):
        raise InvalidValueError(
            f"an array is named {name!r:.60}",
            "names have letters, digits, and _ . - after the first",
            "choose another name",
        )
    if not isinstance(a, CubeArray) or a.comm is not comm:
        raise InvalidTypeError(
            f"{name} is a {type(a).__name__}",
            "a checkpoint has arrays of its own communicator",
            "pass a CubeArray, or make the Checkpoint with its comm",
        )


def _written(generation: str, names: list[str], attributes: Mapping[str, Any]) -> str:
    try:
        content = {"generation": generation, "arrays": names, "attributes": {**attributes}}
        text = json.dumps(content, indent=1, allow_nan=False, default=plain_number)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(
            f"the attributes are {as_given(attributes, 80)} ({error})",
            "they must be numbers, texts, lists and dictionaries that JSON can write",
            "convert them, with float() or tolist()",
        ) from None
    if len(text) > MOST:
        raise InvalidValueError(
            f"the attributes have {len(text)} characters",
            f"at most {MOST} are read again",
            "save them as an array",
        )
    parsed_json(text, _not_again)  # else this state would count, and could not be loaded
    return text


def _not_again(why: str) -> InvalidValueError:
    return InvalidValueError(
        f"the attributes cannot be read again ({why})",
        "their keys are different texts, and they are not deep",
        "rename a key, or save fewer",
    )
