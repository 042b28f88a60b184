"""Arrays over MPI are what they are in one process, and transforms are NumPy's.

Every rank makes the array in this process too, calls the same, and compares its own block.
"""

import copy
import os
import pickle
import random
import tempfile
from contextlib import suppress
from itertools import permutations, product
from pathlib import Path
from shutil import rmtree
from unittest.mock import patch

import numpy as np
from contents import RECORD, close, content, noise, same
from deposits import added_back
from kinds_of_tasks import invertible
from mpi4py import MPI
from mpi_checks import checks, raised, size_of

import graycube as gc
from graycube.array import moving
from graycube.array.disk import files as files_of_arrays
from graycube.errors import GraycubeError, InvalidValueError
from graycube.fourier import passes
from graycube.gf2 import AffineMap, Matrix
from graycube.run import post, scripts_at_once
from graycube.run.renumbering import renumbered as with_numbers
from graycube.run.windows import windows as windows_of

PLACES, CODES = ("consecutive", "cyclic"), ("gray", "binary")


def own(a, alone):
    """Whether an array over ranks has the block that the same array has in one process."""
    return a.layout == alone.layout and same(a.blocks, alone.blocks[a.nodes.start :][:1])


def meshes(n, places=PLACES):
    """Meshes of one to three axes, with odd extents and without."""
    a, b = n // 2, n - n // 2
    shapes = [
        ((3 << n + 1,), (n,)),
        ((4 << n,), (n,)),
        ((6 << a, 4 << b), (a, b)),
        ((2 << a, 5, 1 << b), (a, 0, b)),
    ]
    for (shape, bits), place, code in product(shapes, places, CODES):
        nodes = [1 << k for k in bits]
        yield gc.Layout.mesh(shape, nodes, code=code, allocation=place, ownership=False)


def layouts(n):
    """All kinds of layouts: also one element a node, codes of whole axes, and any map.

    With few nodes some of them come twice.
    """
    draw = random.Random(n)  # noqa: S311 - no secrets here
    yield from meshes(n)
    yield gc.Layout.nodes(n, "gray")
    yield gc.Layout.mesh((1 << n, 1), (1 << n, 1))
    yield gc.Layout.consecutive(n + 2, n, whole="gray")
    yield gc.Layout.cyclic(n + 1, n, nodes="gray", slots="gray")
    yield invertible(n + 2, draw) @ gc.Layout.cyclic(n + 2, n)


def various(comm):
    """All kinds of layouts, or with many ranks, which are slow, some of them."""
    step = {1: 1, 2: 1, 4: 3, 8: 5, 16: 7}[comm.size]  # odd, to meet all codes and places
    return [*dict.fromkeys([*layouts(size_of(comm))][::step])]


def over(comm, x, layout):
    """The array over the ranks, and in this process."""
    return gc.CubeArray.from_numpy(x, layout, comm), gc.CubeArray.from_numpy(x, layout)


# Making, gathering, elementwise


def making(comm):
    """From arrays and functions, from any root, and all of it back."""
    for layout in various(comm):
        a, alone = over(comm, content((*layout.shape, 2), "i4"), layout)
        whole = alone.to_numpy()
        yield own(a, alone), f"from_numpy {layout}"
        yield same(a.to_numpy(), whole), f"to_numpy {layout}"
        error = None if comm.size == 1 else raised(lambda a=a: np.asarray(a))
        yield isinstance(error, TypeError) or same(np.asarray(a), whole), f"asarray {layout}"
        yield (a.shape, a.size) == (alone.shape, alone.size), f"{a.shape}"
        yield all(map(own, a.indices(), alone.indices())), f"indices {layout}"
        made = [gc.CubeArray.from_function(mixed, layout, c) for c in (comm, None)]
        yield own(*made), f"from_function {layout}"
        with suppress(InvalidValueError):  # nodes with diagonals have no box
            made[0] = gc.CubeArray.from_function(mixed, layout, comm, sparse=True)
            yield own(*made), f"from_function, sparse, {layout}"
        root = layout.p % comm.size
        given = whole if comm.rank == root else None
        yield own(gc.CubeArray.scatter(given, layout, comm, root), alone), f"scatter {layout}"
        found = a.gather(root)
        yield found is None if comm.rank != root else same(found, whole), f"gather {layout}"


def mixed(*index):
    """A value for each entry that tells which one it is."""
    return sum(i * 100**k for k, i in enumerate(index)) + 0.5


def dtypes(comm):
    """Whatever NumPy can hold without objects, and payload of any shape."""
    n = size_of(comm)
    layout = gc.Layout.mesh(
        (6 << n,), (1 << n,), code="gray", allocation="cyclic", ownership=False
    )
    target = gc.Layout.mesh((6 << n,), (1 << n,), ownership=False)
    cases = product(("?", "f2", "c8", ">f4", "g", "M8[s]", "S3", RECORD), ((), (3,)))
    for dtype, payload in cases:
        x = content((*layout.shape, *payload), dtype)
        a, alone = over(comm, x, layout)
        yield same(a.to_numpy(), x), f"to_numpy {x.dtype} {payload}"
        given = x if comm.rank == 0 else None
        yield own(gc.CubeArray.scatter(given, layout, comm), alone), f"scatter {x.dtype}"
        moved = a.relayout(target)
        yield own(moved, alone.relayout(target)), f"relayout {x.dtype} {payload}"
        window = a.halo([(2, 1)])
        yield same(window[-2].to_numpy(), np.roll(x, 2, axis=0)), f"halo {x.dtype} {payload}"


def nothing(comm):
    """Payload of no elements goes everywhere."""
    n = size_of(comm)
    layout = gc.Layout.mesh(
        (6 << n,), (1 << n,), code="gray", allocation="cyclic", ownership=False
    )
    wanted = (*layout.shape, 2, 0)
    a = gc.CubeArray.from_numpy(np.empty(wanted), layout, comm)
    given = np.empty(wanted) if comm.rank == 0 else None
    b = gc.CubeArray.scatter(given, layout, comm)
    target = gc.Layout.mesh((6 << n,), (1 << n,), ownership=False)
    for call in (a.halo()[1], gc.fft(a), gc.ifft(b), a + b, a.relayout(target)):
        yield call.shape == wanted, f"{call!r}"
        yield call.to_numpy().shape == wanted, f"{call!r}"
    yield a.sum() == 0, f"{a.sum()}"


def elementwise(comm):
    """Operations on blocks, in place too; and what is refused is refused."""
    for layout in dict.fromkeys(layouts(size_of(comm))):
        x, y = noise((*layout.shape, 2)), noise(layout.shape, seed=1)
        (a, alone), (b, other) = over(comm, x, layout), over(comm, y, layout)
        for call in (
            lambda u, v: 2 * u - v**2 / 3,
            lambda u, v: np.exp(u) * v,
            lambda u, v: abs(u + v) > 1,
            lambda u, v: (u * v).real + u.imag,
            lambda u, v: np.add(u, v, out=u + 0),
        ):
            yield own(call(a, b), call(alone, other)), f"elementwise {layout}"
        a += b
        alone += other
        yield own(a, alone), f"in place {layout}"
        wrongs = [np.matmul, plain_out, *[mixing] * (comm.size > 1)]
        for wrong in wrongs + [with_plain] * (layout.size > 1):
            error = raised(lambda wrong=wrong, a=a, b=b: wrong(a, b))
            yield isinstance(error, TypeError | GraycubeError), f"{wrong}: {error!r}"


def mixing(a, b):
    """An array over ranks and one that is not."""
    return a + gc.CubeArray.from_numpy(b.to_numpy(), b.layout)


def with_plain(a, _):
    """A plain array that looks like the whole."""
    return a + a.to_numpy()


def plain_out(a, b):
    """A result that would go to a plain array."""
    return np.add(a, b, out=np.empty(a.blocks.shape, a.dtype))


def reductions(comm):
    """The same to the last bit on all ranks, and as in one process."""
    for layout, dtype in product(various(comm)[::2], ("f8", "c16", "f4", "f2", "i1", "?")):
        x = noise((*layout.shape, 3), "f8") if dtype == "?" else noise(layout.shape, dtype)
        x = x > 0 if dtype == "?" else x
        a, alone = over(comm, x, layout)
        for name in ("sum", "mean", "max", "min", "all", "any"):
            found, wanted = (getattr(z, name)() for z in (a, alone))
            everywhere = {(str(v.dtype), v.tobytes()) for v in comm.allgather(found)}
            yield len(everywhere) == 1, f"{name} of {dtype}: {everywhere}"
            yield same(found, wanted), f"{name} of {dtype}: {found!r} and {wanted!r}"
            reference = getattr(np, name)(x)
            fine = np.allclose(found, reference, rtol=2e-2 if dtype == "f2" else 1e-5)
            yield fine, f"{name} of {dtype}: {found!r} and NumPy's {reference!r}"
            yield found.dtype == reference.dtype, f"{name} of {dtype}: {found.dtype}"


# From layout to layout


def pairs(comm):
    """An array in every layout, and every other layout of its shape."""
    groups = {}
    for layout in dict.fromkeys(layouts(size_of(comm))):
        groups.setdefault(layout.shape, []).append(layout)
    for shape, group in groups.items():
        x = content((*shape, 3), "i4")
        for source, target in product(group, repeat=2):
            a = gc.CubeArray.from_numpy(x, source, comm)
            yield a, x, gc.CubeArray.from_numpy(x, target)


def relayouts(comm):
    """Straight from every layout to every other one of the same shape."""
    for a, x, wanted in pairs(comm):
        moved = a.relayout(wanted.layout)
        yield own(moved, wanted), f"{a!r} -> {wanted!r}"
        moved *= 0
        yield same(a.blocks, a.layout.scatter(x)[a.nodes]), f"{a!r} is the same array"


def renumbered(comm):
    """The same by new rank numbers, as far as they can do it."""
    for a, x, wanted in pairs(comm):
        new = a.relayout(wanted.layout, renumber=True)
        yield same(new.to_numpy(), x), f"{a!r} -> {wanted!r}"
        yield own(new, wanted), f"blocks of {a!r} -> {wanted!r}"
        yield not np.shares_memory(new.blocks, a.blocks), f"memory of {a!r} -> {wanted!r}"


def shares_are_not_sent(comm):
    """What is pickled is the share of a rank, and no array on any other."""
    layout = gc.Layout.mesh((comm.size,), (comm.size,))
    a = gc.CubeArray.from_numpy(np.arange(comm.size), layout, MPI.COMM_WORLD)
    for there in (pickle.loads(pickle.dumps(a)), copy.deepcopy(a)):  # noqa: S301 - it is ours
        yield there.comm == a.comm and np.array_equal(there.blocks, a.blocks), "on this rank"
    sent = comm.bcast(pickle.dumps(a))
    error = raised(lambda: pickle.loads(sent))  # noqa: S301
    wanted = "pickled by rank 0" if comm.rank else "None"
    yield wanted in str(error), f"{error!r}"


def orders_are_kept(comm):
    """The same new numbers are the same communicator, whatever was done in between."""
    n = size_of(comm)
    source, target = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    a = gc.CubeArray.from_numpy(noise(source.shape), source, comm)
    before = a.relayout(target, renumber=True)
    for layout in (
        gc.Layout.mesh((2 * k << n,), (1 << n,), ownership=False) for k in range(1, 12)
    ):
        gc.fft(gc.CubeArray.from_numpy(noise(layout.shape), layout, comm))
    after = a.relayout(target, renumber=True)
    yield before.comm == after.comm, f"another communicator for {source} -> {target}"
    yield same((before + after).to_numpy(), 2 * a.to_numpy()), f"{before!r} + {after!r}"
    back = after.relayout(source, renumber=True)
    yield back.comm == comm, f"back, {source} <- {target}"
    yield same((a + back).to_numpy(), 2 * a.to_numpy()), f"{a!r} + {back!r}"


def by_plans(comm):
    """By every algorithm that applies, and renumbered."""
    n = size_of(comm)
    machine = gc.Machine(n, "all", "circuit", startup=1e-3)
    kinds = (gc.Layout.cyclic(n + 2, n, nodes="gray"), gc.Layout.consecutive(n + 2, n))
    fields = (gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n))
    for source, target in (*permutations(kinds), *permutations(fields)):
        x = content((*source.shape, 6), "f8")
        block = 6 * source.block_size
        plan = gc.plan(source, target, block, itemsize=8, machine=machine)
        known = [c.algorithm.name for c in plan.candidates if c.traffic is not None]
        a, wanted = gc.CubeArray.from_numpy(x, source, comm), target.scatter(x)
        for name in ("auto", *known):
            moved = a.relayout(target, machine=machine, algorithm=name)
            yield same(moved.to_numpy(), x), f"{source} -> {target} by {name}"
            number = moved.nodes.start
            yield same(moved.blocks, wanted[number : number + 1]), f"blocks by {name}"
        moved = a.relayout(target, machine=machine, renumber=True)
        yield same(moved.to_numpy(), x), f"{source} -> {target} by plan, renumbered"


def many_numbers(comm):
    """Renumbering again and again does not use up the communicators that there are."""
    n = size_of(comm)
    x, source = np.arange(1 << n), gc.Layout.nodes(n)
    a = gc.CubeArray.from_numpy(x, source, comm)
    for turn in range(2100):
        flips = AffineMap(Matrix.identity(n), turn % comm.size)
        moved = a.relayout(flips @ source, renumber=True)
    yield same(moved.to_numpy(), x), "after many renumberings"


# Transforms


def transforms(comm):
    """Every one of the family, along every axis, against NumPy, and back."""
    for layout in various(comm):
        for dtype, payload in ((np.complex128, ()), (np.complex64, (2,))):
            x = noise((*layout.shape, *payload), dtype)
            a = gc.CubeArray.from_numpy(x, layout, comm)
            axes = tuple(range(len(layout.axes)))
            for axis in axes:
                yield close(gc.fft(a, axis).to_numpy(), np.fft.fft(x, axis=axis)), f"{layout}"
                found = gc.ifft(a, axis, norm="ortho").to_numpy()
                yield close(found, np.fft.ifft(x, axis=axis, norm="ortho")), f"ifft {layout}"
            y = gc.fftn(a, norm="forward")
            yield close(y.to_numpy(), np.fft.fftn(x, axes=axes, norm="forward")), f"{layout}"
            yield close(gc.ifftn(y, norm="forward").to_numpy(), x), f"ifftn {layout}"
            natural = gc.ifftn(a, order="natural")
            yield natural.layout == layout, f"natural {layout}"
            yield close(natural.to_numpy(), np.fft.ifftn(x, axes=axes)), f"natural {layout}"
            if len(axes) > 1:
                yield close(gc.fft2(a, (1, 0)).to_numpy(), np.fft.fft2(x, axes=(1, 0))), "fft2"
                found = gc.ifft2(a, (0, 1)).to_numpy()
                yield close(found, np.fft.ifft2(x, axes=(0, 1))), f"ifft2 {layout}"
            yield same(a.to_numpy(), x), f"the input, {layout}"


def real_transforms(comm):
    """Half spectra; the last axis is in memory."""
    n = size_of(comm)
    for points, code, place in product((7, 6, 8), CODES, PLACES):
        layout = gc.Layout.mesh(
            (3 << n, points), (1 << n, 1), code=code, allocation=place, ownership=False
        )
        for dtype in (np.float64, np.float32)[: 2 if points == 6 else 1]:
            x = noise((*layout.shape, 2), dtype)
            a = gc.CubeArray.from_numpy(x, layout, comm)
            y = gc.rfft(a)
            yield close(y.to_numpy(), np.fft.rfft(x, axis=1)), f"rfft {layout}"
            yield close(gc.irfft(y, n=points).to_numpy(), x), f"irfft {layout}"
            for many, back in ((gc.rfft2, gc.irfft2), (gc.rfftn, gc.irfftn)):
                y = many(a, norm="ortho")
                wanted = np.fft.rfftn(x, axes=(0, 1), norm="ortho")
                yield close(y.to_numpy(), wanted), f"{many.__name__} {layout}"
                found = back(y, s=(-1, points), norm="ortho").to_numpy()
                yield close(found, x), f"{back.__name__} {layout}"
            yield same(a.to_numpy(), x), f"the input, {layout}"


def again_and_again(comm):
    """More layouts, shapes and dtypes in turn than are remembered; every result is kept."""
    n = size_of(comm)
    kinds = [*meshes(n, places=("cyclic",)), gc.Layout.nodes(n, "gray")]
    cases = list(product(kinds, (np.complex64, np.complex128), ((), (3,))))
    kept = []
    for turn in range(3):
        for layout, dtype, payload in cases[turn::3] * 2:
            x = noise((*layout.shape, *payload), dtype, seed=turn)
            a = gc.CubeArray.from_numpy(x, layout, comm)
            kept.append((gc.fftn(a), x, len(layout.axes)))
        kept.append((gc.ifftn(kept[-1][0]) * x.size**0, None, None))
    for y, x, axes in kept:
        if x is not None:
            yield close(y.to_numpy(), np.fft.fftn(x, axes=range(axes))), f"{y!r}"


def of_the_result(comm):
    """A chain of transforms, each of the result of the one before."""
    for layout in various(comm):
        x = noise(layout.shape)
        a = first = gc.CubeArray.from_numpy(x, layout, comm)
        wanted = x
        for step in range(6):
            axis = step % len(layout.axes)
            call, reference = (gc.fft, np.fft.fft) if step % 3 != 1 else (gc.ifft, np.fft.ifft)
            before = a.blocks.copy()
            b = call(a, axis, norm="ortho")
            wanted = reference(wanted, axis=axis, norm="ortho")
            yield close(b.to_numpy(), wanted), f"step {step} {layout}"
            yield same(a.blocks, before), f"step {step} changed its input, {layout}"
            yield not np.may_share_memory(a.blocks, b.blocks), f"step {step} shares {layout}"
            a = b
        yield same(first.to_numpy(), x), f"the first one, {layout}"


def results_stay(comm):
    """What was returned does not change when the same transform works on something else."""
    for layout in various(comm):
        xs = [noise(layout.shape, seed=k) for k in (1, 2)]
        a, b = (gc.CubeArray.from_numpy(x, layout, comm) for x in xs)
        y = gc.fftn(a)
        before = y.blocks.copy()
        z = gc.fftn(b)
        yield same(y.blocks, before), f"changed by a later transform, {layout}"
        z *= 0
        yield same(y.blocks, before), f"shared with a later one, {layout}"
        y *= 0
        yield close(gc.fftn(a).blocks, before), f"what is remembered, {layout}"


def any_memory(comm):
    """Blocks in any order in memory, which may not be written, here and there transposed."""
    for layout in various(comm):
        x = noise((*layout.shape, 2))
        block = layout.scatter(x)[comm.rank : comm.rank + 1]
        for seen in (
            np.asfortranarray,
            lambda z: z[:, ::-1].copy()[:, ::-1],
            lambda z: np.repeat(z, 2, axis=1)[:, ::2],
            lambda z: np.moveaxis(np.moveaxis(z, 1, 2).copy(), 2, 1),
        ):
            blocks = seen(block)
            blocks.setflags(write=False)
            a = gc.CubeArray(blocks, layout, comm)
            axes = tuple(range(len(layout.axes)))
            yield close(gc.fftn(a).to_numpy(), np.fft.fftn(x, axes=axes)), f"fftn {layout}"
            target = gc.Layout.mesh(layout.shape, node_counts(layout), ownership=False)
            yield same(a.relayout(target).to_numpy(), x), f"relayout {layout}"
            yield same(a.blocks, block), f"the block, {layout}"
            given = x.T.copy().T if comm.rank == 0 else None
            yield same(gc.CubeArray.scatter(given, layout, comm).blocks, block), "scatter"


def node_counts(layout):
    """Nodes along each axis of a mesh of the same shape."""
    left, counts = layout.n, []
    for axis in layout.axes:
        counts.append(1 << min(axis.bits, left))
        left -= min(axis.bits, left)
    return counts


def integers_and_others(comm):
    """Whatever is no complex number becomes one, as precise as NumPy's."""
    n = size_of(comm)
    layout = gc.Layout.mesh((4 << n,), (1 << n,), code="gray", allocation="cyclic")
    for dtype in ("?", "i2", "u8", "f2", "f4", ">f4", ">c8", ">c16", "g", "G"):
        x = noise(layout.shape, "f8") * 9
        x = (abs(x) if dtype == "u8" else x).astype(dtype)
        y = gc.fft(gc.CubeArray.from_numpy(x, layout, comm))
        yield close(y.to_numpy(), np.fft.fft(x)), f"{dtype} {y.dtype}"


def planned(comm):
    """By every network that a plan knows."""
    n = size_of(comm)
    kinds = [
        gc.Layout.cyclic(2 * n + 1, n, nodes="gray"),
        gc.Layout.consecutive(n + 2, n, nodes="gray"),
        gc.Layout.mesh((4 << n, 3), (1 << n, 1), code="gray", ownership=False),
        gc.Layout.nodes(n, "gray"),
    ]
    cases = ((1, np.complex128, ()), ("all", np.float32, (3,)))
    for layout, (ports, dtype, payload) in product(kinds, cases):
        machine = gc.Machine(n, ports, startup=1e-6, per_byte=1e-9)
        chosen = gc.plan_fft(layout, 0, machine=machine)
        x = noise((*layout.shape, *payload), dtype)
        a = gc.CubeArray.from_numpy(x, layout, comm)
        for candidate in chosen.candidates:
            if candidate.traffic is None:
                continue
            name = candidate.algorithm.name
            made = gc.plan_fft(layout, 0, machine=machine, algorithm=name)
            for _ in range(2):
                y = gc.fft(a, 0, plan=made).to_numpy()
                yield close(y, np.fft.fft(x, axis=0)), f"{name} {layout} {dtype}"
            back = gc.ifft(a, 0, "ortho", plan=made).to_numpy()
            wanted = np.fft.ifft(x, axis=0, norm="ortho")
            yield close(back, wanted), f"back, {name} {layout}"
            yield same(a.to_numpy(), x), f"the input, {name} {layout}"


def requests_are_kept(comm):
    """The second transform of the same kind makes nothing to send with: plan once, run many."""
    n = size_of(comm)
    for layout in (gc.Layout.cyclic(2 * n + 2, n, nodes="gray"), *meshes(n, ("cyclic",))):
        a = gc.CubeArray.from_numpy(noise(layout.shape), layout, comm)
        for axis in range(len(layout.axes)):
            before = gc.fft(a, axis)
            with (
                patch.object(moving, "redistribution", wraps=moving.redistribution) as moved,
                patch.object(post, "Mailing", wraps=post.Mailing) as mailed,
            ):
                after = gc.fft(a, axis)
            anew = moved.call_count + mailed.call_count
            yield anew == 0, f"{layout} makes {anew} anew"
            yield same(after.blocks, before.blocks), f"another result, {layout}"


def requests_are_freed(comm):
    """What is forgotten gives its requests back, so that the next one gets the same."""
    n = size_of(comm)
    kinds = [gc.Layout.mesh((k << n + 3,), (1 << n,), ownership=False) for k in range(1, 13)]
    arrays = [gc.CubeArray.from_numpy(noise(layout.shape), layout, comm) for layout in kinds]
    calls = {
        "transforms": gc.fft,  # more than are remembered
        "windows": lambda a: a.halo(1),
        "relayouts": lambda a: a.relayout(
            gc.Layout.mesh(a.shape, (1 << n,), code="gray", ownership=False)
        ),
    }
    for name, call in calls.items():
        for a in arrays:
            call(a)
        seen = []
        for a in arrays * 8:
            call(a)
            seen.append(next_request(comm))
        yield len(set(seen)) <= 48, f"{name}: {len(set(seen))} other requests in 96 calls"


def next_request(comm):
    """Which request the library gives out next."""
    request = comm.Send_init(bytearray(1), comm.rank)
    number = request.handle
    request.Free()
    return number


def counts(comm):
    """Gray-coded data sends as many messages and rows as binary data does, rank by rank."""
    n = size_of(comm)
    for slots, kind in product((n, n + 1, n + 2), (gc.Layout.cyclic, gc.Layout.consecutive)):
        if slots < 2:
            continue  # with two elements a node Gray code exchanges more (TR-764)
        sent = []
        for code in ("binary", "gray"):
            layout = kind(n + slots, n, nodes=code)
            sent.append(sorted(comm.allgather(rows_sent(layout, comm.rank))))
            a = gc.CubeArray.from_numpy(noise(layout.shape), layout, comm)
            yield bool(np.isfinite(gc.fft(a).blocks).all()), f"fft {layout}"
        yield sent[0] == sent[1], f"{kind.__name__} {slots}: {sent}"
        yield sum(map(len, sent[0])) > 0, f"{kind.__name__} {slots}: nothing is sent"


def rows_sent(layout, node):
    """How many elements each message of a node has in a transform."""
    found, place = [], layout.map
    for step in passes(layout, 0)[0]:
        if step.place != place:
            move = step.place @ place.inverse()
            (script,) = scripts_at_once(move, layout.n, range(node, node + 1))
            messages = [m for r in script.rounds for m in r.sends]
            found += sorted(m.count * script.unit for m in messages)
        place = step.place
    return found


# Windows and files


def windows(comm):
    """Every step is that of one process, again after an update, near and far."""
    few = comm.size == 8 or (comm.size == 2 and windows_of(comm) is None)
    for layout in dict.fromkeys([*meshes(size_of(comm))][:: 3 if few else 1]):
        d = len(layout.axes)
        x = content((*layout.shape, 2), "i4")
        a, alone = over(comm, x, layout)
        for far, ring, corners in product((1, 5), (True, False), (True, False)):
            reach = [(far, far // 2)] * d
            options = {"periodic": [ring, True, not ring][:d], "corners": corners}
            walls = [("symmetric", -3), ("antisymmetric", "edge"), -3]
            options["fill"] = walls[:d] if far == 1 else "edge"
            options["stride"] = 4 if far == 1 and corners else 1
            found, wanted, empty = added_back(a, x, reach, **options)
            yield empty and same(found.to_numpy(), wanted), f"added back, {options} in {layout}"
            pair = [z.halo(reach, **options) for z in (a, alone)]
            steps = [(0,) * k + (s,) + (0,) * (d - 1 - k) for k in range(d) for s in (-far, 1)]
            steps = [s for s in steps if max(s) <= far // 2]
            steps += [(-far,) * d, (far // 2,) * d] if corners else []
            for change in (0, 1000):
                for window, z in zip(pair, (a, alone), strict=True):
                    window.update(z + change) if change else window
                for these in steps:
                    found, wanted = (window[these] for window in pair)
                    yield own(found, wanted), f"{these} of {pair[0]!r}"
                for window in pair:
                    worked_on(window, np.multiply(reach, options["stride"]))
                    window.exchange()
                found, wanted = (window[steps[0]] for window in pair)
                yield own(found, wanted), f"{steps[0]} after work on {pair[0]!r}"
                if corners:
                    mesh = pair[1].meshes[comm.rank]
                    yield same(pair[0].meshes[0], mesh), f"the frame of {pair[0]!r}"


def worked_on(window, reach):
    """Change the own part of the frames, where it is in one piece."""
    for mesh in window.meshes:
        ends = zip(mesh.shape[: len(reach)], reach, strict=True)
        own = tuple(slice(below, n - above) for n, (below, above) in ends)
        mesh[own] *= 3


def files(comm):
    """Saved by all, read by NumPy; saved by NumPy, read by all; into any layout."""
    folder = Path(comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None))
    path = folder / "x.npy"
    kinds = various(comm)
    for layout, other in zip(kinds, [kinds[1], *kinds], strict=False):
        for dtype, payload in (("f8", ()), (">c8", (3,)), (RECORD, ()), ("u1", (2, 0))):
            x = content((*layout.shape, *payload), dtype)
            gc.CubeArray.from_numpy(x, layout, comm).save(path)
            yield same(np.load(path), x), f"save {layout} {x.dtype} {payload}"
            target = other if other.shape == layout.shape else layout
            found = gc.CubeArray.load(path, target, comm)
            yield own(found, gc.CubeArray.from_numpy(x, target)), f"load {target} {x.dtype}"
            comm.Barrier()
    yield os.listdir(folder) == ["x.npy"], f"{os.listdir(folder)}"  # noqa: PTH208
    comm.Barrier()
    if comm.rank == 0:
        path.unlink()
        folder.rmdir()


def replaced_files(comm):
    """The last rank opens a file late, when another is in its place: all read that one."""
    path = Path(comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)) / "x.npy"
    layout = gc.Layout.mesh((4 * comm.size,), (comm.size,))
    x, opened, begun = noise(layout.shape), files_of_arrays._opened, []
    gc.CubeArray.from_numpy(x, layout, comm).save(path)

    def late(*given):
        found = opened(*given)
        if not begun:
            begun.append(path)
            comm.Barrier()
            if comm.rank == comm.size - 1:
                np.save(path.with_name("y.npy"), 2 * x)
                path.with_name("y.npy").replace(path)
                found = opened(*given)
        return found

    with patch.object(files_of_arrays, "_opened", late):
        yield same(gc.CubeArray.load(path, layout, comm).to_numpy(), 2 * x), "two files"
    comm.Barrier()
    if comm.rank == 0:
        rmtree(path.parent)


# Communicators


def works(comm):
    """A transform, a window and a relayout over a communicator."""
    n = size_of(comm)
    layout = gc.Layout.mesh((4 << n,), (1 << n,), code="gray")
    x = noise(layout.shape)
    a = gc.CubeArray.from_numpy(x, layout, comm)
    yield close(gc.fft(a).to_numpy(), np.fft.fft(x)), f"fft on {comm.size}"
    yield same(a.halo()[1].to_numpy(), np.roll(x, -1)), f"halo on {comm.size}"
    target = gc.Layout.mesh((4 << n,), (1 << n,), allocation="cyclic")
    yield same(a.relayout(target).to_numpy(), x), f"relayout on {comm.size}"


def communicators(comm):
    """Halves, other orders, freed and made again, of one rank; messages of the program."""
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    for _ in range(3):
        for parts in ((comm.rank % 2, comm.rank), (0, -comm.rank), (comm.rank, 0)):
            part = comm.Split(*parts)
            waiting = part.irecv(source=part.size - 1 - part.rank)
            yield from works(part)
            part.send(part.rank, part.size - 1 - part.rank)
            yield waiting.wait() == part.size - 1 - part.rank, "a message of the program"
            part.Free()
        yield from works(comm)
    yield from works(MPI.COMM_SELF)
    yield from other_orders(comm)
    layout = gc.Layout.mesh((8, 6), (4, 2), code="gray", ownership=False)
    a, b = (gc.CubeArray.from_numpy(np.ones((8, 6)), layout, c) for c in (MPI.COMM_SELF, None))
    yield (a + b).sum() == 96, "one rank is as none"


def other_orders(comm):
    """The same ranks in another order have other nodes: nothing is mixed by accident."""
    n = size_of(comm)
    turned = comm.Split(0, -comm.rank)
    x, layout = np.arange(1 << n), gc.Layout.nodes(n)
    a, b = (gc.CubeArray.from_numpy(x, layout, c) for c in (comm, turned))
    error = raised(lambda: a + b)
    yield isinstance(error, InvalidValueError), f"{error!r}"
    yield same(b.to_numpy(), x), f"{b!r}"
    turned.Free()


def not_a_power_of_two(comm):
    """Ranks that are no power of two hear what to do, and can go on with some of them."""
    n = (comm.size - 1).bit_length()
    layout = gc.Layout.mesh((4 << n,), (1 << n,))
    x = np.arange(4 << n)
    for call in (
        lambda: gc.CubeArray.from_numpy(x, layout, comm),
        lambda: gc.CubeArray.from_function(lambda i: i, layout, comm),
        lambda: gc.CubeArray.scatter(x if comm.rank == 0 else None, layout, comm),
        lambda: gc.CubeArray(x, layout, comm),
        lambda: gc.CubeArray.load("nothing.npy", layout, comm),
    ):
        error = raised(call)
        yield isinstance(error, InvalidValueError), f"{error!r}"
        yield f"mpiexec -n {1 << n}" in str(error), f"{error}"
    part = comm.Split(comm.rank // 2)
    yield from works(part)
    part.Free()


EVEN = (2, 4, 8)


def numbers_of_numbers(comm):
    """New numbers of new numbers are those of the ranks that everything began with."""
    choice = np.random.default_rng(0)
    for _ in range(5):
        first, second = (choice.permutation(comm.size).tolist() for _ in "ab")
        once = with_numbers(comm, first)
        twice = with_numbers(once, second)
        yield once.rank == first[comm.rank], f"rank {comm.rank} is {once.rank} by {first}"
        wanted = second[first[comm.rank]]
        yield twice.rank == wanted, f"rank {comm.rank} is {twice.rank} by {first} and {second}"
        back = np.argsort([second[k] for k in first]).tolist()
        yield with_numbers(twice, back) is comm, "the way back ends elsewhere"


CHECKS = (
    checks((4, 8), numbers_of_numbers)
    | checks((1, 2, 4, 8, 16), making, transforms)
    | checks((4,), dtypes, orders_are_kept, by_plans, any_memory, integers_and_others, nothing)
    | checks(
        (1, 4), elementwise, renumbered, shares_are_not_sent, real_transforms, of_the_result
    )
    | checks((2, 4), reductions, again_and_again, planned, requests_are_kept, communicators)
    | checks((1, 2, 4, 8), relayouts)
    | checks(EVEN, results_stay, counts)
    | checks((2,), requests_are_freed, many_numbers, replaced_files)
    | checks((1, 2, 8), windows, files)
    | checks((3,), not_a_power_of_two)
)
