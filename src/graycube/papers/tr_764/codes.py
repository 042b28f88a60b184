"""Sections 1 and 2: the code, distances, the allocations of Table 1, and code conversion.

The four programs that convert codes, and Figure 2.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

import graycube as gc
from graycube.gf2 import Exchange, binary_to_gray, gray, gray_inverse, gray_to_binary
from graycube.papers import Case, Claim, agreed, answers, at_every_size, compared, tried
from graycube.papers.codes import (
    Ints,
    above,
    bits_agree,
    carried,
    converts,
    odd,
    ranks,
    reflected as by_reflection,
)

from .cube import coded, reflected
from .networks import by_library


def by_suffix(bits: int) -> Ints:
    """Definition 1, the alternative: every word gets both last bits, in turn either way."""
    code = [0]
    for _ in range(bits):
        code = [2 * word + (end ^ i & 1) for i, word in enumerate(code) for end in (0, 1)]
    return np.array(code)


@tried
def definition_1(n: int) -> bool:
    """Both recursions, and the code and its inverse of the library."""
    i, code = np.arange(1 << n), by_reflection(n)
    same = (np.array_equal(code, other) for other in (by_suffix(n), gray(i), reflected(i)))
    return all(same) and np.array_equal(gray_inverse(code), i)


def figure_1(claim: Claim) -> Iterator[Case]:
    """Entry by entry, by the recursion of Definition 1, and by the library."""
    code = [f"{word:04b}" for word in by_reflection(4)]
    for i, binary, word in claim.figures:
        yield agreed(f"binary code of {i}", binary, f"{i:04b}")
        right = code[i] == word == f"{gray(i):04b}" and gray_inverse(int(word, 2)) == i
        yield Case(f"Gray code of {i}", word, code[i], right)


corollary_1 = tried(
    lambda n: _forwards(n) and _backwards(n, 0),
    lambda n: _forwards(n) and _backwards(n, (1 << n - 1) - 1),
)
"""Of all integers of n bits; the last n - 1 bits by the code of one bit less."""


def _forwards(n: int) -> bool:
    i, half = np.arange(1 << n), 1 << n - 1
    rest = reflected(np.where(i & half, ~i, i) & half - 1)
    return all(np.array_equal(code(i), i & half | rest) for code in (reflected, gray))


def _backwards(n: int, complement: int) -> bool:
    """The inverse; where the top bit is 1 the lower result is complemented, or it is not."""
    a, half = np.arange(1 << n), 1 << n - 1
    rest = ranks(n - 1)[a & half - 1] ^ np.where(a & half, complement, 0)
    return all(np.array_equal(i, a & half | rest) for i in (ranks(n), gray_inverse(a)))


@tried
def corollary_2(n: int, j: int) -> bool:
    i = np.arange(1 << n)
    other = i ^ (2 << j) - 1
    by_library = np.array_equal(gray_inverse(gray(i) ^ 1 << j), other)
    return by_library and np.array_equal(reflected(i) ^ 1 << j, reflected(other))


@compared
def lemma_1(n: int, j: int) -> int:
    """The exclusive-or of all pairs, which must be the same, and the library's distances."""
    i = np.arange(1 << n)
    found = np.unique(reflected(i) ^ reflected(i ^ 1 << j)).tolist()
    apart = gc.Layout.nodes(n, "gray").node_change(1 << j)
    return apart if found == [apart] else -1


lemma_2 = tried(
    lambda p, n: _location(p, n, mended=False),
    lambda p, n: _location(p, n, mended=True),
)
"""As printed location m holds G(m) before i; mended, location G(m) holds m before i."""


def _location(p: int, n: int, *, mended: bool) -> bool:
    high, i = np.divmod(np.arange(1 << p), 1 << n)
    code = reflected(high)
    location, held = (code, high) if mended else (high, code)
    low = np.where(odd(code, -1), ~i, i) & ((1 << n) - 1)
    return all(
        np.array_equal(address[held << n | low], location << n | reflected(i))
        for address in (coded("cyclic", "Gray", p, n), by_library("cyclic", "Gray", p, n))
    )


@at_every_size
def table_1(claim: Claim, p: int, n: int) -> Iterator[Case]:
    """Every row, memory and processor, against the recursion of Definition 1 and the library.

    As printed, the entire address is coded as if its halves were coded one by one.
    """
    for kind, encoding in claim.figures:
        exact = _by_definition(kind, encoding, p, n)
        ours = coded(kind, encoding, p, n)
        printed = coded(kind, "Gray || Gray" if encoding == "Gray" else encoding, p, n)
        library = np.array_equal(exact, by_library(kind, encoding, p, n))
        for entry, shift, mask in (("memory", n, -1), ("processor", 0, (1 << n) - 1)):
            one, two, three = (a >> shift & mask for a in (exact, ours, printed))
            right, mended = np.array_equal(one, three), library and np.array_equal(one, two)
            where = f"p = {p}, n = {n}: {kind}, {encoding}, {entry}"
            says = "as printed" if right else "complemented where the other half is odd"
            yield Case(where, "as printed", says, right, mended)


def _by_definition(kind: str, encoding: str, p: int, n: int) -> Ints:
    """Words looked up in Definition 1: of the whole address, or of its fields."""
    address = np.arange(1 << p)
    if encoding == "Gray":
        address = by_reflection(p)
    high, low = np.divmod(address, 1 << (n if kind == "cyclic" else p - n))
    slot, node = (high, low) if kind == "cyclic" else (low, high)
    memory, _, processor = encoding.partition(" || ")
    slot = by_reflection(p - n)[slot] if memory == processor == "Gray" else slot
    node = by_reflection(n)[node] if processor == "Gray" else node
    return slot << n | node


PROGRAMS = tuple(product(("Gray to binary", "binary to Gray"), ("top", "bottom")))
"""What each converts, and from which end of the dimensions."""


def program(n: int, way: str, end: str) -> list[Exchange]:
    """Where the next bit is 1, or the parity of all bits above, dimension after dimension."""
    by_next_bit = (way == "Gray to binary") == (end == "top")
    dims = range(n - 1)[:: -1 if end == "top" else 1]
    return [Exchange(1 << k, 2 << k if by_next_bit else above(n, k)) for k in dims]


@at_every_size
def programs(_: Claim, n: int) -> Iterator[Case]:
    """All four, every element, and the exchanges that the library has for each."""
    for way, end in PROGRAMS:
        ours = converts(program(n, way, end), n, to_gray=way == "binary to Gray")
        found = {"program": ours, "library": _by_library(n, way, end)}
        yield from answers(f"n = {n}, {way}, from the {end}, converted by ", found)


def _by_library(n: int, way: str, end: str) -> bool:
    """Whether the library's exchanges in this order convert."""
    to_gray = way == "binary to Gray"
    exchanges_for = binary_to_gray if to_gray else gray_to_binary
    exchanges = exchanges_for(n, "descending" if end == "top" else "ascending")
    return converts(exchanges, n, to_gray=to_gray)


bits_of_codes = tried(lambda n: bits_agree(reflected(np.arange(1 << n))))
"""Bit by bit: b from sums of g, and g from neighbours of b."""


def held(n: int) -> dict[str, Ints]:
    """What the processors hold in every step of the first program, in the order of G(i)."""
    i = np.arange(1 << n)
    columns = reflected(i)
    _, *places = carried(columns, program(n, *PROGRAMS[0]))
    steps = {f"step {k}": np.argsort(now)[columns] for k, now in enumerate(places, 1)}
    return {"paddr": columns, "integer": i, **steps}


def figure_2(claim: Claim) -> Iterator[Case]:
    """Entry by entry; in the end processor G(i) has the index that is its number."""
    ours = held(4)
    for name, *entries in claim.figures:
        for column, entry in enumerate(entries):
            found = int(ours[name][column])
            value = f"{found:04b}" if name == "paddr" else found
            yield agreed(f"{name}, column {column}", str(entry), str(value))
    home = np.array_equal(ours["step 3"], ours["paddr"])
    yield from answers("", {"at the end the index is that of the processor": home})
    library = {f"{way}, from the {end}": _by_library(4, way, end) for way, end in PROGRAMS}
    yield from answers("library, ", library)
