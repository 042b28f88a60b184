"""Transforms that change lengths or places over MPI: padded, cut, real, cosine and sine."""

import numpy as np
import scipy.fft
from contents import close
from mpi_checks import checks, raised

import graycube as gc
from graycube.errors import InvalidValueError


def layouts(comm):
    """Meshes with nodes on either axis, and on both."""
    both = (2, comm.size // 2) if comm.size > 1 else (1, 1)
    for nodes, place in (((comm.size, 1), "consecutive"), (both, "cyclic")):
        yield gc.Layout.mesh((16, 24), nodes, code="gray", allocation=place)


def every_kind(comm):
    """Each transform, in each layout, longer and shorter, beside SciPy's."""
    x = np.random.default_rng(0).standard_normal((16, 24, 2)) / 8
    for layout in layouts(comm):
        a = gc.CubeArray.from_numpy(x, layout, comm)
        for name in ("fft", "ifft", "rfft", "dct", "idst"):
            for axis, n in ((0, 24), (1, 8)):
                found = getattr(gc.fourier, name)(a, axis=axis, n=n)
                expected = getattr(scipy.fft, name)(x, axis=axis, n=n)
                yield close(found.to_numpy(), expected), f"{name} {axis} {n} {layout}"
        for name in ("fftn", "ifftn", "rfftn", "irfftn", "dctn", "idstn"):
            for s in ((16, 32), (24, 16)):
                found = getattr(gc.fourier, name)(a, s=s)
                expected = getattr(scipy.fft, name)(x, axes=(0, 1), s=s)
                yield close(found.to_numpy(), expected), f"{name} {s} {layout}"


def a_lone_axis(comm):
    """It stays over the nodes, longer or shorter."""
    x = np.random.default_rng(0).standard_normal(16 * comm.size)
    for code in ("binary", "gray"):
        layout = gc.Layout.mesh(x.shape, (comm.size,), code=code)
        a = gc.CubeArray.from_numpy(x, layout, comm)
        for n in (24 * comm.size, 4 * comm.size, 17 * comm.size + 1):
            yield close(gc.fft(a, n=n).to_numpy(), np.fft.fft(x, n)), f"{n} {layout}"


def into_out(comm):
    """The result is written where it is wanted, and the mistake of one rank is that of all."""
    layout = gc.Layout.mesh((16, 16), (comm.size, 1), code="gray")
    x = np.random.default_rng(0).standard_normal((16, 16))
    a = gc.CubeArray.from_numpy(x, layout, comm)
    out = gc.CubeArray.from_numpy(np.zeros((16, 9), complex), layout_of_half(comm), comm)
    yield gc.rfftn(a, out=out) is out, "it is out"
    yield close(out.to_numpy(), np.fft.rfftn(x)), "the result"
    for wrong in ({"n": 8}, {"out": a}, {"type": 3}):
        last = comm.rank == comm.size - 1
        error = raised(lambda options=wrong if last else {}: gc.fourier.dct(a, **options))
        if "out" not in wrong:
            yield isinstance(error, InvalidValueError) or comm.size == 1, f"{wrong} {error!r}"
        yield len(set(comm.allgather(str(error)))) == 1, f"{wrong} {error!r}"


def layout_of_half(comm):
    return gc.Layout.mesh((16, 9), (comm.size, 1), allocation="cyclic")


CHECKS = checks((1, 2, 4, 8), every_kind, a_lone_axis, into_out)
