"""Memory that all ranks of one machine see, and that nobody has to clean up.

Rules.

1. The memory is graycube's own: an anonymous file of the first rank, filled with pages before
   anybody uses it. So what does not fit is an error at once, and no signal at the first touch.
   MPI's own shared memory promises more than there is.
2. The other ranks open it through the first one's file descriptor, and look for a random word
   in it: process numbers may mean other processes there. All ranks have it, or none has.
3. It has no name. It is gone with the last process that has it, however that one ends.
"""

import mmap
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

HEAD = mmap.PAGESIZE
"""So many bytes at the beginning are not for data."""
_WORD = 16
_SHARE = 0.5  # of the memory that is free, what a segment may take at most
_CONTROL, _GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def segment(comm: "Intracomm", nbytes: int) -> tuple[mmap.mmap | None, str]:
    """Memory of all ranks with so many bytes after its head, or None and why; collective.

    >>> def program(comm):  # on all ranks of a communicator that only graycube uses
    ...     memory, why_not = segment(comm, 1 << 20)
    """
    total, mine, found = HEAD + nbytes, -1, None
    offer: tuple[int, int, bytes, str] = (0, -1, b"", "")
    if comm.rank == 0:
        try:
            mine = _filled(total)
            found, word = mmap.mmap(mine, total), secrets.token_bytes(_WORD)
            found[:_WORD] = word
            offer = (os.getpid(), mine, word, "")
        except OSError as error:
            offer = (0, -1, b"", _reason(error))
    process, number, word, trouble = comm.bcast(offer)
    if comm.rank and not trouble:
        try:
            found = _opened(Path(f"/proc/{process}/fd/{number}"), total, word)
        except OSError as error:
            trouble = _reason(error)
    troubles: list[str] = comm.allgather(trouble)  # nobody opens it any more
    if mine >= 0:
        os.close(mine)
    why = next(filter(None, troubles), "")
    return (None if why else found), why


def _filled(total: int) -> int:
    """A new file in memory, with all of its pages."""
    if sys.platform != "linux":
        raise OSError("memory is shared on Linux only")
    room = _room()
    if total > _SHARE * room:
        raise OSError(f"{total} bytes are wanted, and {room} are free")
    file = os.memfd_create("graycube")
    try:
        os.posix_fallocate(file, 0, total)
    except OSError:
        os.close(file)
        raise
    return file


def _opened(path: Path, total: int, word: bytes) -> mmap.mmap:
    """The file of another process, if it is the one with the word."""
    wrong = OSError(f"{path} is not the memory of the first rank")
    if not path.is_file() or path.stat().st_size != total:  # it may be a pipe of somebody else
        raise wrong
    file = os.open(path, os.O_RDWR)
    try:
        found = mmap.mmap(file, total)
    finally:
        os.close(file)
    if found[: len(word)] != word:
        raise wrong
    return found


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _room() -> int:
    """Bytes that are free, on the machine and in the control groups of this process.

    Pages beyond the limit of a group are not refused: the kernel kills for them.
    """
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    available = next(line for line in lines if line.startswith("MemAvailable"))
    return min([int(available.split()[1]) * 1024, *_left_in_groups()])


def _left_in_groups() -> Iterator[int]:
    """What is left of the limit of each control group, the innermost first."""
    try:
        lines = _GROUPS.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, kinds, path = line.split(":", 2)
        if kinds and "memory" not in kinds.split(","):
            continue
        top = _CONTROL / "memory" if kinds else _CONTROL
        limit, used = (
            ("memory.limit_in_bytes", "memory.usage_in_bytes")
            if kinds
            else ("memory.max", "memory.current")
        )
        here = top / path.lstrip("/")
        for group in (here, *here.parents):
            try:
                most = (group / limit).read_text(encoding="ascii").strip()
                if most != "max":
                    yield int(most) - int((group / used).read_text(encoding="ascii"))
            except (OSError, ValueError):
                pass
            if group == top:
                break
