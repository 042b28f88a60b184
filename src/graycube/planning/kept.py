"""Where plans are kept that took long to find: ``$GRAYCUBE_CACHE``, or ``~/.cache/graycube``.

A plan is kept as any other file, and read as one: all of it is checked. One that cannot be
read, or is not for the same task and machine, is found again and replaced.
"""

import os
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from graycube.machine import Machine
from graycube.schedule import Task


def place_of(task: Task, machine: Machine, seconds: float | None) -> Path | None:
    """The file for a search of so many seconds; None where there is no home to keep it in.

    >>> import os
    >>> from unittest.mock import patch
    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=8)
    >>> with patch.dict(os.environ, GRAYCUBE_CACHE="found"):
    ...     place = place_of(task, Machine(dims=3), 60.0)
    >>> place.parent.name, place.suffix
    ('found', '.json')
    """
    costs = {name: value for name, value in asdict(machine).items() if name != "name"}
    limit = None if seconds is None else float(seconds)
    key = repr((str(task.source), str(task.target), task.block, task.itemsize, costs, limit))
    name = f"plan-{sha256(key.encode()).hexdigest()[:16]}.json"
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
