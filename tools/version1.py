"""A thousand plan files of version 1, with what the release that wrote them said of each.

Only that release can make them: the last commit before schedules had one form is f3db03cf.

    git worktree add --detach OLD f3db03cf
    PYTHONPATH=OLD/src python tools/version1.py tests/schedule/version1/thousand.xz

Each line of the archive is an object: ``plan`` is the text of a file, the other keys are what
the old release said after it had read that text. ``moves`` and ``blocks`` are digests, of all
crossings and of numbered elements after the plan; a network has ``sums`` of its results instead
of blocks. Made again, all are the same but three that a search found before its time ran out.
"""

import json
import lzma
import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import graycube as gc
from graycube.gf2 import AffineMap, Matrix
from graycube.planning import files
from graycube.schedule import Moves, Task, expand
from graycube.verify import check_elements

CODES: tuple[Literal["gray", "binary"], ...] = "gray", "binary"
SWITCHING: tuple[Literal["store-and-forward", "circuit"], ...] = "store-and-forward", "circuit"
ALL: Literal["all"] = "all"
EACH, LARGEST = 24, 4096  # files of an algorithm, and crossings of a file
Found = tuple[Any, gc.Machine]  # a schedule, and where it runs


def random_map(rng: random.Random, size: int) -> AffineMap:
    while True:
        matrix = Matrix(tuple(rng.randrange(1 << size) for _ in range(size)), size)
        if matrix.is_invertible():
            return AffineMap(matrix, rng.randrange(1 << size))


def in_both_codes(
    shape: tuple[int, ...], parts: tuple[int, ...]
) -> tuple[gc.Layout, gc.Layout]:
    gray, binary = (gc.Layout.mesh(shape, parts, code=code) for code in CODES)
    return gray, binary


def conversions(rng: random.Random, n: int) -> Iterator[tuple[gc.Layout, gc.Layout]]:
    """Codes of nodes and of meshes, with and without extents, both ways."""
    nodes, cyclic = gc.Layout.nodes, gc.Layout.cyclic
    yield nodes(n, "gray"), nodes(n)
    yield cyclic(n + 1, n, nodes="gray"), cyclic(n + 1, n)
    for a in range(1, n):
        for sides in ((1 << a, 1 << n - a), (3 << a, 1 << n - a), (5 << a, 3 << n - a)):
            parts = 1 << a, 1 << n - a
            yield in_both_codes(sides, parts)
    if n > 3:
        yield in_both_codes((2, 4, 1 << n - 3), (2, 4, 1 << n - 3))
    yield nodes(n), random_map(rng, n) @ nodes(n)


def relayouts(rng: random.Random, n: int) -> Iterator[tuple[gc.Layout, gc.Layout]]:
    """Other layouts: allocations, transposes, extents, and maps of all address bits."""
    for p in (n + 1, n + 2, 2 * n):
        codes = rng.choice(CODES), rng.choice(CODES)
        yield (
            gc.Layout.cyclic(p, n, nodes=codes[0]),
            gc.Layout.consecutive(p, n, nodes=codes[1]),
        )
        yield gc.Layout(random_map(rng, p), n), gc.Layout(random_map(rng, p), n)
    shape = (2 << n, 4)
    for how in ("consecutive", "cyclic"):
        rows = gc.Layout.mesh(shape, (1 << n, 1), allocation=how)
        yield rows, gc.Layout.mesh(shape, (1 << n - 2, 4) if n > 1 else (1, 2), allocation=how)
    for shape in ((3 << n, 3), (7 << n, 1)):
        first, second = rng.sample(
            [
                gc.Layout.mesh(shape, (1 << n, 1), code=code, allocation=how)
                for code in CODES
                for how in ("consecutive", "cyclic")
            ],
            2,
        )
        yield first, second
    bits = [f"b{j}" for j in range(n)]
    rng.shuffle(bits)
    yield gc.Layout.nodes(n), gc.Layout.parse(f"(|| {' '.join(bits)})")


def tasks(rng: random.Random, n: int) -> Iterator[Task]:
    pairs = [*conversions(rng, n), *relayouts(rng, n)]
    for pair in pairs:
        payload = rng.choice([1, 2, 3, 4, 6, 8, 12, 17] if pair[0].p == n else [1, 1, 2, 3])
        for source, target in (pair, pair[::-1]):
            with suppress(gc.GraycubeError):  # their extents are at different places
                yield Task(source, target, source.block_size * payload, rng.choice([1, 2, 8]))


def machines(rng: random.Random, n: int) -> Iterator[gc.Machine]:
    for switching, ports in product(SWITCHING, [*range(1, min(n, 3) + 1), ALL]):
        yield gc.Machine(
            n,
            ports,
            switching,
            startup=rng.choice([0.0, 0.5, 10.0, 1e-3]),
            per_byte=rng.choice([1.0, 0.25, 3.57e-7]),
            packet=rng.choice([None, None, 1, 5, 64]),
            arithmetic=rng.choice([0.0, 1e-6]),
        )
    yield gc.Machine.profile(rng.choice(["ipsc1", "ipsc2", "cm2", "ideal"]), dims=n)


def tabled(rng: random.Random) -> Iterator[Found]:
    """What each algorithm of the table makes."""
    for n in range(1, 7):
        for task in tasks(rng, n):
            for machine in machines(rng, n):
                for algorithm in gc.algorithms():
                    if algorithm.applicable(task, machine) is None:
                        try:
                            yield algorithm.emit(task, machine), machine
                        except gc.GraycubeError:  # too large for its form
                            continue
                yield from renumbered(task, machine)


def renumbered(task: Task, machine: gc.Machine) -> Iterator[Found]:
    pair, size = (task.source, task.target), task.itemsize
    try:
        made = gc.plan(*pair, task.block, itemsize=size, machine=machine, algorithm="relabel")
    except gc.GraycubeError:
        return
    yield made.schedule, machine


def networks(rng: random.Random) -> Iterator[Found]:
    """Butterflies with every method, and pipelines without butterflies."""
    old = import_module("graycube.butterflies")
    layouts = [gc.Layout.cyclic(2, 1), gc.Layout.mesh((8, 4), (2, 2), code="gray")]
    layouts += [gc.Layout.cyclic(p, n, nodes="gray") for p, n in ((4, 2), (5, 3))]
    layouts += [gc.Layout.consecutive(p, n, nodes="gray") for p, n in ((5, 2), (6, 3), (7, 4))]
    layouts += [gc.Layout.cyclic(p, n) for p, n in ((4, 2), (6, 2), (6, 4))]
    layouts.append(gc.Layout.mesh((24, 4), (4, 1)))
    ways: list[dict[str, Any]] = [{}, {"radix": 2}, {"radix": 3}, {"merged": 1}]
    ways += [{"overlap": False}, {"radix": 2, "overlap": False}]
    ways += [{"conversion": "inter-node"}, {"conversion": "inter-node", "overlap": False}]
    for layout, way, restore in product(layouts, ways, (False, True)):
        how = {
            "restore": restore,
            "descending": rng.random() < 0.7,
            "itemsize": rng.choice([8, 16]),
        }
        try:
            made = old.emulation(layout, 0, method=gc.Method(**way), **how)
        except gc.GraycubeError:
            continue
        yield made, gc.Machine(layout.n, "all", startup=rng.choice([0.0, 5.0]))
    for n, way, payload in product((1, 2, 3), ways[:6], (1, 3)):
        coded, plain = gc.Layout.cyclic(n + 3, n, nodes="gray"), gc.Layout.consecutive(n + 3, n)
        try:
            made = old.rearrangement(coded, plain, method=gc.Method(**way), block=8 * payload)
        except gc.GraycubeError:
            continue
        yield (
            made,
            gc.Machine(n, "all", rng.choice(SWITCHING), startup=1.0),
        )


def searched(rng: random.Random) -> Iterator[Found]:
    """What linear and integer programs found."""
    several: tuple[int | Literal["all"], ...] = 1, 2, ALL
    for n, ports, block in product((2, 3), several, (3, 7, 11)):
        machine = gc.Machine(n, ports, startup=rng.choice([0.0, 0.5]))
        pair = gc.Layout.nodes(n, "gray"), random_map(rng, n) @ gc.Layout.nodes(n)
        made = gc.synthesize(*pair, block, machine=machine, time_limit=10.0, keep=False)
        known = [algorithm.name for algorithm in gc.algorithms()]
        if made.algorithm not in known:
            yield made.schedule, machine


def digest(columns: NDArray[Any]) -> str:
    return sha256(np.ascontiguousarray(columns, dtype=np.int64).tobytes()).hexdigest()[:16]


def digest_of_moves(moves: Moves) -> str:
    """Of all crossings, element by element in the order of the cycles."""
    order = np.lexsort((moves.cycle, moves.element))
    columns = np.stack((moves.element, moves.cycle, moves.node, moves.dimension))
    return digest(columns[:, order])


def said(text: str) -> dict[str, Any]:
    """What this release says of a plan file."""
    plan = import_module("graycube.planning.plan").plan_of(text, "a file")
    task, moves = plan.task, expand(plan.schedule)
    report, followed = plan.verify(), check_elements(moves, plan.machine)
    if not report or not followed:
        raise SystemExit(f"{report}\n{followed}\n{text}")
    numbers = np.arange(task.block << task.n).reshape(1 << task.n, task.block)
    facts = {
        "algorithm": plan.algorithm,
        "seconds": plan.cost,
        "rounds": plan.rounds,
        "cycles": plan.cycles,
        "crossings": len(moves),
        "startups": plan.traffic.startups(plan.machine),
        "bound": plan.lower_bound,
        "peak": followed.peak,
        "moves": digest_of_moves(moves),
    }
    if '"stage"' not in text:
        return {**facts, "blocks": digest(plan.apply(numbers))}
    points = numbers.reshape(1 << task.n, -1, task.payload)
    made = import_module("graycube.runtime").emulate(plan.schedule, points).ravel()
    sums = [made @ np.cos(k * np.arange(made.size)) for k in (1, 2)]
    return {**facts, "sums": [part for s in sums for part in (s.real, s.imag)]}


def main(path: str) -> None:
    rng = random.Random(1987)  # noqa: S311
    counts, texts = Counter[tuple[str, str]](), dict[str, None]()
    found = [*networks(rng), *searched(rng)]
    table = list(tabled(rng))
    rng.shuffle(table)
    for schedule, machine in [*found, *table]:
        kind = schedule.algorithm.partition("+")[2] or schedule.algorithm, machine.switching
        small = schedule.cycles <= LARGEST and schedule.task.block << schedule.task.n <= LARGEST
        if counts[kind] < EACH and small and len(expand(schedule)) <= LARGEST:
            text = files.plan_text(schedule, machine)
            counts[kind] += text not in texts
            texts[text] = None
    print(len(texts), "files", *counts.items(), sep="\n")
    lines = [json.dumps({"plan": text, **said(text)}) + "\n" for text in texts]
    with lzma.open(path, "wt", preset=9 | lzma.PRESET_EXTREME) as archive:
        archive.writelines(lines)


if __name__ == "__main__":
    main(sys.argv[1])
