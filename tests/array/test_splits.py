"""Merge-splits of virtual ranks beside NumPy's sorts of whole lines."""

from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from mpi_runs import Launch, OverMPI
from sweeping import sweep
from virtual_ranks import VirtualMachine

import graycube as gc
from graycube.advice import Sort
from graycube.advice.sent import price
from graycube.array.ordering import splits, ways
from graycube.array.ordering.blocks import where_and_how
from graycube.array.ordering.merging import InARow

RNG = np.random.default_rng(0)
KEYS = {
    "random": RNG.standard_normal,
    "few values": lambda shape: RNG.integers(-2, 3, shape),
    "constant": np.ones,
    "zeros of both signs": lambda shape: RNG.choice([-0.0, 0.0], shape),
    "reversed": lambda shape: -np.arange(float(np.prod(shape))).reshape(shape),
    "half NaN": lambda shape: np.where(RNG.random(shape) < 0.5, np.nan, RNG.random(shape)),
    "NaN": lambda shape: np.full(shape, np.nan),
    "complex": lambda shape: RNG.integers(0, 2, shape) + 1j * RNG.integers(0, 3, shape),
    "text": lambda shape: RNG.integers(0, 99, shape).astype("U2"),
}


def bits_of(lines):
    """The bits of all keys of each line, in order."""
    return np.sort(lines.view("i8"))


ZEROS = np.random.default_rng(0).choice([-0.0, 0.0], (100, 20))
KEEPS_SIGNS = np.array_equal(bits_of(np.sort(ZEROS)), bits_of(ZEROS))
"""Whether NumPy's sort does: that of processors with AVX2 makes one zero of another."""


def sorted_over(x, n, *, gray):
    """Lines sorted over 2^n virtual ranks, and what each sent: the other rank, and bytes."""
    places = np.arange(1 << n)
    ranks = places ^ places >> 1 if gray else places
    each = x.shape[1] >> n
    row = InARow((*ranks.tolist(),), (*range(0, x.shape[1] + 1, each),))
    parts = np.empty((1 << n, len(x), each), x.dtype)
    parts[ranks] = np.sort(x.reshape(len(x), 1 << n, each).swapaxes(0, 1))
    sent = [[] for _ in ranks]

    def swapped(blocks, peer, comm, _):
        sent[comm.rank].append((peer, blocks.nbytes))
        return comm.meet(blocks.copy())[peer]

    def program(comm):
        return splits.merge_split(parts[comm.rank], row, comm)

    with patch.object(splits, "swapped", swapped):
        made = VirtualMachine(1 << n, 0.0, 0.0).run(program)
    return np.concatenate([made[rank] for rank in ranks], axis=1), sent


CASES = [
    *product((2, 3), (5,), KEYS),
    (1, 5, "random"),
    (3, 1, "few values"),
    (4, 3, "half NaN"),
    *sweep((5, 3, "half NaN"), (6, 2, "few values")),
]


@pytest.mark.parametrize("gray", [False, True])
@pytest.mark.parametrize(
    ("n", "each", "kind"), [*CASES, *sweep(*product((4, 5, 6), (7,), KEYS))]
)
def test_lines_are_as_numpy_sorts_them(n, each, kind, gray):
    x = np.asarray(KEYS[kind]((3, each << n)))
    made, _ = sorted_over(x, n, gray=gray)
    assert np.array_equal(made, np.sort(x), equal_nan=x.dtype.kind in "fc")
    if x.dtype.kind == "f" and (KEEPS_SIGNS or "zeros" not in kind):
        # None is lost, also of keys that are equal and unlike.
        assert np.array_equal(bits_of(made), bits_of(x))


@pytest.mark.parametrize("gray", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_all_zeros_and_ones_are_sorted(n, gray):
    """So is everything (the 0-1 principle)."""
    x = np.arange(1 << (1 << n))[:, None] >> np.arange(1 << n) & 1
    made, _ = sorted_over(x, n, gray=gray)
    assert np.array_equal(made, np.sort(x))


@pytest.mark.parametrize("gray", [False, True])
@pytest.mark.parametrize("n", [1, 3, 4, *sweep((6,))])
def test_what_ranks_send_is_the_price(n, gray, monkeypatch):
    """Hop by hop; binary code has neighbours alone."""
    monkeypatch.setattr(ways, "is_quicker", lambda *_: True)
    code = "gray" if gray else "binary"
    layout = gc.Layout.mesh((3 << n,), (1 << n,), code=code, ownership=False)
    _, sent = sorted_over(RNG.random((1, 3 << n)), n, gray=gray)
    hops = [[(rank ^ peer).bit_count() for peer, _ in own] for rank, own in enumerate(sent)]
    nbytes = [sum(size for _, size in own) for own in sent]
    assert {len(own) for own in sent} == {n * (n + 1) // 2}
    seconds, how = price(Sort(0), layout, 8, gc.Machine(n, startup=1000.0, per_byte=1.0))
    assert how.startswith("merge-splits")
    assert {sum(own) for own in hops} == {n * (n + 1) // 2 + gray * (n - 1) * (n - 2) // 2}
    assert {*nbytes} == {24 * n * (n + 1) // 2}
    assert seconds == 1024.0 * sum(hops[0])


@pytest.mark.parametrize("nodes", [2, 16, 64, 256])
@pytest.mark.parametrize("bits", [13, 17, 19, 21, 25])
def test_the_quicker_way_is_taken(nodes, bits, monkeypatch):
    """On circuits where a start-up is worth ``STARTUP`` bytes, with what is merged."""
    n, each = nodes.bit_length() - 1, (8 << bits) // nodes
    machine = gc.Machine(n, switching="circuit", startup=ways.STARTUP, per_byte=1.0)
    layout = gc.Layout.consecutive(bits, n)
    taken = price(Sort(0), layout, 8, machine)[1]
    seconds = []
    for forced in (True, False):
        monkeypatch.setattr(ways, "is_quicker", lambda *_, forced=forced: forced)
        seconds.append(price(Sort(0), layout, 8, machine)[0])
    split, usual = (s + m * each for s, m in zip(seconds, (n * (n + 1) // 2, n), strict=True))
    assert taken.startswith("merge-splits") == (split < usual)


def test_they_are_for_many_nodes_with_some_keys():
    """The dear part of few keys is what all get; that of many, how often they cross."""
    sizes = 13, 17, 19, 21, 25
    told = {
        nodes: [ways.sort_way(nodes, 1, 1 << bits, 8).told[:12] for bits in sizes]
        for nodes in (16, 64, 256)
    }
    few, many, split = "all keys to ", "each key onc", "merge-splits"
    assert told == {
        16: [few, few, few, many, many],
        64: [few, split, split, split, many],
        256: [few, split, split, split, many],
    }


def test_lines_that_others_can_take_come_to_memory(monkeypatch):
    """Merge-splits along Gray code are for an axis that has to be over all nodes."""
    monkeypatch.setattr(ways, "is_quicker", lambda *_: True)
    for length, blocks in ((3, "(12 on 4 gray, 3)"), (4, "(12, 4 on 4)")):
        layout = gc.Layout.mesh((12, length), (4, 1), code="gray", ownership=True)
        assert str(where_and_how(layout, 0, 8)[0]) == blocks


class TestOverMPI(OverMPI):
    launches = tuple(Launch(ranks, ("splits",), sweep=True) for ranks in (2, 8))
