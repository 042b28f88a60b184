"""What the text of sections 3 and 4 says besides: counts, ratios and where things end."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, at_every_size, compared, tried
from graycube.papers.codes import above, odd, ranks

from .cube import Cube, code_field, coded, logic
from .four import all_to_all, consecutive_four, four, started, two_dimensions_at_a_time
from .networks import CODES, NODES, bits, by_library, named
from .placements import in_two_cubes
from .two import consecutive, ones_and_bit, storage_from_the_top, two


@tried
def local_output(n: int, K: int) -> bool:
    """What the nodes hold in the end, for both outputs."""
    runs = [(output, four(n, n + bits(K), output)) for output in CODES]
    return all(cube.sound and cube.ends(output, 2) for output, cube in runs)


by_sets = compared(lambda n, K: four(n, n + bits(K), by_sequence=False).checked())
"""Section 3.1.1 before its pipeline of sequences: a set of four every other cycle."""
remark = compared(lambda n, K: two_dimensions_at_a_time(n, n + bits(K)).checked())
"""The remark: two dimensions at a time, four cycles for each set of four."""


@compared
def strides(n: int, stage: int, converted: int) -> int:
    """How far apart in memory both of a pair are, with and without conversion."""
    cube = started(n, n + 2)
    all_to_all(cube, n - 2, 0)
    cube.local(cube.bit(n + 1) * converted, 1 << n)
    if stage == 1:
        cube.exchange(n + 1, n - 3, 0)
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
    straight = ranks(n - 2)
    for quarter, top in enumerate((0, 1, 3, 2)):
        found = held.reshape(4, -1)[top] - (quarter << n - 2)
        turned = (1 << n - 2) - 1 - straight if quarter % 2 else straight
        right, mended = (np.array_equal(found, wanted) for wanted in (straight, turned))
        mended &= library
        says = "decoded" if right else "complement of the decoded"
        where = f"n = {n}, processors {top:02b}*"
        yield Case(where, f"{quarter}N/4 + decoded", f"{quarter}N/4 + {says}", right, mended)


@compared
def latency(n: int, K: int) -> Fraction:
    """Cycles that another dimension adds, by sets of four and by sequences."""
    by_sets, by_sequences = (
        [four(m, m + bits(K), by_sequence=way).checked() for m in (n, n + 1)]
        for way in (False, True)
    )
    return Fraction(by_sets[1] - by_sets[0], by_sequences[1] - by_sequences[0])


@tried
def all_links(n: int) -> bool:
    """Two elements on a node: in iteration k all nodes send over dimensions k and k - 1."""
    use = two(n, n + 1).use()
    wanted = np.zeros_like(use)
    for k in range(n):
        wanted[[k, max(k - 1, 0)], n - 1 - k] = 1 << n
    return np.array_equal(use, wanted)


binary_program = tried(lambda n, K: _ends(two(n, n + bits(K)), "binary"))


def with_ones(n: int, K: int, fewer: int) -> Cube:
    """So many ones fewer than there are dimensions above k."""
    ones = ones_and_bit(lambda n, k: max(n - k - fewer, 0))
    return two(n, n + bits(K), reorder=ones)


gray_program = tried(
    lambda n, K: _ends(with_ones(n, K, 2), "gray"),
    lambda n, K: _ends(with_ones(n, K, 1), "gray") and with_ones(n, K, 2).sound,
)
"""With n - k - 2 ones as printed, and with n - k - 1; all pairs meet in both cases."""


def _ends(cube: Cube, output: str) -> bool:
    """Dimension k ends with index bit k + 1, and the lowest memory bit with index bit 0."""
    p = len(cube.place).bit_length() - 1
    memory = ["g0" if output == "gray" else "b0", *(f"b{b}" for b in range(cube.n + 1, p))]
    return cube.sound and cube.holds([*code_field(output, 1, cube.n), *memory])


@tried
def reflections(n: int, k: int) -> bool:
    """After the exchange of k the code of the rest is reflected where zeros above are odd."""
    place = np.argsort(two(n, n + 1).tables[f"exchange {k}"].ravel())
    zeros = odd(~place, above(n, k - 1))
    return np.array_equal(place >> k - 1 & 1, logic(f"b{k - 1}", np.arange(len(place))) ^ zeros)


@tried
def storage(n: int, K: int) -> bool:
    """With memory bits in turn from the top the node field ends consecutive."""
    cube = storage_from_the_top(n, n + bits(K))
    return not cube.apart and cube.ends("binary", bits(K))


@tried
def stages_with_links(n: int, K: int) -> bool:
    """The dimensions that are crossed before each stage, against those of cyclic data."""
    p = n + bits(K)
    run, cyclic = consecutive_four(n, p), four(n, p)
    before, same = ([dims for _, dims in cube.crossed] for cube in (run, cyclic))
    again = before[n] | before[n + 1] == {n - 1, n - 2}
    return run.sound and again and before[:n] == same[-n:] and not any(before[n + 2 :])


@compared
def top_dimension_again(n: int) -> int:
    """Two elements on a node, consecutive: the cycles in which the top dimension is in use."""
    cube = consecutive(n, "binary", NODES)
    cube.checked()
    return int((cube.use()[n - 1] > 0).sum())


@tried
def like_a_quarter(n: int) -> bool:
    """Whole addresses in Gray code, and a quarter cube after the all-to-all: by node."""
    table = in_two_cubes(n + 2, convert=True).table()[:, : 1 << n] & ((4 << n) - 1)
    whole = np.argsort(by_library("cyclic", "Gray", n + 2, n)).reshape(4, -1)
    return np.array_equal(np.sort(table, axis=0), np.sort(whole, axis=0))


def odd_exchanged(n: int, p: int, encoding: str) -> bool:
    """Whether it is this if locations with an odd number of ones cross the top dimension."""
    cube = Cube(n, coded("cyclic", "Gray", p, n))
    cube.cross(odd(cube.place >> n, -1), 1 << n - 1, 0)
    wanted = coded("cyclic", encoding, p, n), by_library("cyclic", encoding, p, n)
    return all(np.array_equal(cube.place, place) for place in wanted)


exchanged_odd_locations = tried(
    lambda n, p: odd_exchanged(n, p, NODES), lambda n, p: odd_exchanged(n, p, "Gray || Gray")
)


@tried
def same_steps(n: int, p: int) -> bool:
    """Consecutive: what a stage changes with the entire address in Gray code, and without."""
    node, changes = (1 << n) - 1, []
    for encoding in ("Gray", NODES):
        place = coded("consecutive", encoding, p, n)
        layout = named("consecutive", encoding, p, n)
        same = [layout.node_change(1 << b) for b in reversed(range(p))]
        changes.append([int(place[0] ^ place[1 << b]) for b in reversed(range(p))])
        if [change & node for change in changes[-1]] != same:
            return False
    whole, nodes = changes
    first = whole[: n - 1] == nodes[: n - 1]
    least = whole[n - 1] & node == nodes[n - 1] and whole[n - 1] >> n != 0
    return first and least and not any(c & node for c in whole[n:])
