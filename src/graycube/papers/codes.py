"""Gray code by its definition and its lemmas, which share nothing with the library's.

Where blocks cross dimension after dimension, and how far.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import graycube as gc
from graycube.gf2 import Exchange

Ints = NDArray[np.int64]
Words = NDArray[np.integer[Any]]


def reflected(n: int) -> Ints:
    """The binary-reflected Gray code of n bits by its recursion.

    >>> reflected(2).tolist()
    [0, 1, 3, 2]
    """
    code = np.array([0])
    for m in range(n):
        code = np.concatenate([code, code[::-1] | 1 << m])
    return code


def odd(numbers: Words, mask: int) -> Ints:
    """The parity of some bits of every number.

    >>> odd(np.arange(4), 3).tolist()
    [0, 1, 1, 0]
    """
    parity: Ints = (np.bitwise_count(numbers & mask) & 1).astype(np.int64)
    return parity


def ranks(n: int) -> Ints:
    """The inverse of the code at every word, a parity for each bit.

    >>> ranks(2).tolist()
    [0, 1, 3, 2]
    """
    words = np.arange(1 << n)
    return sum((odd(words, -1 << m) << m for m in range(n)), np.zeros_like(words))


def above(n: int, k: int) -> int:
    """The bits above k of a number of n bits.

    >>> bin(above(5, 2))
    '0b11000'
    """
    return (1 << n) - (2 << k)


def distance(a: Words | int, b: Words | int) -> NDArray[np.uint8]:
    """Links between nodes of a cube.

    >>> distance(np.array([0, 5]), np.array([3, 4])).tolist()
    [2, 1]
    """
    counted: NDArray[np.uint8] = np.bitwise_count(a ^ b)
    return counted


def is_the_code(words: Ints) -> bool:
    """Whether each word is a bit from the next, in a ring, and the library has the same code.

    >>> is_the_code(reflected(3)), is_the_code(np.arange(8))
    (True, False)
    """
    n = len(words).bit_length() - 1
    library = gc.gray(np.arange(len(words))), gc.GrayCode.reflected(n).words
    cyclic = bool((distance(words, np.roll(words, 1)) == 1).all())
    return cyclic and all(np.array_equal(words, code) for code in library)


def bits_agree(code: Ints) -> bool:
    """Whether index bits are sums of bits of the words, and those are sums of two index bits.

    The library must have the same code and the same inverse.

    >>> bits_agree(reflected(3)), bits_agree(np.arange(8))
    (True, False)
    """
    n, index = len(code).bit_length() - 1, np.arange(len(code))
    sums = [np.bitwise_xor.reduce([code >> k & 1 for k in range(m, n)]) for m in range(n)]
    pairs = [(index >> m ^ index >> m + 1) & 1 for m in range(n)]
    library = np.array_equal(gc.gray(index), code), np.array_equal(gc.gray_inverse(code), index)
    return all(library) and all(
        np.array_equal(word >> m & 1, bit)
        for word, bits in ((index, sums), (code, pairs))
        for m, bit in enumerate(bits)
    )


def carried(place: Ints, exchanges: Iterable[Exchange]) -> list[Ints]:
    """Where everything is at first, and after each of the exchanges.

    >>> [places.tolist() for places in carried(np.arange(4), gc.gray_to_binary(2))]
    [[0, 1, 2, 3], [0, 1, 3, 2]]
    """
    places = [place]
    for e in exchanges:
        flips = np.where(odd(places[-1], e.when) == e.want, e.flip, 0)
        places.append(places[-1] ^ flips)
    return places


def converts(exchanges: Sequence[Exchange], n: int, *, to_gray: bool = False) -> bool:
    """Whether exchanges, over n - 1 dimensions each once, convert all nodes.

    >>> made = gc.gray_to_binary(3)
    >>> converts(made, 3), converts(made, 3, to_gray=True), converts(made + made[:1] * 2, 3)
    (True, False, False)
    """
    one_each = sorted(e.flip for e in exchanges) == [1 << m for m in range(n - 1)]
    *_, ends = carried(np.arange(1 << n), exchanges)
    return one_each and np.array_equal(ends, reflected(n) if to_gray else ranks(n))


def mesh(codes: Iterable[Words]) -> Ints:
    """The node of every point of a mesh: the words of its coordinates, one after the other.

    >>> mesh([reflected(1), reflected(2)]).tolist()
    [[0, 1, 3, 2], [4, 5, 7, 6]]
    """
    node = np.zeros((), dtype=np.int64)
    for code in codes:
        node = node[..., None] << len(code).bit_length() - 1 | code
    return node


def crossings(start: Words, end: Words, order: Iterable[int]) -> Iterator[tuple[int, Words]]:
    """Dimension by dimension on shortest paths: the nodes from which it is crossed.

    >>> hops = crossings(np.array([0, 1]), np.array([3, 1]), [0, 1])
    >>> [(d, nodes.tolist()) for d, nodes in hops]
    [(0, [0]), (1, [1])]
    """
    here = start
    for d in order:
        crossing = (here ^ end) >> d & 1
        yield d, here[crossing == 1]
        here = here ^ crossing << d


def rounds_to_know_all(n: int) -> int:
    """Rounds of messages between neighbours until a node, and so any, can know of all.

    >>> rounds_to_know_all(3)
    3
    """
    node = np.arange(1 << n)
    knows, rounds = node[:, None] == node, 0
    while not knows.all():
        knows = knows | np.logical_or.reduce([knows[node ^ 1 << d] for d in range(n)])
        rounds += 1
    return rounds


def digits_reversed(n: int) -> Ints:
    """The numbers of n bits, each with its bits in reverse order.

    >>> digits_reversed(2).tolist()
    [0, 2, 1, 3]
    """
    numbers = np.arange(1 << n)
    return sum(((numbers >> j & 1) << n - 1 - j for j in range(n)), np.zeros_like(numbers))


def compositions(n: int, parts: int, least: int) -> Iterator[tuple[int, ...]]:
    """All ways to make n bits out of so many fields of ``least`` bits or more.

    >>> list(compositions(5, 2, least=2))
    [(2, 3), (3, 2)]
    """
    if parts == 1 and n >= least:
        yield (n,)
    for first in range(least, n - least + 1) if parts > 1 else ():
        yield from ((first, *rest) for rest in compositions(n - first, parts - 1, least))
