"""Where plans are kept that took long to find: ``$GRAYCUBE_CACHE``, or ``~/.cache/graycube``.

A plan is kept as any other file, and read as one: all of it is checked. One that cannot be
read, or is not for the same task and machine, is found again and replaced. The name of the file
says whether the search had ended by itself, and depends on its version. Of the machine only
what is not as usual counts, so that a machine can have more properties and stay the same.
"""

import os
from dataclasses import fields
from hashlib import sha256
from pathlib import Path

from graycube.machine import Machine
from graycube.schedule import Task
from graycube.search.search import VERSION


def place_of(task: Task, machine: Machine, *, ended: bool) -> Path | None:
    """The file of what a search found, which ended by itself or was cut short.

    It is None where there is no home to keep it in.

    >>> import os
    >>> from unittest.mock import patch
    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=8)
    >>> with patch.dict(os.environ, GRAYCUBE_CACHE="found"):
    ...     place = place_of(task, Machine(dims=3), ended=True)
    >>> place.parent.name, place.name.partition("-")[0], place.suffix
    ('found', 'ended', '.json')
    """
    costs = [
        (field.name, value)
        for field in fields(machine)
        if field.compare and (value := getattr(machine, field.name)) != field.default
    ]
    moved = str(task.source), str(task.target), task.block, task.itemsize
    key = repr((VERSION, *moved, sorted(costs)))
    state = "ended" if ended else "stopped"
    name = f"{state}-{sha256(key.encode()).hexdigest()[:16]}.json"
    folder = _folder()
    return None if folder is None else folder / name


def _folder() -> Path | None:
    if chosen := os.environ.get("GRAYCUBE_CACHE"):
        return Path(chosen)
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not cache.is_absolute():
        try:
            cache = Path.home() / ".cache"
        except RuntimeError:
            return None
    return cache / "graycube"
