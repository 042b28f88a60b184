"""The compiled loop of a permutation; :mod:`graycube.gf2.tiles` says what the tables are.

Only :mod:`graycube.gf2.permuting` imports this file, and only where Numba is installed. What it
compiles is kept beside this file, or where ``NUMBA_CACHE_DIR`` says.

Rules.

1. A tile is scattered into a buffer that stays in cache while the one before it leaves the
   other buffer: a processor that waits for what it reads can write meanwhile.
2. What is read soon is asked for before: runs are too short for the processor to see it coming.
3. Large results are written past the caches, a line at a time: nobody reads them again soon,
   and a line that is written whole need not be read.
"""

from functools import cache
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from graycube.gf2.compiled import LINE

_WORD = 16
_BYTE, _INT = ir.IntType(8), ir.IntType(32)
_ANY = Any


def _place(context: _ANY, builder: _ANY, kind: _ANY, array: _ANY, offset: _ANY) -> _ANY:
    """The address of a byte of an array."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(builder.bitcast(data, _BYTE.as_pointer()), [offset])


def _copied(builder: _ANY, target: _ANY, source: _ANY, size: int, aligned: int) -> _ANY:
    """The store of a word that is loaded from a place that may be anywhere."""
    word = ir.VectorType(ir.IntType(64), 2) if size == _WORD else ir.IntType(8 * size)
    pointer = word.as_pointer()
    loaded = builder.load(builder.bitcast(source, pointer), align=1)
    return builder.store(loaded, builder.bitcast(target, pointer), align=aligned)


@intrinsic  # type: ignore[untyped-decorator]
def _move(_context: _ANY, target: _ANY, _i: _ANY, source: _ANY, _j: _ANY) -> _ANY:
    """Word j of the source becomes word i of the target."""
    size = target.dtype.bitwidth // 8

    def code(context: _ANY, builder: _ANY, signature: _ANY, given: _ANY) -> _ANY:
        wide = ir.Constant(given[1].type, size)
        there, here = builder.mul(given[1], wide), builder.mul(given[3], wide)
        to = _place(context, builder, signature.args[0], given[0], there)
        of = _place(context, builder, signature.args[2], given[2], here)
        _copied(builder, to, of, size, 1)
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp), code


@intrinsic  # type: ignore[untyped-decorator]
def _scatter(
    _context: _ANY, target: _ANY, _row: _ANY, columns: _ANY, _k: _ANY, source: _ANY, _j: _ANY
) -> _ANY:
    """The words of a line, from word j of the source on, to ``row ^ columns[k]`` and so on."""
    size = target.dtype.bitwidth // 8

    def code(context: _ANY, builder: _ANY, signature: _ANY, given: _ANY) -> _ANY:
        kinds = signature.args
        table = context.make_array(kinds[2])(context, builder, given[2]).data
        first = builder.gep(table, [given[3]])
        wide = ir.Constant(given[1].type, size)
        of = _place(context, builder, kinds[4], given[4], builder.mul(given[5], wide))
        for word in range(LINE // size):
            column = builder.load(builder.gep(first, [ir.Constant(given[1].type, word)]))
            there = builder.mul(builder.xor(given[1], column), wide)
            to = _place(context, builder, kinds[0], given[0], there)
            step = ir.Constant(given[1].type, word * size)
            _copied(builder, to, builder.gep(of, [step]), size, 1)
        return context.get_dummy_value()

    return types.void(target, types.intp, columns, types.intp, source, types.intp), code


def _line(*, past_caches: bool) -> _ANY:
    """An intrinsic: the line at byte j of the source becomes that at byte i of the target."""

    def typed(_context: _ANY, target: _ANY, _i: _ANY, source: _ANY, _j: _ANY) -> _ANY:
        def code(context: _ANY, builder: _ANY, signature: _ANY, given: _ANY) -> _ANY:
            to = _place(context, builder, signature.args[0], given[0], given[1])
            of = _place(context, builder, signature.args[2], given[2], given[3])
            for start in range(0, LINE, _WORD):
                step = [ir.Constant(given[1].type, start)]
                ends = builder.gep(to, step), builder.gep(of, step)
                store = _copied(builder, *ends, _WORD, _WORD if past_caches else 1)
                if past_caches:
                    flag = builder.module.add_metadata([ir.Constant(_INT, 1)])
                    store.set_metadata("nontemporal", flag)
            return context.get_dummy_value()

        return types.void(target, types.intp, source, types.intp), code

    return intrinsic(typed)


_line_past_caches = _line(past_caches=True)
_line_through_caches = _line(past_caches=False)


@intrinsic  # type: ignore[untyped-decorator]
def _ask_for(_context: _ANY, source: _ANY, _i: _ANY) -> _ANY:
    """A hint that the line with byte i is read soon."""

    def code(context: _ANY, builder: _ANY, signature: _ANY, given: _ANY) -> _ANY:
        kinds = [_BYTE.as_pointer(), _INT, _INT, _INT]
        hint = builder.module.declare_intrinsic(
            "llvm.prefetch", kinds[:1], ir.FunctionType(ir.VoidType(), kinds)
        )
        place = _place(context, builder, signature.args[0], *given)
        builder.call(hint, [place, *(ir.Constant(_INT, k) for k in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(source, types.intp), code


@njit(inline="always")  # type: ignore[untyped-decorator]
def _read(  # noqa: PLR0913, PLR0917
    source: _ANY, place: int, soon: int, near: _ANY, row: int, columns: _ANY, k: int, words: int
) -> None:
    """A line of elements, or as many lines as an element has words, from a run on."""
    each = LINE // source.itemsize
    if soon >= 0:
        for part in range(words):
            _ask_for(source, (soon + k) * words * source.itemsize + part * LINE)
    if words == 1:
        _scatter(near, row, columns, k, source, place + k)
        return
    for element in range(k, k + each):
        for part in range(words):
            to, of = row ^ columns[element], place + element
            _move(near, to * words + part, source, of * words + part)


@njit(inline="always")  # type: ignore[untyped-decorator]
def _write(target: _ANY, to: int, far: _ANY, of: int, words: int, past_caches: bool) -> None:  # noqa: FBT001, PLR0913, PLR0917
    """As many lines, from a byte of the buffer on."""
    for part in range(0, words * LINE, LINE):
        if past_caches:
            _line_past_caches(target, to + part, far, of + part)
        else:
            _line_through_caches(target, to + part, far, of + part)


@njit(inline="always")  # type: ignore[untyped-decorator]
def _changing(tile: int, count: int) -> int:
    """The step that leads to the next tile in Gray order; ``count`` after the last one."""
    k = 0
    while k < count and tile + 1 >> k & 1 == 0:
        k += 1
    return k


@cache
def carrier(*, single: bool, past_caches: bool) -> _ANY:  # noqa: C901 - one loop
    """The loop for elements of one word or of several, and for stores past the caches or not.

    Both are constants in it: what it asks of each line costs as much as to move the line.
    """

    def carry(  # noqa: C901, PLR0913, PLR0917 - all of the tables
        source: _ANY,
        target: _ANY,
        buffers: _ANY,
        width: int,
        constant: int,
        start: int,
        stop: int,
        steps: _ANY,
        runs: _ANY,
        rows: _ANY,
        columns: _ANY,
        twists: _ANY,
        ahead: int,
    ) -> None:
        """Carry tiles ``start`` to ``stop`` of arrays of words, ``width`` of them an element.

        What is read ``ahead`` runs later is asked for, if that is not 0.
        """
        words = 1 if single else width
        each = LINE // source.itemsize
        groups, mask = len(columns) // each, len(columns) - 1
        here, there = 0, constant
        for k in range(len(steps)):
            if (start ^ start >> 1) >> k & 1:
                here ^= steps[k, 0]
                there ^= steps[k, 1]
        before = there
        for tile in range(start, stop + 1):
            k = _changing(tile, len(steps))
            here_next, there_next = here, there
            if k < len(steps):
                here_next, there_next = here ^ steps[k, 0], there ^ steps[k, 1]
            near, far = buffers[tile & 1], buffers[tile + 1 & 1]
            for run in range(len(runs)):
                soon = -1
                if ahead:
                    later = run + ahead
                    if later < len(runs):
                        soon = here ^ runs[later, 0]
                    else:
                        soon = here_next ^ runs[later - len(runs), 0]
                place, row = here ^ runs[run, 0], rows[run] ^ there & mask
                to = (before & ~mask ^ runs[run, 1]) * words * source.itemsize
                for group in range(groups):
                    if tile < stop:
                        _read(source, place, soon, near, row, columns, group * each, words)
                    if tile > start:
                        of = (run * groups + (group ^ twists[run])) * words * LINE
                        _write(target, to + group * words * LINE, far, of, words, past_caches)
            before, here, there = there, here_next, there_next

    try:
        return njit(cache=True, nogil=True)(carry)
    except RuntimeError:  # there is no folder to keep it in
        return njit(nogil=True)(carry)
