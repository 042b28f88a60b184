"""Coarser and finer grids: NumPy's slices, elements that stay, and the way back."""

from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st
from mpi_runs import Launch, OverMPI
from strategies import mesh_specs
from sweeping import law, sweep
from uneven_cases import uneven

import graycube as gc
from graycube.array.boxes import traffic
from graycube.errors import GraycubeError
from graycube.layout.gathering import gathered, stages
from graycube.layout.grids import coarser, thinned


def every(x, factors):
    return x[tuple(slice(None, None, factor) for factor in factors)]


def owned_by(layout, node):
    """The elements of a node, one by one."""
    return {layout.coordinates(node, slot) for slot in range(layout.block_size)}


def require_all_copies(a, x):
    """The array is x, in every copy."""
    assert np.array_equal(a.to_numpy(), x)
    assert np.array_equal(a.blocks, a.layout.scatter(x))


def require_there_and_back(layout, factors):
    x = np.random.default_rng(0).standard_normal((*layout.shape, 2))
    u = gc.CubeArray.from_numpy(x, layout)
    v = gc.coarsen(u, factors)
    require_all_copies(v, every(x, factors))
    zeros = np.zeros_like(x)
    every(zeros, factors)[...] = every(x, factors)
    require_all_copies(gc.refine(v, factors, layout), zeros)
    w = gc.refine(v, factors)
    assert w.layout.shape == tuple(np.multiply(v.layout.shape, factors))
    assert np.array_equal(every(w.to_numpy(), factors), v.to_numpy())
    assert np.count_nonzero(w.to_numpy()) == v.size
    require_all_copies(gc.coarsen(w, factors).relayout(v.layout), v.to_numpy())
    return v.layout


@pytest.mark.long
@law(30, 1000, mesh_specs(room=200, max_axes=3), st.data())
def test_coarse_elements_stay_on_their_nodes(spec, data):
    layout = spec.layout()
    factors = [data.draw(st.sampled_from((1, 2, 4, 16))) for _ in layout.axes]
    coarse = require_there_and_back(layout, factors)
    if not isinstance(coarse, gc.Layout):
        return  # odd parts of lengths lie below bits that go
    for node in range(layout.node_count):
        here = owned_by(layout, node)
        kept = {
            tuple(i // f for i, f in zip(element, factors, strict=True))
            for element in here
            if not any(i % f for i, f in zip(element, factors, strict=True))
        }
        assert kept <= owned_by(coarse, node)
        if coarse.copy_count == 1:  # nothing is sent
            assert kept == owned_by(coarse, node)
            found = traffic(thinned(layout, factors), coarse, node, (0,) * len(factors))
            assert {peer for peer, _ in (*found.sent, *found.received)} <= {node}


@pytest.mark.parametrize("count", [2, 3, 6])
def test_uneven_lengths(count):
    for layout in uneven(count):
        for factors in ((2, 1), (4, 2)):
            require_there_and_back(layout, factors)


@pytest.mark.parametrize("nodes", [(8,), (4,)])
@pytest.mark.parametrize("allocation", ["consecutive", "cyclic"])
def test_an_odd_part_below_the_bits_that_go(nodes, allocation):
    for code in ("gray", "binary"):
        layout = gc.Layout.mesh(
            (1000,), nodes, code=code, allocation=allocation, ownership=False
        )
        coarse = require_there_and_back(layout, [4])
        owned = allocation == "consecutive"
        assert isinstance(coarse, gc.layout.Ownership) == owned
        assert not owned or coarse.axes[0].gray == (code == "gray")


def test_bits_of_several_axes():
    require_there_and_back(gc.Layout.parse("(b1:0 b0:1 || b0:0^b1:0 b1:1)"), [2, 2])


def test_arrays_with_copies():
    x = np.random.default_rng(0).standard_normal((8, 16))
    for code in ("binary", "gray"):
        u = gc.CubeArray.from_numpy(x, gc.Layout.mesh((8, 16), (4, 4), code=code)).max(axis=0)
        v = gc.coarsen(u, 8)
        require_all_copies(v, x.max(axis=0)[::8])
        require_all_copies(gc.coarsen(v, 2), x.max(axis=0)[::16])
        require_all_copies(gc.coarsen(gc.refine(v, 4), 4), v.to_numpy())


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_gray_coded_grids_have_neighbours_one_hop_apart_down_to_one_element(n):
    """With a stride they are two hops apart, in place: Theorem 2 of CAM-87-02."""
    u = gc.CubeArray.from_numpy(np.arange(1 << n), gc.Layout.nodes(n, "gray"))
    for k in range(n + 1):
        coarse = gc.coarsen(u, 1 << k).layout
        assert coarse.copy_count == 1 << k
        for node in range(1 << n):  # the one that stands for the fine one it had
            assert coarse.index(node, 0) == u.layout.index(node, 0) >> k
        for layout, stride, far in ((coarse, 1, 1), (u.layout, 1 << k, 1 + (k > 0))):
            exchange = gc.halo(layout, 1, stride=stride)
            messages = [m for node in range(1 << n) for m in exchange.received(node)]
            hops = {(m.source ^ m.target).bit_count() for m in messages}
            assert hops == ({far} if k < n else set())


def elements_on(layout, node):
    """The elements of a node, one by one, of either kind of layout."""
    return {
        *map(
            tuple,
            np.stack(
                np.meshgrid(*layout.piece(range(node, node + 1)).coordinates, indexing="ij"), -1
            )
            .reshape(-1, len(layout.shape))
            .tolist(),
        )
    }


def require_stage(stage):
    """What is sent goes to the node with the flip, so many elements to each, and no more."""
    d, sent = len(stage.target.shape), set()
    for node in range(stage.target.node_count):
        found = traffic(stage.source, stage.target, node, (0,) * d)
        for peer, places in found.received:
            if peer != node:
                shape = np.empty(stage.target.piece(range(node, node + 1)).shape)[places].shape
                sent.add((peer ^ node, int(np.prod(shape))))
    assert sent == ({(stage.flip, stage.size)} if stage.flip else set())


@law(30, 600, mesh_specs(room=120, max_axes=3), st.data())
def test_gathered_nodes_have_what_nodes_had_that_differ_in_low_bits(spec, data):
    layout = spec.layout()
    factors = [data.draw(st.sampled_from((1, 2, 4, 16))) for _ in layout.axes]
    gather = [data.draw(st.sampled_from((1, 2, 8))) for _ in layout.axes]
    x = np.arange(np.prod(layout.shape)).reshape(layout.shape)
    v = gc.coarsen(gc.CubeArray.from_numpy(x, layout), factors, gather)
    require_all_copies(v, every(x, factors))
    require_all_copies(gc.refine(v, factors, layout), np.where(every_mask(x, factors), x, 0))
    alone = gc.coarsen(gc.CubeArray.from_numpy(x, layout), factors).layout
    for node in range(layout.node_count):
        before, after = elements_on(alone, node), elements_on(v.layout, node)
        if isinstance(alone, gc.Layout):
            assert before <= after
    if isinstance(alone, gc.Layout):
        assert v.layout.block_size <= alone.block_size * np.prod(gather)
        for stage in stages(layout, factors, gather):
            require_stage(stage)
        thin, still = thinned(layout, factors), (0,) * len(factors)
        for node in range(layout.node_count):  # and nothing is sent on the way back
            found = traffic(v.layout, thin, node, still)
            assert {peer for peer, _ in (*found.sent, *found.received)} <= {node}


FACTORS, GATHERS = ((8, 8), (1, 16), (16, 2)), ((4, 2), (1, 16), (1, 1))
EVERY = [*product(FACTORS, GATHERS)]
SOME = [*zip(FACTORS, GATHERS, strict=True), ((8, 8), (1, 16))]
SPREAD = [((4, 4), "gray"), ((8, 2), "binary"), ((1, 8), "gray"), ((16, 1), "binary")]


@pytest.mark.long
@pytest.mark.parametrize(
    ("nodes", "code", "chosen"),
    [
        *((*spread, SOME) for spread in SPREAD),
        *sweep(*((nodes, code, EVERY) for nodes, _ in SPREAD for code in ("gray", "binary"))),
    ],
)
def test_every_stage_is_one_message_a_node(nodes, code, chosen):
    layout = gc.Layout.mesh((16, 16), nodes, code=code)
    for factors, gather in chosen:
        found = stages(layout, factors, gather)
        assert found[-1].target == gathered(coarser(layout, factors), gather)
        for stage in found:
            require_stage(stage)
        hops = {stage.flip.bit_count() for stage in found if stage.flip}
        assert hops <= {1}, "nodes that have copies are in between"


def every_mask(x, factors):
    """Which elements are on the coarse grid."""
    mask = np.zeros(x.shape, bool)
    every(mask, factors)[...] = True
    return mask


def test_what_is_gathered_is_beside_each_other():
    for code in ("gray", "binary"):
        u = gc.CubeArray.from_numpy(
            np.arange(64).reshape(8, 8), gc.Layout.mesh((8, 8), (8, 8), code=code)
        )
        v = gc.coarsen(u, 2, gather=2)
        for node in range(64):
            assert len(elements_on(v.layout, node)) == 4
            (a, b), (c, d) = v.layout.piece(range(node, node + 1)).coordinates
            assert (a // 2, c // 2) == (b // 2, d // 2)
        whole = gc.coarsen(u, 2, gather=64).layout
        assert (whole.copy_count, whole.block_size) == (64, 16)


def test_uneven_blocks_are_gathered():
    x = np.arange(9 * 10).reshape(9, 10)
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh((9, 10), (6, 1)))
    v = gc.coarsen(u, 2, gather=4)  # as many nodes as divide both
    require_all_copies(v, x[::2, ::2])
    assert [len(elements_on(v.layout, node)) for node in range(6)] == [10, 10, 10, 10, 5, 5]
    require_all_copies(gc.refine(v, 2, u.layout), np.where(every_mask(x, (2, 2)), x, 0))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda u: gc.coarsen(u, 2, gather=3), r"gather\[0\] is 3: it must be a power of two"),
        (lambda u: gc.coarsen(u, 2, (2, 2)), "gather has 2 entries for 1 axes"),
        (lambda u: gc.coarsen(u, 3), r"factor\[0\] is 3: it must be a power of two"),
        (lambda u: gc.coarsen(u, (2, 2)), "factor has 2 entries for 1 axes"),
        (lambda u: gc.coarsen(u, 0.5), "must be an integer"),
        (lambda u: gc.refine(u, 2, gc.Layout.nodes(3)), r"one of \(4,\)"),
        (lambda u: gc.refine(u, 2, gc.Layout.mesh((16,), (4,))), "on 4 nodes"),
        (lambda u: gc.refine(u, 2, (16,)), "it must be a Layout"),
        (lambda u: gc.coarsen(u.to_numpy(), 2), "a coarser grid works on a CubeArray"),
        (lambda u: gc.refine(u.to_numpy(), 2), "a finer grid works on a CubeArray"),
    ],
)
def test_what_is_refused(call, text):
    u = gc.CubeArray.from_numpy(np.arange(8), gc.Layout.nodes(3))
    with pytest.raises(GraycubeError, match=text):
        call(u)


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("grids",), sweep=True),
        Launch(6, ("grids",), sweep=True),
        Launch(8, ("grids",), sweep=True),
        Launch(4, ("grids",), messages=True, sweep=True),
    )
