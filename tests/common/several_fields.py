"""Conversions of several fields: tasks, where blocks end, and all mixtures of directions."""

from itertools import product

import graycube as gc

CODES = ("gray", "binary")


def task_of(widths, block, back=()):
    """Fields one above the other, those in ``back`` to Gray."""
    axes = [1 << width for width in widths]
    codes = zip(*(CODES[:: -1 if f in back else 1] for f in range(len(widths))), strict=True)
    return gc.Task(*(gc.Layout.mesh(axes, axes, code=code) for code in codes), block)


def ends_of(task):
    source, target = task.source, task.target
    return [target.locate(*source.coordinates(u, 0))[0] for u in range(1 << task.n)]


def directions(widths):
    fields = range(len(widths))
    return [
        [f for f, goes_back in zip(fields, choice, strict=True) if goes_back]
        for choice in product((0, 1), repeat=len(widths))
    ]
