"""Plans for transforms: candidates, prices, the choice, and the transform carried out."""

import pickle
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
import scipy.fft
from sweeping import sweep

import graycube as gc
from graycube.cost import butterfly_bound, butterfly_cycles
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.fourier.planned import planned, planned_layout
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import ALLOCATIONS
from graycube.run.script import Draft
from graycube.schedule import expand

FAST = {"startup": 1e-6, "per_byte": 1e-9}
METHODS = (
    gc.Method(),
    gc.Method("inter-node"),
    gc.Method(radix=2),
    gc.Method(radix=3),
    gc.Method(overlap=False),
)
MESHES = [
    gc.Layout.mesh(shape, nodes=nodes, code=code, allocation=allocation, ownership=False)
    for shape, nodes in (
        ((1000,), (8,)),
        ((1536,), (16,)),
        ((96, 40), (8, 4)),
        ((12, 6), (4, 2)),
    )
    for code in ("gray", "binary")
    for allocation in ("cyclic", "consecutive")
]

some_meshes = pytest.mark.parametrize(
    "layout",
    [
        mesh if k % 3 == 0 else pytest.param(mesh, marks=pytest.mark.sweep)
        for k, mesh in enumerate(MESHES)
    ],
    ids=str,
)


def data(shape, dtype=complex):
    rng = np.random.default_rng(0)
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


def machine(layout, ports="all", **costs):
    return gc.Machine(layout.n, ports=ports, **(costs or FAST))


def emulated(layout, axis, method):
    """The transform as an emulation does it, or None where memory is too small."""
    try:
        made = gc.emulation(layout, axis, method=method)
    except InvalidValueError:
        return None
    x = data(layout.shape)
    a = gc.CubeArray.from_numpy(x, layout)
    done = planned(made, layout, axis, "complex128", a.nodes, inverse=False)
    return x, gc.CubeArray(done.run(a.blocks, None), done.result).to_numpy()


EVERY = [*product(ALLOCATIONS, METHODS)]
OTHERS = EVERY[1::2]  # five methods: each allocation has some, each method half of them


@pytest.mark.long
@pytest.mark.parametrize(("allocation", "method"), [*EVERY[::2], *sweep(*OTHERS)], ids=str)
@pytest.mark.parametrize(
    "sizes", [((2, 2), (3, 2), (4, 1)), *sweep((((1, 2), (3, 3), (2, 4)),))], ids=str
)
def test_an_emulation_is_a_transform(allocation, method, sizes):
    done = 0
    for n, slots in sizes:
        found = emulated(allocation.layout(n + slots, n), 0, method)
        if found:
            x, y = found
            np.testing.assert_allclose(y, scipy.fft.fft(x), atol=1e-12 * len(x))
            done += 1
    assert done >= 3 - ((4, 1) in sizes)


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS[:3], ids=lambda m: m.name)
@some_meshes
def test_an_emulation_along_an_axis_of_a_mesh_is_a_transform(layout, method):
    for axis in range(len(layout.axes)):
        found = emulated(layout, axis, method)
        if found:
            x, y = found
            np.testing.assert_allclose(y, scipy.fft.fft(x, axis=axis), atol=1e-11)


@pytest.mark.long
@some_meshes
@pytest.mark.parametrize("ports", [1, "all"])
def test_the_chosen_one_is_run(layout, ports):
    x = data((*layout.shape, 2))
    a = gc.CubeArray.from_numpy(x, layout)
    for axis in range(-len(layout.axes), 0):
        plan = gc.plan_fft(layout, axis, machine=machine(layout, ports))
        assert plan.verify()
        along = axis + len(layout.axes)
        y = gc.fft(a, axis, plan=plan)
        np.testing.assert_allclose(y.to_numpy(), scipy.fft.fft(x, axis=along), atol=1e-11)
        z = gc.ifft(a, axis, "ortho", plan=plan).to_numpy()
        np.testing.assert_allclose(z, scipy.fft.ifft(x, axis=along, norm="ortho"), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.int16, np.float64])
def test_dtypes_are_those_of_fft(dtype):
    layout = gc.Layout.cyclic(8, 4, nodes="gray")
    a = gc.CubeArray.from_numpy(np.arange(256).astype(dtype), layout)
    plan = gc.plan_fft(layout, machine=machine(layout))
    assert gc.fft(a, plan=plan).dtype == gc.fft(a).dtype


def test_an_axis_in_memory_needs_no_exchange():
    layout = gc.Layout.mesh((16, 64), nodes=(4, 1), code="gray")
    x = data(layout.shape)
    for ports in (1, "all"):
        plan = gc.plan_fft(layout, machine=machine(layout, ports))
        assert (plan.rounds, plan.cost, plan.lower_bound) == (0, 0.0, 0.0)
        assert plan.verify()
        assert "bi-sectioning" in plan.explain()
        y = gc.fft(gc.CubeArray.from_numpy(x, layout), plan=plan)
        np.testing.assert_allclose(y.to_numpy(), np.fft.fft(x), atol=1e-12)


def test_one_point_on_a_node():
    layout = gc.Layout.nodes(5, "gray")
    plan = gc.plan_fft(layout, machine=machine(layout, startup=1.0, per_byte=0.0))
    assert (plan.algorithm, plan.rounds, plan.cost) == ("copies", 5, 5.0)
    assert plan.verify()
    x = data(32)
    y = gc.fft(gc.CubeArray.from_numpy(x, layout), plan=plan)
    np.testing.assert_allclose(y.to_numpy(), np.fft.fft(x), atol=1e-13)
    one = gc.plan_fft(layout, machine=machine(layout, ports=1, startup=1.0, per_byte=0.0))
    assert one.rounds == 10  # two copies one after the other


# Prices and the choice.


@pytest.mark.parametrize("ports", [1, 2, 3, "all"])
@pytest.mark.parametrize("code", ["gray", "binary"])
def test_candidates_are_possible_and_the_choice_is_the_cheapest(code, ports):
    for layout in (
        gc.Layout.cyclic(10, 4, nodes=code),
        gc.Layout.consecutive(9, 4, nodes=code),
    ):
        for costs in ({"startup": 0.0, "per_byte": 1.0}, {"startup": 1e3, "per_byte": 1.0}):
            one = machine(layout, ports, **costs)
            plan = gc.plan_fft(layout, itemsize=8, machine=one)
            known = [c for c in plan.candidates if c.traffic is not None]
            assert plan.cost == min(c.cost for c in known)
            assert plan.lower_bound <= plan.cost
            for candidate in known:
                made = candidate.traffic.schedule
                assert made.dimensions_at_once <= one.links_at_once
                length = made.cycles // len(made.rounds)
                rounds = len(
                    np.unique(expand(made).cycle // length)
                )  # in which something moves
                assert candidate.traffic.cycles == rounds * length
                assert candidate.cost == rounds * one.message_time(8 * length)


def test_start_ups_make_messages_longer():
    layout = gc.Layout.cyclic(12, 4, nodes="gray")
    rounds = [
        gc.plan_fft(layout, machine=machine(layout, startup=s, per_byte=1.0)).rounds
        for s in (0.0, 1e2, 1e4, 1e6)
    ]
    assert rounds == sorted(rounds, reverse=True)
    assert rounds[0] > rounds[-1] >= 4


def test_converting_first_costs_more_than_working_on_gray_code():
    for n, p in ((3, 6), (4, 9)):
        layout = gc.Layout.cyclic(p, n, nodes="gray")
        for ports in (1, "all"):
            plan = gc.plan_fft(layout, machine=machine(layout, ports))
            (first,) = (c for c in plan.candidates if c.algorithm.name == "convert first")
            assert first.cost > plan.cost


def test_binary_data_are_not_converted():
    layout = gc.Layout.cyclic(8, 4)
    plan = gc.plan_fft(layout, machine=machine(layout))
    (first,) = (c for c in plan.candidates if c.algorithm.name == "convert first")
    assert first.reason == "the data are not coded"


def test_a_candidate_can_be_asked_for():
    layout = gc.Layout.cyclic(8, 3, nodes="gray")
    for name in ("bi-sectioning", "inter-node bi-sectioning", "convert first"):
        plan = gc.plan_fft(layout, machine=machine(layout), algorithm=name)
        assert plan.algorithm == name
        x = data(256)
        y = gc.fft(gc.CubeArray.from_numpy(x, layout), plan=plan)
        np.testing.assert_allclose(y.to_numpy(), np.fft.fft(x), atol=1e-11)
        assert plan.schedule.task.source == layout
        assert y.layout == planned_layout(plan.schedule, 0)
        assert plan.verify()


def test_a_plan_that_is_not_proved_is_not_run():
    layout = gc.Layout.cyclic(8, 3, nodes="gray")
    a = gc.CubeArray.from_numpy(data(256), layout)
    plan = gc.plan_fft(layout, machine=machine(layout))
    (way,) = plan.schedule.ways
    fewer = tuple(step for step in way.steps if step.stage != 1)
    lost = replace(plan.schedule, ways=(replace(way, steps=fewer),))
    assert not replace(plan, schedule=lost).verify()
    with pytest.raises(InvalidValueError, match="is not proved"):
        gc.fft(a, plan=replace(plan, schedule=lost))


@pytest.mark.parametrize("layout", [gc.Layout.cyclic(8, 3, nodes="gray"), gc.Layout.nodes(3)])
def test_plans_are_files(layout, tmp_path):
    plan = gc.plan_fft(layout, machine=machine(layout))
    plan.save(tmp_path / "plan.json")
    read = gc.load_plan(tmp_path / "plan.json")
    assert read.schedule == plan.schedule
    assert read.explain() == plan.explain()
    assert read.identity == pickle.loads(pickle.dumps(plan)).identity  # noqa: S301
    x = data(layout.shape)
    y = gc.fft(gc.CubeArray.from_numpy(x, layout), plan=read)
    np.testing.assert_allclose(y.to_numpy(), np.fft.fft(x), atol=1e-12)


@pytest.mark.parametrize("layout", [gc.Layout.cyclic(7, 3, nodes="gray"), gc.Layout.nodes(3)])
def test_as_many_bytes_are_sent_as_were_counted(layout, monkeypatch):
    """And in as many rounds: the plan is what runs."""
    sent, rounds = [], set()
    send = Draft.send

    def counted(self, number, peer, place, rows):
        rounds.add(number)
        sent.append(rows.count)
        send(self, number, peer, place, rows)

    monkeypatch.setattr(Draft, "send", counted)
    for ports in (1, "all"):
        plan = gc.plan_fft(layout, machine=machine(layout, ports))
        planned.cache_clear()
        sent.clear()
        rounds.clear()
        gc.fft(gc.CubeArray.from_numpy(data(layout.shape), layout), plan=plan)
        assert sum(sent) == plan.traffic.crossings
        assert len(rounds) == plan.rounds


def test_the_text_names_all_candidates_and_the_bound():
    layout = gc.Layout.cyclic(10, 4, nodes="gray")
    plan = gc.plan_fft(layout, machine=machine(layout, ports=1))
    text = " ".join(plan.explain(why=True).split())
    for candidate in plan.candidates:
        assert candidate.algorithm.name in text
    assert f"{plan.lower_bound:.4g}" in text
    assert "chosen" in text
    assert "1 port," in text


def test_one_port_exchanges_each_dimension_once():
    """Which is what the bound of half a block for each dimension allows, and no less."""
    for code in ("gray", "binary"):
        layout = gc.Layout.cyclic(12, 5, nodes=code)
        plan = gc.plan_fft(layout, machine=machine(layout, 1, startup=0.0, per_byte=1.0))
        assert plan.cycles == 5 * 64
        assert plan.cost == plan.lower_bound


# The bound.


def test_the_bound_is_half_a_block_and_what_waits_for_it_or_the_farthest_distance():
    layout = gc.Layout.cyclic(10, 6, nodes="gray")
    assert butterfly_cycles(layout, 0, 16, 6) == 8 + 2
    assert butterfly_cycles(layout, 0, 16, 1) == 48
    assert butterfly_cycles(layout, 0, 16, 3) == 16
    assert butterfly_cycles(gc.Layout.cyclic(7, 6, nodes="gray"), 0, 2, 6) == 6
    mesh = gc.Layout.mesh((16, 8), nodes=(4, 1), code="gray")
    assert butterfly_cycles(mesh, 0, 32, 2) == 16
    assert butterfly_cycles(mesh, 1, 32, 2) == 0  # all in memory


def test_the_farthest_distance_is_reached():
    rng = np.random.default_rng(5)
    for _ in range(30):
        p = int(rng.integers(2, 7))
        n = int(rng.integers(1, p))
        while True:
            columns = tuple(int(c) for c in rng.integers(1, 1 << p, p))
            matrix = Matrix(columns, p)
            if matrix.is_invertible():
                break
        layout = gc.Layout(AffineMap(matrix), n)
        farthest = max(layout.node_change(flips).bit_count() for flips in range(1 << p))
        task = gc.Task(layout, layout, layout.block_size, stages=range(p), free=True)
        links = gc.Machine(n, ports="all", startup=1.0, per_byte=0.0)
        assert butterfly_bound(task, links).seconds <= farthest


# What is refused.


def test_errors_name_the_value():
    layout = gc.Layout.cyclic(8, 4)
    with pytest.raises(InvalidTypeError, match="it must be a Layout"):
        gc.plan_fft("cyclic", machine="ideal")
    with pytest.raises(InvalidTypeError, match="the machine is 3"):
        gc.plan_fft(layout, machine=3)
    with pytest.raises(InvalidValueError, match="the machine has 5 dimensions"):
        gc.plan_fft(layout, machine=gc.Machine(5))
    with pytest.raises(OutOfRangeError, match="axis is 1"):
        gc.plan_fft(layout, 1, machine="ideal")
    with pytest.raises(InvalidValueError, match="the algorithm is 'best'"):
        gc.plan_fft(layout, machine="ideal", algorithm="best")
    with pytest.raises(InvalidValueError, match="itemsize is 0"):
        gc.plan_fft(layout, machine="ideal", itemsize=0)
    plan = gc.plan_fft(layout, machine="ideal")
    other = gc.CubeArray.from_numpy(np.zeros(256), gc.Layout.cyclic(8, 4, nodes="gray"))
    with pytest.raises(InvalidValueError, match="the plan is for the layout"):
        gc.fft(other, plan=plan)
    with pytest.raises(InvalidValueError, match="norm is 'both'"):
        gc.fft(gc.CubeArray.from_numpy(np.zeros(256), layout), norm="both", plan=plan)


NETWORKS = [algorithm.name for algorithm in gc.algorithms() if algorithm.network]


@cache
def candidates(layout, ports):
    return gc.plan_fft(layout, machine=machine(layout, ports)).candidates


@pytest.mark.long
@pytest.mark.parametrize("size", [(10, 5), *sweep(((11, 5),))])
@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_of_the_table_is_proved_and_is_a_transform(name, size):
    layouts = [
        gc.Layout.cyclic(6, 3, nodes="gray"),
        gc.Layout.cyclic(*size, nodes="gray"),
        gc.Layout.mesh((24,), nodes=(4,), code="gray", ownership=False),
        gc.Layout.nodes(3, "gray"),
    ]
    done = 0
    for layout, ports in product(layouts, (1, "all")):
        (candidate,) = (c for c in candidates(layout, ports) if c.algorithm.name == name)
        if candidate.traffic is not None:
            plan = gc.plan_fft(layout, machine=machine(layout, ports), algorithm=name)
            x = data(layout.shape)
            y = gc.fft(gc.CubeArray.from_numpy(x, layout), plan=plan)
            assert plan.verify()
            np.testing.assert_allclose(y.to_numpy(), np.fft.fft(x), atol=1e-10)
            done += 1
    assert done
