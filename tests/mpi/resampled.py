"""Spectra on other numbers of points, over ranks, with axes that stay over them."""

from functools import partial
from itertools import product

import numpy as np
from mpi_checks import checks, one_error

import graycube as gc
from graycube.errors import GraycubeError
from graycube.fourier import resampled, to_points, to_waves

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


def in_one_go(comm):
    """To points and back, in bits and in boxes, as in two steps in one process."""
    for (old, new), real, kind in product(
        (*SHAPES, ((8, 16), (12, 24))), (True, False), (None, True)
    ):
        x = np.random.default_rng(4).standard_normal((*old, 2))
        axes = tuple(range(len(old)))
        there, back = (gc.rfftn, gc.irfftn) if real else (gc.fftn, gc.ifftn)
        alone = there(gc.CubeArray.from_numpy(x, gc.Layout.mesh(old, (1,) * len(old))))
        fine = back(resampled(alone, old, new, real=real), s=new)
        for k, place in product(axes, ("consecutive", "cyclic")):
            nodes = [comm.size if k == axis else 1 for axis in axes]
            layout = gc.Layout.mesh(old, nodes, allocation=place, ownership=kind)
            for over in (comm, None):
                what = f"{layout!r} {new} {real} {over is None}"
                y = there(gc.CubeArray.from_numpy(x, layout, over))
                found = to_points(y, old, new, real=real)
                yield np.allclose(found.to_numpy(), fine.to_numpy()), what
                again = to_waves(found, old, real=real)
                wanted = resampled(there(fine), new, old, real=real)
                yield np.allclose(again.to_numpy(), wanted.to_numpy()), f"back, {what}"
                kept = again.layout, found.layout
                if over is not None:
                    here = kept
                else:
                    yield kept == here, f"{what}: {kept}, not {here}"


def into_an_array(comm):
    """With ``out``, in its layout, in bits and in boxes."""
    for (old, new), real, kind in product(
        (((16,), (24,)), ((8, 12), (12, 18))), (True, False), (None, True)
    ):
        first = (comm.size, *[1] * (len(old) - 1))
        x = gc.CubeArray.from_function(
            lambda *at: np.sin(sum(at) ** 2), gc.Layout.mesh(old, first, ownership=kind), comm
        )
        v = (gc.rfftn if real else gc.fftn)(x)
        fine = to_points(v, old, new, real=real)
        for function, given in ((to_points, (v, old, new)), (to_waves, (fine, old))):
            wanted = function(*given, real=real)
            for goal in (wanted.layout, gc.Layout.mesh(wanted.shape, first[::-1])):
                empty = np.empty((*goal.held_shape(wanted.nodes),), wanted.dtype)
                out = gc.CubeArray(empty, goal, comm)
                same = function(*given, real=real, out=out) is out
                same = same and np.allclose(out.to_numpy(), wanted.to_numpy())
                yield same, f"{function.__name__} of {given[0].layout} in {goal}, {real}"
        yield from one_error(
            comm, partial(to_waves, fine, old, real=real, out=fine), GraycubeError, "out"
        )


def bound(comm):
    """Made once, a run takes what is in the array then; in bits too, if slots are in order."""
    old, new = (2 * comm.size, 6, 8), (3 * comm.size, 9, 12)
    for kind in (None, True):
        layout = gc.Layout.mesh(old, (comm.size, 1, 1), ownership=kind)
        v = gc.rfftn(gc.CubeArray.from_numpy(np.zeros(old), layout, comm))
        forth = gc.bind(to_points, v, old, new, norm="ortho")
        back = gc.bind(to_waves, forth.result, old, norm="ortho")
        yield forth._program is not None, f"to_points, {layout!r}"
        yield back._program is not None, f"to_waves, {layout!r}"
        for seed in (1, 2):
            x = np.random.default_rng(seed).standard_normal(old)
            v.blocks[...] = gc.rfftn(gc.CubeArray.from_numpy(x, layout, comm)).blocks
            found = forth.run().to_numpy()
            yield np.allclose(found, to_points(v, old, new, norm="ortho").to_numpy()), "points"
            yield (
                np.allclose(
                    back.run().to_numpy(), to_waves(forth.result, old, norm="ortho").to_numpy()
                ),
                "waves",
            )


def mistakes(comm):
    """A rank that wants other waves: one error on all, and the next call is right."""
    x = np.random.default_rng(1).standard_normal((2 * comm.size, 9))
    a = gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape, (comm.size, 1)), comm)
    for culprit in (0, comm.size - 1):
        points = (2 * comm.size, 7 - (comm.rank == culprit))
        yield from one_error(comm, partial(to_waves, a, points), GraycubeError, "waves")
        found = to_waves(a, x.shape).to_numpy()
        yield np.allclose(found, resampled(gc.rfftn(a), x.shape, x.shape).to_numpy()), "after"


CHECKS = checks((2, 3, 4, 6), as_in_one_process, in_one_go, into_an_array, bound, mistakes)
