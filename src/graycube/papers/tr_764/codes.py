"""Sections 1 and 2: the code, distances, the allocations of Table 1, and code conversion."""

from collections.abc import Callable, Iterator

import numpy as np

import graycube as gc
from graycube.codes import gray, gray_inverse
from graycube.papers import Case, Claim, at_every_size, compared, tried
from graycube.papers.codes import Ints

from .cube import coded, decoded, odd, reflected
from .layouts import by_library


def words(bits: int) -> list[str]:
    """Definition 1, by reflection."""
    code = ["0", "1"]
    for _ in range(bits - 1):
        code = ["0" + word for word in code] + ["1" + word for word in reversed(code)]
    return code


def words_by_suffix(bits: int) -> list[str]:
    """Definition 1, the alternative: every word gets both last bits, in turn either way."""
    code = ["0", "1"]
    for _ in range(bits - 1):
        code = [
            word + end for i, word in enumerate(code) for end in ("01" if i % 2 == 0 else "10")
        ]
    return code


@tried
def definition_1(n: int) -> bool:
    """Both recursions, and the code and its inverse of the library."""
    one, other, i = words(n), words_by_suffix(n), np.arange(1 << n)
    code = np.array([int(word, 2) for word in one])
    library = np.array_equal(gray(i), code) and np.array_equal(gray_inverse(code), i)
    return one == other and library and np.array_equal(code, reflected(i))


def figure_1(claim: Claim) -> Iterator[Case]:
    """Entry by entry, by the recursion of Definition 1, and by the library."""
    code = words(4)
    for i, binary, word in claim.figures:
        yield Case(f"binary code of {i}", binary, f"{i:04b}", f"{i:04b}" == binary)
        right = code[i] == word == f"{gray(i):04b}" and gray_inverse(int(word, 2)) == i
        yield Case(f"Gray code of {i}", word, code[i], right)


def corollary_1(claim: Claim) -> Iterator[Case]:
    """Of all integers of n bits; the last n - 1 bits by the code of one bit less."""
    return claim.tried(lambda n: _forwards(n) and _backwards(n, 0), _corrected)


def _corrected(n: int) -> bool:
    return _forwards(n) and _backwards(n, (1 << n - 1) - 1)


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
def corollary_2(n: int, j: int) -> bool | None:
    if j >= n:
        return None
    i = np.arange(1 << n)
    other = i ^ (2 << j) - 1
    by_library = np.array_equal(gray_inverse(gray(i) ^ 1 << j), other)
    return by_library and np.array_equal(reflected(i) ^ 1 << j, reflected(other))


@compared
def lemma_1(n: int, j: int) -> int | None:
    """The exclusive-or of all pairs, which must be the same, and the library's distances."""
    if j >= n:
        return None
    i = np.arange(1 << n)
    found = np.unique(reflected(i) ^ reflected(i ^ 1 << j))
    layout = gc.Layout.nodes(n, "gray")
    apart = layout.node_change(1 << j)
    return int(found[0]) if len(found) == 1 and apart == found[0] else -1


def lemma_2(claim: Claim) -> Iterator[Case]:
    """As printed location m holds G(m) before i; mended, location G(m) holds m before i."""

    def printed(p: int, n: int) -> bool | None:
        return None if n >= p else _location(p, n, mended=False)

    return claim.tried(printed, lambda p, n: _location(p, n, mended=True))


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

    An entry that codes the entire address with an odd half is printed without its complement.
    """
    if n > p:
        return
    for kind, encoding in claim.figures:
        exact = _by_definition(kind, encoding, p, n)
        ours = coded(kind, encoding, p, n)
        printed = _as_printed(kind, encoding, p, n)
        library = np.array_equal(exact, by_library(kind, encoding, p, n))
        for entry, (one, two, three) in _entries((exact, ours, printed), n).items():
            where = f"p = {p}, n = {n}: {kind}, {encoding}, {entry}"
            right, mended = np.array_equal(one, three), np.array_equal(one, two)
            mended = mended and library
            says = "as printed" if right else "complemented where the other half is odd"
            yield Case(where, "as printed", says, right, mended)


def _entries(addresses: tuple[Ints, Ints, Ints], n: int) -> dict[str, tuple[Ints, ...]]:
    node = (1 << n) - 1
    return {
        "memory": tuple(a >> n for a in addresses),
        "processor": tuple(a & node for a in addresses),
    }


def _halves(kind: str, p: int, n: int) -> tuple[Ints, Ints, int]:
    low_bits = n if kind == "cyclic" else p - n
    high, low = np.divmod(np.arange(1 << p), 1 << low_bits)
    return high, low, low_bits


def _joined(kind: str, high: Ints, low: Ints, n: int) -> Ints:
    slot, node = (high, low) if kind == "cyclic" else (low, high)
    return slot << n | node


def _as_printed(kind: str, encoding: str, p: int, n: int) -> Ints:
    """The entries of the scan: the two cases of the entire address are the same there."""
    high, low, _ = _halves(kind, p, n)
    codes = {"Gray": "GG", "Gray || Gray": "GG", "Binary": "BB"}
    which = codes.get(encoding, "GB" if kind == "consecutive" else "BG")
    coding: dict[str, Callable[[Ints], Ints]] = {"G": reflected, "B": lambda i: i}
    return _joined(kind, coding[which[0]](high), coding[which[1]](low), n)


def _by_definition(kind: str, encoding: str, p: int, n: int) -> Ints:
    """Words looked up in Definition 1: of the whole address, or of its fields."""
    high, low, low_bits = _halves(kind, p, n)
    if encoding == "Gray":
        address = _looked_up(p)[np.arange(1 << p)]
        return _joined(kind, address >> low_bits, address & ((1 << low_bits) - 1), n)
    fields = encoding.split(" || ") if "||" in encoding else ["Binary", "Binary"]
    memory, node = fields
    codes = (memory, node) if kind == "cyclic" else (node, memory)
    high = _looked_up(p - low_bits)[high] if codes[0] == "Gray" else high
    low = _looked_up(low_bits)[low] if codes[1] == "Gray" else low
    return _joined(kind, high, low, n)


def _looked_up(bits: int) -> Ints:
    return np.array([int(word, 2) for word in words(bits)] if bits else [0])
