"""All scripts of a schedule carried out in one process, message by message.

It moves data exactly as nodes that send each other messages do, and so it rehearses what a
transport will do. :mod:`graycube.runtime.local` is quicker, and shares no code with it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.runtime.script import Bank, Message, Script

_Banks = dict[Bank, NDArray[Any]]


def rehearse(scripts: Sequence[Script], blocks: NDArray[Any]) -> NDArray[Any]:
    """The blocks of all nodes after their scripts, in order of the nodes.

    >>> from graycube.gf2 import AffineMap, Matrix
    >>> from graycube.runtime.scripts import scripts_at_once
    >>> swap = AffineMap(Matrix.permutation([1, 0]))
    >>> rehearse([*scripts_at_once(swap, 1, range(2))], np.array([[1, 2], [3, 4]])).tolist()
    [[1, 3], [2, 4]]
    """
    result = np.empty_like(blocks)
    banks = [
        _banks(script, block, result[script.number])
        for script, block in zip(scripts, blocks, strict=True)
    ]
    for script, bank in zip(scripts, banks, strict=True):
        for source, target in script.kept:
            bank[target.bank][target.rows] = bank[source.bank][source.rows]
    numbers = sorted({r.number for script in scripts for r in script.rounds})
    for number in numbers:
        _round(scripts, banks, number)
    return result


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
