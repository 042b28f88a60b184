"""Text files: written whole or not at all, and read within a limit.

Rules. A text goes to a file beside the target, which then takes its place. So a reader finds
the old text or the new one, and what was there stays until the new text is complete. It is on
the disk before it takes the place, and the folder is after it: a power cut loses nothing. Of a
file or a pipe no more is read than a text may have; devices, which may never end, are refused.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from stat import S_ISFIFO, S_ISREG

from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.texts import as_given


def require_path(path: object) -> Path:
    """What names a file, as a path.

    >>> require_path(3)
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: the path is 3: it names a file; pass a str or a
    pathlib.Path
    """
    told = f"the path is {as_given(path)}"
    try:
        found = Path(path)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidTypeError(
            told, "it names a file", "pass a str or a pathlib.Path"
        ) from None
    if "\0" in str(found):
        raise InvalidValueError(told, "no name of a file has a zero in it", "leave it out")
    return found


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
    target = Path(os.path.realpath(require_path(path)))  # of a link to itself it is the link
    if not target.parent.is_dir() or (target.exists() and not target.is_file()):
        raise InvalidValueError(
            f"cannot write {path}",
            "it must name a file in a folder that exists",
            "check the path"
            if not target.exists()
            else "this is a folder, a pipe or a device: choose another name",
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
    with named(path):
        file = beside.open("x", encoding="utf-8", newline="\n")  # never that of another writer
        try:
            with file:
                file.write(text)
            replaced(beside, target)
        finally:
            beside.unlink(missing_ok=True)


def replaced(beside: Path, target: Path) -> None:
    """Put a file that is complete in the place of another one; a power cut loses neither.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new = Path(folder) / "new"
    ...     _ = new.write_text("5")
    ...     replaced(new, Path(folder) / "old")
    ...     (Path(folder) / "old").read_text()
    '5'
    """
    settled(beside)
    beside.replace(target)
    settled(target.parent)


def settled(path: Path) -> None:
    """Wait until a file, or what a folder says of its files, is on the disk.

    >>> settled(Path())
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP} or not path.is_dir():
            raise  # of folders, some systems cannot say it
    finally:
        os.close(handle)


@contextmanager
def named(path: str | Path) -> Iterator[None]:
    """What the system refuses within is told of this path, and not of a file beside it.

    >>> with named("report.html"):
    ...     open("nowhere/.5f.part", "x")
    Traceback (most recent call last):
    ...
    FileNotFoundError: [Errno 2] No such file or directory: 'report.html'
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def read_text(path: str | Path, most: int, refuse: Callable[[str], GraycubeError]) -> str:
    """The text of a file of at most ``most`` bytes, or of a pipe until its writers close it.

    A pipe that nobody writes to is empty. What cannot be used is raised as ``refuse(why)``, and
    what the system refuses as it is.

    >>> def refuse(why):
    ...     return InvalidValueError("no text", why, "name a file")
    >>> read_text("/dev/zero", 100, refuse)
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: no text: it is neither a file nor a pipe; name a file
    """
    with open(require_path(path), "rb", opener=at_once) as file:
        kind = os.fstat(file.fileno()).st_mode
        if not S_ISREG(kind) and not S_ISFIFO(kind):
            raise refuse("it is neither a file nor a pipe")
        os.set_blocking(file.fileno(), True)
        content = file.read(most + 1)
    if len(content) > most:
        raise refuse(f"it is larger than {most} bytes")
    try:
        return content.decode("utf-8-sig")  # without the mark that some editors begin with
    except UnicodeDecodeError:
        raise refuse("it is no UTF-8") from None


def at_once(path: str, flags: int) -> int:
    """An opener that does not wait for somebody who writes to a pipe, or for a device.

    >>> with open("/dev/null", "rb", opener=at_once) as file:
    ...     file.read(10)
    b''
    """
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
