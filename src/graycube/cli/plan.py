"""``graycube plan``: the candidates for a task, the choice, and the bound."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

import graycube as gc
from graycube.cli.console import print_json, show, status, tell
from graycube.cli.files import require_new
from graycube.cli.layouts import read_layout
from graycube.cli.machines import MachineOptions, machine_options
from graycube.cli.sizes import as_amount, as_lengths
from graycube.errors import InvalidValueError
from graycube.machine.model import MAX_DIMS
from graycube.planning import Candidate
from graycube.planning.explain import costs_of, entries, left_out, moved, table, used, verdict
from graycube.planning.why import why as weighed
from graycube.show import Lines


@click.command(short_help="Find the way from one layout to another.")
@click.argument("source")
@click.argument("target")
@click.option(
    "--dims",
    type=click.IntRange(0, MAX_DIMS),
    metavar="N",
    help="Dimensions of the cube: 2^N nodes.",
)
@click.option("--shape", type=as_lengths, metavar="64x32", help="Lengths of the array's axes.")
@click.option("--nodes", type=as_lengths, metavar="8x4", help="Nodes along each axis.")
@click.option("--to-nodes", type=as_lengths, metavar="32x1", help="Nodes along TARGET's axes.")
@click.option(
    "--block", type=as_amount, metavar="K", help="What a node holds: 4096 elements, or 64KiB."
)
@click.option("--itemsize", type=int, help="Bytes of an element: 8 with --shape, else 1.")
@machine_options
@click.option("--algorithm", default="auto", metavar="NAME", help="Take this one.")
@click.option(
    "--search",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Search for better plans, by linear and integer programs, for so many seconds.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Save the plan.")
@click.option(
    "--certificate", type=click.Path(path_type=Path), help="Save a proof of the least flow."
)
@click.option("--why", is_flag=True, help="Say why other algorithms do not apply.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plan(  # noqa: PLR0913, PLR0917 - click passes them by name
    source: str,
    target: str,
    dims: int | None,
    shape: tuple[int, ...] | None,
    nodes: tuple[int, ...] | None,
    block: tuple[int, bool] | None,
    to_nodes: tuple[int, ...] | None,
    itemsize: int | None,
    algorithm: str,
    search: float | None,
    output: Path | None,
    certificate: Path | None,
    *,
    why: bool,
    as_json: bool,
    **machine: Any,  # noqa: ANN401
) -> None:
    """Find the way from layout SOURCE to layout TARGET.

    A layout is gray or binary, with -cyclic or -consecutive where axes have lengths (one word
    for all axes, or one for each: gray,binary-cyclic), or one as printed: "(b3 b2 || b1 g0)".

    \b
    graycube plan gray binary --dims 6 --block 64KiB --machine ipsc2 -o plan.json
    graycube plan gray binary --shape 64x64 --nodes 4x4 --to-nodes 16x1
    graycube plan gray binary --dims 4 --block 1MiB --search 60
    """
    itemsize = (8 if shape else 1) if itemsize is None else itemsize
    before = read_layout(source, dims, shape, nodes)
    after = read_layout(target, dims, shape, to_nodes or nodes)
    require_new([output, certificate])  # before anything is searched for
    wanted = MachineOptions(**machine).machine(before.n)
    size = _elements(block, itemsize, before)
    made = _made(gc.Task(before, after, size, itemsize), wanted, algorithm, search)
    proof = None if certificate is None else gc.certify(before, after, machine=wanted)
    if output is not None:
        made.save(output)
    if proof is not None and certificate is not None:
        proof.save(certificate)
        tell(f"no schedule takes fewer than {proof.share} K cycles: {certificate}")
    if as_json:
        print_json(as_dict(made))
    else:
        show_plan(made, why=why)
    if output is not None:
        see = shlex.join(["graycube", "view", str(output)])
        drawn = made.task.n <= gc.view.MAX_DIMS
        tell(f"saved as {output}" + (f"; see it with: {see}" if drawn else ""))


def _made(task: gc.Task, machine: gc.Machine, algorithm: str, search: float | None) -> gc.Plan:
    """The plan from the table, or one that is searched for."""
    moved, size = (task.source, task.target, task.block), task.itemsize
    if search is None:
        return gc.plan(*moved, itemsize=size, machine=machine, algorithm=algorithm)
    if algorithm != "auto":
        raise InvalidValueError(
            f"--algorithm is {algorithm!r:.40}",
            "--search takes the best of all",
            "leave one of them out",
        )
    with status("searching") as said:
        return gc.synthesize(
            *moved, itemsize=size, machine=machine, time_limit=search, tell=said
        )


def _elements(block: tuple[int, bool] | None, itemsize: int, layout: gc.Layout) -> int:
    """How many elements a node holds."""
    if block is None:
        if layout.block_size == 1:
            raise InvalidValueError(
                "no --block is given",
                "these layouts have one block of any size on each node",
                "say how much it holds, such as --block 64KiB",
            )
        return layout.block_size
    amount, in_bytes = block
    if not in_bytes or itemsize <= 0:  # of elements without bytes there is no plan
        return amount
    if amount % itemsize:
        raise InvalidValueError(
            f"the block has {amount} bytes",
            f"an element has {itemsize}",
            "choose a block of whole elements",
        )
    return amount // itemsize


def show_plan(made: gc.Plan, *, why: bool = False) -> None:
    """Print what was chosen, what was rejected, the bound and the gap."""
    machine, others = made.machine, left_out(made.candidates)
    counts = "rounds: messages in sequence; cycles: elements in sequence"
    show(
        Lines([f"from  {made.task.source}", f"to    {made.task.target}"]),
        f"{moved(made.task)}; {used(machine)}",
        *costs_of(made),
        counts,
        "",
        table(made),
        "",
        *verdict(made),
        *weighed(made),
    )
    if others.entries and not why:
        show(f"{others.number} other algorithms do not apply: --why says why.")
    for names, reason in others.entries if why else ():
        show(f"left out: {', '.join(names)} ({reason})")


def as_dict(made: gc.Plan) -> dict[str, object]:
    """The figures of a plan, for JSON."""
    return {
        **entries(made.task, made.machine),
        "algorithm": made.algorithm,
        "rounds": made.rounds,
        "cycles": made.cycles,
        "seconds": made.cost,
        "lower_bound": made.lower_bound,
        "candidates": [_candidate(candidate) for candidate in made.candidates],
        "bounds": [asdict(bound) for bound in made.bounds],
        "untried": list(made.untried),
    }


def _candidate(candidate: Candidate) -> dict[str, object]:
    traffic = candidate.traffic
    if traffic is None:
        return {"algorithm": candidate.algorithm.name, "left_out": candidate.reason}
    return {
        "algorithm": candidate.algorithm.name,
        "rounds": traffic.nonempty,
        "cycles": traffic.cycles,
        "link_bytes": traffic.bytes,
        "seconds": candidate.cost,
    }
