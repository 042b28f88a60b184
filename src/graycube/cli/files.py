"""Files that verbs read, and those that they must not write."""

from pathlib import Path

import graycube as gc


def read_plan(path: Path) -> gc.Plan:
    """The plan in a file.

    >>> read_plan(Path("nowhere.json"))
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: cannot read nowhere.json: No such file or directory;
    check the path, or make a plan: graycube plan --help
    """
    try:
        return gc.load_plan(path)
    except OSError as error:
        raise gc.InvalidValueError(
            f"cannot read {path}",
            error.strerror or "the system refuses",
            "check the path, or make a plan: graycube plan --help",
        ) from error


def is_certificate(path: Path) -> bool:
    """Whether a file says that it is a certificate.

    >>> is_certificate(Path("nowhere.json"))
    False
    """
    if not path.is_file():  # a pipe can be read once
        return False
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return "graycube certificate" in file.read(100)
    except OSError:
        return False


def require_new(path: Path, *read: Path) -> None:
    """Refuse to write over what was read.

    >>> require_new(Path("plan.html"), Path("plan.json"))
    """
    if path.exists() and any(path.samefile(file) for file in read):
        raise gc.InvalidValueError(
            f"{path} is the plan itself", "the page is another file", "say -o plan.html"
        )
