"""The installed command ``graycube``, which can be interrupted from its first moment.

It stands beside the package: who imports a part of a package imports all of it first, which
takes a second, and an interrupt would print where that was.
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
