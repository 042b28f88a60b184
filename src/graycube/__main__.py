"""The command ``graycube``, also as ``python -m graycube``.

What it needs is imported inside, where an interrupt is told in one line.
"""

import sys

INTERRUPTED = 130  # what shells give for Ctrl-C


def script() -> None:
    """Run the command with the arguments of the process, and end with its exit status.

    >>> from unittest.mock import patch
    >>> with patch("sys.argv", ["graycube", "--version"]):
    ...     try:
    ...         script()
    ...     except SystemExit as end:
    ...         print(end.code)  # doctest: +ELLIPSIS
    graycube ...
    0
    """
    try:
        from graycube.cli import main  # noqa: PLC0415 - this is what can be interrupted

        status = main()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        status = INTERRUPTED
    sys.exit(status)


if __name__ == "__main__":
    script()
