"""What the abstract and sections 1 and 6 say besides: outputs, copies, control, start-ups."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, answers, at_every_size, compared
from graycube.papers.codes import Ints, rounds_to_know_all
from graycube.papers.formula import evaluate
from graycube.table.networks import one_point
from graycube.table.networks.state import Code

from .cube import Cube, coded
from .four import four, whole_four
from .intro import networks, paths
from .networks import proved
from .theorems import LIBRARY, by_both
from .two import REORDER, towards, two


@compared
def any_combination(n: int, slots: int) -> int:
    """Outputs with a code of its own for every dimension, in as many cycles as in binary.

    Over links memory gets the logic bit that the next dimension is to have.
    """
    found, cycles = 0, set[int]()
    for word in ("b" + "".join(codes) for codes in product("bg", repeat=n - 1)):
        field = [f"{letter}{bit}" for bit, letter in enumerate(word[::-1], min(slots, 2))]
        over_links = towards(dict(enumerate(field[:-1], 1)))
        cube = two(n, n + 1, over_links) if slots == 1 else four(n, n + slots, word)
        cycles.add(cube.checked())
        found += cube.holds(field)
    return found if len(cycles) == 1 else -1


def one_point_total(claim: Claim) -> Iterator[Case]:
    """What crosses links, against binary code: of the library's copies, and of neighbours.

    Of what is printed the dimension that the last stage does not need lacks, and nothing else.
    """

    def library(n: int, output: Code) -> Fraction:
        made = one_point(gc.Layout.nodes(n, "gray"), output=output)
        stages_and_nodes = product(range(n), range(1 << n))
        sent = sum(source != v for j, v in stages_and_nodes for source in made.sources(j, v))
        return Fraction(sent, _links(n, gray=False))

    yield from by_both(claim, (LIBRARY, library))
    for (n,) in (sizes.values() for sizes in claim.cases()):
        twice = evaluate(claim.formula, {"n": n})
        lacks = Fraction(twice) - Fraction(_links(n, gray=True), _links(n, gray=False))
        right = lacks == Fraction(1, n)
        yield Case(f"n = {n}: what lacks of {twice}", "0", str(lacks), lacks == 0, right)


def _links(n: int, *, gray: bool) -> int:
    """How often all nodes together send over a dimension between partners."""
    return sum(len(senders) for stage in paths(n, gray=gray) for _, senders in stage)


PROGRAMS: dict[str, Callable[[int, int], Cube]] = {
    "four, binary": four,
    "four, Gray": lambda n, p: four(n, p, "gray"),
    "two, binary": lambda n, p: two(n, p, REORDER["binary"]),
    "two, Gray": lambda n, p: two(n, p, REORDER["gray"]),
    "whole, binary": whole_four,
    "whole, Gray": lambda n, p: whole_four(n, p, "gray"),
}


@at_every_size
def control(_: Claim, n: int, slots: int) -> Iterator[Case]:
    """Every step of every program: where to, as parities of bits of the address.

    The all-to-all in 2-cubes is one step. Every set of four does as the first one, but for
    entire addresses in Gray code, whose first step depends on all bits of the memory address.
    """
    sets = np.arange(1 << slots - 2)[:, None] * (4 << n)
    for name, run in PROGRAMS.items():
        made = run(n, n + slots).tables
        made.pop("first exchange", None)
        tables = [np.argsort(table.ravel()) for table in made.values()]
        steps = [_moved(before, after) for before, after in pairwise(tables)]
        later = (step.reshape(-1, 4 << n) for step in steps[name.startswith("whole") :])
        found = {
            "parities": all(map(_by_parities, steps)),
            "sets alike": all(np.array_equal(step, sets + step[0]) for step in later),
        }
        yield from answers(f"{name}, n = {n}, {1 << slots} elements: ", found)


def _moved(before: Ints, after: Ints) -> Ints:
    """Where the element at every address goes in a step."""
    step = np.empty_like(before)
    step[before] = after
    return step


def _by_parities(step: Ints) -> bool:
    """Whether every bit of the new address is a parity of bits of the old one."""
    wanted = np.full_like(step, step[0])
    address = np.arange(len(step))
    for j in range(len(step).bit_length() - 1):
        wanted ^= (address >> j & 1) * (step[1 << j] ^ step[0])
    return np.array_equal(step, wanted)


@compared
def binary_sections(n: int, r: int, more: int) -> int:
    """Binary data; the elements on a node are 2^(r + more)."""
    return proved("cyclic", "Binary", n, 1 << r + more, gc.Method(radix=r))


@compared
def half_of_the_pipeline(n: int, r: int, K: int) -> Fraction:
    """How far multi-sectioning over the pipeline of networks, carried out, is from one half."""
    pipeline, clashes = networks(n, K, 1, gray=False)
    sections = proved("cyclic", "Binary", n, K, gc.Method(radix=r))
    return abs(Fraction(sections, pipeline) - Fraction(1, 2)) if not clashes else Fraction(9)


@compared
def start_ups(r: int) -> int:
    """The fewest rounds of messages of any size in an r-cube; r exchanges are as many."""
    cube = Cube(r, coded("cyclic", "Binary", 2 * r, r))
    for d in range(r):
        cube.exchange(r + d, d, d)
    low, high = cube.index & ((1 << r) - 1), cube.index >> r
    transposed = np.array_equal(cube.place, low << r | high)
    return rounds_to_know_all(r) if transposed else -1
