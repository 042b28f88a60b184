"""The page as HTML: scenes and assets in one file.

Rules. The file asks for nothing outside itself, and its policy forbids it to. Texts become HTML
by :mod:`graycube.markup`; what the script reads is JSON in which no tag can begin.
"""

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from graycube.errors import InvalidValueError
from graycube.markup import joined
from graycube.planning import Plan
from graycube.view.page.drawn import Drawn, drawn
from graycube.view.page.scene import scene
from graycube.view.page.tables import tables
from graycube.view.page.words import heading, price_line, remarks
from graycube.view.rows import require_plan
from graycube.whole_files import require_path, write_whole

MAX_DIMS = 8
_PICTURES = {".jpeg", ".jpg", ".pdf", ".png", ".svg"}
_SCRIPTS = ("svg", "colours", "places", "links", "trace", "cells", "cube", "tree", "torus",
            "memory", "chart", "clock", "page")  # fmt: skip
_SLOT = re.compile(r"<!--(\w+)-->")
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def page(plan: Plan, other: Plan | None = None) -> str:
    """The HTML of a page that shows a plan, or two plans of one task side by side.

    >>> import graycube as gc
    >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    >>> one = gc.plan(gray, binary, 4, machine="ideal")
    >>> gc.view.page(one)[:15], len(gc.view.page(one)) < 100_000
    ('<!doctype html>', True)
    >>> gc.view.page(one, gc.plan(gray, binary, 8, machine="ideal"))
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the plans differ in their block: 4 and 8: a page
    compares plans of one task; plan the same task in two ways
    """
    plans = [plan] if other is None else [plan, other]
    for one in plans:
        _require_drawable(one)
    _require_same_task(plans)
    scenes = [scene(one, seen) for one, seen in zip(plans, _drawn_alike(plans), strict=True)]
    for shown in scenes:
        shown["line"], shown["remarks"] = price_line(shown), list(remarks(shown))
    return _document(scenes)


def save_page(path: str | Path, plan: Plan, other: Plan | None = None) -> None:
    """Write :func:`page` to a file: all of it or nothing.

    >>> import tempfile
    >>> import graycube as gc
    >>> one = gc.plan(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), 4, machine="ideal")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gc.view.save_page(Path(folder) / "plan.html", one)
    ...     [entry.name for entry in Path(folder).iterdir()]
    ['plan.html']
    """
    require_page_name(path)
    write_whole(path, page(plan, other))


def require_page_name(path: str | Path) -> None:
    """Refuse the name of a picture: nothing would open a page by it.

    >>> require_page_name("plan.pdf")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: plan.pdf ends with .pdf: a page is HTML; take a name such
    as plan.html, and print the page in a browser
    """
    if (ending := require_path(path).suffix).lower() in _PICTURES:
        raise InvalidValueError(
            f"{path} ends with {ending}",
            "a page is HTML",
            f"take a name such as {Path(path).stem}.html, and print the page in a browser",
        )


def _require_drawable(plan: Plan) -> None:
    require_plan(plan, "a page shows a Plan")
    if plan.task.n > MAX_DIMS:
        raise InvalidValueError(
            f"the plan is for a cube of {plan.task.n} dimensions",
            f"a page draws at most {MAX_DIMS}",
            "plan the same for a smaller cube, and name the algorithm",
        )


def _require_same_task(plans: Sequence[Plan]) -> None:
    first, last = plans[0].task, plans[-1].task
    for name in ("source", "target", "block", "itemsize"):
        one, other = getattr(first, name), getattr(last, name)
        if one != other:
            raise InvalidValueError(
                f"the plans differ in their {name}: {one} and {other}",
                "a page compares plans of one task",
                "plan the same task in two ways",
            )


def _drawn_alike(plans: Sequence[Plan]) -> list[Drawn]:
    """What is drawn of each plan, with blocks of one size if possible."""
    seen = [drawn(plan) for plan in plans]
    least = min(d.plan.task.block for d in seen)
    return [
        d if d.moves is None or d.plan.task.block == least else drawn(plan, least)
        for plan, d in zip(plans, seen, strict=True)
    ]


def _document(scenes: Sequence[Mapping[str, Any]]) -> str:
    names = " and ".join(dict.fromkeys(shown["algorithm"] for shown in scenes))
    parts = {
        "title": joined([f"{names}: {scenes[0]['source']} to {scenes[0]['target']}"]),
        "style": _asset("page.css"),
        "heading": heading(scenes),
        "facts": joined(tables(scenes)),
        "scenes": _json(scenes),
        "script": "(() => {\n'use strict';\n"
        + "\n".join(_asset(f"{name}.js") for name in _SCRIPTS)
        + "})();\n",
    }
    return _SLOT.sub(lambda slot: str(parts[slot[1]]), _asset("page.html"))


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _json(content: object) -> str:
    """JSON that may stand in a script element: no tag, no comment and no line end in it."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)  # ASCII only
    return re.sub("[<>&]", lambda found: _ESCAPES[found[0]], text)
