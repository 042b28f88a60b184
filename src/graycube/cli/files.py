"""Files that verbs read, and those that they must not write."""

from collections.abc import Iterable
from pathlib import Path

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.planning import Plan
from graycube.planning.files import read_plan_text
from graycube.whole_files import require_writable


def read_plan(path: Path) -> gc.Plan:
    """The plan in a file.

    >>> read_plan(Path("nowhere.json"))
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: cannot read nowhere.json: No such file or directory;
    check the path, or make a plan: graycube plan --help
    """
    return Plan.from_text(text_of(path), path)


def text_of(path: Path) -> str:
    """The text of a file that may be a plan or a certificate; a pipe can be read once."""
    try:
        return read_plan_text(path)
    except OSError as error:
        raise InvalidValueError(
            f"cannot read {path}",
            error.strerror or "the system refuses",
            "check the path, or make a plan: graycube plan --help",
        ) from error


def require_new(paths: Iterable[Path | None], *read: Path) -> None:
    """Refuse to write over what was read, two texts in one file, and what can be no file.

    >>> require_new([Path("plan.html"), Path("moves.csv")], Path("plan.json"))
    """
    seen = set[Path]()
    for path in filter(None, paths):
        if str(path) == "-":  # as many programs call standard output
            raise InvalidValueError(
                "the file to write is -", "files do not go to standard output", "name a file"
            )
        target = require_writable(path)
        if target.exists() and any(target.samefile(file) for file in read):
            raise InvalidValueError(
                f"{path} is the plan itself",
                "what is written is another file",
                "say -o plan.html, or another name",
            )
        if target in seen:
            raise InvalidValueError(
                f"two options write {path}", "a file has one text", "name a file for each"
            )
        seen.add(target)
