"""Section 3.1.2 as programs of the nodes: two elements on a node, converted over the links."""

from collections.abc import Callable, Sequence

import numpy as np

from graycube.papers.codes import Ints, above, odd

from .cube import Cube, Cycle, coded, logic
from .four import started

Reorder = Callable[[Cube, int], Ints | None]


def complements(cube: Cube, k: int) -> Ints:
    """For output in binary code: the number of zeros above dimension k is odd."""
    return odd(~cube.place, above(cube.n, k))


def ones_and_bit(count: Callable[[int, int], int]) -> Reorder:
    """For output in Gray code: so many ones, and dimension k."""

    def condition(cube: Cube, k: int) -> Ints:
        return cube.bit(k) ^ count(cube.n, k) % 2

    return condition


REORDER = {"binary": complements, "gray": ones_and_bit(lambda n, k: n - k - 1)}
"""For output in either code; of the ones the paper has one less."""


def towards(names: dict[int, str]) -> Reorder:
    """The condition, on bits of the node, that gives memory a logic bit; None if none does."""

    def condition(cube: Cube, k: int) -> Ints | None:
        if k not in names:
            return None
        wrong = cube.bit(cube.n) ^ logic(names[k], cube.index)
        masks = range(1 << cube.n + 1)  # the highest bit stands for the constant
        full = cube.place & ((1 << cube.n) - 1) | 1 << cube.n
        found = (odd(full, mask) for mask in masks if np.array_equal(odd(full, mask), wrong))
        return next(found, None)

    return condition


def bi_sections(
    cube: Cube, reorder: Reorder, start: Cycle, lowest_stage: int, slots: Sequence[int] = ()
) -> None:
    """All dimensions from the top: half of the elements cross k, the others k - 1.

    ``lowest_stage`` is the index bit whose stage comes with dimension 0. The ``slots`` are the
    memory bits that are used in turn, or it is always the lowest one.
    """
    n, slots = cube.n, slots or (cube.n,)
    for step, k in enumerate(reversed(range(n))):
        slot, cycle = slots[step % len(slots)], start + step
        crosses = cube.bit(slot) ^ cube.bit(k)
        cube.cross(crosses, 1 << slot | 1 << k, cycle)
        if k:
            cube.cross(1 - crosses, 1 << k - 1, cycle)
        cube.stage(lowest_stage + k)
        cube.keep(f"exchange {k}")
        condition = reorder(cube, k)
        if condition is not None:
            cube.local(condition, 1 << slot)
            cube.keep(f"reordered {k}")


def two(n: int, p: int, output: str = "binary", *, reorder: Reorder | None = None) -> Cube:
    """Cyclic data with nodes in Gray code; pairs start every other cycle.

    Memory is put in order for output in this code, or by another condition.
    """
    cube = started(n, p)
    bi_sections(cube, reorder or REORDER[output], 2 * (cube.place >> n + 1), 0)
    return cube


def whole(n: int, p: int, output: str = "binary") -> Cube:
    """Cyclic data with the entire address in Gray code (section 4.1).

    First the top dimension is exchanged where the memory location has an odd number of ones;
    then memory is put in order, and everything is as before, from a cycle later on.
    """
    cube = Cube(n, coded("cyclic", "Gray", p, n))
    cube.stages(range(n + 1, p))
    cube.keep("initial")
    pair = 2 * (cube.place >> n + 1)  # a pair is as often odd first as even first
    turn = odd(cube.place, (1 << p) - (1 << n))
    cube.cross(turn, 1 << n - 1, pair)
    cube.keep("not reflected")
    for bit in reversed(range(n, p - 1)):  # memory from Gray to binary code
        cube.local(cube.bit(bit + 1), 1 << bit)
    cube.stage(n)
    cube.keep("memory in binary code")
    bi_sections(cube, REORDER[output], pair + 1, 0)
    return cube


def consecutive(n: int, output: str, encoding: str = "Gray") -> Cube:
    """Two elements on a node, consecutive; the top dimension is used again (sections 3.2, 4.2).

    The dimensions end with the node field of the index, one step to the right.
    """
    cube = Cube(n, coded("consecutive", encoding, n + 1, n))
    cube.keep("initial")
    if encoding == "Gray":  # the lowest index bit comes out of the memory bit
        cube.local(odd(cube.place, (1 << n) - 1), 1 << n)
    wanted = {k: f"b{k + 1}" for k in range(n)}
    if output == "gray":
        wanted |= {k: f"g{k + 1}" for k in range(n - 1)}
    bi_sections(cube, towards(wanted), 0, 1)
    cube.exchange(n, n - 1, n)
    cube.stage(0)
    cube.keep(f"exchange {n - 1} again")
    return cube


def one_slot_free(n: int) -> Cube:
    """Section 5, the obvious way for one point: half of the cube gets two, and splits them."""
    cube = Cube(n, coded("cyclic", "Binary || Gray", n, n))
    bi_sections(cube, complements, 0, 0)
    cube.cross(cube.bit(n), 1 << n | 1 << n - 1, n)
    return cube


def storage_from_the_top(n: int, p: int) -> Cube:
    """Section 3.1.2: another memory bit for every dimension, from the top and in turn."""
    cube = Cube(n, coded("cyclic", "Binary || Gray", p, n))
    bi_sections(cube, complements, 0, 0, range(n, p)[::-1])
    return cube
