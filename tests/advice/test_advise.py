"""Advice agrees with the papers, changes where brute force says, and says what it found.

GRAYCUBE_UPDATE_GOLDEN=1 writes the texts in tests/golden anew; read the difference before
keeping it.
"""

import os
import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from kept import script
from matplotlib import pyplot as plt
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from sweeping import larger, sweep

import graycube as gc
from graycube.advice import Methods, homes
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.view import plot_regions

mpl.use("Agg")

GOLDEN = Path(__file__).parents[1] / "golden"
strategies = script("cam_87_02", "theorem4")

UP = gc.Stencil(reach=((0, 1),))
SOLVER = gc.FFT(order="free")
USUAL = (3, 4, 6, 1)  # d, q, s and c of the paper
TIES = (3, 4, 2, 1)  # (s + q c) / (s + c) is 2
CONVERTED = "fft in FFT; stencil of reach 0-1 in BRGC"
KEEP = Methods(fft="restore")
SMALL = {"machine": gc.Machine(dims=2, startup=1.0, per_byte=0.5), "size": (8, 8)}


@pytest.fixture(autouse=True)
def _no_figure_stays():
    yield
    plt.close("all")


def mappings(d, q):
    p = d + q.bit_length() - 1
    return {
        "FFT": gc.Layout.consecutive(p, d),
        "BRGC": gc.Layout.consecutive(p, d, nodes="gray"),
    }


def of_the_paper(case, k=1, times=1):
    """CAM-87-02 section 8.3: k transforms, then so many mesh computations, in a cycle."""
    d, q, s, c = case
    layouts = mappings(d, q)
    return gc.advise(
        [gc.Loop([SOLVER], k, name="k"), gc.Loop([UP], times, name="l")],
        machine=gc.Machine(dims=d, startup=float(s), per_byte=float(c)),
        size=layouts["FFT"].shape,
        itemsize=1,
        layouts=layouts,
        returns=True,
        methods=Methods(fft="whole blocks", conversion="gb1"),
    )


def formulas(case, k, times):
    """T_b, T_f and T_c of section 8.3, as printed."""
    d, q, s, c = case
    element, block = Fraction(s + c), Fraction(s + q * c)
    return {
        "stay in BRGC": times * element + k * (2 * d - 1) * block,
        "stay in FFT": times * d * element + k * d * block,
        CONVERTED: times * element + 2 * (d - 1) * block + k * d * block,
    }


def test_the_planner_finds_theorem_4_without_being_told():
    count = larger(60, 300)
    seen = strategies.compare(count)
    assert set(seen) == {"FFT", "BRGC", "converted"}
    assert seen.total() == count
    assert min(seen.values()) > count / 10


PAPER = [USUAL, (4, 2, 10, 2), (3, 8, 9, 3), (2, 4, 1, 1), (5, 16, 0, 1), (3, 1, 5, 5)]


@pytest.mark.long
@pytest.mark.parametrize("case", PAPER, ids=str)
def test_regions_are_those_of_theorem_4_on_either_side_of_its_boundaries(case):
    """k > 2, l > 2 (s + q c) / (s + c) and l / k > (s + q c) / (s + c): ties go either way."""
    _, q, s, c = case
    found = of_the_paper(case).vary(k=range(1, 6), l=range(1, 40))
    ratio = Fraction(s + q * c, s + c)
    ties = 0
    for (k, times), here, cost in zip(
        product(*found.values.values()), found.strategies, found.costs, strict=True
    ):
        prices = formulas(case, k, times)
        least = min(prices.values())
        best = {name for name, price in prices.items() if price == least}
        assert cost == least
        assert here in best
        ties += len(best) > 1
        on = k == 2, times == 2 * ratio, times == k * ratio
        if not any(on):
            assert (here == CONVERTED) == (k > 2 and times > 2 * ratio)
            assert (here == "stay in BRGC") == (k < 2 and times > k * ratio)
            assert len(best) == 1
        elif on == (True, False, False) and times > 2 * ratio:
            assert best == {CONVERTED, "stay in BRGC"}
        elif on == (False, True, False) and k > 2:
            assert best == {CONVERTED, "stay in FFT"}
        elif on == (False, False, True) and k < 2:
            assert best == {"stay in BRGC", "stay in FFT"}
    assert ties


@pytest.mark.parametrize(("k", "times"), [(1, 2), (2, 4), (3, 4), (5, 4)])
def test_where_strategies_tie_the_one_without_conversions_is_taken(k, times):
    prices = formulas(TIES, k, times)
    first, second, _ = sorted(prices.values())
    assert first == second
    found = of_the_paper(TIES, k, times)
    assert found.cost == min(prices.values())
    assert found.strategy != CONVERTED
    assert "convert" not in found.explain().replace("without conversions", "")


@pytest.mark.parametrize(("k", "times", "best"), [(3, 5, CONVERTED), (1, 3, "stay in BRGC")])
def test_one_beyond_a_boundary_one_strategy_is_best(k, times, best):
    assert of_the_paper(TIES, k, times).strategy == best
    assert of_the_paper(TIES, k, times - 1).strategy != best


# The improved choice: transforms on Gray-coded data as they are.


def cyclic(d, slots):
    p = d + slots
    return {code: gc.Layout.cyclic(p, d, nodes=code) for code in ("binary", "gray")}


def transform(layouts, name, ports, method, **rest):
    n = layouts[name].n
    return gc.advise(
        [SOLVER],
        machine=gc.Machine(dims=n, ports=ports, startup=10.0, per_byte=1.0),
        size=layouts[name].shape,
        itemsize=1,
        layouts={name: layouts[name]},
        methods=Methods(fft=method),
        **rest,
    ).cost


@pytest.mark.parametrize("method", ["leave", "restore"])
@pytest.mark.parametrize(("ports", "least"), [(1, 2), ("all", 3)], ids=str)
@pytest.mark.parametrize("d", [2, 3, *sweep((4,))])
def test_transforms_of_cyclic_gray_data_take_no_longer_with_enough_memory(
    d, ports, least, method
):
    """On one port four elements on a node are enough, on all ports eight, and not too many."""
    gains = d == 4 and ports == "all" and method == "leave"  # chains with sides do, in binary
    for slots in range(least, 5 if gains else 7):
        layouts = cyclic(d, slots)
        gray, binary = (transform(layouts, name, ports, method) for name in ("gray", "binary"))
        assert gray == binary > 0


@pytest.mark.parametrize("slots", [5, *sweep((6,))])
def test_chains_with_sides_are_for_binary_data(slots):
    layouts = cyclic(4, slots)
    gray, binary = (transform(layouts, name, "all", "leave") for name in ("gray", "binary"))
    assert binary < gray < 1.2 * binary


@pytest.mark.parametrize("d", [3, 4])
def test_four_elements_on_a_node_are_too_few_for_all_ports(d):
    layouts = cyclic(d, 2)
    assert transform(layouts, "gray", "all", "leave") > transform(
        layouts, "binary", "all", "leave"
    )


def test_two_elements_on_a_node_are_too_few():
    layouts = cyclic(3, 1)
    assert [transform(layouts, code, 1, "leave") for code in layouts] == [33.0, 44.0]
    for d in (2, 4):
        with pytest.raises(InvalidValueError, match="no sequence of layouts does fft"):
            transform(cyclic(d, 1), "gray", 1, "leave")


@pytest.mark.parametrize("slots", [2, 4])
@pytest.mark.parametrize("d", [3, 4])
def test_consecutive_gray_data_take_one_exchange_more_on_one_port(d, slots):
    codes = ("binary", "gray")
    layouts = {code: gc.Layout.consecutive(d + slots, d, nodes=code) for code in codes}
    half = 10 + (1 << slots) // 2
    binary, gray = (transform(layouts, code, 1, "leave") for code in codes)
    assert (binary, gray) == ((d + 1) * half, (d + 2) * half)


@pytest.mark.parametrize(("d", "ports"), [(3, "all"), (4, 1), *sweep((3, 1), (4, "all"))])
def test_staying_in_gray_code_is_best_for_every_number_of_stencils(d, ports):
    """Theorem 4 with half blocks exchanged: there is nothing left to convert for."""
    layouts = cyclic(d, 3)
    machine = gc.Machine(dims=d, ports=ports, startup=10.0, per_byte=1.0)
    found = gc.advise(
        [gc.Loop([SOLVER], 1, name="k"), gc.Loop([UP], 1, name="l")],
        machine=machine,
        size=layouts["gray"].shape,
        itemsize=1,
        layouts=layouts,
        returns=True,
        methods=KEEP,
    )
    one = transform(layouts, "gray", ports, "restore")
    mesh = gc.halo(layouts["gray"], UP.reach).time(machine)
    assert mesh < gc.halo(layouts["binary"], UP.reach).time(machine)
    counts = range(1, 9), [*range(1, 9), 1000, 10**6]
    changed = found.vary(k=counts[0], l=counts[1])
    assert set(changed.strategies) == {"stay in gray"}
    wanted = [k * one + times * mesh for k, times in product(*counts)]
    assert list(changed.costs) == pytest.approx(wanted, rel=1e-12)
    text = found.explain()
    assert "No conversion pays." in text
    assert "Transforms take no longer on Gray-coded data than on binary ones." in text


def test_explain_says_by_how_much_transforms_are_slower_in_gray_code():
    machine = gc.Machine(dims=3, startup=10.0, per_byte=1.0)
    found = gc.advise([SOLVER], machine=machine, size=64, itemsize=1, methods=KEEP)
    worst = max(
        restored("gray", allocation, machine) / restored("binary", allocation, machine)
        for allocation in ("consecutive", "cyclic")
    )
    assert worst > 1
    assert f"up to {worst:.3g} times as long on Gray-coded data." in found.explain()


def restored(code, allocation, machine):
    layout = gc.Layout.mesh((64,), nodes=(8,), code=code, allocation=allocation)
    prices = []
    for merged in range(3):
        method = gc.Method(overlap=False, merged=merged)
        made = gc.emulation(layout, method=method, restore=True)
        length = made.cycles // len(made.rounds)
        prices.append(len(made.rounds) * machine.message_time(length))
    return min(prices)


# Other numbers of turns.


def varied(**rest):
    program = [
        gc.Loop([gc.FFT(), gc.Elementwise(), gc.FFT()], 1, name="solves"),
        gc.Loop([gc.Stencil(reach=2)], 1, name="steps"),
    ]
    machine = gc.Machine(dims=3, startup=20.0, per_byte=1.0)
    layouts = {
        f"{code} {kind}": gc.Layout.mesh((64,), nodes=(8,), code=code, allocation=kind)
        for code, kind in (("binary", "cyclic"), ("gray", "consecutive"))
    }
    only = Methods(fft=("leave", "whole blocks"))
    array = {"machine": machine, "size": 64, "itemsize": 1}
    more = {**array, "layouts": layouts, "methods": only, **rest}
    return program, more


def fixed(phase, **times):
    return gc.Loop(phase.phases, times.get(phase.name, phase.times), phase.name)


@pytest.mark.long
@pytest.mark.parametrize("every", [2, *sweep((1,))])  # two: the corners and the middle
@pytest.mark.parametrize("returns", [False, True])
def test_a_variation_is_new_advice_at_every_point(returns, every):
    program, rest = varied(returns=returns)
    counts = {"solves": (0, 1, 3), "steps": (0, 2, 1000)}
    found = gc.advise(program, **rest).vary(**counts)
    assert found.values == counts
    points = zip(product(*counts.values()), found.costs, found.strategies, strict=True)
    for (k, times), cost, strategy in list(points)[::every]:
        again = [fixed(phase, solves=k, steps=times) for phase in program]
        other = gc.advise(again, **rest)
        assert cost == pytest.approx(other.cost, rel=1e-12)
        assert strategy == other.strategy


def test_crossovers_are_where_brute_force_changes_its_mind():
    """By the formulas of section 8.3, one number of steps after another."""
    case = 4, 8, 5, 3
    found = of_the_paper(case).vary(k=(1, 2, 3, 4), l=range(1, 30))
    for k in (1, 2, 3, 4):
        (change,) = [cross for cross in found.crossovers() if cross.before][k - 1 : k]
        prices = [formulas(case, k, times) for times in range(1, 30)]
        lost = [row["stay in FFT"] > min(row.values()) for row in prices]
        assert change.name == "l"
        assert change.value == 1 + lost.index(True)
        assert change.before == "stay in FFT"
        assert change.after == ("stay in BRGC" if k < 3 else CONVERTED)
        text = f"from l = {change.value} on: {change.after} (before: {change.before})"
        text = f"{change.where}, {text}"
        assert str(change) == text


def test_loops_of_one_name_vary_together():
    twice = [gc.Loop([gc.Stencil()], 1, name="n"), gc.Loop([gc.Stencil(2)], 1, name="n")]
    costs = gc.advise(twice, **SMALL).vary(n=(0, 1, 2, 10)).costs
    assert costs == (0.0, costs[1], 2 * costs[1], 10 * costs[1])
    assert costs[1] > 0


@pytest.mark.parametrize(
    ("times", "complaint"),
    [
        ({}, "the loops to vary are none: the named loops are steps; give"),
        ({"step": [1]}, "the loops to vary are step: the named loops are steps; give"),
        ({"steps": [-1]}, "numbers >= 0"),
        ({"steps": range(1 << 17)}, "there are 65537 combinations of 1 loops: at most 65536"),
        ({"steps": [1.5]}, r"steps\[0\] is 1.5: it must be an integer"),
        ({"steps": [True]}, r"steps\[0\] is True: it must be an integer"),
        ({"steps": "12"}, r"steps\[0\] is '1': it must be an integer"),
        ({"steps": None}, r"steps\[0\] is None: it must be an integer"),
    ],
    ids=str,
)
def test_what_cannot_vary_is_an_error_that_says_why(times, complaint):
    found = gc.advise(gc.Loop([gc.Stencil()], 2, name="steps"), **SMALL)
    with pytest.raises(gc.GraycubeError, match=complaint):
        found.vary(**times)


def test_regions_are_drawn_where_the_strategies_are():
    counts = {"k": (1, 2, 3, 4, 5), "l": tuple(range(1, 13))}
    found = of_the_paper(USUAL).vary(**counts)
    ax = plot_regions(found)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("l", "k")
    names = [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]
    assert names == list(dict.fromkeys(found.strategies))
    assert set(names) == {"stay in FFT", "stay in BRGC", CONVERTED}
    (squares,) = (c for c in ax.collections if isinstance(c, QuadMesh))
    ax.figure.draw_without_rendering()
    colours = [patch.get_facecolor() for patch in ax.get_legend().get_patches()]
    assert len(set(colours)) == 3
    drawn = squares.get_facecolors().reshape(5, 12, 4)
    for (row, column), strategy in zip(
        product(range(5), range(12)), found.strategies, strict=True
    ):
        assert tuple(drawn[row, column]) == colours[names.index(strategy)]
    edges = squares.get_coordinates()
    assert np.allclose(edges[0, :, 0], np.arange(0.5, 13))
    assert np.allclose(edges[:, 0, 1], np.arange(0.5, 6))


def test_regions_go_where_they_are_told():
    ax = Figure().subplots()
    found = of_the_paper(USUAL).vary(k=(1, 2), l=(1, 2))
    assert plot_regions(found, ax) is ax
    assert not plt.get_fignums()


def test_regions_need_two_loops():
    with pytest.raises(InvalidValueError, match="the numbers of l vary: a map has two"):
        plot_regions(of_the_paper(USUAL).vary(l=(1, 2)))


# Words.


def number(price):
    return re.escape(f"{float(price):.4g}")


def test_golden_text():
    case, k, times = USUAL, 3, 1000
    d, q, s, c = case
    found = of_the_paper(case, k, times)
    text = found.explain() + "\n"
    path = GOLDEN / "advice.txt"
    if os.environ.get("GRAYCUBE_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="ascii")
    assert path.exists(), f"{path} is missing; write it with GRAYCUBE_UPDATE_GOLDEN=1"
    assert text == path.read_text(encoding="ascii")
    block, element = s + q * c, s + c
    prices = formulas(case, k, times)
    wanted = [
        ("fft: whole blocks", d * block),
        ("convert by gb1", (d - 1) * block),
        ("stencil", element),
        ("in all", prices[CONVERTED]),
        ("without conversions, from +BRGC", prices["stay in BRGC"]),
        ("without conversions, from +FFT", prices["stay in FFT"]),
    ]
    for line, price in wanted:
        assert re.search(rf"^ *{line}.* {number(price)}( |$)", text, re.MULTILINE), line


def test_explain_lists_the_usual_layouts_that_never_convert():
    phases = [gc.FFT(), gc.Stencil()]
    found = gc.advise(phases, **SMALL)
    names = [str(place) for place in homes((8, 8), 2)]
    assert sorted(name for name, _ in found.alternatives) == sorted(names)
    costs = [cost for _, cost in found.alternatives]
    assert costs == sorted(costs)
    assert found.cost <= costs[0]
    for name, cost in found.alternatives:
        (home,) = (place for place in homes((8, 8), 2) if place.name == name)
        alone = gc.advise(phases, **SMALL, layouts={name: home.layout}, start=name)
        assert alone.cost <= cost


def test_explain_counts_conversions_of_loops_as_often_as_they_run():
    machine = gc.Machine(dims=3, startup=6.0, per_byte=1.0)
    program = gc.Loop([gc.Loop([SOLVER], 9), gc.Loop([UP], 99)], 50)
    found = gc.advise(
        program,
        machine=machine,
        size=32,
        itemsize=1,
        layouts=mappings(3, 4),
        returns=True,
        methods=Methods(fft="whole blocks", conversion="gb1"),
    )
    assert "It pays to convert 100 times." in found.explain()
    assert found.cost == 50 * formulas(USUAL, 9, 99)[CONVERTED]


def test_a_machine_has_a_name_where_layouts_say_how_many_nodes_there_are():
    layouts = {"mesh": gc.Layout.mesh((8, 8), nodes=(4, 2))}
    named = gc.advise(gc.FFT(), machine="ipsc2", size=(8, 8), layouts=layouts)
    assert named.machine == gc.Machine.profile("ipsc2", dims=3)


# Wrong arguments.

LAYOUT = gc.Layout.mesh((8, 8), nodes=(2, 2))
WRONG = [
    ({"machine": None}, InvalidTypeError, "the machine is None: it must be a Machine"),
    ({"machine": 4}, InvalidTypeError, "the machine is 4: it must be a Machine"),
    ({"machine": "ipsc2"}, InvalidTypeError, "'ipsc2': it must be a Machine, or the name"),
    ({"machine": "none", "layouts": {"a": LAYOUT}}, InvalidValueError, "none"),
    ({"size": 0}, InvalidValueError, "multiple"),
    ({"size": (8, 0)}, InvalidValueError, "the length of axis 1 is 0"),
    ({"size": (-8, 8)}, InvalidValueError, "the length of axis 0 is -8"),
    ({"size": (5, 7)}, InvalidValueError, "5 x 7 on 4 nodes: lengths must be multiples"),
    ({"size": ()}, InvalidValueError, "0 axes"),
    ({"size": (8, True)}, InvalidTypeError, r"size\[1\] is True"),
    ({"size": (8.0, 8)}, InvalidTypeError, r"size\[0\] is 8.0"),
    ({"size": "88"}, InvalidTypeError, r"size\[0\] is '8'"),
    ({"itemsize": 0}, InvalidValueError, "itemsize is 0: it must be at least 1"),
    ({"itemsize": 8.0}, InvalidTypeError, "itemsize is 8.0: it must be an integer"),
    ({"itemsize": 1 << 100}, InvalidValueError, "itemsize is 1267650600228229401"),
    ({"layouts": {}}, InvalidValueError, "layouts is empty: advice is about one layout"),
    ({"layouts": {"a": 3}}, InvalidTypeError, "the layout is 3: it must be a Layout"),
    (
        {"layouts": {"a": gc.Layout.nodes(2)}},
        InvalidValueError,
        r"'a' has shape \(4,\) on 2\^2 nodes: the array has \(8, 8\)",
    ),
    (
        {"layouts": {"a": gc.Layout.mesh((8, 8), nodes=(4, 2))}},
        InvalidValueError,
        r"2\^3 nodes: the array has \(8, 8\), and the machine 2\^2",
    ),
    (
        {"layouts": {"a": LAYOUT}, "start": "b"},
        InvalidValueError,
        "the start is 'b': the layouts are 'a'; name one",
    ),
    ({"start": 3}, InvalidValueError, "the start is 3: the layouts are 'binary 2 x 2'"),
]


@pytest.mark.parametrize(("wrong", "kind", "complaint"), WRONG, ids=str)
def test_wrong_arguments_are_errors_that_say_what_to_do(wrong, kind, complaint):
    with pytest.raises(kind, match=complaint):
        gc.advise([gc.FFT(), gc.Stencil()], **SMALL | wrong)


@pytest.mark.parametrize(
    ("phases", "complaint"),
    [
        (None, "the phases are None: they must be FFT, Stencil"),
        ("fft", "the phases are 'fft': they must be FFT"),
        ([gc.FFT], "the phases are .*class.*: they must be FFT"),
        ([gc.FFT(), "stencil"], "they must be FFT, Stencil"),
        ([[gc.FFT()]], "they must be FFT, Stencil"),
        (gc.Stencil(reach=1.5), r"reach\[0\] is 1.5: it must be an integer"),
        (gc.Stencil(reach=True), r"reach\[0\] is True: it must be an integer"),
        (gc.Stencil(reach=None), r"reach\[0\] is None: it must be an integer"),
        (gc.Stencil(periodic=1), "periodic is 1: it must be a bool"),
        (gc.Stencil(stride=3), r"stride\[0\] is 3: it must be a power of two"),
        (gc.Stencil(corners="yes"), "corners is 'yes': it must be a bool"),
        (gc.Transpose((0,)), r"the axes of a transpose are \(0,\): the array has 2"),
        (gc.Transpose((0, 0)), r"the axes of a transpose are \(0, 0\): the array has 2"),
        (gc.Transpose((0, -2)), r"the axes of a transpose are \(0, -2\): the array has 2"),
        (gc.Transpose((0, 2)), r"the axes of a transpose are \(0, 2\): the array has 2"),
        (gc.Transpose(()), r"the axes of a transpose are \(\): the array has 2"),
        (gc.Loop([gc.Transpose((2, 0, 1))], 3), r"\(2, 0, 1\): the array has 2"),
    ],
    ids=str,
)
def test_wrong_phases_are_errors_that_say_what_to_do(phases, complaint):
    with pytest.raises(gc.GraycubeError, match=complaint):
        gc.advise(phases, **SMALL)


@pytest.mark.parametrize(
    "reach", [-1, (1,), (1, 2, 3), (1, (2,)), "1", (1, -1), 2**40], ids=str
)
def test_a_reach_that_means_nothing_is_an_error(reach):
    with pytest.raises(gc.GraycubeError):
        gc.advise(gc.Stencil(reach=reach), **SMALL)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: gc.FFT(axes="0"), r"axes\[0\] is '0': it must be an integer"),
        (
            lambda: gc.FFT(axes=1.5),
            "the axes are 1.5: they must be whole numbers; pass a tuple",
        ),
        (lambda: gc.FFT(axes=True), r"axes\[0\] is True: it must be an integer"),
        (lambda: gc.FFT(order="C"), "the order is 'C': the known ones are"),
        (lambda: gc.FFT(order=None), "the order is None: the known ones are"),
        (lambda: gc.Transpose("10"), r"axes\[0\] is '1': it must be an integer"),
        (lambda: gc.Loop([], -1), "times is -1: it must be at least 0"),
        (lambda: gc.Loop([], 1 << 31), "times is 2147483648: it must be at most 1073741824"),
        (lambda: gc.Loop([], 2.0), "times is 2.0: it must be an integer"),
        (lambda: gc.Loop([], True), "times is True: it must be an integer"),  # noqa: FBT003
        (lambda: gc.Loop([], name=3), "the name of a loop is 3: it is a name"),
        (lambda: gc.Loop(None), "the phases are None: they must be FFT"),
        (lambda: Methods(fft="best"), r"the methods for transforms are \('best',\)"),
        (lambda: Methods(fft=()), "name one at least"),
    ],
)
def test_phases_that_mean_nothing_are_errors_that_say_what_to_do(make, complaint):
    with pytest.raises(gc.GraycubeError, match=complaint):
        make()


def test_numbers_of_numpy_are_numbers():
    size, one = np.array([8, 8]), np.int64(1)
    phases = [gc.Loop([gc.Stencil(reach=(one, one))], np.int64(3)), gc.FFT(axes=np.array([0]))]
    found = gc.advise(phases, machine=SMALL["machine"], size=size, itemsize=np.int64(16))
    plain = [gc.Loop([gc.Stencil()], 3), gc.FFT(axes=(0,))]
    assert found.cost == gc.advise(plain, **SMALL).cost


def test_a_reach_is_any_row_of_numbers():
    for reach in ([1, 2], np.array([1, 2]), iter([1, 2])):
        assert gc.Stencil(reach=reach).reach == (1, 2)
    assert gc.Stencil(reach=iter([iter([1, 0]), 2])).reach == ((1, 0), 2)


def test_axes_are_counted_from_the_end_too():
    found = [
        gc.advise(
            [gc.Transpose(axes), gc.FFT(axes=last)], machine=SMALL["machine"], size=(8, 4)
        )
        for axes, last in (((1, 0), 1), ((-1, -2), -1))
    ]
    assert found[0].explain() == found[1].explain()


def test_one_node_has_nothing_to_pay_for():
    machine = gc.Machine(dims=0, startup=1.0)
    found = gc.advise([gc.FFT(), gc.Stencil(), gc.Transpose()], machine=machine, size=(3, 5))
    assert found.cost == 0.0
    assert "in all" in found.explain()


def test_no_phases_cost_nothing():
    found = gc.advise([], **SMALL)
    assert (found.cost, found.steps, found.phases) == (0.0, (), ())
    assert found.explain().count("without conversions, from") == len(found.alternatives[:6])


def test_an_array_that_was_turned_cannot_be_back():
    array = {"machine": gc.Machine(dims=4, startup=1.0), "size": (24, 48), "returns": True}
    with pytest.raises(InvalidValueError, match="can end where it started"):
        gc.advise([gc.Transpose()], **array)
    assert gc.advise([gc.Transpose(), gc.Transpose()], **array).cost == 0
