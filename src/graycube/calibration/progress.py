"""A bar of one line on a terminal, and nothing elsewhere."""

import sys
from typing import TextIO

_WIDTH = 40


class Progress:
    """How much is done, for the person who waits; silent unless ``stream`` is a terminal.

    >>> Progress("measuring", total=2).step()  # no terminal here
    """

    def __init__(self, title: str, total: int, stream: TextIO | None = None) -> None:
        self._title, self._total, self._done = title, total, 0
        stream = stream or sys.stderr
        self._stream = stream if stream.isatty() else None

    def step(self) -> None:
        """One more is done; after the last one the line is cleared."""
        self._done += 1
        if self._stream is None:
            return
        filled = _WIDTH * self._done // self._total
        line = f"{self._title} [{'#' * filled:<{_WIDTH}}] {self._done}/{self._total}"
        if self._done == self._total:
            line = " " * len(line) + "\r"
        self._stream.write("\r" + line)
        self._stream.flush()
