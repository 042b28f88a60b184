"""Programs as files: a TOML text with the array, the machine and the phases."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from graycube.advice.advise import Advice, advise
from graycube.advice.along import Butterfly, Scan, Sort, Tridiagonal
from graycube.advice.phases import FFT, Coarse, Elementwise, Loop, Phase, Stencil, Transpose
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.gf2 import is_power_of_two, require_int
from graycube.machine import Machine
from graycube.parsing import parsed_toml
from graycube.whole_files import read_text

MAX_TEXT = 1 << 20  # bytes of a file
MAX_LINE = 1 << 13  # characters; the time to read a dotted key grows with its square
MAX_DEPTH = 16  # loops and grids within others
_KINDS = {
    "fft": FFT,
    "stencil": Stencil,
    "transpose": Transpose,
    "elementwise": Elementwise,
    "loop": Loop,
    "coarse": Coarse,
    "butterfly": Butterfly,
    "scan": Scan,
    "sort": Sort,
    "tridiagonal": Tridiagonal,
}
_KEYS = {name: {field.name for field in fields(kind)} for name, kind in _KINDS.items()}
_NEEDED = {"loop": {"times", "phases"}, "coarse": {"factor", "phases"}, "scan": {"axis"}}


@dataclass(frozen=True)
class Workload:
    """A program: its phases, the array and the machine.

    >>> text = '''
    ... shape = [64, 64]
    ... nodes = 4
    ... machine = "ipsc2"
    ... [[phases]]
    ... kind = "loop"
    ... times = 10
    ... phases = [{kind = "fft"}, {kind = "stencil", reach = 2}]
    ... '''
    >>> workload = Workload.parse(text)
    >>> print(*workload.phases)
    10 times: fft, stencil of reach 2
    >>> workload.advise()
    <Advice for 64 x 64 on 4 nodes: 0.1854 s>
    """

    phases: tuple[Phase, ...]
    size: tuple[int, ...]
    machine: Machine
    itemsize: int = 16
    returns: bool = False

    @classmethod
    def parse(cls, text: str) -> "Workload":
        """The workload of a text, after checking all of it."""
        if not isinstance(text, str):
            raise InvalidTypeError(
                f"the workload is a {type(text).__name__}", "it is TOML text", "pass a str"
            )
        content = parsed_toml(text, MAX_LINE, _wrong)
        try:
            return cls(**_read(content))
        except (TypeError, ValueError) as error:
            if isinstance(error, GraycubeError):
                raise
            raise _wrong(str(error)) from None

    def advise(self) -> Advice:
        """The advice for it."""
        return advise(
            self.phases,
            machine=self.machine,
            size=self.size,
            itemsize=self.itemsize,
            returns=self.returns,
        )


def load_workload(path: str | Path) -> Workload:
    """The workload of a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "program.toml"
    ...     _ = path.write_text("shape = [8]; nodes = 2; phases = []".replace("; ", chr(10)))
    ...     load_workload(path).size
    (8,)
    """
    return Workload.parse(read_text(path, MAX_TEXT, lambda why: _wrong(f"{path}: {why}")))


def _read(content: dict[str, Any]) -> dict[str, Any]:
    allowed = {"shape", "nodes", "machine", "itemsize", "returns", "phases"}
    _require_keys(content, allowed, {"shape", "nodes", "phases"}, "workload")
    nodes = require_int(content["nodes"], "nodes", least=1)
    if not is_power_of_two(nodes):
        low = 1 << nodes.bit_length() - 1
        raise _wrong(
            f"nodes is {nodes}, and a power of two is needed, such as {low} or {2 * low}"
        )
    found = {
        "size": tuple(content["shape"]),
        "machine": _machine(content.get("machine", "ideal"), nodes.bit_length() - 1),
        "phases": _phases(content["phases"], MAX_DEPTH),
    }
    return found | {k: content[k] for k in ("itemsize", "returns") if k in content}


def _machine(entry: object, dims: int) -> Machine:
    if isinstance(entry, str):
        return Machine.profile(entry, dims=dims)
    if not isinstance(entry, dict):
        raise _wrong("the machine is neither a name nor a table")
    allowed = {"ports", "switching", "startup", "per_byte", "packet", "arithmetic", "name"}
    allowed |= {"share"}  # advice says why it has no prices for it
    _require_keys(entry, allowed, set(), "machine")
    return Machine(dims=dims, **entry)


def _phases(entries: object, depth: int) -> tuple[Phase, ...]:
    if not isinstance(entries, list) or depth == 0:
        raise _wrong(
            "phases is no list" if depth else f"more than {MAX_DEPTH} loops or grids deep"
        )
    return tuple(_phase(entry, depth) for entry in entries)


def _phase(entry: object, depth: int) -> Phase:
    if not isinstance(entry, dict) or entry.get("kind") not in _KINDS:
        raise _wrong(f"a phase is {str(entry)[:60]}: its kind is one of {', '.join(_KINDS)}")
    kind = entry["kind"]
    _require_keys(entry, _KEYS[kind] | {"kind"}, _NEEDED.get(kind, set()) | {"kind"}, kind)
    given = {key: value for key, value in entry.items() if key != "kind"}
    if "phases" in given:
        given["phases"] = _phases(given["phases"], depth - 1)
    made: Phase = _KINDS[kind](**given)
    return made


def _require_keys(
    entry: dict[str, Any], allowed: set[str], needed: set[str], what: str
) -> None:
    wrong = sorted((entry.keys() - allowed) | (needed - entry.keys()))
    if wrong:
        raise _wrong(
            f"the {what} has the keys {sorted(entry)[:9]}; look at {wrong[0][:40]!r} "
            f"(the known ones are {', '.join(sorted(allowed))})"
        )


def _wrong(why: str) -> GraycubeError:
    return InvalidValueError(
        f"this is no workload: {why}", "see docs/advice.md", "mend the text"
    )
