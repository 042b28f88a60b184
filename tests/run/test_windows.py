"""Ranks of one machine that share memory, and what they read from it."""

import random

import numpy as np
import pytest
from mpi_checks import program
from mpi_runs import Launch, OverMPI, launch

from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Layout
from graycube.run import segment
from graycube.run.fetch import fetch, in_order
from graycube.run.letters import letters


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("shared_memory",), sweep=True),
        Launch(8, ("shared_memory",), sweep=True),
    )


def test_a_rank_that_is_killed_ends_the_job(tmp_path):
    assert launch(program("shared_memory"), 4, tmp_path, "killed", limit=40).returncode != 0


def invertible(rng, p, n, kind):
    """A random map: of single bits, of bits with coded nodes, or any."""
    while True:
        columns = [1 << bit for bit in rng.sample(range(p), p)]
        if kind == "coded nodes":
            rows = list(Matrix(tuple(columns), p).rows)
            for k in range(1, n):
                rows[k - 1] ^= rows[k] * rng.randrange(2)
            columns = list(Matrix.from_rows(rows, p).columns)
        if kind == "any":
            columns = [rng.getrandbits(p) for _ in range(p)]
        matrix = Matrix(tuple(columns), p)
        if matrix.is_invertible():
            return AffineMap(matrix, rng.getrandbits(p))


def moved(seed, kind):
    """Random moves of blocks on 2^n nodes: before and after, element by element."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    for _ in range(60):
        p = rng.randint(1, 6)
        n = rng.randint(0, p)
        move, low = invertible(rng, p, n, kind), (1 << n) - 1
        before = np.arange(1 << p).reshape(1 << n, -1)
        after = np.empty_like(before)
        for address in range(1 << p):
            there = move(address)
            after[there & low, there >> n] = before[address & low, address >> n]
        yield n, move, before, after


@pytest.mark.parametrize("kind", ["single bits", "coded nodes", "any"])
def test_every_node_finds_what_is_moved_to_it(kind):
    """Element by element, from the definition of a move."""
    views = 0
    for n, move, before, after in moved(kind, kind):
        fetches = [fetch(move, n, node) for node in range(1 << n)]
        assert len({made.crosses for made in fetches}) == 1
        buffer = before.copy()
        if fetches[0].crosses:
            buffer[[made.position for made in fetches]] = before
        for node, made in enumerate(fetches):
            found = np.empty(before.shape[1], int)
            made.into(found, buffer.ravel() if made.crosses else before[node])
            assert np.array_equal(found, after[node])
            views += made.strides is not None
    assert views


@pytest.mark.parametrize("kind", ["single bits", "coded nodes", "any"])
def test_every_node_finds_its_excerpt_of_rows_in_order(kind):
    """Slot by slot, for all nodes or for none."""
    found = 0
    for n, place, *_ in moved(kind, kind):
        excerpts = [in_order([place], n, node) for node in range(1 << n)]
        assert len({excerpt is None for excerpt in excerpts}) == 1
        if excerpts[0] is None:
            continue
        found += 1
        words = np.arange(1 << place.width)
        for node, (excerpt,) in enumerate(excerpts):
            slots = range(1 << place.width - n)
            wanted = [place.inverse()(node | slot << n) for slot in slots]
            assert excerpt.rows.view(words).ravel().tolist() == wanted
            assert excerpt.rows.together == (wanted == [*range(wanted[0], wanted[-1] + 1)])
    assert found or kind == "any"


@pytest.mark.parametrize("kind", ["single bits", "coded nodes", "any"])
def test_letters_bring_what_is_moved(kind):
    """Element by element, from the definition of a move; letters are delivered by hand."""
    views = 0
    for n, move, before, after in moved(f"letters, {kind}", kind):
        all_letters = [letters(move, n, node) for node in range(1 << n)]
        sent = np.empty_like(before)
        for node, made in enumerate(all_letters):
            made.packing.into(sent[node], before[node])
            assert not made.as_they_are or np.array_equal(sent[node], before[node])
        for node, made in enumerate(all_letters):
            mail = [
                sent[giver].reshape(len(made.takers), -1)[all_letters[giver].takers.index(node)]
                for giver in made.givers
            ]
            found = np.empty(before.shape[1], int)
            made.fetch.into(found, np.concatenate(mail))
            assert np.array_equal(found, after[node])
            views += made.fetch.strides is not None and made.packing.strides is not None
    assert views


def test_lines_over_gray_coded_nodes_are_one_axis_of_a_view():
    """The positions of blocks undo the code, so lines have one stride through all blocks."""
    source = Layout.mesh((16, 8), (4, 1), code="gray")
    target = Layout.mesh((16, 8), (1, 4))
    x = np.arange(16 * 8).reshape(16, 8)
    blocks, move = source.scatter(x), target.map @ source.map.inverse()
    fetches = [fetch(move, 2, node) for node in range(4)]
    buffer = np.empty_like(blocks)
    buffer[[made.position for made in fetches]] = blocks
    for node, made in enumerate(fetches):
        seen = made.view(buffer.ravel())
        assert np.array_equal(seen, x[:, 2 * node : 2 * node + 2])
        assert np.shares_memory(seen, buffer)


def test_control_groups_limit_what_is_asked_for(tmp_path, monkeypatch):
    """The least that is left in any group around this process counts."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    for group, limit, used in (
        (tmp_path, "max", 5),
        (tmp_path / "a", 900, 300),
        (inner, 800, 0),
    ):
        (group / "memory.max").write_text(f"{limit}\n")
        (group / "memory.current").write_text(f"{used}\n")
    own = tmp_path / "cgroup"
    own.write_text("0::/a/b\n")
    monkeypatch.setattr(segment, "_CONTROL", tmp_path)
    monkeypatch.setattr(segment, "_GROUPS", own)
    assert [*segment._left_in_groups()] == [800, 600]
    assert segment._room() == 600


def test_what_does_not_fit_is_refused_before_it_is_touched(monkeypatch):
    monkeypatch.setattr(segment, "_room", lambda: 1000)
    with pytest.raises(OSError, match="501 bytes are wanted, and 1000 are free"):
        segment._filled(501)
