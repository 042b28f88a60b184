"""TR-764 Theorem 5: butterflies by copies, with one point on a node."""

from dataclasses import replace

import numpy as np
import pytest

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.run.butterflies import replicate
from graycube.schedule import Replication
from graycube.table.networks import one_point
from graycube.verify import check_replication

CODES = ("binary", "gray")
both_codes = pytest.mark.parametrize(
    ("before", "after"), [(before, after) for before in CODES for after in CODES]
)


def reversed_digits(p):
    return [int(format(k, f"0{p}b")[::-1], 2) if p else 0 for k in range(1 << p)]


@both_codes
@pytest.mark.parametrize("n", range(1, 9))
def test_n_cycles_and_the_code_asked_for(n, before, after):
    network = one_point(gc.Layout.nodes(n, before), output=after)
    assert network.cycles == n
    assert network.stages == tuple(reversed(range(n)))
    assert network.layouts[0] == gc.Layout.nodes(n, before)
    assert network.layouts[-1] == gc.Layout.nodes(n, after)


@both_codes
@pytest.mark.parametrize("n", range(1, 8))
def test_both_inputs_are_within_a_hop_and_every_link_has_one_point(n, before, after):
    network = one_point(gc.Layout.nodes(n, before), output=after)
    for stage, bit in enumerate(network.stages):
        links = set()
        for node in range(1 << n):
            index = network.layouts[stage + 1].index(node, 0)
            inputs = {index, index ^ 1 << bit}
            holders = {network.layouts[stage].locate(i)[0] for i in inputs}
            assert holders == set(network.sources(stage, node))
            for holder in holders - {node}:
                assert (holder ^ node).bit_count() == 1
                links.add((holder, node))
        assert (
            len(links) <= 2 << n
        )  # two copies of a point at most, each over a link of its own
    assert check_replication(network, gc.Machine(n, ports="all"))


@both_codes
@pytest.mark.parametrize("n", range(9))
def test_values_are_those_of_a_transform(n, before, after):
    network = one_point(gc.Layout.nodes(n, before), output=after)
    x = np.random.default_rng(n).standard_normal((1 << n, 3))
    start = network.layouts[0].scatter(x)[:, 0]
    end = network.layouts[-1].gather(replicate(network, start)[:, None])
    np.testing.assert_allclose(end[reversed_digits(n)], np.fft.fft(x, axis=0), atol=1e-12 * n)


def test_single_precision_stays_single():
    network = one_point(gc.Layout.nodes(3, "gray"))
    assert replicate(network, np.ones(8, np.float32)).dtype == np.complex64
    assert replicate(network, np.ones(8, int)).dtype == np.complex128


def test_gray_code_sends_two_copies_and_binary_code_one():
    for code, copies in (("binary", 1), ("gray", 2)):
        network = one_point(gc.Layout.nodes(4, code), output=code)
        sent = [sum(s != node for s in network.sources(0, node)) for node in range(16)]
        assert set(sent) == {copies}


def test_the_check_sees_points_that_are_too_far():
    good = one_point(gc.Layout.nodes(4, "gray"), output="gray")
    layouts = list(good.layouts)
    layouts[1] = layouts[0]  # whoever stays lacks the point of two hops away
    report = check_replication(
        replace(good, layouts=tuple(layouts)), gc.Machine(4, ports="all")
    )
    assert dict(report.counts)["copy"] >= 1


@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize("stages", [(0, 1, 2, 3), (3, 1, 0), (1, 2), (0, 3)])
def test_some_stages_in_any_order_take_a_cycle_each(code, stages):
    layout = gc.Layout.nodes(4, code)
    plan = gc.plan_butterfly(layout, bits=stages, machine=gc.Machine(4, ports="all"))
    assert plan.verify()
    assert plan.cycles == len(stages)


def test_what_is_refused():
    gray = gc.Layout.nodes(3, "gray")
    with pytest.raises(InvalidValueError, match="copies are for one point on a node"):
        one_point(gc.Layout.cyclic(4, 3))
    with pytest.raises(InvalidValueError, match="copies reach neighbours"):
        one_point(gc.Layout.parse("(|| b2^b1 b2^b0 b2)"))
    cyclic = gc.Layout.cyclic(4, 3)

    def copies(layout, layouts, stages=(0,), rounds=(0,), relabel=None):
        task = gc.Task(layout, layout, layout.block_size, stages=stages, free=True)
        return Replication(task, "copies", rounds, 4, layouts, relabel=relabel)

    with pytest.raises(InvalidValueError, match="one follows after every stage"):
        copies(gray, (gray,))
    with pytest.raises(InvalidValueError, match="every node of one cube has one element"):
        copies(cyclic, (cyclic, cyclic))
    with pytest.raises(InvalidValueError, match="an index has the bits 0 to 2"):
        copies(gray, (gray, gray), stages=(3,))
    with pytest.raises(InvalidValueError, match="3 rounds for 2 stages"):
        copies(gray, (gray,) * 3, stages=(1, 0), rounds=(0, 1, 2))
    with pytest.raises(InvalidValueError, match="the last layout says where they end"):
        copies(gray, (gray,) * 2, relabel=AffineMap(Matrix.identity(3), 1))
    with pytest.raises(InvalidValueError, match="first axis must be 8 nodes"):
        replicate(one_point(gray), np.zeros(4))
