"""The certificates that come with the library: least flows between Gray and binary code.

    python tools/tr_20_92/certificates.py

Minutes. A linear program finds tolls; the certificate proves them again in fractions.
"""

from pathlib import Path

import graycube as gc
from graycube.cost.certificate import KNOWN_DIMS, known_ports

FOLDER = Path(gc.__file__).parent / "cost" / "certificates"


def main() -> None:
    for n in KNOWN_DIMS:
        for ports in known_ports(n):
            machine = gc.Machine(n, ports=ports)
            proof = gc.certify(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), machine=machine)
            proof.save(FOLDER / f"gray_{n}_{ports}.json")
            print(f"n = {n}, {ports} ports: {proof.share}", flush=True)


if __name__ == "__main__":
    main()
