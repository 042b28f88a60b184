"""Section 2: the four programs that convert codes, and Figure 2."""

from collections.abc import Callable, Iterator

import numpy as np

from graycube.gf2 import binary_to_gray, gray_to_binary
from graycube.papers import Case, Claim, at_every_size, tried
from graycube.papers.codes import Ints, bits_agree

from .cube import odd, reflected

Condition = Callable[[Ints, int, int], Ints]
Program = tuple[bool, Condition]
"""Whether dimensions fall, and the condition on (addresses, n, dimension k)."""


def next_bit(a: Ints, _n: int, k: int) -> Ints:
    return a >> k + 1 & 1


def parity_above(a: Ints, n: int, k: int) -> Ints:
    return odd(a, (1 << n) - (2 << k))


TO_BINARY: dict[str, Program] = {
    "Gray to binary, from the top": (True, next_bit),
    "Gray to binary, from the bottom": (False, parity_above),
}
TO_GRAY: dict[str, Program] = {
    "binary to Gray, from the top": (True, parity_above),
    "binary to Gray, from the bottom": (False, next_bit),
}


def steps(place: Ints, n: int, program: Program) -> Iterator[tuple[int, Ints]]:
    """Every dimension but the top one, and where everything is after it."""
    falls, condition = program
    order = range(n - 2, -1, -1) if falls else range(n - 1)
    for k in order:
        place ^= condition(place, n, k) << k
        yield k, place.copy()


def converted(place: Ints, n: int, program: Program) -> Ints:
    """Where everything is in the end."""
    place = place.copy()
    for _ in steps(place, n, program):
        pass
    return place


@at_every_size
def programs(_: Claim, n: int) -> Iterator[Case]:
    """All four, every element, and the exchanges that the library has for each."""
    for name, program in (TO_BINARY | TO_GRAY).items():
        start, wanted = _ends(name, n)
        right = np.array_equal(converted(start, n, program), wanted)
        yield _converted(f"n = {n}, {name}, program", right=right)
        yield _converted(f"n = {n}, {name}, library", right=_by_library(name, n))


def _ends(name: str, n: int) -> tuple[Ints, Ints]:
    """Where everything is at first, and where it is to be."""
    i = np.arange(1 << n)
    return (reflected(i), i) if name in TO_BINARY else (i, reflected(i))


def _converted(where: str, *, right: bool) -> Case:
    return Case(where, "converted", "converted" if right else "not", right)


def _by_library(name: str, n: int) -> bool:
    """Whether the library's exchanges in this order convert."""
    exchanges_for = gray_to_binary if name in TO_BINARY else binary_to_gray
    place, wanted = _ends(name, n)
    for exchange in exchanges_for(n, "descending" if "top" in name else "ascending"):
        place = place ^ np.where(odd(place, exchange.when) == exchange.want, exchange.flip, 0)
    return np.array_equal(place, wanted)


bits_of_codes = tried(lambda n: bits_agree(reflected(np.arange(1 << n))))
"""Bit by bit: b from sums of g, and g from neighbours of b."""


def held(n: int) -> dict[str, Ints]:
    """What the processors hold in every step of the first program, in the order of G(i)."""
    i = np.arange(1 << n)
    columns, place = reflected(i), reflected(i)
    rows = {"paddr": columns, "integer": i}
    program = TO_BINARY["Gray to binary, from the top"]
    for step, (_, now) in enumerate(steps(place, n, program), 1):
        rows[f"step {step}"] = np.argsort(now)[columns]
    return rows


def figure_2(claim: Claim) -> Iterator[Case]:
    """Entry by entry; in the end processor G(i) has the index that is its number."""
    ours = held(4)
    for name, *entries in claim.figures:
        for column, entry in enumerate(entries):
            found = int(ours[name][column])
            value = f"{found:04b}" if name == "paddr" else found
            where = f"{name}, column {column}"
            yield Case(where, str(entry), str(value), str(value) == str(entry))
    right = np.array_equal(ours["step 3"], ours["paddr"])
    yield Case("at the end", "index = processor", "yes" if right else "no", right)
    for name in (*TO_BINARY, *TO_GRAY):
        yield _converted(f"library, {name}", right=_by_library(name, 4))
