"""Which element is so many steps on, also beyond the ends of an axis: by walking there."""

import numpy as np


def pairs_of(fill, count):
    """What is beyond both ends of each axis."""
    every = fill if isinstance(fill, list) else [fill] * count
    return [one if isinstance(one, tuple) else (one, one) for one in every]


def walked(length, at, steps, stride, pair):
    """The element (sign, index) that is seen some steps on, or the number (0, number)."""
    way, sign, kind = int(np.sign(steps)) * stride, 1, pair[int(steps > 0)]
    for _ in range(abs(steps)):
        if not 0 <= at + way < length:
            if not isinstance(kind, str):
                return 0, kind
            if kind != "edge":
                way = -way
            if kind == "antisymmetric":
                sign = -sign
            if kind == "reflect" and 0 <= at + way < length:
                at += way
            continue
        at += way
    return sign, at


def within_reach(pair, below, above):
    """The pair, but edges where mirrors would show what is out of reach."""
    ends = zip(pair, (below, above), (above, below), strict=True)
    return tuple(
        "edge" if kind in {"reflect", "symmetric", "antisymmetric"} and out > back else kind
        for kind, out, back in ends
    )


def seen(length, steps, stride, ring, pair):
    """What is so many steps on from each element of an axis, as ``walked`` tells it."""
    if ring:
        return [(1, (at + steps * stride) % length) for at in range(length)]
    return [walked(length, at, steps, stride, pair) for at in range(length)]
