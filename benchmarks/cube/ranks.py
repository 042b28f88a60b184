"""Starts a program on the nodes of a cube: rank u in the namespace of node u."""

import os
import subprocess
import sys
from pathlib import Path

from network import Network, port

SETTINGS = {
    "MPIR_CVAR_NOLOCAL": "1",  # ranks of one machine talk over the network too
    "MPIR_CVAR_CH4_NETMOD": "ofi",
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",  # ranks that wait sleep, and leave the processors to
    "MPIR_CVAR_POLLS_BEFORE_YIELD": "1",  # those that have something to do
    "FI_PROVIDER": "tcp",
    "FI_TCP_IFACE": port(0),  # the one that has the address of the node
    **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")},
}
_ENTER = 'exec nsenter --net=/run/netns/node$PMI_RANK "$@"'


def started(network: Network, command: list[str]) -> int:
    """Run a command on every node; the connection to mpiexec is an open file and goes along."""
    ranks = str(len(network.nodes))
    line = ["nice", "-n", "19", mpiexec(), "-n", ranks, "sh", "-c", _ENTER, "sh", *command]
    environment = {**os.environ, **SETTINGS}
    # mpiexec may write to ranks that have ended already, and would die of it: SIGPIPE stays
    # ignored, as it is in Python.
    done = subprocess.run(line, env=environment, check=False, restore_signals=False)  # noqa: S603
    return done.returncode


def mpiexec() -> str:
    """That of MPICH's wheel, beside this Python."""
    found = Path(sys.executable).with_name("mpiexec")
    told = _told([str(found), "--version"]) if found.exists() else ""
    if "HYDRA" not in told:
        raise SystemExit("a cube needs MPICH: pip install 'graycube[mpi]'")
    return str(found)


def _told(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout  # noqa: S603
