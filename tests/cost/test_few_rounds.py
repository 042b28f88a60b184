"""What so many rounds need: tolls prove it, and linear programs and schedules agree."""

import random
from fractions import Fraction
from itertools import pairwise, product
from math import inf

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array
from sweeping import larger, sweep

import graycube as gc
from graycube.cost import lower_bounds
from graycube.cost.few_rounds import (
    KEPT_DIMS,
    conversion_volumes,
    converted_width,
    least_volumes,
    volume,
    without_pause,
)
from graycube.gf2 import AffineMap, Matrix


def conversion(n, block=1, *, back=False):
    layouts = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    return gc.Task(*layouts[:: -1 if back else 1], block)


def proved(n, ports, rounds):
    """The blocks in sequence that so many rounds need."""
    return next((share for most, share in conversion_volumes(n, ports) if most >= rounds), 0)


def least(n, ports, rounds):
    """The same by a linear program with nothing left out: all blocks, links and rounds."""
    nodes, links = range(1 << n), list(product(range(1 << n), range(n)))
    column, entries, above, total = rounds, [], [], []
    stays = {}
    for home, r, u in product(nodes, range(rounds), nodes):
        stays[home, r, u], column = column, column + 1
    crosses = {}
    for home, r, link in product(nodes, range(rounds), links):
        crosses[home, r, link], column = column, column + 1
    for home, r, u in product(nodes, range(rounds + 1), nodes):
        row = len(total)
        if r < rounds:
            entries.append((row, stays[home, r, u], 1))
            entries += [(row, crosses[home, r, (u, d)], 1) for d in range(n)]
        if r:
            entries.append((row, stays[home, r - 1, u], -1))
            entries += [(row, crosses[home, r - 1, (u ^ 1 << d, d)], -1) for d in range(n)]
        total.append((r == 0) * (u == home) - (r == rounds) * (u == gc.gray_inverse(home)))
    limited = 0
    for r in range(rounds):
        ways = [([link], 1) for link in links]
        ways += [([(u, d) for d in range(n)], ports) for u in nodes]
        ways += [([(u ^ 1 << d, d) for d in range(n)], ports) for u in nodes]
        for some, most in ways:
            above.append((limited, r, -most))
            above += [(limited, crosses[h, r, link], 1) for h in nodes for link in some]
            limited += 1
    goal = np.arange(column) < rounds
    even, over = (
        coo_array((values, (row, where)), shape=(size, column))
        for (row, where, values), size in (
            (zip(*entries, strict=True), len(total)),
            (zip(*above, strict=True), limited),
        )
    )
    found = linprog(goal, over, np.zeros(limited), even, total, method="highs-ipm")
    return found.fun


@pytest.mark.parametrize(
    ("n", "ports", "shares"),
    [
        (3, 3, {2: 1, 3: 1, 4: 0.7, 5: 2 / 3, 6: 0.63666, 7: 37 / 60}),
        (4, 4, {3: 1, 4: 0.8, 5: 2 / 3, 6: 0.6370, 7: 37 / 60}),
        (4, 2, {3: 1.25, 4: 1.06863, 5: 1}),
        (5, 5, {4: 0.9, 5: 0.68966, 6: 0.637, 7: 37 / 60}),
        (6, 6, {5: 0.77419, 6: 0.64839, 7: 37 / 60}),
        (7, 7, {6: 0.6921, 7: 0.6221}),
    ],
)
def test_tolls_prove_the_fronts(n, ports, shares):
    for rounds, share in shares.items():
        assert share * (1 - 1e-3) <= proved(n, ports, rounds) <= share * (1 + 1e-4)


@pytest.mark.parametrize(
    ("n", "ports", "rounds"),
    [
        *((2, p, r) for p in (1, 2) for r in (1, 2, 3, 5)),
        *((3, p, r) for p in (1, 2, 3) for r in (2, 3, 4)),
        *sweep(*((3, p, r) for p in (1, 2, 3) for r in (5, 6, 7, 8))),
        *sweep(*((4, p, r) for p in (1, 2, 3, 4) for r in (3, 4))),
    ],
)
def test_they_are_the_least_there_is(n, ports, rounds):
    """Nothing less is possible, and no tolls prove more."""
    share, optimum = proved(n, ports, rounds), least(n, ports, rounds)
    assert optimum * (1 - 1.5e-3) <= share <= optimum * (1 + 1e-7)


def cheapest(tolls, home, target, left):
    """What the cheapest way costs from a node to another in so many of the last rounds."""
    if not left:
        return 0 if home == target else inf
    now = tolls[len(tolls) - left]
    fees = [cheapest(tolls, home, target, left - 1)]
    for d in range(len(now[0]) - 2):
        stop = home ^ 1 << d
        fee = int(now[home][d]) + int(now[home][-2]) + int(now[stop][-1])
        fees.append(fee + cheapest(tolls, stop, target, left - 1))
    return min(fees)


def test_ways_are_the_cheapest_of_all():
    rng = np.random.default_rng(5)
    for n, rounds in ((1, 1), (1, 3), (2, 2), (2, 4), (3, 3), (3, 4)):
        tolls = rng.integers(0, 5, size=(rounds, 1 << n, n + 2))
        targets = rng.permutation(1 << n)
        ports = int(rng.integers(1, n + 1))
        paid = sum(cheapest(tolls, u, int(v), rounds) for u, v in enumerate(targets))
        earned = max(int(t[:, :n].sum() + ports * t[:, n:].sum()) for t in tolls)
        assert volume(tolls, targets, ports) == Fraction(paid, earned)


@pytest.mark.long
@pytest.mark.parametrize("n", range(2, 6))
@pytest.mark.parametrize("back", [False, True])
def test_no_algorithm_beats_them(n, back):
    """Each in as many rounds as it has, on machines of all kinds."""
    rng = random.Random(n)  # noqa: S311
    seen = 0
    for ports in range(1, n + 1):
        for _ in range(larger(2, 8)):
            block = rng.choice([1, 2, 3, 5, 8, 17, 60, 420, 4096])
            startup = rng.choice([0.0, 1e-3, 0.02, 0.2, 1.0, 20.0]) * block
            packet = rng.choice([None, None, 3, 40])
            machine = gc.Machine(n, ports, startup=startup, packet=packet)
            task = conversion(n, block, back=back)
            plan = gc.plan(task.source, task.target, block, machine=machine)
            bound = max(bound.seconds for bound in lower_bounds(task, machine))
            for candidate in plan.candidates:
                traffic = candidate.traffic
                if traffic is not None and candidate.algorithm.name != "relabel":
                    assert traffic.cycles >= proved(n, ports, traffic.nonempty) * block
                    assert candidate.cost >= bound * (1 - 1e-12)
                    seen += 1
    assert seen > 10 * n


def test_more_dimensions_rounds_and_ports():
    """Never less with a dimension more; never more with a round or a port more."""
    for n in KEPT_DIMS:
        for ports in range(1, n + 1):
            found = conversion_volumes(n, ports)
            assert all(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(found))
            assert found[0][0] >= n - 1
            for rounds in range(n - 1, found[-1][0] + 1):
                share = proved(n, ports, rounds) * Fraction(1002, 1000)
                if n > 2 and ports < n:
                    assert share >= proved(n - 1, ports, rounds)
                if ports < n:
                    assert share >= proved(n, ports + 1, rounds)


def test_which_fields_a_task_converts():
    rng = np.random.default_rng(3)
    for n in range(2, 8):
        for back in (False, True):
            move = conversion(n, back=back).move
            order = rng.permutation(n).tolist()
            columns = [0] * n
            for d in range(n):
                row = move.matrix.columns[d]
                columns[order[d]] = sum(1 << order[k] for k in range(n) if row >> k & 1)
            layout = gc.Layout.nodes(n)
            target = AffineMap(Matrix(tuple(columns), n))
            assert converted_width(gc.Task(layout, gc.Layout(target, n), 1)) == n
            other = gc.Layout(AffineMap(Matrix(tuple(columns), n), 1 << order[n - 1]), n)
            assert converted_width(gc.Task(layout, other, 1)) < n
    mesh = {
        code: gc.Layout.mesh((16, 4), nodes=(8, 4), code=code) for code in ("gray", "binary")
    }
    assert converted_width(gc.Task(mesh["gray"], mesh["binary"], 2)) == 3
    assert converted_width(gc.Task(mesh["binary"], mesh["binary"], 2)) == 1


@pytest.mark.long
@pytest.mark.parametrize("turns", [3, *sweep((1,))])
@pytest.mark.parametrize("ports", [1, 2, 3, "all"])
def test_they_hold_for_more_dimensions_and_for_several_fields(ports, turns):
    shapes = [((64, 8), (8, 8)), ((4, 16), (4, 16)), ((512,), (512,))]
    startups = (0.0, 1.0, 30.0)
    for k, ((shape, nodes), back) in enumerate(product(shapes, (False, True))):
        source, target = (
            gc.Layout.mesh(shape, nodes=nodes, code=code)
            for code in (("gray", "binary"), ("binary", "gray"))[back]
        )
        for startup in startups[k % turns :: turns]:
            machine = gc.Machine(source.n, ports, startup=startup)
            plan = gc.plan(source, target, source.block_size * 60, machine=machine)
            found = least_volumes(plan.task, machine, 0)
            assert found
            for candidate in plan.candidates:
                traffic = candidate.traffic
                if traffic is not None and candidate.algorithm.name != "relabel":
                    shares = [share for most, share in found if most >= traffic.nonempty]
                    assert traffic.cycles >= max(shares, default=0) * plan.task.block
                    assert candidate.cost >= plan.lower_bound * (1 - 1e-12)


def test_rounds_and_their_bytes_add_up():
    """Four rounds need 9/10 of a block, five 20/29; the cheaper of these is the bound."""
    for startup, rounds, cycles in ((20.0, 5, 200), (500.0, 4, 261)):
        machine = gc.Machine(5, ports="all", startup=startup)
        bound = lower_bounds(conversion(5, 290), machine)[-1]
        assert bound.citation.startswith(f"{rounds} start-ups, and {cycles / 290:.4g} blocks")
        assert bound.startup == rounds * startup
        assert bound.seconds == rounds * startup + cycles


def test_elements_are_whole_and_no_round_is_empty():
    machine = gc.Machine(3, startup=1.0)
    assert max(b.seconds for b in lower_bounds(conversion(3, 1), machine)) == 4.0
    bare = gc.Machine(5)
    assert lower_bounds(conversion(5, 100), bare)[-1].seconds == 215  # 223/104 of 100
    # 24 rounds need 14 elements; more than 14 rounds have one each
    assert lower_bounds(conversion(4, 8), gc.Machine(4))[-1].seconds == 15


def test_circuits_have_no_such_bounds():
    machine = gc.Machine(4, switching="circuit", startup=1.0)
    assert least_volumes(conversion(4), machine, 3) == ()


def one_block(links, distance):
    """The lengths of rounds in which a block goes over these links: for each, its two ends."""
    goal, nodes = (1 << distance) - 1, 1 << distance
    rounds, column, entries = len(links), len(links), []
    above = 0
    over = []
    for r, some in enumerate(links):
        for u, v in [*some, *((u, u) for u in range(nodes))]:
            entries += [(r * nodes + u, column, 1), ((r + 1) * nodes + v, column, -1)]
            if u != v:
                over += [(above, column, 1), (above, r, -1)]
                above += 1
            column += 1
    total = np.zeros((rounds + 1) * nodes)
    total[0], total[rounds * nodes + goal] = 1, -1
    even, limits = (
        coo_array((values, (row, where)), shape=(size, column))
        for (row, where, values), size in (
            (zip(*entries, strict=True), len(total)),
            (zip(*over, strict=True), above),
        )
    )
    found = linprog(np.arange(column) < rounds, limits, np.zeros(above), even, total)
    return found.fun if found.status == 0 else inf


@pytest.mark.long
@pytest.mark.parametrize(
    ("distance", "ports", "wait"),
    [(2, 1, 0), (2, 1, 1), (2, 2, 0), (3, 1, 1), (3, 2, 0), *sweep((4, 1, 1), (4, 2, 0))],
)
@pytest.mark.parametrize("cases", [100, *sweep((1000,))])
def test_a_block_that_goes_far(distance, ports, wait, cases):
    """Whatever links the nodes choose for each round."""
    rng = random.Random(distance)  # noqa: S311
    share = Fraction(distance + 1, 2) if wait else without_pause(distance, ports)
    arrived = 0
    for _ in range(cases):
        links = []
        for _ in range(distance + wait):
            every = [(u, u ^ 1 << d) for u in range(1 << distance) for d in range(distance)]
            rng.shuffle(every)
            every.sort(key=lambda ends: ends[0] > ends[1])  # most lead nearer
            used, taken = [], {}
            for u, v in every:
                if max(taken.get((u, 0), 0), taken.get((v, 1), 0)) < ports:
                    taken[u, 0], taken[v, 1] = (
                        taken.get((u, 0), 0) + 1,
                        taken.get((v, 1), 0) + 1,
                    )
                    used.append((u, v))
            links.append(used)
        found = one_block(links, distance)
        assert found >= share * (1 - 1e-9)
        arrived += found < inf
    assert arrived > 10
