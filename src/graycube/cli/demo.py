"""``graycube demo``: what it is for, told and computed in one process."""

from pathlib import Path

import click

from graycube.cli.console import complain, print_json, progress, say, tell
from graycube.cli.files import require_new

WRONG = 1


@click.command(short_help="See what graycube is for, in half a minute.")
@click.argument("folder", default="graycube-demo", type=click.Path(path_type=Path))
@click.option("--quiet", is_flag=True, help="Only write the page.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def demo(folder: Path, *, quiet: bool, as_json: bool) -> int:
    """Tell what graycube is for, with everything computed on the spot, in one process.

    It ends with a page in FOLDER (graycube-demo by default) that you can open.

    \b
    graycube demo
    graycube demo /tmp/tour --quiet
    """
    from graycube.demo import Scene, WrongError, chapters, write  # noqa: PLC0415 - SciPy takes a second

    folder.mkdir(parents=True, exist_ok=True)  # told now if it cannot be, not at the end
    require_new(folder / name for name in ("index.html", "plan.html"))
    scene, told = Scene(), []
    try:
        with progress() as bar:
            for chapter in bar.track(chapters(scene), total=6, description="computing"):
                told.append(chapter)
                if not quiet and not as_json:
                    _print(len(told), chapter.title, chapter.text, chapter.output)
    except WrongError as error:
        complain(str(error))
        return WRONG
    page = write(scene, told, folder)
    if as_json:
        print_json({"page": str(page), "chapters": {c.key: c.output for c in told}})
    else:
        tell(f"\nNow open {page}")
    return 0


def _print(number: int, title: str, text: str, output: str) -> None:
    say(f"\n{number}. {title}", bold=True)
    say(click.wrap_text(text, width=96) + f"\n\n{output}")
