"""A bound that anyone can check: a task, a machine, tolls, and the share that they prove.

Nothing about it has to be trusted: it is proved again, exactly, whenever one is made or read.
So a certificate that was tampered with, or whose claim is not what its tolls prove, is refused.
"""

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import ceil
from pathlib import Path
from typing import Literal

from graycube.cost.tolls import Tolls
from graycube.errors import GraycubeError, InvalidValueError
from graycube.gf2 import require_int
from graycube.layout import Layout
from graycube.machine import Machine
from graycube.parsing import parsed_json
from graycube.schedule import Task
from graycube.texts import counted
from graycube.whole_files import read_text, write_whole

FORMAT = "graycube certificate"
VERSION = 1
MAX_TEXT = 1 << 24  # bytes of a file
KNOWN_DIMS = range(3, 8)
_SHARE = re.compile(r"[0-9]{1,4000}(/[0-9]{1,4000})?")  # no exponents, which may be huge
_KEYS = {"format", "version", "source", "target", "ports", "switching", "share", "tolls"}


@dataclass(frozen=True)
class Certificate:
    """No schedule takes fewer than ``share`` cycles for each element of a block.

    >>> tolls = Tolls(links=((0, 0), (0, 0), (1, 1), (1, 1)), send=(0,) * 4, receive=(0,) * 4)
    >>> gray, binary, machine = Layout.nodes(2, "gray"), Layout.nodes(2), Machine(2, ports=2)
    >>> Certificate(gray, binary, machine, tolls, Fraction(1, 2)).cycles(block=101)
    51
    >>> Certificate(gray, binary, machine, tolls, Fraction(2, 3))
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the certificate claims 2/3: its tolls prove 1/2;
    do not trust it, and find it again
    """

    source: Layout
    target: Layout
    machine: Machine
    tolls: Tolls
    share: Fraction

    def __post_init__(self) -> None:
        task = Task(self.source, self.target, block=self.source.block_size)
        proved = self.tolls.share(task, self.machine)
        if proved != self.share:
            raise InvalidValueError(
                f"the certificate claims {self.share}",
                f"its tolls prove {proved}",
                "do not trust it, and find it again",
            )

    def __repr__(self) -> str:
        ports = counted(self.machine.links_at_once, "port")
        return f"<Certificate {self.source} to {self.target}, {ports}: {self.share} K>"

    def cycles(self, block: int) -> int:
        """The cycles that every schedule for such blocks needs at least.

        >>> for ports in (1, 2, "all"):
        ...     print(ports, known_certificate(4, ports).cycles(1000))
        1 1715
        2 889
        all 600
        """
        return ceil(self.share * require_int(block, "block", least=1))

    def save(self, path: str | Path) -> None:
        """Write it to a file, which :func:`load_certificate` reads: all of it or nothing.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     known_certificate(3, 1).save(Path(folder) / "bound.json")
        ...     load_certificate(Path(folder) / "bound.json").share
        Fraction(4, 3)
        """
        tolls = self.tolls
        content = {
            "format": FORMAT,
            "version": VERSION,
            "source": str(self.source),
            "target": str(self.target),
            "ports": self.machine.links_at_once,
            "switching": self.machine.switching,
            "share": str(self.share),
            "tolls": {"links": tolls.links, "send": tolls.send, "receive": tolls.receive},
        }
        write_whole(path, json.dumps(content, separators=(",", ":")) + "\n")


def load_certificate(path: str | Path) -> Certificate:
    """Read a certificate and prove it.

    >>> load_certificate("nowhere.json")
    Traceback (most recent call last):
    ...
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.json'
    """
    return parsed_certificate(read_text(path, MAX_TEXT, partial(_unreadable, path)), path)


def parsed_certificate(text: str, path: str | Path) -> Certificate:
    """The certificate of a text, proved; errors say that it is from the path."""
    content = parsed_json(text, partial(_unreadable, path))
    try:
        return _read(content)
    except (GraycubeError, ValueError, TypeError, ZeroDivisionError) as error:
        raise _unreadable(path, f"{error}") from None


def _read(content: object) -> Certificate:
    if not isinstance(content, dict) or set(content) != _KEYS:
        raise ValueError(f"it must have {', '.join(sorted(_KEYS))} and nothing else")
    if content["format"] != FORMAT or type(content["version"]) is not int:
        raise ValueError(f"it is not {FORMAT!r}")
    if content["version"] != VERSION:
        raise ValueError(f"it has version {content['version']}, and version {VERSION} is read")
    source, target = Layout.parse(content["source"]), Layout.parse(content["target"])
    machine = Machine(source.n, ports=content["ports"], switching=content["switching"])
    if not isinstance(content["tolls"], dict) or not isinstance(content["share"], str):
        raise TypeError("its tolls must be an object, and its share a text such as '3/5'")
    if not _SHARE.fullmatch(content["share"]):
        raise ValueError("its share must be a text such as '3/5'")
    return Certificate(
        source, target, machine, Tolls(**content["tolls"]), Fraction(content["share"])
    )


def known_certificate(n: int, ports: int | str) -> Certificate:
    """The certificate for Gray to binary code, n = 3 to 7, on 1 to n - 1 or "all" ports.

    >>> [str(known_certificate(n, 1).share) for n in range(3, 8)]
    ['4/3', '12/7', '223/104', '76/29', '2283/736']
    """
    if type(n) is not int or n not in KNOWN_DIMS or ports not in known_ports(n):
        raise InvalidValueError(
            f"n is {n!r:.20} and ports {ports!r:.20}",
            "certificates are kept for n = 3 to 7 and 1 to n - 1 or 'all' ports",
            "find others with graycube.certify",
        )
    return _kept(n, "all" if ports == "all" else int(ports))


def known_ports(n: int) -> tuple[int | Literal["all"], ...]:
    """Numbers of ports for which there are certificates.

    >>> known_ports(4)
    (1, 2, 3, 'all')
    """
    return *range(1, n), "all"


@cache
def _kept(n: int, ports: int | str) -> Certificate:
    return load_certificate(Path(__file__).parent / "certificates" / f"gray_{n}_{ports}.json")


def _unreadable(path: str | Path, why: str) -> InvalidValueError:
    return InvalidValueError(f"{path} is no certificate", why, "see docs/format.md")
