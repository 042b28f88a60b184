"""Draws the pictures of the gallery from the lines that stand there, and pages of plans.

python docs/pictures/gallery.py [FOLDER]

The lines below a picture in ``docs/gallery.md`` make a ``figure``, which is the picture.
Chromium, which must be installed, and playwright draw the page of a plan.
"""

import re
import sys
from doctest import DocTestParser
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

import graycube as gc

HERE = Path(__file__).parent
PICTURE = re.compile(r"!\[[^]]*\]\(pictures/(gallery-\w+\.png)\)")
COLOURS = 160


def main(folder: Path) -> None:
    """Draw them all."""
    text = (HERE.parent / "gallery.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    first, *parts = PICTURE.split(text)
    run(first, names)
    for file, below in zip(parts[::2], parts[1::2], strict=True):
        names.pop("figure", None)
        run(below, names)
        if "figure" in names:
            names["figure"].savefig(folder / file, dpi=90)
            shrink(folder / file)
    layouts = gc.Layout.nodes(5, "gray"), gc.Layout.nodes(5)
    cube = gc.plan(*layouts, 8, itemsize=8, machine="ipsc1")
    draw_page(folder / "gallery-page.png", cube, steps=10)
    tree = gc.Machine.tree((4, 4), startup=2e-6, per_byte=(2e-10, 8e-11))
    layouts = gc.Layout.cyclic(6, 4), gc.Layout.consecutive(6, 4)
    branched = gc.plan(*layouts, 16, itemsize=8, machine=tree)
    draw_page(folder / "gallery-tree.png", branched, steps=3)
    torus = gc.Machine.torus((4, 4), startup=2e-6, per_byte=2e-10)
    joined = gc.plan(*layouts, 16, itemsize=8, machine=torus)
    draw_page(folder / "gallery-torus.png", joined, steps=1)
    layouts = gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4)
    ports = gc.Machine(4, ports="all", startup=2e-6, per_byte=1e-9)
    two = [
        gc.plan(*layouts, 12, itemsize=4096, machine=ports, algorithm=name)
        for name in ("auto", "gb1")
    ]
    draw_page(folder / "page.png", *two, steps=3, size=(1280, 1000))


def run(text: str, names: dict[str, Any]) -> None:
    """Run the examples of a text, whatever they print."""
    for example in DocTestParser().get_examples(text):
        exec(compile(example.source, "gallery.md", "single"), names)  # noqa: S102 - our own page


def shrink(path: Path) -> None:
    """Few colours are enough, and a third of the bytes."""
    Image.open(path).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def draw_page(
    path: Path, *plans: gc.Plan, steps: int, size: tuple[int, int] = (1000, 860)
) -> None:
    """The page of a plan, or of two, after some steps."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the rest needs no browser

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "plan.html"
        gc.view.save_page(page_file, *plans)
        browser = playwright.chromium.launch(
            executable_path=which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(
            viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce"
        )
        page.goto(page_file.as_uri())
        for _ in range(steps):
            page.keyboard.press("ArrowRight")
        page.screenshot(path=path)
        browser.close()
    shrink(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else HERE)
