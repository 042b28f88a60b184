"""Which layout should a flow solver use? The same program on three machines.

Run it as ``python examples/advice.py [WORKLOAD]``.
"""

import sys
from dataclasses import replace
from pathlib import Path

import graycube as gc

PROGRAM = Path(__file__).with_name("navier_stokes.toml")
PROFILES = ("ipsc1", "ipsc2", "cm2")


def main() -> None:
    """Advise for each machine."""
    workload = gc.load_workload(sys.argv[1] if sys.argv[1:] else PROGRAM)
    for name in PROFILES:
        machine = gc.Machine.profile(name, dims=workload.machine.dims)
        print(replace(workload, machine=machine).advise().explain(), end="\n\n")


if __name__ == "__main__":
    main()
