"""Everything that takes turns with the memory of ranks, in a random order, on late ranks."""

import random
import time
from unittest.mock import patch

import numpy as np
from mpi_checks import carry_out, checks

import graycube as gc
from graycube.fourier.legs import LARGE

TIMES = 1500


class Late:
    """A rank that is late now and then: it sleeps, or keeps its processor."""

    def __init__(self, rank):
        self.rng = random.Random(rank)  # noqa: S311 - no secret

    def now(self):
        chance = self.rng.random()
        if chance < 0.05:
            time.sleep(4e-3 * self.rng.random())
        elif chance < 0.1:
            end = time.perf_counter() + 1e-3 * self.rng.random()
            while time.perf_counter() < end:
                pass


class Case:
    """An array, and what can be done with it; all says whether blocks are as NumPy has them."""

    def __init__(self, x, nodes, code, comm):
        shape, self.late = x.shape[: len(nodes)], Late(comm.rank)
        real, axes = x.dtype.kind == "f", (*range(len(shape)),)
        self.there, back = (gc.rfftn, gc.irfftn) if real else (gc.fftn, gc.ifftn)
        self.back = lambda spectrum: back(spectrum, s=shape)
        spectrum = (np.fft.rfftn if real else np.fft.fftn)(x, axes=axes)
        mesh = gc.Layout.mesh(shape, nodes, code=code)
        self.cyclic = gc.Layout.mesh(shape, nodes, code=code, allocation="cyclic")
        self.a = gc.CubeArray.from_numpy(x, mesh, comm)
        self.forward = gc.bind(self.there, self.a)
        self.inverse = gc.bind(back, self.forward.result, out=self.a, s=shape)
        self.moved = gc.bind(gc.CubeArray.relayout, self.a, self.cyclic)
        self.points = self.a.blocks.copy()
        self.waves = gc.CubeArray.from_numpy(spectrum, self.forward.result.layout, comm).blocks
        self.dealt = gc.CubeArray.from_numpy(x, self.cyclic, comm).blocks

    def runs(self, rng):
        """There some times, and back some times, with a look or a relayout in between."""
        right = True
        for _ in range(rng.randrange(1, 4)):
            for _ in range(rng.randrange(1, 3)):
                self.forward.run()
                self.late.now()
            right = right and same(self.forward.result.blocks, self.waves)
            if rng.random() < 0.3:
                dealt = self.a.relayout(self.cyclic)
                self.late.now()
                right = right and same(dealt.blocks, self.dealt)
            if rng.random() < 0.7:
                self.inverse.run()
                self.late.now()
                right = right and same(self.a.blocks, self.points)
        np.copyto(self.a.blocks, self.points)
        return right

    def calls(self, rng):
        found = self.there(self.a)
        self.late.now()
        right = same(found.blocks, self.waves)
        if rng.random() < 0.5:
            again = self.back(found)
            self.late.now()
            right = right and same(again.relayout(self.a.layout).blocks, self.points)
        return right

    def moves(self, _rng):
        self.moved.run()
        self.late.now()
        return same(self.moved.result.blocks, self.dealt)


def same(found, wanted):
    return np.allclose(found, wanted, atol=1e-9)


def cases(comm):
    """Slabs, pencils and lines, in bits and in boxes, real and complex, with payload."""
    ranks, rng = comm.size, np.random.default_rng(0)
    for k, (shape, nodes, payload) in enumerate(
        (
            ((32, 32), (ranks, 1), ()),
            ((32, 32), (1, ranks), (3,)),
            ((16, 8, 16), (2, ranks // 2, 1), ()),
            ((24, 16, 12), (ranks, 1, 1), ()),
            ((9, 10, 11), (ranks, 1, 1), (2,)),
            ((256,), (ranks,), ()),
            ((128, 128), (ranks, 1), ()),
        )
    ):
        x = rng.standard_normal((*shape, *payload))
        for each in (x, x + 1j * x[::-1]):
            yield Case(each, nodes, ("gray", "binary")[k % 2], comm)


def in_any_order(comm):
    """All that is made on one communicator takes its turns together."""
    for large in (LARGE, 0):  # from so many bytes on arrays lie in order
        apart, rng = comm.Dup(), random.Random(comm.size)  # noqa: S311 - no secret
        with patch("graycube.fourier.legs.LARGE", large):
            acts = [(case.runs, case.calls, case.moves) for case in cases(apart)]
            wrong = sum(not rng.choice(rng.choice(acts))(rng) for _ in range(TIMES))
        yield wrong == 0, f"{wrong} of {TIMES} are wrong"


CHECKS = checks((2, 4, 8), in_any_order)

if __name__ == "__main__":
    carry_out({name: check for name, (check, _) in CHECKS.items()})
