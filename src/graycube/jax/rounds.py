"""The rounds of a schedule as collective permutes of rows: its own messages, and no others.

Rules.

1. The rows of a device are one array: its block, its result, what only passes through, and
   ``spare`` rows into which nobody looks. A device that gets nothing in a permute puts what it
   has then there.
2. Messages of a round that are equally long are as few permutes as one device has of them: so
   a round of equal messages on one port is one permute.
3. Which rows a device sends is a list of *bands*, of equal lengths on all devices. Where they
   begin is looked up by the number of the device: such a table has one entry for each.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import prod
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap
from graycube.jax.blocks import arranged, permuted
from graycube.jax.cube import MeshCube
from graycube.jax.matchings import Pair, matchings
from graycube.jax.names import Block
from graycube.run.chunks import chunked
from graycube.run.script import Bank, Part, Script
from graycube.schedule import Replication, Schedule

if TYPE_CHECKING:
    from graycube.planning import Plan

MOST = 1 << 9
"""Most rounds of a program: each of them takes time to compile."""

_Rows = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Band:
    """``length`` rows from ``starts[node]`` on."""

    starts: tuple[int, ...]
    length: int


@dataclass(frozen=True, eq=False)
class Transfer:
    """Rows that go from node to node, by pairs; without pairs each node keeps its own."""

    pairs: tuple[Pair, ...]
    reads: tuple[Band, ...]
    writes: tuple[Band, ...]


@dataclass(frozen=True, eq=False)
class Rounds:
    """What all devices do with ``rows`` of their block: a map within, the rounds, another map.

    ``others`` is the number of all rows but those of the block: see rule 1.

    >>> import graycube as gc
    >>> gray, binary = gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2)
    >>> made = rounds_of(gc.plan(gray, binary, 8, machine=gc.Machine(2)).schedule)
    >>> [[transfer.pairs for transfer in r] for r in made.rounds]
    [[((2, 3), (3, 2))]]
    """

    before: AffineMap
    rows: int
    others: int
    kept: tuple[Transfer, ...]
    rounds: tuple[tuple[Transfer, ...], ...]
    after: AffineMap


@lru_cache(maxsize=64)
def rounds_of(schedule: Schedule | Replication) -> Rounds:
    """The rounds of a schedule, each as few permutes.

    >>> import graycube as gc
    >>> layouts = gc.Layout.cyclic(6, 2), gc.Layout.consecutive(6, 2)
    >>> machine = gc.Machine(2, switching="circuit")
    >>> made = rounds_of(gc.plan(*layouts, 16, machine=machine).schedule)
    >>> [transfer.pairs[:2] for (transfer,) in made.rounds]
    [((0, 2), (1, 3)), ((0, 1), (1, 0)), ((0, 3), (1, 2))]
    """
    made = chunked(schedule)
    scripts, rows = made.scripts, made.scripts[0].rows
    spare = max(script.spare for script in scripts)
    places = {Bank.BLOCK: 0, Bank.RESULT: rows, Bank.SPARE: 2 * rows}
    aside = 2 * rows + spare
    kept, sent = _messages(scripts, places)
    rounds = tuple(_transfers(sent[r], len(scripts), aside) for r in sorted(sent))
    stay = _transfers(kept, len(scripts), aside, away=False)
    written = [band.length for r in (stay, *rounds) for t in r for band in t.writes]
    return Rounds(
        made.before, rows, rows + spare + max(written, default=0), stay, rounds, made.after
    )


def _messages(
    scripts: Sequence[Script], places: Mapping[Bank, int]
) -> tuple[dict[Pair, tuple[_Rows, _Rows]], dict[int, dict[Pair, tuple[_Rows, _Rows]]]]:
    """What is kept, and by rounds what is sent: the rows at both ends, for each pair."""
    kept, sent = {}, defaultdict[int, dict[Pair, tuple[_Rows, _Rows]]](dict)
    for script in scripts:
        if script.kept:
            ends = zip(*script.kept, strict=True)
            before, after = (_rows(parts, places) for parts in ends)
            kept[script.node, script.node] = before, after
        for r in script.rounds:
            for message in r.sends:
                rows = sent[r.number].setdefault((script.node, message.peer), ([], []))
                rows[0].extend(_rows(message.parts, places))
            for message in r.receives:
                rows = sent[r.number].setdefault((message.peer, script.node), ([], []))
                rows[1].extend(_rows(message.parts, places))
    return kept, sent


def _rows(parts: Iterable[Part], places: Mapping[Bank, int]) -> _Rows:
    """The rows of parts as bands: where each begins, and how long it is."""
    made: _Rows = []
    for part in parts:
        place = places[part.bank]
        if isinstance(part.rows, slice):
            made.append((place + part.rows.start, part.count))
            continue
        rows = part.rows.tolist()
        breaks = [k for k in range(1, len(rows)) if rows[k] != rows[k - 1] + 1]
        ends = pairwise([0, *breaks, len(rows)])
        made += [(place + rows[low], high - low) for low, high in ends]
    return made


def _transfers(
    messages: Mapping[Pair, tuple[_Rows, _Rows]], nodes: int, aside: int, *, away: bool = True
) -> tuple[Transfer, ...]:
    """Messages in as few transfers as rule 2 allows, nearest neighbours first."""
    alike = defaultdict[int, list[Pair]](list)
    for pair in sorted(messages, key=lambda pair: (pair[0] ^ pair[1], pair)):
        alike[sum(length for _, length in messages[pair][0])].append(pair)
    groups = (group for _, pairs in sorted(alike.items()) for group in matchings(pairs))
    return tuple(
        _transfer({pair: messages[pair] for pair in group}, nodes, aside, away=away)
        for group in groups
    )


def _transfer(
    messages: Mapping[Pair, tuple[_Rows, _Rows]], nodes: int, aside: int, *, away: bool
) -> Transfer:
    read = {source: rows for (source, _), (rows, _) in messages.items()}
    written = {target: rows for (_, target), (_, rows) in messages.items()}
    return Transfer(
        tuple(sorted(messages)) if away else (),
        tuple(_bands(read, nodes, aside=None)),
        tuple(_bands(written, nodes, aside=aside)),
    )


def _bands(given: Mapping[int, _Rows], nodes: int, aside: int | None) -> Iterator[Band]:
    """The bands of all nodes, cut where one of them has an end.

    A node that has none writes ``aside``; what it reads goes nowhere, so it does as others do.
    """
    ends = {node: [*accumulate(length for _, length in rows)] for node, rows in given.items()}
    marks = sorted({0, *(end for found in ends.values() for end in found)})
    for low, high in pairwise(marks):
        starts = dict[int, int]()
        for node, rows in given.items():
            k = bisect_right(ends[node], low)
            start, length = rows[k]
            starts[node] = start + length - (ends[node][k] - low)
        idle = min(starts.values()) if aside is None else aside
        yield Band(tuple(starts.get(node, idle) for node in range(nodes)), high - low)


def executed(plan: "Plan", cube: MeshCube, shape: Sequence[int]) -> "Executed":
    """What each device does with a block of a shape for a plan; see ``graycube.jax.execute``.

    >>> import graycube as gc
    >>> made = gc.plan(gc.Layout.nodes(0, "gray"), gc.Layout.nodes(0), 2, machine="ideal")
    >>> executed(made, MeshCube((), ()), (2,))(jnp.array([5, 6])).tolist()
    [5, 6]
    """
    schedule = getattr(plan, "schedule", None)
    if not isinstance(schedule, Schedule | Replication):
        raise InvalidTypeError(
            f"got {plan!r:.60}",
            "the rounds are those of a plan",
            "pass what graycube.plan gives",
        )
    task = schedule.task
    if task.n != cube.n:
        raise InvalidValueError(
            f"there are {1 << cube.n} devices, on the mesh axes {cube.names}",
            f"the plan is for {1 << task.n} nodes",
            "plan for as many nodes as there are devices",
        )
    elements = prod(shape)
    if not elements or elements % task.block:
        raise InvalidValueError(
            f"a device has {elements} elements, in the shape {tuple(shape)}",
            f"the plan is for blocks of {task.block}",
            "pass blocks of that many elements, with any payload behind each",
        )
    if plan.machine.renumbers:
        raise InvalidValueError(
            "the plan is for a torus with squares",
            "its rounds have the numbers of the cube",
            "put devices on the mesh in the order of machine.numbers, and plan for a cube",
        )
    if plan.rounds > MOST:
        raise InvalidValueError(
            f"the plan has {plan.rounds} rounds",
            f"a program of JAX has at most {MOST}",
            "plan for a machine whose messages have a start-up: Machine(startup=...)",
        )
    return Executed(rounds_of(schedule), cube)


@dataclass(frozen=True)
class Executed:
    """The rounds on a device's block, within ``shard_map``; slots first, then payload."""

    rounds: Rounds
    cube: MeshCube

    def __call__(self, block: Block) -> Block:
        """The block after all rounds."""
        shape, given = block.shape, self.rounds
        slots = 1 << given.before.width - self.cube.n
        block = arranged(block.reshape(slots, -1), given.before, self.cube)
        rows = block.reshape(given.rows, -1)
        others = jnp.zeros((given.others, rows.shape[1]), rows.dtype)
        rows = self._round(jnp.concatenate([rows, others]), given.kept)
        for transfers in given.rounds:
            rows = self._round(rows, transfers)
        result = jax.lax.slice_in_dim(rows, given.rows, 2 * given.rows)
        return arranged(result.reshape(slots, -1), given.after, self.cube).reshape(shape)

    def _round(self, rows: Block, transfers: Sequence[Transfer]) -> Block:
        """All of a round is received before anything is written: else XLA copies all rows."""
        if not transfers:
            return rows
        got = jnp.concatenate([self._received(rows, transfer) for transfer in transfers])
        got = jax.lax.optimization_barrier(got)
        bands = [band for transfer in transfers for band in transfer.writes]
        ends = [0, *accumulate(band.length for band in bands)]
        for band, (low, high) in zip(bands, pairwise(ends), strict=True):
            piece, start = jax.lax.slice_in_dim(got, low, high), self._start(band)
            rows = jax.lax.dynamic_update_slice_in_dim(rows, piece, start, 0)
        return rows

    def _received(self, rows: Block, transfer: Transfer) -> Block:
        sent = jnp.concatenate([self._taken(rows, band) for band in transfer.reads])
        return permuted(sent, self.cube.names, transfer.pairs) if transfer.pairs else sent

    def _taken(self, rows: Block, band: Band) -> Block:
        return jax.lax.dynamic_slice_in_dim(rows, self._start(band), band.length)

    def _start(self, band: Band) -> Block:
        """Where a band begins on this device."""
        if len({*band.starts}) == 1:
            return band.starts[0]
        table = jnp.array(band.starts, jnp.int32)
        return jax.lax.dynamic_index_in_dim(table, self.cube.node(), keepdims=False)
