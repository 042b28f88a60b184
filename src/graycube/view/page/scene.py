"""A plan as plain data: everything that the page shows, exactly, ready for JSON.

Rules. Prices, bounds and the proof are those of the plan; crossings are those of the plan that
is drawn, which may be a smaller one. Nodes have the numbers that users know, on a torus with
squares too. Nothing is computed here that the plan does not say.
"""

from dataclasses import asdict
from math import isfinite
from typing import Any

import numpy as np

from graycube.gf2.arrays import IntArray
from graycube.machine import Machine
from graycube.planning import Candidate, Plan
from graycube.planning.explain import moved, remarks, used
from graycube.schedule import Moves
from graycube.view.page.drawn import Drawn
from graycube.view.page.follow import follow

_MAX_ROUNDS = 2000


def scene(plan: Plan, seen: Drawn) -> dict[str, Any]:
    """What the page shows of a plan, as dicts, lists, numbers and texts.

    >>> import graycube as gc
    >>> from graycube.view.page.drawn import drawn
    >>> plan = gc.plan(gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2), 1, machine="ideal")
    >>> shown = scene(plan, drawn(plan))
    >>> shown["crossings"]
    {'cycle': [0, 0], 'node': [2, 3], 'dimension': [0, 0], 'element': [2, 3], 'place': [0, 0]}
    >>> shown["home"]
    {'node': [0, 1, 3, 2], 'place': [0, 0, 0, 0]}
    """
    task = plan.task
    return {
        "n": task.n,
        "algorithm": plan.algorithm,
        "source": str(task.source),
        "target": str(task.target),
        "moved": moved(task),
        "machine": used(plan.machine),
        "machine_key": asdict(plan.machine),
        "tree": _tree(plan.machine),
        "sides": _sides(plan.machine),
        "flips": [plan.machine.numbers.inverse()(1 << d) for d in range(task.n)],
        "priced": plan.machine.priced,
        "rounds": plan.rounds,
        "cycles": plan.cycles,
        "bytes": plan.traffic.bytes,
        "seconds": plan.cost,
        "bound": plan.lower_bound,
        "bounds": [
            {"name": b.name, "seconds": b.seconds, "citation": b.citation} for b in plan.bounds
        ],
        "candidates": [_candidate(*row) for row in remarks(plan)],
        "report": str(plan.verify()),
        "relabel": _new_numbers(plan),
        "note": seen.note,
        "drawn": _timetable(plan, seen),
        **_contents(seen),
    }


def _candidate(name: str, one: Candidate | Plan, remark: str) -> dict[str, Any]:
    traffic = one.traffic
    return {
        "name": name,
        "paper": one.algorithm.paper if isinstance(one, Candidate) else "",
        "rounds": None if traffic is None else traffic.nonempty,
        "cycles": None if traffic is None else traffic.cycles,
        "bytes": None if traffic is None else traffic.bytes,
        "seconds": one.cost if isfinite(one.cost) else None,
        "chosen": remark.startswith("chosen"),
        "remark": remark,
    }


def _tree(machine: Machine) -> dict[str, Any] | None:
    """Levels with cards or uplinks, above dimensions within which nodes have their own links.

    Of each level its first dimension and the bits of nodes that share a card or an uplink. Only
    a machine with cards within, and links of their own further out, is drawn as a cube.
    """
    if machine.sides or not machine.wires:
        return None
    within = machine.wires[0].dims.start
    if (
        not machine.nested
        and sum(len(card.dims) for card in machine.wires) < machine.dims - within
    ):
        return None
    levels = [(card.dims.start, len(card.nodes)) for card in machine.wires]
    return {"levels": levels, "within": within, "nested": machine.nested}


def _sides(machine: Machine) -> list[tuple[int, bool, int]]:
    """The sides of a torus or mesh that is no cube, that of the lowest bits first."""
    if max(machine.sides, default=0) <= 2:
        return []
    sides = zip(machine.sides, machine.joined, range(len(machine.sides)), strict=True)
    return [side for side in sides if side[0] > 1][::-1]


def _new_numbers(plan: Plan) -> list[int] | None:
    relabel, numbers = plan.schedule.relabel, plan.machine.numbers
    nodes, back = range(1 << plan.task.n), numbers.inverse()
    new = [node if relabel is None else back(relabel(numbers(node))) for node in nodes]
    return None if new == list(nodes) else new


def _timetable(plan: Plan, seen: Drawn) -> dict[str, Any]:
    """The cycles and rounds that are drawn, with the seconds that each takes."""
    schedule = seen.plan.schedule
    if seen.moves is None:
        traffic = [r for r in plan.traffic.rounds if r.longest][:_MAX_ROUNDS]
        shown = [
            {
                "longest": r.longest,
                "crossings": float(r.crossings),
                "links": float(r.links),
                "times": r.times,
            }
            for r in traffic
        ]
        return {"block": 0, "cycles": 0, "rounds": [], "seconds": [], "traffic": shown}
    longest = _longest_messages(seen.moves)
    return {
        "block": seen.plan.task.block,
        "cycles": schedule.cycles,
        "rounds": list(schedule.rounds),
        "seconds": _seconds(plan, seen.plan, longest),
        "traffic": None,
    }


def _longest_messages(moves: Moves) -> list[int]:
    """The most elements that cross one link in each round."""
    n, rounds = moves.task.n, len(moves.rounds)
    number = np.searchsorted(np.asarray(moves.rounds), moves.cycle, side="right") - 1
    link = (number << n | moves.node) * n + moves.dimension
    loads = np.bincount(link, minlength=rounds * n << n).reshape(rounds, n << n)
    longest: list[int] = loads.max(axis=1, initial=0).tolist()
    return longest


def _seconds(plan: Plan, smaller: Plan, longest: list[int]) -> list[float]:
    """What each round costs; all of it is the price of the whole plan.

    Rounds of a smaller plan take the place of those of the whole one if there are as many; else
    theirs are stretched.
    """
    machine, itemsize = plan.machine, plan.task.itemsize
    if smaller.rounds == plan.rounds:
        whole = (size for r in plan.traffic.rounds for size in [r.longest] * r.times if size)
        return [machine.message_time(next(whole) * itemsize) if m else 0.0 for m in longest]
    costs = [smaller.machine.message_time(m * itemsize) for m in longest]
    total = sum(costs)
    return [cost * plan.cost / total if total else 0.0 for cost in costs]


def _contents(seen: Drawn) -> dict[str, Any]:
    """The elements that are drawn: where they go, when, where they belong, and their names."""
    if seen.moves is None:
        return {}
    followed = follow(seen.plan.schedule)
    numbers, block = seen.plan.machine.numbers, seen.plan.task.block
    back = numbers.inverse()
    home = numbers(np.arange(1 << seen.plan.task.n))[:, None] * block + np.arange(block)

    def element(number: IntArray) -> list[int]:
        found: list[int] = (back(number // block) * block + number % block).tolist()
        return found

    return {
        "crossings": {
            "cycle": followed.cycle.tolist(),
            "node": back(followed.node).tolist(),
            "dimension": followed.dimension.tolist(),
            "element": element(followed.element),
            "place": followed.position.tolist(),
        },
        "inside": {
            "time": followed.inside[0].tolist(),
            "element": element(followed.inside[1]),
            "place": followed.inside[2].tolist(),
        },
        "home": {
            "node": back(followed.home_node[home.ravel()]).tolist(),
            "place": followed.home_position[home.ravel()].tolist(),
        },
        "labels": _labels(seen.plan),
    }


def _labels(plan: Plan) -> list[str]:
    """The index of every element in the array, in the order of nodes and positions.

    With a payload, its number in it follows after a dot.
    """
    source, block = plan.task.source, plan.task.block
    payload = block // source.block_size
    node, position = np.divmod(np.arange(block << source.n), block)
    index = source.coordinates(node, position // payload)
    places = [",".join(map(str, at)) for at in zip(*(i.tolist() for i in index), strict=True)]
    if payload == 1:
        return places
    behind = (position % payload).tolist()
    return [f"{place}.{k}" for place, k in zip(places, behind, strict=True)]
