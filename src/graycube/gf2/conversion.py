"""Gray to binary and back, as lists of exchanges in any order of dimensions.

An exchange in dimension m undoes the sum g_m = b_m ^ b_(m+1) by flipping bit m where b_(m+1)
is 1. As long as no higher dimension x has been exchanged, b_(m+1) is the parity of all address
bits above m; once x has been, the field is split at x into two independent Gray codes
(TR-20-91 Lemma 2), and the parity runs from bit x down to bit m + 1. The paper prints the
parity as starting at x - 1; that is a slip, and brute force agrees with x.

Every exchange is its own inverse, so binary to Gray is the reversed list.
"""

from bisect import bisect
from collections.abc import Sequence
from typing import Literal

from graycube.errors import InvalidValueError
from graycube.gf2.bits import require_int, require_ints
from graycube.gf2.exchange import MAX_BITS, Exchange, shared_exchange
from graycube.texts import in_digits

Order = Literal["descending", "ascending"] | Sequence[int]


def gray_to_binary(n: int, order: Order = "descending") -> tuple[Exchange, ...]:
    """The n - 1 exchanges that take a Gray-coded field of n bits to binary code.

    ``order`` says in which order the dimensions 0..n-2 are exchanged: ``"descending"`` (most
    significant first), ``"ascending"``, or any sequence of them (TR-20-91 Theorem 1).

    >>> for exchange in gray_to_binary(4):
    ...     print(exchange)
    flip 2 where a3 = 1
    flip 1 where a2 = 1
    flip 0 where a1 = 1
    >>> for exchange in gray_to_binary(4, order=[1, 0, 2]):
    ...     print(exchange)
    flip 1 where a2 ^ a3 = 1
    flip 0 where a1 = 1
    flip 2 where a3 = 1
    """
    dimensions = _dimensions(n, order)
    done, exchanges = [len(dimensions)], []  # in ascending order
    for m in dimensions:
        place = bisect(done, m)
        when = (2 << done[place]) - (2 << m)  # the bits m + 1 .. the next one done
        exchanges.append(shared_exchange(1 << m, when))
        done.insert(place, m)
    return tuple(exchanges)


def binary_to_gray(n: int, order: Order = "descending") -> tuple[Exchange, ...]:
    """The n - 1 exchanges that take a binary-coded field of n bits to Gray code.

    >>> for exchange in binary_to_gray(4, order="ascending"):
    ...     print(exchange)
    flip 0 where a1 = 1
    flip 1 where a2 = 1
    flip 2 where a3 = 1
    """
    return gray_to_binary(n, _dimensions(n, order)[::-1])[::-1]


def rotation(n: int, start: int) -> tuple[int, ...]:
    """The descending order of the dimensions 0..n-2, begun at ``start``, cyclically.

    TR-20-91 runs one such sequence from every start at once (section 4).

    >>> rotation(5, start=1)
    (1, 0, 3, 2)
    """
    if not 0 <= require_int(start, "start") < require_int(n, "n") - 1:
        raise InvalidValueError(
            f"start is {start} for a field of {n} bits",
            f"the dimensions to exchange are 0..{n - 2}",
            "start at one of them",
        )
    return tuple((start - k) % (n - 1) for k in range(n - 1))


def _dimensions(n: int, order: Order) -> tuple[int, ...]:
    if (n := require_int(n, "n", least=1)) > MAX_BITS:
        raise InvalidValueError(
            f"the field has {in_digits(n)} bits",
            f"an address has at most {MAX_BITS}",
            "use fewer",
        )
    named = {"ascending": tuple(range(n - 1)), "descending": tuple(range(n - 2, -1, -1))}
    dimensions = (
        named.get(order, ()) if isinstance(order, str) else require_ints(order, "order")
    )
    if sorted(dimensions) != list(range(n - 1)):
        raise InvalidValueError(
            f"the order is {order!r}",
            f"each of the dimensions 0..{n - 2} must occur once",
            "give a permutation of them, or 'descending' or 'ascending'",
        )
    return dimensions
