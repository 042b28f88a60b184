"""Transforms along an axis that nothing can take the nodes of, beside SciPy's."""

from functools import partial
from itertools import product
from unittest.mock import patch

import numpy as np
import scipy.fft
from counting import Counting, sent
from mpi_checks import checks, one_error

import graycube as gc
from graycube.array import moving
from graycube.fourier.team import Team
from graycube.run.windows import windows

LENGTHS = (2, 7, 16, 30, 96, 131, 256, 300, 521, 600, 1042)
"""With and without two factors, odd and even, prime, fewer than the nodes, not divisible."""
FEW = (7, 521, 600)
"""On four ranks, which `make test` tries."""
KINDS = ("dct", "idct", "dst", "idst")


def lengths(comm):
    return FEW if comm.size == 4 else LENGTHS


def near(found, wanted):
    """Whether a result over ranks is the wanted one, within what rounding leaves."""
    x = found.to_numpy()
    size = np.abs(wanted).max() if wanted.size else 0
    tolerance = 1e-12 if wanted.dtype.char in "dD" else 1e-4
    right = x.shape == wanted.shape and x.dtype == wanted.dtype
    return right and np.abs(x - wanted).max() <= tolerance * max(size, 1)


def layouts(shape, count):
    """Along the only long axis: in blocks, cyclic, in Gray code."""
    nodes = (count, *(1,) * (len(shape) - 1))
    codes = ("binary", "gray") if count & (count - 1) == 0 else ("binary",)
    for code, place in product(codes, ("consecutive", "cyclic")):
        yield gc.Layout.mesh(shape, nodes, code=code, allocation=place)


def halves(comm):
    """Half spectra, and back from them, with every norm; longer and shorter."""
    draw = np.random.default_rng(5)
    norms = (None, "ortho", "forward")
    for k, length in enumerate(lengths(comm)):
        x = draw.standard_normal((length, 2))
        norm = norms[k % 3]
        for layout in layouts((length,), comm.size):
            u = gc.CubeArray.from_numpy(x, layout, comm)
            half = scipy.fft.rfft(x, axis=0, norm=norm)
            y = gc.rfft(u, norm=norm)
            yield near(y, half), f"rfft {length} {norm} {layout}"
            yield near(gc.irfft(y, n=length, norm=norm), x), f"irfft {length} {norm} {layout}"
            noisy = y + 1j  # the parts that are of no real array are left out
            wanted = scipy.fft.irfft(half + 1j, length, axis=0, norm=norm)
            yield near(gc.irfft(noisy, n=length, norm=norm), wanted), f"noisy {length} {layout}"
            for n in (length + 3, max(length // 2, 1)):
                wanted = scipy.fft.rfft(x, n, axis=0, norm=norm)
                yield near(gc.rfft(u, n=n, norm=norm), wanted), f"rfft {length} {n} {layout}"
                wanted = scipy.fft.fft(x, n, axis=0, norm=norm)
                yield near(gc.fft(u, n=n, norm=norm), wanted), f"fft {length} {n} {layout}"


def cosines(comm):
    """Cosines and sines of both types with every norm, of real and of complex numbers."""
    draw = np.random.default_rng(6)
    cases = [*product(KINDS, (2, 3), (None, "ortho", "forward"))]
    for k, length in enumerate(lengths(comm)):
        x = draw.standard_normal((length, 2))
        kinds = [*layouts((length,), comm.size)]
        for j, (name, kind, norm) in enumerate(cases):
            if (length > 40 or comm.size == 4) and (j + k) % 3:
                continue
            layout = kinds[(j + k) % len(kinds)]
            given = x + 1j * x[::-1] if j % 4 == 0 else x.astype("f4") if j % 4 == 1 else x
            u = gc.CubeArray.from_numpy(given, layout, comm)
            wanted = getattr(scipy.fft, name)(given, kind, axis=0, norm=norm)
            found = getattr(gc.fourier, name)(u, kind, norm=norm)
            yield near(found, wanted), f"{name} {kind} {norm} {length} {given.dtype} {layout}"
            n = length + 1
            wanted = getattr(scipy.fft, name)(given, kind, n, axis=0, norm=norm)
            found = getattr(gc.fourier, name)(u, kind, norm=norm, n=n)
            yield near(found, wanted), f"{name} {kind} {norm} {length} {n} {layout}"


def little_to_trade(comm):
    """The other axis can take some of the nodes only; and nodes that have copies."""
    codes = ("binary", "gray") if comm.size & (comm.size - 1) == 0 else ("binary",)
    for rows, code in product((3, 2), codes):  # 3 rows of 16 * 75 have blocks in another order
        x = np.random.default_rng(7).standard_normal((rows, 600 * (rows - 1)))
        layout = gc.Layout.mesh(x.shape, (1, comm.size), code=code)
        u = gc.CubeArray.from_numpy(x, layout, comm)
        half = gc.rfftn(u)
        yield near(half, scipy.fft.rfftn(x)), f"rfftn {layout}"
        yield near(gc.irfftn(half, s=x.shape), x), f"irfftn {layout}"
        yield near(gc.fourier.dctn(u), scipy.fft.dctn(x)), f"dctn {layout}"
        yield near(gc.fft(u, order="natural"), scipy.fft.fft(x)), f"fft {layout}"
        sums = u.sum(axis=0)
        wanted = x.sum(axis=0)
        for name in ("fft", "rfft", "dct"):
            found = getattr(gc.fourier, name)(sums)
            yield near(found, getattr(scipy.fft, name)(wanted)), f"{name} {sums.layout}"
    mesh = (2, comm.size // 2) if comm.size % 2 == 0 else (1, comm.size)
    w = gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape, mesh), comm).sum(axis=0)
    for name in ("fft", "ifft", "rfft", "idst"):
        found = getattr(gc.fourier, name)(w)
        yield near(found, getattr(scipy.fft, name)(x.sum(axis=0))), f"{name} {w.layout}"
        again = gc.CubeArray.from_numpy(found.to_numpy(), found.layout, comm)
        yield np.array_equal(again.blocks, found.blocks), f"copies differ in {found.layout}"


def of_whole_lines(comm):
    """Types 1 and 4 need another axis for the nodes, and say so."""
    x = np.random.default_rng(4).standard_normal((comm.size, 3 * comm.size))
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape, (1, comm.size)), comm)
    lone = gc.CubeArray.from_numpy(x[0], gc.Layout.mesh(x.shape[1:], (comm.size,)), comm)
    for name, kind in product(("dctn", "idctn", "dstn", "idstn"), (1, 4)):
        found = getattr(gc.fourier, name)(u, kind)
        yield near(found, getattr(scipy.fft, name)(x, kind)), f"{name} {kind}"
        call = partial(getattr(gc.fourier, name), lone, kind)
        yield from one_error(comm, call, gc.GraycubeError, "stays over its nodes")


def in_shared_memory(comm):
    """Ranks that share memory send nothing, once it is there; teams may have unequal rows."""
    counting = Counting(comm.Dup())
    x = np.random.default_rng(8).standard_normal((3, 90 * comm.size + 1))
    shapes = (((1, x.shape[1]), (1, comm.size)), ((3, x.shape[1]), (2, comm.size // 2)))
    for (rows, _), nodes in shapes if comm.size in {4, 6} else shapes[:1]:
        u = gc.CubeArray.from_numpy(
            x[:rows], gc.Layout.mesh((rows, x.shape[1]), nodes), counting
        )
        for name in ("fft", "rfft", "dct"):
            call = getattr(gc.fourier, name)
            call(u)
            calls, found = sent(lambda call=call, u=u: call(u))
            wanted = getattr(scipy.fft, name)(x[:rows])
            yield near(found, wanted), f"{name} {u.layout}"
            shared = windows(comm) is not None
            yield (calls == {}) == shared, f"{name} {u.layout} {calls}"
    counting.Free()


def few_exchanges(comm):
    """A real transform sends half the numbers, and mirror images once; nothing else moves."""
    points = 1200
    x = np.random.default_rng(9).standard_normal(points)
    layout = gc.Layout.mesh((points,), (comm.size,), ownership=True)
    u = gc.CubeArray.from_numpy(x, layout, comm)
    half = gc.rfft(u)
    cases = [
        ("fft", lambda: gc.fft(u), 3, 3 * 16 * points),
        ("rfft", lambda: gc.rfft(u), 4, 4 * 8 * points),
        ("irfft", lambda: gc.irfft(half, n=points), 4, 4 * 8 * points),
    ]
    sizes, moves = [], []

    def exchanged(team, parts, *rest):
        sizes.append(sum(part.nbytes for part in parts))
        return own(team, parts, *rest)

    own = Team.exchanged
    for name, call, most, nbytes in cases:
        sizes.clear()
        with (
            patch.object(Team, "exchanged", exchanged),
            patch.object(moving, "carried", lambda *args: moves.append(args)),
        ):
            call()
        yield len(sizes) == most, f"{name} has {len(sizes)} exchanges, not {most}"
        total = comm.allreduce(sum(sizes))
        yield total <= nbytes + 64 * comm.size, f"{name} sends {total} bytes, not {nbytes}"
        yield moves == [], f"{name} moves blocks besides"


RANKS = (1, 2, 3, 4, 6, 8)
CHECKS = (
    checks(RANKS[1:], in_shared_memory, of_whole_lines)
    | checks(RANKS, halves, cosines, little_to_trade)
    | checks((2, 3, 4), few_exchanges)
)
