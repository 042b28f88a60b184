"""From a schedule to the scripts of its nodes."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from graycube.gf2 import AffineMap
from graycube.gf2.arrays import IntArray
from graycube.run.held import Holding
from graycube.run.itinerary import at_once, itineraries
from graycube.run.parcels import Crossings, Parcels
from graycube.run.script import Bank, Draft, Part, Script, part
from graycube.run.spans import in_spans
from graycube.run.whole import moves_whole, whole_script
from graycube.schedule import Replication, Schedule
from graycube.schedule.replication import of_ways
from graycube.schedule.way import require_no_stages


def scripts(schedule: Schedule | Replication, nodes: range) -> Iterator[Script]:
    """What each of these nodes does in a schedule.

    >>> from graycube.table.messages import all_to_all
    >>> from graycube.layout import Layout
    >>> from graycube.machine import Machine
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.cyclic(4, 2), Layout.consecutive(4, 2), block=4)
    >>> schedule = all_to_all.emit(task, Machine(2, switching="circuit"))
    >>> (script,) = scripts(schedule, range(1, 2))
    >>> [(r.number, r.sends[0].peer, r.sends[0].parts[0].rows) for r in script.rounds]
    [(1, 3, slice(3, 4, None)), (2, 0, slice(0, 1, None)), (3, 2, slice(2, 3, None))]
    """
    schedule = of_ways(schedule)
    task = schedule.task
    require_no_stages(schedule.ways)
    if moves_whole(schedule):
        yield from (whole_script(schedule, node) for node in nodes)
        return
    made = [(span, Parcels(one)) for span, one in itineraries(schedule)]
    for node in nodes:
        number = node if schedule.relabel is None else schedule.relabel(node)
        each = [(span, script_of(one, node, number, task.payload)) for span, one in made]
        yield in_spans(each, task.payload) if len(each) > 1 else each[0][1]


def scripts_at_once(
    move: AffineMap, n: int, nodes: range, payload: int = 1
) -> Iterator[Script]:
    """The same, with everything sent straight to where it belongs, in one round.

    >>> (script,) = scripts_at_once(AffineMap.identity(4), 2, range(1))
    >>> script.rounds, script.kept[0][0].rows, script.unit
    ((), slice(0, 1, None), 4)
    """
    parcels = Parcels(at_once(move, n))
    return (script_of(parcels, node, node, payload) for node in nodes)


def script_of(parcels: Parcels, node: int, number: int, payload: int) -> Script:
    """What a node does with its parcels; its result belongs to the node ``number``.

    >>> from graycube.run.itinerary import at_once
    >>> parcels = Parcels(at_once(AffineMap.identity(4), 2))
    >>> script_of(parcels, 0, 0, payload=1).rounds
    ()
    """
    mine = parcels.crossings.of(node)
    held, draft = Holding(parcels), Draft()
    stays = _last_of_each(mine.parcel) & (mine.target == node)
    for r, these in mine.rounds():
        now, staying = mine[these], stays[these]
        leaving, coming = now.source == node, now.target == node
        for peer, which in _by_peer(now.target, leaving):
            for k, rows in enumerate(held.leave(now.parcel[which])):
                draft.send(r, peer, (k,), rows)
        for peer, which in _by_peer(now.source, coming):
            for k, rows in enumerate(held.come(now.parcel[which], staying[which])):
                draft.receive(r, peer, (k,), rows)
        held.end_round()
    return Script(
        node=node,
        number=number,
        unit=payload << parcels.low,
        rows=parcels.slots.size,
        spare=held.most * parcels.slots.shape[1],
        kept=_kept(parcels, mine, node),
        rounds=draft.rounds(),
    )


def _last_of_each(parcel: IntArray) -> NDArray[np.bool_]:
    """Which entries are the last of their parcel."""
    last = np.zeros(len(parcel), dtype=bool)
    _, from_end = np.unique(parcel[::-1], return_index=True)
    last[len(parcel) - 1 - from_end] = True
    return last


def _by_peer(
    peers: IntArray, which: NDArray[np.bool_]
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    for peer in np.unique(peers[which]).tolist():
        yield peer, np.flatnonzero(which & (peers == peer))


def _kept(parcels: Parcels, mine: Crossings, node: int) -> tuple[tuple[Part, Part], ...]:
    """The parcels that never leave."""
    count = len(parcels.slots)
    own = np.arange(node * count, (node + 1) * count)
    left = np.setdiff1d(own, mine.parcel)
    if not len(left):
        return ()
    return (
        (part(Bank.BLOCK, parcels.rows(left)), part(Bank.RESULT, parcels.rows_at_end(left))),
    )
