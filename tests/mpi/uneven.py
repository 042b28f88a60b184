"""Arrays of any length on any number of ranks: NumPy's results, few messages, one error."""

import tempfile
import warnings
from contextlib import suppress
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from shutil import rmtree

import numpy as np
import scipy.fft
from counting import Counting, sent
from deposits import added_back
from mpi4py import MPI
from mpi_checks import checks, one_error, over_messages, raised
from numpy_cases import CASES, ELEMENTWISE, PAYLOAD, SORTING, alike, operands, squares
from uneven_cases import meshes, uneven

import graycube as gc
from graycube import fourier
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Ownership
from graycube.layout.share import SharedAxis

GATHERING = ("Allgather", "Allgatherv", "Gather", "Gatherv", "allgather", "gather", "bcast")


class Silent(MPI.Intracomm):
    """A communicator that cannot gather; duplicates of it cannot either."""


def refused(*_args, **_options):
    """What a method does that is not to be called."""
    raise AssertionError("the array is gathered")


for method in GATHERING:
    setattr(Silent, method, refused)


def results(comm):
    """Each function gives what NumPy gives, in one of the layouts, and gathers nothing."""
    gc.fft  # noqa: B018 - it brings numpy.fft
    kinds = [*uneven(comm.size)]
    for k, layout in enumerate(kinds):
        whole = operands(layout)
        loud = [gc.CubeArray.from_numpy(x, layout, comm) for x in whole]
        for name, call in [*CASES.items()][k :: len(kinds)]:
            wrong = alike(call, loud, whole)
            yield not wrong, f"{name} in {layout}: {wrong}"
        silent = over_messages(Silent(comm.Dup()))
        over = [gc.CubeArray.from_numpy(x, layout, silent) for x in whole]
        quiet = [call for name, call in CASES.items() if not name.startswith(SORTING)]
        for call in quiet[k :: 9 * len(kinds)]:
            with warnings.catch_warnings(action="ignore"), suppress(ValueError, IndexError):
                call(*over)  # which NumPy too refuses for few elements
        silent.Free()


def messages(comm):
    """What works element by element sends nothing; a reduction goes up and down a tree."""
    counting = over_messages(Counting(comm.Dup()))
    for layout in uneven(comm.size):
        over = [gc.CubeArray.from_numpy(x, layout, counting) for x in operands(layout)]
        for name, call in {**ELEMENTWISE, **PAYLOAD}.items():
            with warnings.catch_warnings(action="ignore"):
                calls, _ = sent(lambda call=call, over=over: call(*over))
            yield not calls, f"{name} in {layout}: {calls}"
        u = over[0]
        rows, columns = (u.mean(axis, keepdims=True) for axis in (0, 1))
        calls, _ = sent(lambda u=u, m=(rows, columns): squares(u) * u + m[0] - m[1])
        yield not calls, f"thin arrays in {layout}: {calls}"
        for axis in (None, 0, 1):
            axes = (0, 1) if axis is None else (axis,)
            group, _ = layout.sharing(axes, comm.rank)
            calls, _ = sent(lambda u=u, axis=axis: u.sum(axis))
            most = (len(group) - 1).bit_length() + 1
            yield calls.pop("Send", 0) <= most, f"the sum along {axis} of {layout}"
            yield calls == {"Iallreduce": 1}, f"the sum along {axis} of {layout}: {calls}"
    counting.Free()


def made_once(comm):
    """A trade that was made before is not made again, nor the spectrum of a chirp."""
    counting = over_messages(Counting(comm.Dup()))
    layout = gc.Layout.mesh((4 * comm.size + 1, 9), (comm.size, 1))
    x = np.random.default_rng(2).standard_normal(layout.shape)
    first, again = (gc.CubeArray.from_numpy(k * x, layout, counting) for k in (1, 2))
    target = layout.with_axis(0, replace(layout.axes[0], cyclic=True))
    made, _ = sent(lambda: first.relayout(target))
    calls, found = sent(lambda: again.relayout(target))
    yield comm.allreduce(made.get("Send_init", 0)) > 0, f"{made}"
    yield calls == {"Iallreduce": 1}, f"{calls}"
    yield np.array_equal(found.to_numpy(), 2 * x), "the second one is of other numbers"
    prime = gc.Layout.mesh((521,), (comm.size,))
    y = np.random.default_rng(3).standard_normal((2, 521))
    once, twice = (gc.CubeArray.from_numpy(each, prime, counting) for each in y)
    made, _ = sent(lambda: gc.fft(once, order="natural"))
    calls, found = sent(lambda: gc.fft(twice, order="natural"))
    yield made["Isend"] > calls["Isend"] > 0, f"{made} {calls}"
    yield np.allclose(found.to_numpy(), np.fft.fft(y[1])), "the second one is right"
    for k in range(12):  # what is kept is bounded, and may be forgotten
        u = gc.CubeArray.from_numpy(y[0], prime, counting)
        yield np.allclose(gc.fft(u, n=521 + 2 * k).to_numpy(), np.fft.fft(y[0], 521 + 2 * k)), k
    counting.Free()


def pieces(comm):
    """Every way in and out: whole, from a root, by pieces, by functions, through files."""
    for layout in uneven(comm.size):
        x = np.random.default_rng(1).standard_normal((*layout.shape, 2))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        yield np.array_equal(u.local, x[u.slices]), f"local in {layout}"
        yield np.array_equal(u.local, x[u.ix]), f"ix in {layout}"
        yield np.array_equal(u.to_numpy(), x), f"to_numpy in {layout}"
        whole = u.gather(comm.size - 1)
        yield (whole is None) == (comm.rank < comm.size - 1), f"gather in {layout}"
        yield whole is None or np.array_equal(whole, x), f"gather in {layout}"
        sent = gc.CubeArray.scatter(x if comm.rank == 0 else None, layout, comm)
        yield np.array_equal(sent.blocks, u.blocks), f"scatter in {layout}"
        made = gc.CubeArray.from_local(x[u.slices], layout, comm)
        yield np.array_equal(made.blocks, u.blocks), f"from_local in {layout}"
        made.local[...] *= 2
        yield np.array_equal(made.to_numpy(), 2 * x), f"a view in {layout}"
        made.set_local(x[u.slices])
        yield np.array_equal(made.to_numpy(), x), f"set_local in {layout}"
        flat = gc.CubeArray.from_function(lambda i, j: 100 * i + j, layout, comm)
        wanted = np.add.outer(100 * np.arange(layout.shape[0]), np.arange(layout.shape[1]))
        yield np.array_equal(flat.to_numpy(), wanted), f"from_function in {layout}"
        i, j = u.indices()
        yield np.array_equal((100 * i + j).to_numpy(), wanted), f"indices in {layout}"


def files(comm):
    """What is saved is NumPy's file, and it is read into any other layout."""
    folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
    path = Path(folder) / "x.npy"
    for layout in uneven(comm.size):
        x = np.random.default_rng(2).standard_normal((*layout.shape, 2))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        u.save(path)
        yield np.array_equal(np.load(path), x), f"save in {layout}"
        mean = u.mean(axis=0)
        mean.save(path)
        yield np.allclose(np.load(path), x.mean(axis=0)), f"copies saved of {layout}"
        u.save(path)
        for other in islice(uneven(comm.size), 2):
            if other.shape == layout.shape:
                found = gc.CubeArray.load(path, other, comm)
                yield np.array_equal(found.local, x[found.slices]), f"load in {other}"
    comm.Barrier()
    if comm.rank == 0:
        path.unlink()
        path.parent.rmdir()


def relayouts(comm):
    """Between any two layouts, of either kind, with copies too."""
    kinds = {}
    for layout in uneven(comm.size):
        kinds.setdefault(layout.shape, []).append(layout)
    power = 1 << comm.size.bit_length() - 1
    if power == comm.size:
        shape = (8 * power, 4)
        kinds[shape] = [
            gc.Layout.mesh(shape, (power, 1), code="gray"),
            gc.Layout.mesh(shape, (power, 1), allocation="cyclic", slots="gray"),
            Ownership((SharedAxis(shape[0], power), SharedAxis(4)), power),
            Ownership((SharedAxis(shape[0]), SharedAxis(4, power)), power),
        ]
        mixed = Matrix.identity(kinds[shape][0].p)
        mixed = Matrix((mixed.columns[0], *(c ^ 1 for c in mixed.columns[1:])), mixed.height)
        kinds[shape].append(
            gc.Layout(AffineMap(mixed), power.bit_length() - 1, kinds[shape][0].axes)
        )
    for shape, those in kinds.items():
        x = np.random.default_rng(3).integers(0, 1000, (*shape, 3))
        for layout, target in product(those, those):
            u = gc.CubeArray.from_numpy(x, layout, comm)
            v = u.relayout(target)
            yield v.layout == target, f"{layout} to {target}"
            yield np.array_equal(v.to_numpy(), x), f"{layout} to {target}"
            shared = np.shares_memory(v.blocks, u.blocks)
            yield not shared, f"{layout} to {target}: it is a new array"
        u = gc.CubeArray.from_numpy(x, those[0], comm).max(axis=0)
        for other in those[1:4]:
            v = gc.CubeArray.from_numpy(x, other, comm).max(axis=0)
            for made in (u.relayout(v.layout), v.relayout(u.layout)):
                yield np.array_equal(made.to_numpy(), x.max(axis=0)), f"copies of {other}"


def the_same_on_all(comm):
    """Copies are the same to the last bit, and reproducible sums in any layout."""
    seen = {}
    for layout in uneven(comm.size):
        x = np.random.default_rng(4).standard_normal(layout.shape) * 1e3
        u = gc.CubeArray.from_numpy(x, layout, comm)
        yield len({*comm.allgather(u.sum().tobytes())}) == 1, f"sum in {layout}"
        exact = u.sum(reproducible=True)
        alone = gc.CubeArray.from_numpy(x, gc.Layout.mesh(layout.shape, (1, 1)))
        yield exact == alone.sum(reproducible=True), f"reproducible in {layout}"
        seen.setdefault(layout.shape, exact)
        yield seen[layout.shape] == exact, f"another sum in {layout}"


def halos(comm):
    """Windows read what NumPy's rolled and padded arrays have, past empty nodes too."""
    for layout in uneven(comm.size):
        x = np.random.default_rng(5).integers(0, 1000, (*layout.shape, 2))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        for periodic, corners, reach, stride in (
            (True, False, 1, 1),
            (False, True, (2, (0, 3)), 1),
            ((True, False), True, ((4, 1), 1), 1),
            ((False, True), True, (1, (2, 1)), (4, 2)),
        ):
            options = {"periodic": periodic, "corners": corners, "stride": stride}
            walls = [("antisymmetric", "reflect"), ("symmetric", -1)]
            for fill in (-1, "edge", *[walls] * (reach == 1)):
                found, wanted, empty = added_back(u, x, reach, fill=fill, **options)
                same = np.array_equal(found.to_numpy(), wanted)
                yield same and empty, f"added back, {fill}, {options} in {layout}"
            w = u.halo(reach, fill=-1, **options)
            for steps in ((1, 0), (0, 1), (0, 0), (1, 1)) if corners else ((-1, 0), (0, 1)):
                far = np.multiply(steps, stride)
                wanted = shifted(x, far, np.broadcast_to(periodic, 2))
                same = np.array_equal(w[steps].to_numpy(), wanted)
                yield same, f"{steps} of {w.halo!r} in {layout}"
            parts = gc.stack([u[..., 0], u[..., 1]])  # whose components lie apart
            other = parts.halo(reach, fill=-1, **options).update(parts)
            same = np.array_equal(other.correlate([[0, 0, 3]]).blocks, 3 * w[0, 1].blocks)
            yield same, f"components apart, {w.halo!r} in {layout}"
            star = w.correlate([[0, 2, 0], [0, -5, 3], [0, 0, 0]])
            wanted = 2 * w[-1, 0] - 5 * u + 3 * w[0, 1]
            yield np.array_equal(star.blocks, wanted.blocks), f"a sum of {w.halo!r} in {layout}"
            again = w.update(u + 1)[0, 1].to_numpy()
            far = np.multiply((0, 1), stride)
            wanted = shifted(x + 1, far, np.broadcast_to(periodic, 2))
            yield np.array_equal(again, wanted), f"again, {w.halo!r} in {layout}"


def shifted(x, steps, periodic):
    """What is so many steps on along the first axes, -1 beyond ends that are open."""
    for axis, (step, ring) in enumerate(zip(steps, periodic, strict=True)):
        x = np.roll(x, -step, axis)
        if step and not ring:
            x = np.moveaxis(x.copy(), axis, 0)
            x[slice(-step, None) if step > 0 else slice(-step)] = -1
            x = np.moveaxis(x, 0, axis)
    return x


def transforms(comm):
    """Complex and real transforms, along axes in memory, over nodes, and alone there."""
    shapes = ((7, 9), (24, 10), (2, 131), (1, 144), (1, 142), (1, 131))
    pairs = [*product(shapes, meshes(comm.size))]
    for shape, nodes in pairs[:: 1 + (comm.size > 4)]:
        layout = gc.Layout.mesh(shape, nodes, allocation=("cyclic", "consecutive"))
        if not isinstance(layout, Ownership):
            continue
        draw = np.random.default_rng(6)
        x = draw.standard_normal((*shape, 2)) + 1j * draw.standard_normal((*shape, 2))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        for axis, norm in ((0, "ortho"), (1, None)):
            y = gc.fft(u, axis, norm)
            wanted = np.fft.fft(x, axis=axis, norm=norm)
            yield np.allclose(y.to_numpy(), wanted), f"fft {axis} in {layout}"
            z = gc.ifft(y, axis, norm)
            yield np.allclose(z.to_numpy(), x), f"ifft {axis} in {layout}"
            r = gc.CubeArray.from_numpy(x.real, layout, comm)
            half = gc.rfft(r, axis, norm)
            wanted = np.fft.rfft(x.real, axis=axis, norm=norm)
            yield np.allclose(half.to_numpy(), wanted), f"rfft {axis} in {layout}"
            whole = gc.irfft(half, axis, norm, n=shape[axis])
            yield np.allclose(whole.to_numpy(), x.real), f"irfft {axis} in {layout}"
        y = gc.fftn(u, order="natural")
        yield y.layout == layout, f"natural order in {layout}"
        yield np.allclose(y.to_numpy(), np.fft.fftn(x, axes=(0, 1))), f"fftn in {layout}"
        yield np.allclose(gc.ifftn(y).to_numpy(), x), f"ifftn in {layout}"
        half = gc.rfftn(r)
        yield np.allclose(half.to_numpy(), np.fft.rfftn(x.real, axes=(0, 1))), f"rfftn {layout}"
        back = gc.irfftn(half, s=shape)
        yield np.allclose(back.to_numpy(), x.real), f"irfftn in {layout}"


def padded(comm):
    """Axes cut or followed by zeros, cosines and sines, results in an array of the user's."""
    for shape, nodes in product(((7, 9), (24, 10), (2, 5), (1, 131)), meshes(comm.size)):
        layout = gc.Layout.mesh(shape, nodes, allocation=("cyclic", "consecutive"))
        if not isinstance(layout, Ownership):
            continue
        x = np.random.default_rng(7).standard_normal((*shape, 2))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        for axis, n in ((0, 5), (0, 11), (1, 4), (1, 140)):
            y = gc.fft(u, axis, n=n, order="natural")
            yield np.allclose(y.to_numpy(), np.fft.fft(x, n, axis)), f"fft {n=} in {layout}"
            yield y.layout == layout.with_axis(axis, replace(layout.axes[axis], length=n)), y
            half = gc.rfft(u, axis, n=n).to_numpy()
            yield np.allclose(half, np.fft.rfft(x, n, axis)), f"rfft {n=} in {layout}"
            whole = gc.irfft(u, axis, n=n).to_numpy()
            yield np.allclose(whole, np.fft.irfft(x, n, axis)), f"irfft {n=} in {layout}"
            for name in ("dct", "idst"):
                made = getattr(fourier, name)(u, axis=axis, n=n).to_numpy()
                wanted = getattr(scipy.fft, name)(x, n=n, axis=axis)
                yield np.allclose(made, wanted), f"{name} {n=} in {layout}"
        out = gc.CubeArray.from_numpy(np.zeros_like(x, complex), layout, comm)
        yield gc.fftn(u, out=out) is out, f"out in {layout}"
        yield np.allclose(out.to_numpy(), np.fft.fftn(x, axes=(0, 1))), f"out in {layout}"


def stores(comm):
    """Stores of Zarr and reads by index have what NumPy has."""
    folder = Path(comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None))
    kinds = [*uneven(comm.size)]
    for layout in kinds[:: 1 + len(kinds) // 4]:
        x = np.random.default_rng(8).standard_normal((*layout.shape, 2))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        u.save(folder / "x.zarr")
        for target in (layout, gc.Layout.mesh(layout.shape, (comm.size, 1))):
            found = gc.CubeArray.load(folder / "x.zarr", target, comm)
            yield np.array_equal(found.to_numpy(), x), f"{layout} read as {target}"
        yield np.array_equal(u.read[1:, ::2], x[1:, ::2]), f"a box of {layout}"
        yield np.array_equal(u.read[-1, 0], x[-1, 0]), f"an element of {layout}"
        yield np.array_equal(u.read[u > 0], x[x > 0]), f"a mask in {layout}"
        i, j = u[..., 0].indices(sparse=True)
        wanted = x[..., 0] + np.add.outer(np.arange(len(x)), 10 * np.arange(x.shape[1]))
        yield np.allclose((u[..., 0] + i + 10 * j).to_numpy(), wanted), f"indices in {layout}"
    comm.Barrier()
    if comm.rank == 0:
        rmtree(folder)


def mistakes(comm):
    """A piece of another shape on the last rank, and another layout there: one error."""
    layout = gc.Layout.mesh((4 * comm.size - 1, 3), (comm.size, 1))
    u = gc.CubeArray.from_numpy(np.zeros(layout.shape), layout, comm)
    last = comm.rank == comm.size - 1
    other = gc.Layout.mesh(layout.shape, (comm.size, 1), allocation="cyclic")
    for call, words in (
        (lambda: gc.CubeArray.from_local(u.local[last:], layout, comm), "the piece has shape"),
        (lambda: u.relayout(other if last else layout), "the new layout is"),
        (lambda: u.relayout(other, machine="ipsc2"), "a plan needs equally many"),
        (lambda: u.sum(axis=int(last)), "the axis is"),
    ):
        yield from one_error(comm, call, InvalidValueError, words)


def without_elements(comm):
    """A rank that has none raises what the others raise, and warns of nothing by itself."""
    layout = gc.Layout.mesh((3, comm.size - 1), (1, comm.size), ownership=True)
    u = gc.CubeArray.from_numpy(np.full(layout.shape, 2.0), layout, comm)
    v, whole = gc.stack([u, u]), u.astype(int)
    yield (u.local.size == 0) == (comm.rank == comm.size - 1), f"{u.slices}"
    for call, kind in (
        (lambda: u + None, TypeError),
        (lambda: np.add(v, [None, 1]), TypeError),
        (lambda: u.mean(axis=0) ** None, TypeError),
        (lambda: (u.mean(axis=0, keepdims=True)[..., None] * v) ** None, TypeError),
        (lambda: np.add(u[..., None], [None]), TypeError),
        (lambda: whole**-1, ValueError),
        (lambda: np.power(whole[..., None], [1, -1]), ValueError),
        (lambda: u + np.array(["a"]), TypeError),
    ):
        yield from one_error(comm, call, kind)
    with np.errstate(all="raise"):
        for call in (lambda: np.log(u - 1) + 1 / u, lambda: whole**whole - whole**2):
            yield raised(call) is None, f"{raised(call)!r}"
    asked = []
    own = np.frompyfunc(lambda x: asked.append(x) or x, 1, 1)
    own(u), own(u.astype(object)), u.astype(object) / whole  # what these take is theirs
    yield len(asked) == 2 * u.local.size, f"asked about {asked}"


def cubes_side_by_side(comm):
    """A plan of a cube runs in each of three, which have the highest digit of the nodes."""
    ranks = comm.size // 3
    whole = gc.Layout.mesh((45, 64), (3, ranks), code=("binary", "gray"))
    x = np.random.default_rng(4).standard_normal((45, 64))
    u = gc.CubeArray.from_numpy(x, whole, comm)
    cubes = comm.Split(comm.rank // ranks, comm.rank)
    cube = gc.Layout.mesh((15, 64), (1, ranks), code="gray")
    part = gc.CubeArray.from_local(u.local, cube, cubes)
    row = comm.rank // ranks * 15
    yield np.array_equal(part.to_numpy(), x[row : row + 15]), "the rows of a cube"
    for target in ({"code": "binary"}, {"allocation": ("consecutive", "cyclic")}):
        moved = part.relayout(gc.Layout.mesh((15, 64), (1, ranks), **target), machine="ipsc2")
        there = gc.Layout.mesh((45, 64), (3, ranks), **target)
        back = gc.CubeArray.from_local(moved.local, there, comm)
        yield np.array_equal(back.to_numpy(), x), f"{back.layout}"
    cubes.Free()


CHECKS = checks(
    (2, 3, 4, 6, 8, 12),
    results,
    messages,
    made_once,
    pieces,
    files,
    relayouts,
    the_same_on_all,
    halos,
    transforms,
    padded,
    stores,
    mistakes,
    without_elements,
) | checks((6, 12), cubes_side_by_side)
