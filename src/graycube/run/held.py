"""Where a node keeps the parcels that it has at the moment.

Rule: its own parcels are read from the block, a parcel that stays goes to its rows of the
result, and what passes through gets a spare place, which is free again when the round in which
it leaves is over.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graycube.gf2.arrays import IntArray
from graycube.run.parcels import Parcels
from graycube.run.script import Bank, Part, part


class Holding:
    """The places of parcels on a node; ``most`` spare places are in use at a time."""

    def __init__(self, parcels: Parcels) -> None:
        self._parcels = parcels
        self._size = parcels.slots.shape[1]
        self._place = np.full(len(parcels.start), -1, dtype=np.intp)  # -1: in the block
        self._free = np.empty(0, dtype=np.intp)
        self._leaving: list[IntArray] = []
        self.most = 0

    def leave(self, group: IntArray) -> Iterator[Part]:
        """The rows of parcels that are sent away, in their order."""
        places = self._place[group]
        for low, high in _runs(places < 0):
            some = group[low:high]
            if places[low] < 0:
                yield part(Bank.BLOCK, self._parcels.rows(some))
            else:
                yield part(Bank.SPARE, self._spare_rows(places[low:high]))
        self._leaving.append(places[places >= 0])
        self._place[group] = -1

    def come(self, group: IntArray, stays: NDArray[np.bool_]) -> Iterator[Part]:
        """The rows where parcels are put that come; ``stays`` says for which it is the end."""
        for low, high in _runs(stays):
            some = group[low:high]
            if stays[low]:
                yield part(Bank.RESULT, self._parcels.rows_at_end(some))
            else:
                self._place[some] = self._taken(len(some))
                yield part(Bank.SPARE, self._spare_rows(self._place[some]))

    def end_round(self) -> None:
        """The places of what has left are free."""
        self._free = np.sort(np.concatenate([self._free, *self._leaving]))
        self._leaving = []

    def _taken(self, count: int) -> NDArray[np.intp]:
        missing = count - len(self._free)
        if missing > 0:
            fresh = np.arange(self.most, self.most + missing)
            self._free, self.most = np.append(self._free, fresh), self.most + missing
        taken, self._free = self._free[:count], self._free[count:]
        return taken

    def _spare_rows(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        rows: NDArray[np.intp] = np.add.outer(places * self._size, np.arange(self._size))
        return rows.ravel()


def _runs(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Stretches of equal entries."""
    changes = (np.flatnonzero(np.diff(flags)) + 1).tolist()
    return pairwise([0, *changes, len(flags)])
