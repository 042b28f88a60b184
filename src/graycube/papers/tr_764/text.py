"""What the text of section 3.1 says besides: counts, ratios and where things end."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, at_every_size, compared, tried

from .cube import code_field, decoded, logic, odd, sound
from .four import ProgramRun, all_to_all, four, started, two_dimensions_at_a_time
from .tables import CODES
from .theorems import bits, checked
from .two import complements, ones_and_bit, storage_from_the_top, two


@tried
def local_output(n: int, K: int) -> bool:
    """What the nodes hold in the end, for both outputs."""
    runs = {output: four(n, n + bits(K), output) for output in CODES}
    return all(
        sound(run.cube) and run.cube.holds(code_field(output, 2, n))
        for output, run in runs.items()
    )


by_sets = compared(lambda n, K: checked(four(n, n + bits(K), by_sequence=False)))
"""Section 3.1.1 before its pipeline of sequences: a set of four every other cycle."""


@compared
def remark(n: int, K: int) -> int:
    """The remark: two dimensions at a time, four cycles for each set of four."""
    cube = two_dimensions_at_a_time(n, n + bits(K)).cube
    return cube.cycles if sound(cube) else -1


@compared
def strides(n: int, stage: int, converted: int) -> int:
    """How far apart in memory both of a pair are, with and without conversion."""
    cube = started(n, n + 2).cube
    all_to_all(ProgramRun(cube), n - 2, 0 * cube.place)
    cube.local(cube.bit(n + 1) * converted, 1 << n)
    if stage == 1:
        cube.exchange(n + 1, n - 3, 0 * cube.place)
        cube.local(cube.bit(n) * converted, 1 << n + 1)
    partner = cube.place[cube.index ^ 1 << n - 1 - stage]
    (apart,) = np.unique(cube.place >> n ^ partner >> n)
    return int(apart)


@at_every_size
def memory_zero(_: Claim, n: int) -> Iterator[Case]:
    """The indices in memory location zero of the four processors with the same low bits."""
    held = started(n, n + 2).tables["initial"][0]
    layout = gc.Layout.cyclic(n + 2, n, nodes="gray")
    library = np.array_equal(layout.index(np.arange(1 << n), 0 * held), held)
    low = np.arange(1 << n - 2)
    straight = decoded(low, n - 2)
    for quarter, top in enumerate((0, 1, 3, 2)):
        found = held[top << n - 2 | low]
        wanted = (quarter << n - 2) + straight
        turned = (quarter << n - 2) + ((1 << n - 2) - 1 - straight)
        right = np.array_equal(found, wanted)
        mended = library and np.array_equal(found, turned if quarter % 2 else wanted)
        says = "decoded" if right else "complement of the decoded"
        where = f"n = {n}, processors {top:02b}*"
        yield Case(where, f"{quarter}N/4 + decoded", f"{quarter}N/4 + {says}", right, mended)


@compared
def latency(n: int, K: int) -> Fraction:
    """Cycles that another dimension adds, by sets of four and by sequences."""
    by_set, by_sequence = (
        checked(four(n + 1, n + 1 + bits(K), by_sequence=way))
        - checked(four(n, n + bits(K), by_sequence=way))
        for way in (False, True)
    )
    return Fraction(by_set, by_sequence)


@tried
def all_links(n: int) -> bool:
    """Two elements on a node: in iteration k all nodes send over dimensions k and k - 1."""
    use = two(n, n + 1, complements).cube.use()
    wanted = np.zeros_like(use)
    for k in range(n):
        wanted[[k, max(k - 1, 0)], n - 1 - k] = 1 << n
    return np.array_equal(use, wanted)


binary_program = tried(lambda n, K: _ends(two(n, n + bits(K), complements), "binary"))


def gray_program(claim: Claim) -> Iterator[Case]:
    """With n - k - 2 ones as printed, and with n - k - 1; all pairs meet in both cases."""
    printed = ones_and_bit(lambda n, k: max(n - k - 2, 0))
    mended = ones_and_bit(lambda n, k: n - k - 1)
    return claim.tried(
        lambda n, K: _ends(two(n, n + bits(K), printed), "gray"),
        lambda n, K: (
            _ends(two(n, n + bits(K), mended), "gray")
            and sound(two(n, n + bits(K), printed).cube)
        ),
    )


def _ends(run: ProgramRun, output: str) -> bool:
    """Dimension k ends with index bit k + 1, and the lowest memory bit with index bit 0."""
    n = run.cube.n
    p = len(run.cube.place).bit_length() - 1
    memory = ["g0" if output == "gray" else "b0", *(f"b{b}" for b in range(n + 1, p))]
    return sound(run.cube) and run.cube.holds([*code_field(output, 1, n), *memory])


@tried
def reflections(n: int, k: int) -> bool | None:
    """After the exchange of k the code of the rest is reflected where zeros above are odd."""
    if not 0 < k < n:
        return None
    place = np.argsort(two(n, n + 1, complements).tables[f"exchange {k}"].ravel())
    above = (1 << n) - (1 << k)
    zeros = odd(place ^ above, above)
    return np.array_equal(place >> k - 1 & 1, logic(f"b{k - 1}", np.arange(len(place))) ^ zeros)


@tried
def storage(n: int, K: int) -> bool:
    """With memory bits in turn from the top the node field ends consecutive."""
    cube = storage_from_the_top(n, n + bits(K))
    return not cube.apart and cube.holds(code_field("binary", bits(K), n))
