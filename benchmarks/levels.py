"""What it is worth to know the levels of a machine of 2^20 nodes, by prices.

python benchmarks/levels.py

Eight devices in a tray, 32 trays in a rack, 4096 racks; trays and racks have a card each. Plans
that know this stand beside plans for links that are all as the dearest, priced on the same
machine, and beside one all-to-all and one exchange after the other.
"""

import time
from dataclasses import replace
from typing import Any

import graycube as gc

DEVICES, TRAYS, RACKS = 3, 5, 12
DIMS = DEVICES + TRAYS + RACKS
SIZES = DEVICES, TRAYS, RACKS


def each(*figures: float) -> tuple[Any, ...]:
    """A figure for each level, for each of its dimensions."""
    return tuple(f for f, size in zip(figures, SIZES, strict=True) for _ in range(size))


MACHINE = gc.Machine(
    dims=DIMS,
    ports=each(3, 1, 1),
    share=each(1, 8, 256),
    switching="circuit",
    startup=each(2e-6, 5e-6, 1e-5),
    per_byte=each(2e-12, 2e-11, 8e-11),
)
TASKS = {
    "Gray to binary": (gc.Layout.nodes(DIMS, "gray"), gc.Layout.nodes(DIMS), 1 << 20, 1),
    "transpose": (
        gc.Layout.cyclic(2 * DIMS, DIMS),
        gc.Layout.consecutive(2 * DIMS, DIMS),
        1 << DIMS,
        8,
    ),
    "transform": (gc.Layout.cyclic(2 * DIMS, DIMS), None, 1 << DIMS, 16),
}


def planned(task: Any, machine: gc.Machine) -> tuple[gc.Plan, float]:  # noqa: ANN401
    """The plan of a task, and the seconds of processor time that it took."""
    source, target, block, itemsize = task
    begin = time.process_time()
    if target is None:
        plan = gc.plan_fft(source, itemsize=itemsize, machine=machine)
    else:
        plan = gc.plan(source, target, block, itemsize=itemsize, machine=machine)
    if not plan.verify():
        raise SystemExit(f"{plan} is wrong")
    return plan, time.process_time() - begin


def main() -> None:
    """A row for each task."""
    link = MACHINE.dearest
    alike = replace(MACHINE, ports=1, share=1, startup=link.startup, per_byte=link.per_byte)
    head = "task", "plan", "seconds", "as if alike", "exchange", "all-to-all", "planned in"
    print(f"| {' | '.join(head)} |\n{'| --- ' * len(head)}|")
    for name, task in TASKS.items():
        plan, seconds = planned(task, MACHINE)
        other, _ = planned(task, alike)
        costs = {c.algorithm.name: c.cost for c in plan.candidates if c.traffic is not None}
        some = (costs.get(one) for one in ("exchange", "all-to-all"))
        texts = [name, plan.algorithm, f"{plan.cost:.4g}"]
        texts += [f"{other.traffic.time(MACHINE):.4g} ({other.algorithm})"]
        texts += [f"{cost:.4g}" if cost else "" for cost in some]
        print(f"| {' | '.join(texts)} | {seconds:.1f} s |")


if __name__ == "__main__":
    main()
