"""An emulation as passes: its stages in groups, each transformed where the emulation has it."""

from collections.abc import Iterator, Sequence

from graycube.fourier.passes import Pass, brought, result_layout
from graycube.gf2 import AffineMap
from graycube.layout import Layout
from graycube.schedule import Schedule


def emulated_passes(emulation: Schedule, axis: int) -> tuple[tuple[Pass, ...], Layout]:
    """The passes that do what an emulation along the axis does, and the layout of the result.

    >>> from graycube.butterflies import emulation
    >>> steps, result = emulated_passes(emulation(Layout.cyclic(6, 3, nodes="gray")), axis=0)
    >>> [(step.low, step.high, step.dims) for step in steps]
    [(3, 6, ()), (2, 3, (2, 1)), (0, 2, (0,))]
    """
    layout = emulation.task.source
    along = layout.axes[axis]
    offset = layout.word_bits(axis).start
    done: list[Pass] = []
    last = layout.map
    for place, bits, dims in _groups(emulation):
        groups = _cut(bits, offset + along.low)
        for k, group in enumerate(groups):
            inside, slot = brought(place, layout.n, group, group)
            low, high = group[0] - offset, group[-1] + 1 - offset
            if along.extent > 1 and high == along.low:
                done.append(Pass(axis, high, high, last))
            done.append(Pass(axis, low, high, inside, slot, dims if k == 0 else ()))
            last = inside
    if along.extent > 1 and along.low == 0:
        done.append(Pass(axis, 0, 0, last))
    return tuple(done), result_layout(layout, axis, last, done)


def _groups(
    schedule: Schedule,
) -> Iterator[tuple[AffineMap, list[int], tuple[int, ...]]]:
    """Bits that are staged one after the other, where they are, and what was crossed before."""
    place = schedule.task.source.map
    bits, dims = list[int](), list[int]()
    for step in schedule.ways[0].steps:
        if step.stage is not None:
            bits.append(step.stage)
        if bits and step.crossings:
            yield place, sorted(bits), tuple(dims)
            bits, dims = [], []
        dims += (crossing.dim for crossing in step.crossings)
        if step.move is not None:
            place = step.affine(place.width) @ place
    if bits:
        yield place, sorted(bits), tuple(dims)


def _cut(bits: Sequence[int], at: int) -> list[list[int]]:
    """The bits from ``at`` on, then those below it."""
    groups = [b for b in bits if b >= at], [b for b in bits if b < at]
    return [group for group in groups if group]
