"""What a compiled program sends: read from its text, and so exact on every machine.

Rules. What a device receives comes from other devices: its own part is not counted. In a group
of g devices that is (g - 1) times the operand of an all-gather, a g-th of that for an
all-to-all and a reduce-scatter, and both of these for an all-reduce, which is one after the
other around a ring. A loop sends as often as it turns, if the program says how often.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from math import prod

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.jax.names import Program

_PARTS = {  # of the operand, in a group of g devices
    "all-gather": lambda g: g - 1,
    "all-reduce": lambda g: 2 * (g - 1) / g,
    "all-to-all": lambda g: (g - 1) / g,
    "collective-permute": lambda g: g > 1,
    "reduce-scatter": lambda g: (g - 1) / g,
}
_BEGINS = re.compile(r"^(ENTRY )?(%[\w.-]+) .*{$")
_MADE = re.compile(r"^\s*(?:ROOT )?(%[\w.-]+) = (.*?) ([\w-]+)\((.*?)\)(?:, (.*))?$")
_SHAPE = re.compile(r"[a-z]+(\d*)\w*\[([\d,]*)\]")
_NAME = re.compile(r"%[\w.-]+")
_TURNS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')
_LISTED = re.compile(r"replica_groups=\{\{([\d,]+)\}")
_COUNTED = re.compile(r"replica_groups=\[(?:\d+,)*(\d+)\]<=")
_NAMED = re.compile(r"replica_groups=mesh\[([^]]*)\][^{]*\{([^}]*)\}")
_PAIR = re.compile(r"\{(\d+),(\d+)\}")


@dataclass(frozen=True, repr=False)
class Collectives:
    """How often each collective is in a program, and the bytes that a device gets of others.

    If it is in a loop of which the program does not say how often it turns, that loop counts as
    one turn, and ``at_least`` is true.

    >>> Collectives({"all-to-all": 1}, 56)
    Collectives(counts={'all-to-all': 1}, received=56)
    """

    counts: dict[str, int]
    received: int
    at_least: bool = False

    def __repr__(self) -> str:
        more = ", at_least=True" if self.at_least else ""
        return f"Collectives(counts={self.counts}, received={self.received}{more})"


def traffic(program: Program) -> Collectives:
    """The collectives of a compiled program, and what a device receives by all of them.

    ``counts`` has each once, also those in loops; ``received`` has the bytes of all turns.

    >>> mesh = jax.make_mesh((8,), ("x",))
    >>> x = jax.device_put(jnp.ones(64, "complex64"), jax.NamedSharding(mesh, jax.P("x")))
    >>> traffic(jax.jit(jnp.fft.fft).lower(x).compile())  # 7 blocks of 64 bytes
    Collectives(counts={'all-gather': 1}, received=448)
    """
    if not hasattr(program, "as_text") or hasattr(program, "compile"):  # not lowered only
        raise InvalidTypeError(
            f"got a {type(program).__name__}",
            "the text of a compiled program is read",
            "pass jax.jit(function).lower(...).compile()",
        )
    return _Text(program.as_text() or "").collectives()


class _Text:
    """The computations of a program: what each receives, and how often it calls others."""

    def __init__(self, text: str) -> None:
        found = re.search(r"num_partitions=(\d+)", text)
        self._devices = int(found[1]) if found else 1
        self._counts, self._entry = Counter[str](), ""
        self._received: dict[str, float] = defaultdict(float)
        self._calls: dict[str, list[tuple[str, int | None]]] = defaultdict(list)
        self._sizes: dict[str, int] = {}
        where = ""
        for line in text.splitlines():
            if begins := _BEGINS.match(line):
                where = begins[2]
                self._entry = where if begins[1] else self._entry
            elif made := _MADE.match(line):
                self._read(where, *made.groups(default=""))

    def collectives(self) -> Collectives:
        received, known = self._of(self._entry)
        return Collectives(dict(self._counts), round(received), not known)

    def _read(self, where: str, name: str, shape: str, operation: str, *rest: str) -> None:
        operands, more = rest
        self._sizes[name] = sum(
            _bytes(bits) * prod(int(length) for length in lengths.split(",") if length)
            for bits, lengths in _SHAPE.findall(shape)
        )
        kind = operation.removesuffix("-start")
        if kind in _PARTS:
            self._counts[kind] += 1
            size = sum(self._sizes[operand] for operand in _NAME.findall(operands))
            self._received[where] += size * _PARTS[kind](self._group(more))
        turns = 1 if operation != "while" else None
        if operation == "while" and (found := _TURNS.search(more)):
            turns = int(found[1])
        self._calls[where] += [(called, turns) for called in _NAME.findall(more)]

    def _of(self, where: str) -> tuple[float, bool]:
        """What is received in one call, and whether all turns of loops with it are known."""
        received, known = self._received[where], True
        for called, turns in self._calls[where]:
            inside, sure = self._of(called)
            received += inside * (1 if turns is None else turns)
            known &= sure and (turns is not None or not inside)
        return received, known

    def _group(self, more: str) -> int:
        """How many devices take part in a collective together."""
        if "source_target_pairs" in more:
            return 1 + any(a != b for a, b in _PAIR.findall(more))
        if listed := _LISTED.search(more):
            return listed[1].count(",") + 1
        if counted := _COUNTED.search(more):
            return int(counted[1])
        if named := _NAMED.search(more):
            sizes = dict(re.findall(r"('[^']+')=(\d+)", named[1]))
            axes = re.findall(r"('[^']+')(?::\(\d+\)(\d+))?", named[2])
            return prod(int(part or sizes[axis]) for axis, part in axes)
        if "replica_groups=" in more and "replica_groups={}" not in more:
            raise InvalidValueError(
                f"a collective has {more[more.index('replica_groups') :]:.60}",
                "it is not known how many devices that is",
                "read program.as_text() yourself, and tell us",
            )
        return self._devices


def _bytes(bits: str) -> int:
    """The bytes of a number in c64, f32, s8, pred ...: no less than one."""
    return max(1, int(bits or 0) // 8)
