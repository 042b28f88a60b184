"""Sections 1 and 2: the code, distances, the allocations of Table 1, and code conversion.

The four programs that convert codes, and Figure 2.
"""

from collections.abc import Callable, Iterator

import numpy as np

import graycube as gc
from graycube.gf2 import binary_to_gray, gray, gray_inverse, gray_to_binary
from graycube.papers import Case, Claim, agreed, answers, at_every_size, compared, tried
from graycube.papers.codes import Ints, bits_agree, converts, reflected as by_reflection

from .cube import coded, decoded, odd, reflected
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
    i, low = np.arange(1 << n), (1 << n - 1) - 1
    top = i >> n - 1
    rest = reflected(np.where(top, ~i, i) & low)
    return all(np.array_equal(code(i), top << n - 1 | rest) for code in (reflected, gray))


def _backwards(n: int, complement: int) -> bool:
    """The inverse; where the top bit is 1 the lower result is complemented, or it is not."""
    a, low = np.arange(1 << n), (1 << n - 1) - 1
    top = a >> n - 1
    rest = decoded(a & low, n - 1) ^ np.where(top, complement, 0)
    found = (decoded(a, n), gray_inverse(a))
    return all(np.array_equal(i, top << n - 1 | rest) for i in found)


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


def converted(place: Ints, n: int, program: Program) -> list[Ints]:
    """Where everything is at first, and after every dimension but the top one."""
    falls, condition = program
    places = [place]
    for k in range(n - 1)[:: -1 if falls else 1]:
        places.append(places[-1] ^ condition(places[-1], n, k) << k)
    return places


@at_every_size
def programs(_: Claim, n: int) -> Iterator[Case]:
    """All four, every element, and the exchanges that the library has for each."""
    codes = (reflected(np.arange(1 << n)), np.arange(1 << n))
    for name, program in (TO_BINARY | TO_GRAY).items():
        start, wanted = codes if name in TO_BINARY else codes[::-1]
        program_does = np.array_equal(converted(start, n, program)[-1], wanted)
        found = {"program": program_does, "library": _by_library(name, n)}
        yield from answers(f"n = {n}, {name}, converted by ", found)


def _by_library(name: str, n: int) -> bool:
    """Whether the library's exchanges in this order convert."""
    exchanges_for = gray_to_binary if name in TO_BINARY else binary_to_gray
    exchanges = exchanges_for(n, "descending" if "top" in name else "ascending")
    return converts(exchanges, n, to_gray=name in TO_GRAY)


bits_of_codes = tried(lambda n: bits_agree(reflected(np.arange(1 << n))))
"""Bit by bit: b from sums of g, and g from neighbours of b."""


def held(n: int) -> dict[str, Ints]:
    """What the processors hold in every step of the first program, in the order of G(i)."""
    i = np.arange(1 << n)
    columns = reflected(i)
    _, *places = converted(columns, n, TO_BINARY["Gray to binary, from the top"])
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
    library = {name: _by_library(name, 4) for name in (*TO_BINARY, *TO_GRAY)}
    yield from answers("library, ", library)
