"""``graycube view``: a plan as a page to play with, or a node's part as text."""

import webbrowser
from pathlib import Path

import click

import graycube as gc
from graycube.cli.console import print_json, say, tell
from graycube.cli.files import read_plan, require_new
from graycube.errors import InvalidValueError
from graycube.texts import one_line


@click.command(short_help="Draw a plan as a page to play with.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("other", required=False, type=click.Path(path_type=Path))
@click.option(
    "--against", metavar="NAME", help="Compare with another algorithm for the same task."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The page; FILE.html by default."
)
@click.option("--node", type=int, metavar="U", help="Print what node U does, and no page.")
@click.option("--open", "opened", is_flag=True, help="Open the page in the browser.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def view(  # noqa: PLR0913
    file: Path,
    other: Path | None,
    against: str | None,
    output: Path | None,
    node: int | None,
    *,
    opened: bool,
    as_json: bool,
) -> None:
    """Draw the plan in FILE as one page that needs nothing else: cube, links, memory, prices.

    With OTHER, or --against, two plans for the same task stand side by side.

    \b
    graycube view plan.json -o plan.html
    graycube view plan.json --against gb1 --open
    graycube view plan.json --node 5
    """
    made = read_plan(file)
    if node is not None:
        if opened or any(given is not None for given in (other, against, output)):
            raise InvalidValueError(
                f"--node {node} is given",
                "it prints one plan, and no page",
                "leave the rest out",
            )
        _print_actions(made, node, as_json=as_json)
        return
    path = file.with_suffix(".html") if output is None else output
    require_new(path, file, *filter(None, [other]))
    gc.view.save_page(path, made, _rival(made, other, against))
    if as_json:
        print_json({"page": str(path), "algorithm": made.algorithm})
    else:
        tell(f"drawn as {one_line(path)}")
    if opened:
        webbrowser.open(path.resolve().as_uri())


def _rival(made: gc.Plan, other: Path | None, against: str | None) -> gc.Plan | None:
    if other is not None and against is not None:
        raise InvalidValueError(
            f"{other} and --against {against}", "two plans fit on a page", "give one of them"
        )
    if other is not None:
        return read_plan(other)
    if against is None:
        return None
    task = made.task
    return gc.plan(
        task.source,
        task.target,
        task.block,
        itemsize=task.itemsize,
        machine=made.machine,
        algorithm=against,
    )


def _print_actions(made: gc.Plan, node: int, *, as_json: bool) -> None:
    lines = [str(action) for action in made.actions(node)]
    if as_json:
        print_json({"node": node, "actions": lines})
    else:
        say("\n".join(lines) or f"node {node} does nothing")
