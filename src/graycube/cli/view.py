"""``graycube view``: a plan as a page, or for other programs, or a node's part as text."""

import webbrowser
from pathlib import Path

import click

import graycube as gc
from graycube.cli.console import print_json, say, tell
from graycube.cli.files import read_plan, require_new
from graycube.errors import InvalidValueError
from graycube.texts import one_line
from graycube.view.page import require_page_name
from graycube.whole_files import write_whole

_DONE = {
    "page": "drawn as",
    "trace": "open it in https://ui.perfetto.dev or chrome://tracing:",
    "csv": "all moves are in",
}


@click.command(short_help="Draw a plan as a page to play with.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("other", required=False, type=click.Path(path_type=Path))
@click.option(
    "--against", metavar="NAME", help="Compare with another algorithm for the same task."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The page; FILE.html by default."
)
@click.option("--trace", type=click.Path(path_type=Path), help="Save a trace for Perfetto.")
@click.option("--csv", type=click.Path(path_type=Path), help="Save all moves as a table.")
@click.option("--node", type=int, metavar="U", help="Print what node U does, and no page.")
@click.option("--open", "opened", is_flag=True, help="Open the page in the browser.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def view(  # noqa: PLR0913, PLR0917 - click passes them by name
    file: Path,
    other: Path | None,
    against: str | None,
    output: Path | None,
    trace: Path | None,
    csv: Path | None,
    node: int | None,
    *,
    opened: bool,
    as_json: bool,
) -> None:
    """Draw the plan in FILE as one page that needs nothing else: cube, links, memory, prices.

    With OTHER, or --against, two plans for the same task stand side by side. With --trace or
    --csv there is a page only if -o names it.

    \b
    graycube view plan.json -o plan.html
    graycube view plan.json --against gb1 --open
    graycube view plan.json --trace plan.trace.json --csv moves.csv
    graycube view plan.json --node 5
    """
    made, two = read_plan(file), other is not None or against is not None
    if node is not None:
        if two or opened or any(given is not None for given in (output, trace, csv)):
            raise InvalidValueError(
                f"--node {node} is given",
                "it prints one plan, and no page",
                "leave the rest out",
            )
        _print_actions(made, node, as_json=as_json)
        return
    if output is None and trace is None and csv is None:
        output = file.with_suffix(".html")
    if output is None and (opened or two):
        raise InvalidValueError(
            "a trace or a table is wanted, and no page",
            "two plans, and --open, are for pages",
            "add -o plan.html",
        )
    if output is not None:
        require_page_name(output)
    named = {"page": output, "trace": trace, "csv": csv}
    wanted = {kind: path for kind, path in named.items() if path is not None}
    require_new(wanted.values(), file, *filter(None, [other]))
    _write(made, wanted, None if output is None else _rival(made, other, against))
    if as_json:
        said = {kind: str(path) for kind, path in wanted.items()}
        print_json({**said, "algorithm": made.algorithm})
    else:
        for kind, path in wanted.items():
            tell(f"{_DONE[kind]} {one_line(path)}")
    if opened and output is not None:
        webbrowser.open(output.resolve().as_uri())


def _write(made: gc.Plan, wanted: dict[str, Path], rival: gc.Plan | None) -> None:
    """Everything that is wanted: all texts are there before the first one is written."""
    makers = {
        "page": lambda: gc.view.page(made, rival),
        "trace": lambda: gc.view.trace(made),
        "csv": lambda: gc.view.csv(made),
    }
    texts = [(path, makers[kind]()) for kind, path in wanted.items()]
    for path, text in texts:
        write_whole(path, text)


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
