"""What graycube is for, in six chapters that are computed on the spot: ``graycube demo``."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import graycube as gc
from graycube.demo.page import Chapter, document
from graycube.demo.pictures import draw
from graycube.demo.story import CHAPTERS, Scene, WrongError
from graycube.whole_files import write_whole

__all__ = ["Chapter", "Scene", "WrongError", "chapters", "write"]


def chapters(scene: Scene) -> Iterator[Chapter]:
    """The chapters one after the other, each when it is computed.

    >>> next(chapters(Scene())).title
    'A transform that does not gather'
    """
    for tell in CHAPTERS:
        title, _, text = inspect.getdoc(tell).partition("\n\n")  # type: ignore[union-attr]
        said = " ".join(text.split())
        output = tell(scene)
        shown = scene.shown.get(tell.__name__)
        card = "" if shown is None else shown._repr_html_()
        yield Chapter(tell.__name__, title.rstrip("."), said, _code(tell), output, card)


def write(scene: Scene, told: list[Chapter], folder: Path) -> Path:
    """Write the page of a demo, with its pictures and the page of a plan, into a folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     scene = Scene()
    ...     write(scene, [], Path(folder)).name
    'index.html'
    """
    pictures = draw(scene, folder) if scene.frames else {}
    gc.view.save_page(folder / "plan.html", *_small_plans())
    page = folder / "index.html"
    text = document(told, {**pictures, "convert": ("plan.html",)})
    write_whole(page, text)
    return page


def _code(tell: Callable[[Scene], str]) -> str:
    """The source of a chapter, below its docstring."""
    return dedent(inspect.getsource(tell).split('"""')[2]).strip()


def _small_plans() -> tuple[gc.Plan, gc.Plan]:
    """The chosen plan and the simplest one, small enough to watch."""
    task = gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4), 12
    machine = gc.Machine(dims=4, ports="all", startup=2e-6, per_byte=1e-9)
    return (
        gc.plan(*task, itemsize=4096, machine=machine),
        gc.plan(*task, itemsize=4096, machine=machine, algorithm="gb1"),
    )
