"""Section 3.1.1 as programs of the nodes: four elements on a node, converted in memory."""

from graycube.papers.codes import odd

from .cube import Cube, Cycle, coded


def started(n: int, p: int) -> Cube:
    """Cyclic data, with the butterflies of all memory bits done."""
    cube = Cube(n, coded("cyclic", "Binary || Gray", p, n))
    cube.stages(range(n, p))
    cube.keep("initial")
    return cube


def all_to_all(cube: Cube, low: int, start: Cycle, *, convert: bool = False) -> None:
    """Both dimensions above ``low`` trade places with memory, in two cycles.

    With ``convert`` node numbers stay in Gray code and memory in binary code.
    """
    n = cube.n
    high_slot, low_slot = 1 << n + 1, 1 << n
    first = cube.bit(n + 1) ^ cube.bit(low + 1)
    other = cube.bit(n) ^ cube.bit(low) ^ (cube.bit(n + 1) if convert else 0)
    up = high_slot | (low_slot if convert else 0) | 2 << low
    down = low_slot | 1 << low
    cube.cross(first & other, up, start)
    cube.cross(~first & other, down, start)
    cube.keep("first exchange")
    cube.cross(first & other, down, start + 1)
    cube.cross(first & ~other, up, start + 1)
    cube.keep("all-to-all")


def four(n: int, p: int, output: str = "binary", *, by_sequence: bool = True) -> Cube:
    """The butterflies of all bits; sets of four start every other cycle.

    ``output`` may also be a code for every dimension, as "bbgb", the highest first.
    ``by_sequence``: elements cross as soon as their pair is complete. Otherwise a dimension is
    used when all four elements are there.
    """
    cube = started(n, p)
    bi_sections(cube, n - 1, output, by_sequence=by_sequence)
    cube.stage(0)
    return cube


def bi_sections(
    cube: Cube, top: int, output: str = "binary", *, by_sequence: bool = True
) -> None:
    """The stages that are on the nodes, but the last one, from index bit ``top`` down."""
    n, start = cube.n, 2 * (cube.place >> cube.n + 2)
    if _above(output, n, n - 2):
        cube.local(cube.bit(n + 1), 1 << n)
    all_to_all(cube, n - 2, start)
    cube.stage(top)
    cube.ready = start + 2
    for step, k in enumerate(reversed(range(n - 2))):
        leaves, stays = (n + 1, n) if step % 2 == 0 else (n, n + 1)
        cube.local(cube.bit(leaves), 1 << stays)
        cube.local(odd(cube.place, _above(output, n, k)), 1 << leaves)
        cycle = cube.ready + (cube.bit(stays) if step == 0 else 0)
        if not by_sequence:
            cycle = start + 2 + 2 * step + cube.bit(stays)
        cube.exchange(leaves, k, cycle)
        cube.stage(top - 1 - step)
        cube.keep(f"dimension {k}")


def _above(output: str, n: int, k: int) -> int:
    """The dimensions whose sum is the index bit above that of dimension k.

    They are those up to the next one in binary code; none if k is in binary code itself.
    """
    letters = output[0] * n if output in {"binary", "gray"} else output
    mask = 0
    if k >= 0 and letters[n - 1 - k] == "g":
        for d in range(k + 1, n):
            mask |= 1 << d
            if letters[n - 1 - d] == "b":
                break
    return mask


def consecutive_four(n: int, p: int) -> Cube:
    """Section 3.2: what went out for the two top dimensions comes back at the end.

    The two top memory bits are taken to the bottom of memory first, which costs nothing.
    """
    cube = Cube(n, coded("consecutive", "Binary || Gray", p, n))
    node, slot = cube.place & ((1 << n) - 1), cube.place >> n
    used, rest = slot >> p - n - 2, slot & ((1 << p - n - 2) - 1)
    cube.place = (rest << 2 | used) << n | node
    bi_sections(cube, p - 1)
    leaves, stays = (n + 1, n) if n % 2 == 0 else (n, n + 1)
    cube.local(cube.bit(leaves), 1 << stays)
    cube.stage(p - n)
    again = max(n + (n > 2), 1 << p - n - 1)
    all_to_all(cube, n - 2, again + 2 * (cube.place >> n + 2))
    cube.stages(range(p - n))
    return cube


def two_dimensions_at_a_time(n: int, p: int) -> Cube:
    """The remark at the end of section 3.1.1: memory is converted over the links.

    After an all-to-all in two dimensions the next one makes four networks like the first.
    """
    cube, high = started(n, p), n - 1
    at = 4 * (cube.place >> n + 2)
    while high > 0:
        all_to_all(cube, high - 1, at)
        cube.stage(high)
        at = at + 2
        if high > 1:
            reversed_half = cube.bit(n + 1) ^ cube.bit(n)
            cube.cross(reversed_half, 1 << high - 2, at + cube.bit(n))
            at = at + 2
        cube.local(cube.bit(n + 1), 1 << n)
        cube.stage(high - 1)
        high -= 2
    if high == 0:
        cube.cross(cube.bit(n) ^ cube.bit(0), 1 << n | 1, at + cube.bit(n + 1))
        cube.stage(0)
    return cube


def whole_four(n: int, p: int, output: str = "binary") -> Cube:
    """Section 4.1: cyclic data, the entire address in Gray code, converted in memory."""
    cube = Cube(n, coded("cyclic", "Gray", p, n))
    cube.stages(range(n + 1, p))
    cube.keep("initial")
    start = 2 * (cube.place >> n + 2)
    for step, k in enumerate(reversed(range(n))):
        leaves, stays = (n + 1, n) if step % 2 == 0 else (n, n + 1)
        if step == 0:  # the code of memory above goes on into this bit
            cube.local(odd(cube.place, (1 << p) - (2 << leaves)), 1 << leaves)
        elif output == "binary":
            cube.local(cube.bit(k + 1), 1 << leaves)
        cube.keep(f"before {k}")
        cycle = start + cube.bit(stays) if step == 0 else cube.ready
        cube.exchange(leaves, k, cycle)
        cube.stage(k + 1)
        cube.keep(f"dimension {k}")
    cube.stage(0)
    return cube
