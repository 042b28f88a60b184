"""A process tree that takes all it made with it: namespaces, links, routes, processes.

A cube is built in namespaces of networks, mounts and processes that have no name outside. The
kernel removes them with the first process in them, whatever ended it: its work, an error, an
interrupt, or a signal that nobody can catch.
"""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType

INSIDE = "GRAYCUBE_CUBE"
PRIVATE = "/run"
"""A folder that only those inside see, and that is gone with them."""
TOOLS = {
    **dict.fromkeys(("ip", "tc"), "iproute2"),
    **dict.fromkeys(("mount", "nsenter", "setpriv", "unshare"), "util-linux"),
    "sysctl": "procps",
}
_GRACE = 5.0  # seconds for those inside to stop by themselves


def enclose() -> None:
    """Go on in namespaces of its own: this program begins again there, and ends with that."""
    if INSIDE not in os.environ or os.getpid() != 1:
        raise SystemExit(_enclosed(sys.argv))
    signal.signal(signal.SIGTERM, _stop)  # the first process hears only what it asks for
    for folder in (PRIVATE, "/dev/shm"):  # noqa: S108
        subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)  # noqa: S603, S607
    Path("/run/netns").mkdir()


def _enclosed(arguments: list[str]) -> int:
    why_not = impossible()
    if why_not is not None:
        raise SystemExit(f"a cube needs {why_not}")
    signal.signal(signal.SIGTERM, _stop)
    command = [*_alone(), sys.executable, *arguments]
    process = subprocess.Popen(command, env={**os.environ, INSIDE: "1"})  # noqa: S603
    try:
        return process.wait()
    except KeyboardInterrupt:  # from a terminal, those inside have heard it too
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        return 128 + signal.SIGINT
    finally:
        process.kill()
        process.wait()


def impossible() -> str | None:
    """What is missing, if something is."""
    missing = sorted({package for tool, package in TOOLS.items() if shutil.which(tool) is None})
    if missing:
        return f"{' and '.join(missing)}: install them"
    tried = subprocess.run([*_alone(), "true"], capture_output=True, check=False)  # noqa: S603
    if tried.returncode:
        return f"namespaces, which root may make: {tried.stderr.decode().strip()}"
    return None


def _alone() -> list[str]:
    """The commands that make namespaces, and end when this process does."""
    spaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid():  # some systems let everybody make them together with one of users
        spaces = ["--user", "--map-root-user", *spaces]
    return ["setpriv", "--pdeathsig", "KILL", "unshare", *spaces]


def _stop(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
