"""All candidates of plans carried out in turn, and the same by MPI's own means."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from blocks import given, wanted
from measured import Comm, Measured, measured

import graycube as gc

COLD = 16 << 20  # bytes of blocks for which one more run, to warm memory, takes too long

Row = dict[str, Any]
Ports = int | Literal["all"]
Amounts = Sequence[Sequence[int]]  # bytes to every rank, and from every rank
_Key = tuple[str, int, int, str]


def tried(
    plans: Mapping[Ports, gc.Plan],
    comm: Comm,
    runs: int,
    amounts: Amounts | None = None,
    *,
    warm: bool = True,
) -> Iterator[Row]:
    """All candidates for so many ports, and whose choice they are; Alltoallv of ``amounts``."""
    users: dict[_Key, list[Ports]] = {}
    made: dict[_Key, gc.Plan] = {}
    for ports, plan in plans.items():
        for rival in rivals(plan):
            made.setdefault(same(rival), rival)
            users.setdefault(same(rival), []).append(ports)
    found = rows([*made.values()], comm, runs, amounts, warm=warm)
    for key, row in zip(made, found, strict=False):
        chosen = [ports for ports in users[key] if same(plans[ports]) == key]
        yield row | {"ports": users[key], "chosen": chosen}
    yield from found


def same(plan: gc.Plan) -> _Key:
    """What plans for different ports share if they send the same messages."""
    return plan.algorithm, plan.rounds, plan.traffic.bytes, f"{plan.cost:.6g}"


def rivals(plan: gc.Plan) -> list[gc.Plan]:
    """A plan for every candidate that moves data."""
    found = (c.traffic for c in plan.candidates if c.algorithm.name != "relabel")
    return [replace(plan, schedule=t.schedule, traffic=t) for t in found if t is not None]


def rows(  # noqa: PLR0913
    plans: Sequence[gc.Plan],
    comm: Comm,
    runs: int,
    amounts: Amounts | None = None,
    stretch: float = 0.0,
    *,
    warm: bool = True,
) -> Iterator[Row]:
    """Plans, predicted and measured, and then Alltoallv of ``amounts``.

    What the last run of each plan brings is what its layouts say.
    """
    tasks = {plan.task: plan for plan in plans}
    blocks = {task: given(plan, comm.rank) for task, plan in tasks.items()}
    works = [plan.bind(blocks[plan.task], comm) for plan in plans]
    calls: list[Callable[[], object]] = [work.run for work in works]
    if amounts:
        calls.append(alltoallv(comm, amounts))

    def forget() -> None:
        for work in works:
            work.result.fill(0)

    nbytes = plans[0].task.block_bytes
    found = measured(
        calls,
        comm,
        runs,
        warm=warm and nbytes < COLD,
        stretch=stretch,
        before_last=forget,
    )
    right = {task: wanted(plan, comm.rank) for task, plan in tasks.items()}
    for plan, work, one in zip(plans, works, found[: len(works)], strict=True):
        if not np.array_equal(work.result, right[plan.task]):
            raise ValueError(f"{plan.algorithm} on rank {comm.rank} is wrong")
        work.free()
        yield {
            "algorithm": plan.algorithm,
            "block": plan.task.block_bytes,
            "rounds": plan.rounds,
            "predicted": plan.cost,
            "planned_bytes": plan.traffic.bytes,
            **told(one),
        }
    if amounts:
        yield {"algorithm": "Alltoallv", "block": nbytes, **told(found[-1])}


def alltoallv(comm: Comm, amounts: Amounts) -> Callable[[], None]:
    """By MPI's own means: so many bytes to every rank, and so many from every rank."""
    out, into = (np.ones(sum(part), np.uint8) for part in amounts)
    return partial(comm.Alltoallv, [out, amounts[0]], [into, amounts[1]])


def told(found: Measured) -> Row:
    """What was measured."""
    sent = np.array(found.links)
    return {
        "seconds": found.seconds,
        "stolen": [round(share, 3) for share in found.stolen],
        "bytes": float(sent.sum()),
        "busiest": float(sent.max()),
        "resent": found.resent,
    }
