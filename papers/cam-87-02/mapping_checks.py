"""The formulas, tried on schedules: every price is counted, every schedule proved."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from mapping_model import MAPPINGS, Costs, Mapping, Model, printed
from mapping_rounds import (
    conversion,
    fft_rounds,
    neighbour_rounds,
    neighbour_seconds,
    placed,
    seconds,
    transform,
)
from mapping_tables import measured_speedups, model_speedups

import graycube as gc
from graycube.verify import check_algebra

TOLERANCE = 0.002  # of the entries of Table 2


def random_model(rng: np.random.Generator, d: int, held: int) -> tuple[Model, gc.Machine]:
    """A machine whose costs are integers, in both forms, for multiples of ``held`` elements.

    Their sums are exact in floating point, so that prices have to be equal.
    """
    s, c, payload = map(int, rng.integers((0, 1, 1), (10_000, 100, 50)))
    formulas = Model(Costs(Fraction(s), Fraction(c)), d, held * payload)
    return formulas, gc.Machine(dims=d, startup=s, per_byte=c)


def check_fft(rng: np.random.Generator, n: int, d: int, mapping: Mapping) -> int:
    """An FFT and a stencil: rounds that are sound, and cost what the formulas say."""
    layout = placed(n, d, mapping)
    formulas, machine = random_model(rng, d, layout.block_size)
    rounds = fft_rounds(layout, formulas.q)
    sound = all(check_algebra(schedule, machine) for schedule in rounds)
    sound = sound and len(rounds) == d and one_port(layout)
    prices = seconds(rounds, machine), neighbour_seconds(layout, machine)
    claimed = formulas.fft_sends(mapping), formulas.neighbours(mapping)
    _require(f"{n} {d} {mapping}", sound=sound and tuple(map(Fraction, prices)) == claimed)
    return len(rounds) + 1


def one_port(layout: gc.Layout) -> bool:
    """Whether a stencil on one port has as many rounds as the farthest pair needs."""
    rounds = neighbour_rounds(layout)
    senders = [len(np.unique(nodes)) == len(nodes) for nodes, _ in rounds]
    return all(senders) and len(rounds) == gc.mesh_distances(layout).dilation


def check_conversion(rng: np.random.Generator, d: int) -> int:
    """Whole blocks by the planner and by section 6, and single elements."""
    formulas, machine = random_model(rng, d, 1)
    gray, binary = gc.Layout.nodes(d, "gray"), gc.Layout.nodes(d)
    plan = gc.plan(gray, binary, formulas.q, machine=machine, algorithm="gb1")
    blocks = conversion(d, formulas.q, formulas.q)
    pipelined, ports = conversion(d, formulas.q, 1), replace(machine, ports="all")
    few = replace(machine, ports=max(1, d - 2))
    needs_all = d < 3 or formulas.q < d - 1 or not check_algebra(pipelined, few)
    sound = needs_all and check_algebra(blocks, machine) and check_algebra(pipelined, ports)
    prices = plan.cost, seconds([blocks], machine), seconds([pipelined], ports)
    whole = formulas.conversion()
    claimed = whole, whole, formulas.pipelined() if d > 1 else 0
    _require(f"conversion {d}", sound=bool(sound) and tuple(map(Fraction, prices)) == claimed)
    return len(prices)


def check_values(rng: np.random.Generator, n: int, d: int, mapping: Mapping) -> int:
    """The rounds bring what an FFT needs."""
    x = rng.standard_normal(1 << n)
    digits = np.array([int(f"{i:0{n}b}"[::-1], 2) for i in range(1 << n)])
    values = transform(placed(n, d, mapping), x)
    _require(f"values {n} {d} {mapping}", sound=np.allclose(values[digits], np.fft.fft(x)))
    return 1


def check_table2() -> int:
    """Every entry, from the parameters and from Table 1."""
    for (d, mapping), (predicted, measured) in printed().speedups.items():
        exact, whole = model_speedups(d, mapping)
        near = abs(exact - float(predicted)) <= TOLERANCE * float(predicted)
        digits = f"{whole:.2f}", f"{measured_speedups(d, mapping)[0]:.2f}"
        _require(f"Table 2 {d} {mapping}", sound=near and digits == (predicted, measured))
    return 2 * len(printed().speedups)


def check_all(seed: int = 0, dims: int = 10) -> int:
    """All of it; how many figures were compared."""
    rng = np.random.default_rng(seed)
    counts = [check_table2()]
    for d in range(1, dims + 1):
        counts.append(check_conversion(rng, d))
        counts += [check_fft(rng, n, d, m) for m in MAPPINGS for n in (d, d + 1, d + 5)]
        counts += [check_values(rng, n, d, m) for m in MAPPINGS for n in (d, d + 2)]
    return sum(counts)


def _require(what: str, *, sound: bool) -> None:
    if not sound:
        raise SystemExit(f"{what}: wrong")
