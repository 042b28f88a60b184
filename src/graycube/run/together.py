"""All scripts of a schedule carried out in one process, message by message.

It moves data exactly as nodes that send each other messages do, and so it rehearses what a
transport will do. :mod:`graycube.run.local` is quicker, and shares no code with it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.run.script import Bank, Message, Script

_Banks = dict[Bank, NDArray[Any]]
Between = Callable[[int, NDArray[Any], Sequence[NDArray[Any]]], None]
"""Work on the results of all nodes, and on what each has in spare rows, after a round."""


def rehearse(
    scripts: Sequence[Script], blocks: NDArray[Any], between: Between | None = None
) -> NDArray[Any]:
    """The blocks of all nodes after their scripts, in order of the nodes.

    What is to be done after each round, and before the first, gets its number, or -1.

    >>> from graycube.gf2 import AffineMap, Matrix
    >>> from graycube.run.scripts import scripts_at_once
    >>> swap = AffineMap(Matrix.permutation([1, 0]))
    >>> rehearse([*scripts_at_once(swap, 1, range(2))], np.array([[1, 2], [3, 4]])).tolist()
    [[1, 3], [2, 4]]
    """
    result = np.empty_like(blocks, order="C")  # rows of it are views
    banks = [
        _banks(script, block, result[script.number])
        for script, block in zip(scripts, blocks, strict=True)
    ]
    for script, bank in zip(scripts, banks, strict=True):
        for source, target in script.kept:
            bank[target.bank][target.rows] = bank[source.bank][source.rows]
    work = between or _nothing
    work(-1, result, [bank[Bank.SPARE] for bank in banks])
    numbers = sorted({r.number for script in scripts for r in script.rounds})
    for number in numbers:
        _round(scripts, banks, number)
        work(number, result, [bank[Bank.SPARE] for bank in banks])
    return result


def _nothing(number: int, result: NDArray[Any], spare: Sequence[NDArray[Any]]) -> None:
    """What is done between the rounds where data are only moved."""


def _banks(script: Script, block: NDArray[Any], result: NDArray[Any]) -> _Banks:
    rows = (script.rows, -1)
    given = block.reshape(rows)
    spare = np.empty((script.spare, given.shape[1]), block.dtype)
    return {Bank.BLOCK: given, Bank.RESULT: result.reshape(rows), Bank.SPARE: spare}


def _round(scripts: Sequence[Script], banks: Sequence[_Banks], number: int) -> None:
    under_way: dict[tuple[int, int], NDArray[Any]] = {}
    coming: list[tuple[int, Message]] = []
    for script, bank in zip(scripts, banks, strict=True):
        for r in script.rounds:
            if r.number != number:
                continue
            for message in r.sends:
                parts = [bank[part.bank][part.rows] for part in message.parts]
                under_way[script.node, message.peer] = np.concatenate(parts)
            coming += [(script.node, message) for message in r.receives]
    for node, message in coming:
        rows, start = under_way.pop((message.peer, node)), 0
        for part in message.parts:
            banks[node][part.bank][part.rows] = rows[start : start + part.count]
            start += part.count
    if under_way:
        raise AssertionError(under_way.keys())
