"""What a compiled program sends: read from its text, and so exact on every machine."""

import re
from collections import Counter
from dataclasses import dataclass
from math import prod

from graycube.errors import InvalidTypeError
from graycube.jax.names import Program

KINDS = ("all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter")
_MADE = re.compile(r"^\s*(?:ROOT )?(%[\w.-]+) = (.*?) ([\w-]+)\((%[\w.-]+)?", re.MULTILINE)
_SHAPE = re.compile(r"[a-z]+(\d*)\w*\[([\d,]*)\]")


@dataclass(frozen=True)
class Collectives:
    """How often each collective is in a program, and how many bytes a device gets by all.

    >>> Collectives({"all-to-all": 1}, 64)
    Collectives(counts={'all-to-all': 1}, received=64)
    """

    counts: dict[str, int]
    received: int


def traffic(program: Program) -> Collectives:
    """The collectives of a compiled program, each counted once, also within loops.

    A gather is counted without the device's own part, and an all-to-all with it.

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
    counts, received, sizes = Counter[str](), 0, dict[str, int]()
    for name, shape, operation, operand in _MADE.findall(program.as_text() or ""):
        sizes[name] = sum(
            _bytes(bits) * prod(int(length) for length in lengths.split(",") if length)
            for bits, lengths in _SHAPE.findall(shape)
        )
        kind = operation.removesuffix("-start")
        if kind in KINDS:
            counts[kind] += 1
            received += sizes[name] - sizes[operand] * (kind == "all-gather")
    return Collectives(dict(counts), received)


def _bytes(bits: str) -> int:
    """The bytes of a number in c64, f32, s8, pred ...: no less than one."""
    return max(1, int(bits or 0) // 8)
