"""Text files that are written whole or not at all.

Rule: the text goes to a file beside the target, which then takes its place. So a reader finds
the old text or the new one, and what was there stays until the new text is complete.
"""

from pathlib import Path
from secrets import token_hex

from graycube.errors import InvalidValueError


def require_writable(path: str | Path) -> Path:
    """Where the text for a path goes; an error where no file can be.

    What a link names is written, not the link. Pipes and devices are refused: a file would take
    their place.

    >>> require_writable("nowhere/report.html")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: cannot write nowhere/report.html: it must name a file
    in a folder that exists; check the path
    """
    target = Path(path).resolve()
    if not target.parent.is_dir() or (target.exists() and not target.is_file()):
        raise InvalidValueError(
            f"cannot write {path}",
            "it must name a file in a folder that exists",
            "check the path",
        )
    return target


def write_whole(path: str | Path, text: str) -> None:
    """Write a text, all of it or nothing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "page.html", "<p>")
    ...     [entry.name for entry in Path(folder).iterdir()]
    ['page.html']
    """
    target = require_writable(path)
    beside = target.with_name(f".{token_hex(8)}.part")
    file = beside.open("x", encoding="utf-8", newline="\n")  # never that of another writer
    try:
        with file:
            file.write(text)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
