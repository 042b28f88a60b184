"""What phases along an axis send, beside what is carried out; what is refused."""

from contextlib import suppress

import numpy as np
import pytest
from random_butterflies import layouts, random_bits
from sweeping import sweep

import graycube as gc
from graycube.advice import Butterfly, Methods, Scan, Sort, Tridiagonal, Workload
from graycube.advice.homes import Place
from graycube.advice.prices import options
from graycube.advice.sent import price
from graycube.array.ordering import cuts
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError

LEAVE = Methods(fft="leave")
ONE_PORT = {"startup": 10.0, "per_byte": 0.25}


def key(layout):
    return Place(layout, "").key


@pytest.mark.parametrize("count", [12, *sweep((200,))])
def test_a_butterfly_costs_what_its_plan_costs_and_leaves_data_there(count):
    """Plans that convert first are two steps of advice. Affine layouts may have equal plans."""
    rng = np.random.default_rng(count)
    for k, (layout, axes) in enumerate(layouts(rng, count, most=256)):
        axis, machine = int(rng.choice(axes)), gc.Machine(layout.n, **ONE_PORT)
        bits = random_bits(rng, layout.axes[axis].bits)
        found = options(Butterfly(axis, bits), layout, 8, machine, LEAVE)
        plan = None
        with suppress(InvalidValueError):  # no schedule does it
            plan = gc.plan_butterfly(layout, axis, bits, itemsize=8, machine=machine)
        if plan is None or plan.algorithm == "convert first":
            assert not found
            continue
        assert [option.cost for option in found] == [plan.cost]
        x = gc.CubeArray.from_numpy(np.zeros(layout.shape), layout)
        done = gc.butterfly(x, lambda low, high, *_: (low, high), axis, bits, plan=plan)
        assert k % 2 == 0 or key(found[0].after) == key(done.layout)


def test_stages_in_any_order_take_the_cheapest():
    """Those in memory first: what nodes tell apart comes to memory once."""
    layout, machine = gc.Layout.consecutive(8, 3), gc.Machine(3, **ONE_PORT)
    costs = {
        bits: min(o.cost for o in options(Butterfly(0, bits), layout, 8, machine, LEAVE))
        for bits in (None, (0, 1, 2, 3, 4, 5, 6, 7), "any")
    }
    assert costs["any"] == costs[0, 1, 2, 3, 4, 5, 6, 7] < costs[None]


def test_what_is_in_memory_costs_nothing():
    layout, machine = gc.Layout.mesh((8, 8), (1, 4), code="gray"), gc.Machine(2, **ONE_PORT)
    phases = Scan(0), Sort(0), Tridiagonal(0), Butterfly(0, [])
    for phase in (*phases, Tridiagonal(0, periodic=True)):
        (only,) = {option.cost for option in options(phase, layout, 8, machine, Methods())}
        assert only == 0.0
    advice = gc.advise(phases, machine=machine, size=(8, 8), layouts={"here": layout})
    assert advice.cost == advice.lower_bound == 0.0


@pytest.mark.parametrize("ranks", [4, 32])
def test_keys_in_random_order_take_as_many_turns_as_the_length_has_bits(ranks, monkeypatch):
    turns, medians = [], cuts._medians
    monkeypatch.setattr(cuts, "_FEW", 0)
    monkeypatch.setattr(cuts, "_narrow", lambda *_: None)  # over ranks there is none
    monkeypatch.setattr(cuts, "_medians", lambda *given: turns.append(1) or medians(*given))
    for bits in (10, 14):
        keys = np.random.default_rng(bits).permutation(1 << bits).reshape(ranks, 1, -1)
        turns.clear()
        size = (1 << bits) // ranks
        cuts.cuts_of(list(np.sort(keys)), [k * size for k in range(1, ranks)])
        assert abs(len(turns) - bits) <= 2


def test_gray_code_brings_nodes_together_where_binary_is_far():
    """CAM-87-02, Theorem 2: two hops for every stride; and neighbours for a scan."""
    machine = gc.Machine(6, startup=1.0, per_byte=0.0)
    gray, binary = (gc.Layout.nodes(6, code) for code in ("gray", "binary"))
    assert price(Scan(0), gray, 8, machine) == (6.0, "6 exchanges")
    systems = [price(Tridiagonal(0), layout, 8, machine)[0] for layout in (gray, binary)]
    assert systems[0] < systems[1]


@pytest.mark.parametrize(
    ("bits", "way"),
    [(18, "all keys to all nodes as they are few"), (22, "each key once as they are many")],
)
def test_few_keys_are_sorted_on_all_nodes_and_many_where_they_belong(bits, way):
    machine = gc.Machine(4, switching="circuit", startup=1.0, per_byte=0.0)
    seconds, how = price(Sort(0), gc.Layout.consecutive(bits, 4), 8, machine)
    assert how.startswith(way)
    turns = 4 + 2 * 4 * bits + 2 * 15  # lengths; keys and counts; and to each other node
    assert seconds == (turns if bits > 19 else 4)


def test_the_advice_may_be_to_convert_for_a_sort():
    """A long axis in Gray code is sorted in blocks; a plan goes there once for ten sorts."""
    machine = gc.Machine(3, switching="circuit", startup=1e-6, per_byte=1e-9)
    layouts = {
        "gray": gc.Layout.consecutive(20, 3, nodes="gray"),
        "binary": gc.Layout.consecutive(20, 3),
    }
    sorts = gc.Loop([Sort()], 10, name="sorts")
    found = gc.advise(
        [gc.Stencil(), sorts], machine=machine, size=1 << 20, layouts=layouts, start="gray"
    )
    assert "convert" in found.explain()
    assert "moved there and back" not in found.explain()
    assert found.cost < found.alternatives[-1][1]


def test_they_stay_on_coarse_grids_where_nodes_have_copies():
    layout = gc.Layout.mesh((8, 8), (4, 4), code="gray")
    machine = gc.Machine(4, startup=1.0, per_byte=0.0)
    phase = gc.Coarse(4, [Tridiagonal(0), Scan(1)])
    found = gc.advise(phase, machine=machine, size=(8, 8), layouts={"here": layout})
    assert found.cost == 4.0  # four exchanges, and then every node has all of it
    dear = gc.Machine(4, startup=1.0, per_byte=0.0, arithmetic=1e9)
    found = gc.advise(phase, machine=dear, size=(8, 8), layouts={"here": layout})
    assert found.steps[0].label[1] == "2 x 2 in 4 copies"
    assert 4.0 < found.cost < 1e9


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Scan(None), InvalidTypeError, "axis is None"),
        (lambda: Sort(1.0), InvalidTypeError, "axis is 1.0"),
        (lambda: Butterfly(0, "all"), InvalidValueError, "bits is 'all'"),
        (lambda: Butterfly(0, 1.5), gc.GraycubeError, "bits"),
        (lambda: Tridiagonal(0, 1), InvalidTypeError, "periodic is 1"),
        (lambda: Tridiagonal(0, sides=0), InvalidValueError, "sides is 0"),
        (lambda: Tridiagonal(0, sides=1 << 40), InvalidValueError, "at most"),
        (lambda: gc.Coarse(2, [Sort()]), InvalidValueError, "the phase 'sort along -1'"),
        (lambda: gc.Coarse(2, [Butterfly()]), InvalidValueError, "the phase 'butterfly"),
    ],
)
def test_phases_that_are_none(make, error, words):
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize(
    ("phase", "size", "error", "words"),
    [
        (Scan(2), (8, 8), OutOfRangeError, "axis is 2"),
        (Butterfly(), 24, InvalidValueError, r"axis 0 has 24 = 3 \* 2\^3 elements"),
        (Butterfly(0, [3]), 8, InvalidValueError, r"bits is \(3,\)"),
        (Butterfly(0, [1, 1]), 8, InvalidValueError, r"bits is \(1, 1\)"),
        (gc.Loop([Sort(-3)]), (8, 8), OutOfRangeError, "axis is -3"),
    ],
)
def test_phases_that_an_array_has_not(phase, size, error, words):
    with pytest.raises(error, match=words):
        gc.advise(phase, machine=gc.Machine(1), size=size)


TEXT = """
shape = [16, 16]
nodes = 4
phases = [
    {kind = "butterfly", axis = 1, bits = [0, 3]},
    {kind = "butterfly", bits = "any"},
    {kind = "scan", axis = 0},
    {kind = "sort", axis = 1},
    {kind = "tridiagonal", axis = 0, periodic = true, sides = 2},
]
"""


def test_files_have_them_all():
    found = Workload.parse(TEXT)
    assert found.phases == (
        Butterfly(1, (0, 3)),
        Butterfly(bits="any"),
        Scan(0),
        Sort(1),
        Tridiagonal(0, periodic=True, sides=2),
    )
    said = found.advise().explain()
    for words in ("butterfly of bits 0, 3 along 1", "scan along 0", "sort along 1"):
        assert words in said


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('kind = "scan"', "look at 'axis'"),
        ('kind = "scan", axis = true', "axis is True"),
        ('kind = "scan", axis = 0, reverse = true', "look at 'reverse'"),
        ('kind = "sort", axis = "0"', "axis is '0'"),
        ('kind = "sort", axes = [0]', "look at 'axes'"),
        ('kind = "butterfly", bits = [0, "1"]', r"bits\[1\] is '1'"),
        ('kind = "butterfly", bits = [99999999999999999999]', "has the bits 0..5"),
        (f'kind = "butterfly", bits = {[*range(900)]}', "has the bits 0..5"),
        ('kind = "tridiagonal", periodic = "yes"', "periodic is 'yes'"),
        ('kind = "tridiagonal", sides = 1.5', "sides is 1.5"),
        ('kind = "tridiagonal", sides = 99999999999999999999', "at most"),
        ('kind = "tridiagonal", axis = nan', "axis is nan"),
    ],
)
def test_wrong_entries_are_errors(entry, words):
    text = f"shape = [64, 64]\nnodes = 4\nphases = [{{{entry}}}]"
    with pytest.raises(gc.GraycubeError, match=words) as caught:
        Workload.parse(text).advise()
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("kind", "nodes"), [("scan", 1 << 40), ("sort", 1 << 12), ("sort", 1 << 40)]
)
def test_huge_arrays_have_an_answer_at_once(kind, nodes):
    """Nothing goes through nodes one by one."""
    text = f"shape = [{1 << 62}]\nnodes = {nodes}\nphases = [{{kind = '{kind}', axis = 0}}]"
    assert Workload.parse(text).advise().cost > 0
