"""Spectra on other numbers of points, over ranks, with axes that stay over them."""

from itertools import product

import numpy as np

import graycube as gc
from graycube.fourier import resampled

SHAPES = (((24,), (40,)), ((24,), (9,)), ((7, 12), (9, 18)), ((2, 9), (3, 6)))


def as_in_one_process(comm):
    """The numbers are those of one process, to the last bit: nothing is computed."""
    for (old, new), real in product(SHAPES, (True, False)):
        x = np.random.default_rng(3).standard_normal(old)
        y = np.fft.rfftn(x) if real else np.fft.fftn(x)
        for k, place in product(range(len(old)), ("consecutive", "cyclic")):
            nodes = [comm.size if k == axis else 1 for axis in range(len(old))]
            layout = gc.Layout.mesh(y.shape, nodes, allocation=place)
            alone = resampled(gc.CubeArray.from_numpy(y, layout), old, new, real=real)
            found = resampled(gc.CubeArray.from_numpy(y, layout, comm), old, new, real=real)
            yield np.array_equal(found.to_numpy(), alone.to_numpy()), f"{layout!r} {new} {real}"


CHECKS = {"as in one process": (as_in_one_process, (2, 3, 4, 6))}
