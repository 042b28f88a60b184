"""Transforms bound to arrays, over memory that ranks share or over messages."""

import os
import random
import time
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from unittest.mock import Mock, patch
from weakref import ref

import numpy as np
from contents import close, noise
from layers import layers
from mpi_checks import carry_out, checks, one_error, raised, size_of
from scipy.fft import dctn, set_workers

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier import engine, ways
from graycube.fourier.carried import complex_legs
from graycube.fourier.choice import legs_of
from graycube.run.mpi import private
from graycube.run.reused import MOST
from graycube.run.windows import Windows, windows

EFFORTS = () if find_spec("pyfftw") is None else ("estimate",)
OVER_MEMORY = os.environ.get("GRAYCUBE_WINDOWS") != "0"


def cases(n):
    """Functions, layouts, dtypes, and what NumPy makes of the array."""
    ranks = 1 << n
    mesh = gc.Layout.mesh
    slabs = mesh((4 * ranks, 6, 8), (ranks, 1, 1), code="gray", ownership=False)
    cyclic = mesh((6 * ranks, 5), (ranks, 1), code="gray", allocation="cyclic", ownership=False)
    line = gc.Layout.cyclic(2 * n + 3, n, nodes="gray")
    kinds = {
        "slabs": (slabs, (), "c16"),
        "cyclic": (cyclic, (), "f4"),
        "vectors": (mesh((2 * ranks, 8), (ranks, 1)), (3,), "f8"),
        "in a line": (line, (), "c16"),
        "coded": (gc.Layout.consecutive(2 * n + 3, n, whole="gray"), (2,), "c8"),
        "last": (mesh((6, 2 * ranks), (1, ranks), code="gray", ownership=False), (), "c16"),
    }
    if n > 1:
        pencils = mesh(
            (2 * ranks, 4 * ranks, 6), (2, ranks // 2, 1), code="gray", ownership=False
        )
        kinds["pencils"] = pencils, (), "f8"
    for name, (layout, payload, dtype) in kinds.items():
        axes = tuple(range(len(layout.axes)))
        for norm, order in ((None, "any"), ("ortho", "natural"), ("forward", "any")):
            for ours, numpys in ((gc.fftn, np.fft.fftn), (gc.ifftn, np.fft.ifftn)):
                call = partial(numpys, axes=axes, norm=norm)
                yield (
                    f"{ours.__name__}, {name}",
                    layout,
                    payload,
                    dtype,
                    ours,
                    call,
                    {
                        "norm": norm,
                        "order": order,
                    },
                )
    for name in ("slabs", "pencils", "vectors"):
        layout, payload, _ = kinds.get(name, kinds["slabs"])
        axes = tuple(range(len(layout.axes)))
        for norm, order in ((None, "any"), ("ortho", "natural")):
            options = {"norm": norm, "order": order}
            call = partial(np.fft.rfftn, axes=axes, norm=norm)
            yield f"rfftn, {name}", layout, payload, "f8", gc.rfftn, call, options


def a_run_is_a_call(comm):
    """Twice, with other data each time."""
    for name, layout, payload, dtype, ours, numpys, options in cases(size_of(comm)):
        shape = (*layout.shape, *payload)
        a = gc.CubeArray.from_numpy(noise(shape, dtype), layout, comm)
        bound = gc.bind(ours, a, **options)
        expected = ours(a, **options)
        by_index = options["order"] == "natural" and not OVER_MEMORY  # no letters may bring it
        yield bound._program is not None or by_index, f"{name}: whether it is made once"
        yield bound.result.layout == expected.layout, f"{name}: {bound.result.layout}"
        for seed in (1, 2):
            x = noise(shape, dtype, seed)
            a.blocks[...] = gc.CubeArray.from_numpy(x, layout, comm).blocks
            found = bound.run()
            yield found is bound.result, name
            yield found.dtype == expected.dtype, f"{name}: {found.dtype}"
            yield close(found.to_numpy(), numpys(x)), f"{name}, {options}, run {seed}"
        bound.free()


def there_and_back(comm):
    """Real transforms of even and odd lengths, back into the array where they come from."""
    ranks = comm.size
    for last in (8, 6, 7, 10):
        layout = gc.Layout.mesh((2 * ranks, 4, last), (ranks, 1, 1), code="gray")
        x = noise(layout.shape, "f8")
        u = gc.CubeArray.from_numpy(x, layout, comm)
        forward = gc.bind(gc.rfftn, u)
        back = gc.bind(gc.irfftn, forward.result, s=layout.shape, out=u)
        few = ranks > 4 and last != 8  # lines for so many ranks: a run may be a call
        made = back._program is not None
        yield made or few, f"{last} points: whether it is made once"
        for _ in range(3):
            spectrum = forward.run().blocks
            spectrum *= 2
            back.run()
        yield u.layout == layout, f"{u.layout}"
        yield close(u.to_numpy(), 8 * x), f"{last} points"


def lengths_and_other_transforms(comm):
    """By ownership all lengths are legs where half of the nodes get lines, else the own ones.

    What has other names is called.
    """
    ranks = comm.size
    u = gc.CubeArray.from_numpy(
        noise((2 * ranks, 6), "f8"),
        gc.Layout.mesh((2 * ranks, 6), (ranks, 1), ownership=False),
        comm,
    )
    uneven = gc.CubeArray.from_numpy(
        noise((9, 7), "f8", 3), gc.Layout.mesh((9, 7), nodes=(ranks, 1)), comm
    )
    for name, ours, a, options, legs in (
        ("the same lengths", gc.fftn, u, {"s": u.shape}, True),
        ("real, the same lengths", gc.rfftn, u, {"s": (-1, 6)}, True),
        ("real, one axis", gc.rfft, u, {"n": 6}, True),
        ("one more point", gc.rfft, u, {"n": 7}, True),
        ("padded", gc.fftn, u, {"s": (4 * ranks, 8)}, False),
        ("cut", gc.rfftn, u, {"s": (2 * ranks, 4)}, False),
        ("cosines", gc.fourier.dctn, u, {}, False),
        ("uneven", gc.fftn, uneven, {}, True),
        ("uneven, padded and cut", gc.rfftn, uneven, {"s": (12, 5)}, ranks <= 2 * 3),
        ("uneven cosines", gc.fourier.dctn, uneven, {"type": 3}, False),
    ):
        bound = gc.bind(ours, a, out=ours(a, **options), **options)
        yield (bound._program is not None) == legs, name
        a.blocks[...] += 1
        yield close(bound.run().to_numpy(), ours(a, **options).to_numpy()), name


def in_place(comm):
    """The result may be the array itself."""
    n = size_of(comm)
    for layout in (gc.Layout.mesh((2 << n, 4), (1 << n, 1)), gc.Layout.mesh((8, 4), (1, 1))):
        over = comm if layout.n else None
        x = noise(layout.shape)
        a = gc.CubeArray.from_numpy(x, layout, over)
        points = a.blocks.copy()
        bound = gc.bind(gc.fftn, a, out=a)
        yield close(a.to_numpy(), np.fft.fftn(x)), "the first call"
        bound.run()
        yield close(a.to_numpy(), np.fft.fftn(np.fft.fftn(x))), "the second call"
        there = gc.CubeArray(a.blocks, gc.fftn(a).layout, over)
        a.blocks[...] = points
        gc.bind(gc.fftn, a, out=there)
        yield close(there.to_numpy(), np.fft.fftn(x)), "in another layout"


def into_gray_code(comm):
    """What comes back from other nodes is in Gray code at once, with no exchange for that."""
    n = size_of(comm)
    for shape in ((4 << n, 4 << n, 2), (6 << n, 4 << n, 2)):
        x, meetings = noise(shape), {}
        for code in ("binary", "gray"):
            u = gc.CubeArray.from_numpy(
                x, gc.Layout.mesh(shape, (1 << n, 1, 1), code=code), comm
            )
            spectrum = gc.fftn(u)
            back = gc.bind(gc.ifftn, spectrum, out=u)
            meetings[code] = len(back._program.prepared()[1])
            for call in (back.run, lambda: gc.ifftn(spectrum, out=u)):  # noqa: B023 - at once
                u.blocks[...] = 0
                call()
                yield close(u.to_numpy(), x), f"{shape} in {code} code"
        yield meetings["gray"] == meetings["binary"], f"{shape}: {meetings}"


def real_planes(comm):
    """Half a spectrum of a plane has an odd length: in boxes one exchange a way brings it."""
    n = size_of(comm)
    shape, nodes = (4 << n, 2 << n), (1 << n, 1)
    x = noise(shape).real
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh(shape, nodes, code="gray"), comm)
    there = gc.bind(gc.rfftn, u)
    back = gc.bind(gc.irfftn, there.result, s=shape, out=u)
    meetings = [len(bound._program.prepared()[1]) for bound in (there, back)]
    yield meetings == [2, 2], f"stretches: {meetings}"
    for _ in range(2):
        there.run()
        yield close(there.result.to_numpy(), np.fft.rfftn(x)), "bound, there"
        u.blocks[...] = 0
        back.run()
        yield close(u.to_numpy(), x), "bound, and back"
    spectrum = gc.rfftn(u)
    again = gc.CubeArray(np.zeros_like(u.blocks), u.layout, comm)
    yield close(gc.irfftn(spectrum).to_numpy(), x), "called"
    yield close((gc.irfftn(spectrum, out=again) - u).to_numpy(), 0 * x), "called, into bits"
    home = gc.rfftn(u, order="natural").layout
    yield home == gc.rfft(u).layout, f"natural order is in {home}"


def redistributions(comm):
    """Bound relayouts follow what is in the array."""
    n = size_of(comm)
    layout, target = gc.Layout.cyclic(2 * n + 2, n), gc.Layout.consecutive(2 * n + 2, n)
    a = gc.CubeArray.from_numpy(noise(layout.shape, "f4"), layout, comm)
    bound = gc.bind(gc.CubeArray.relayout, a, target)
    for seed in range(3):
        x = noise(layout.shape, "f4", seed)
        a.blocks[...] = gc.CubeArray.from_numpy(x, layout, comm).blocks
        wanted = target.scatter(x, range(comm.rank, comm.rank + 1))
        yield np.array_equal(bound.run().blocks, wanted), f"seed {seed}"


def planned_by_fftw(comm):
    """Every kind of leg, scaled at the end; what is in arrays stays there meanwhile."""
    if find_spec("pyfftw") is None:
        return
    efforts = cycle(("measure", "estimate"))
    for name, layout, payload, dtype, ours, numpys, options in cases(size_of(comm)):
        x = noise((*layout.shape, *payload), dtype)
        a = gc.CubeArray.from_numpy(x, layout, comm)
        effort = next(efforts)
        with patch.object(ways, "planned", Mock(wraps=ways.planned)) as planned:
            bound = gc.bind(ours, a, fftw=effort, **options)
        asked = {call.args[1] for call in planned.mock_calls}
        yield bound._program is None or asked == {effort}, f"{name}: FFTW is asked for {asked}"
        for again in range(3):
            yield close(bound.run().to_numpy(), numpys(x)), f"{name}, {options}, {again}"
        with gc.fourier.by_fftw(effort):
            yield close(ours(a, **options).to_numpy(), numpys(x)), f"{name}, {options}: a call"
        yield np.array_equal(a.to_numpy(), x), f"{name}: the array is another one"
    ranks = comm.size
    for last, ownership in ((8, False), (7, None)):
        layout = gc.Layout.mesh((2 * ranks, 4, last), (ranks, 1, 1), ownership=ownership)
        x = noise(layout.shape, "f8")
        u = gc.CubeArray.from_numpy(x, layout, comm)
        forward = gc.bind(gc.rfftn, u, fftw="measure")
        back = gc.bind(gc.irfftn, forward.result, s=layout.shape, out=u, fftw="measure")
        yield close(forward.result.to_numpy(), np.fft.rfftn(x)), f"{last} points: the call"
        forward.run().blocks[...] *= 2
        yield close(back.run().to_numpy(), 2 * x), f"{last} points, there and back"
    error = raised(lambda: gc.bind(gc.rfftn, u, fftw="hard"))
    yield isinstance(error, InvalidValueError), f"{error!r}"
    effort = "measure" if comm.rank else None
    yield from one_error(comm, lambda: gc.bind(gc.rfftn, u, fftw=effort), InvalidValueError)

    def called(function) -> gc.CubeArray:
        with gc.fourier.by_fftw(effort):
            return function(u)

    for function in (gc.rfftn, gc.fourier.dctn):
        yield from one_error(comm, partial(called, function), InvalidValueError)


def in_any_order(comm):
    """Many take turns with the same buffers, small and large, and with calls."""
    n, rng = size_of(comm), random.Random(5)  # noqa: S311 - no secret
    ready = []
    for k in (0, 3, 1, 2):
        layout = gc.Layout.mesh((4 << n, 2 << k), (1 << n, 1), code="gray")
        x = noise(layout.shape, "c16", k)
        a = gc.CubeArray.from_numpy(x, layout, comm)
        ready.append((gc.bind(gc.fftn, a), np.fft.fftn(x)))
        ready.append((gc.bind(gc.ifftn, a), np.fft.ifftn(x)))
    layout = gc.Layout.cyclic(2 * n, n)
    line = gc.CubeArray.from_numpy(np.arange(1 << 2 * n), layout, comm)
    for _ in range(60):
        bound, wanted = rng.choice(ready)
        found = bound.run()
        if rng.random() < 0.3:
            line = line.relayout(gc.Layout.consecutive(2 * n, n)).relayout(layout)
        yield close(found.to_numpy(), wanted), f"{bound}"
    yield np.array_equal(line.to_numpy(), np.arange(1 << 2 * n)), "the calls in between"


def different_runs(comm):
    """Ranks that run different things, or call, all hear of it, and go on."""
    n = size_of(comm)
    layout = gc.Layout.mesh((2 << n, 4), (1 << n, 1))
    x = noise(layout.shape)
    a = gc.CubeArray.from_numpy(x, layout, comm)
    forward, back = gc.bind(gc.fftn, a), gc.bind(gc.ifftn, a)
    yield (windows(comm) is not None) == OVER_MEMORY, "whether the ranks share memory"
    for other in (back.run, a.to_numpy, lambda: a + a.halo()[1, 0], lambda: gc.fftn(a)):
        call = other if comm.rank == comm.size - 1 else forward.run
        error = yield from one_error(comm, call, InvalidValueError)
        yield close(forward.run().to_numpy(), np.fft.fftn(x)), f"after {error}"


def there_and_back_in_one_buffer(comm):
    """Who brings back what came stays in a buffer, whoever is late, if arrays lie in order."""
    rng, late = random.Random(7), random.Random(comm.rank)  # noqa: S311 - no secret
    turns, ranks = [], comm.size
    exchange = Windows.exchange

    def counted(self, words, written, read):
        turns.append(self.turn_of(written))
        alike = exchange(self, words, written, read)
        time.sleep(late.choice((0, 0, 2e-3)))  # and others may write where it has yet to read
        return alike

    for shape, nodes, dtype, payload in (
        ((4 * ranks, 8 * ranks), (ranks, 1), "c16", ()),
        ((2 * ranks, 4 * ranks, 6), (ranks, 1, 1), "f8", ()),
        ((4 * ranks, 2 * ranks, 3), (1, ranks, 1), "c8", (2,)),
        ((3 * ranks + 1, 2 * ranks + 1), (ranks, 1), "f8", (3,)),
    ):
        axes, x = (*range(len(shape)),), noise((*shape, *payload), dtype)
        layout = gc.Layout.mesh(shape, nodes, code="gray")
        u = gc.CubeArray.from_numpy(x, layout, comm)
        real = np.dtype(dtype).kind == "f"
        ahead, again = (gc.rfftn, gc.irfftn) if real else (gc.fftn, gc.ifftn)
        wanted = (np.fft.rfftn if real else np.fft.fftn)(x, axes=axes)
        forward = gc.bind(ahead, u, axes=axes)
        back = gc.bind(again, forward.result, out=u, axes=axes, s=shape)
        other = gc.bind(ahead, u * 2, axes=axes)
        turns.clear()
        with patch.object(Windows, "exchange", counted):
            for _ in range(6):
                forward.run()
                back.run()
        yield len({*turns}) == OVER_MEMORY, f"{turns} of {shape}"
        with patch.object(Windows, "exchange", counted):
            for _ in range(40):
                rng.choice((forward.run, back.run, u.sum))()
                rng.choice((forward.run, back.run, other.run))()
        yield close(u.to_numpy(), x), f"there and back of {shape}"
        yield close(forward.result.to_numpy(), wanted), f"and there of {shape}"
        yield close(other.result.to_numpy(), 2 * wanted), f"twice of {shape}"
        call = back.run if comm.rank == ranks - 1 else forward.run
        forward.run()
        yield from one_error(comm, call, InvalidValueError)
        if OVER_MEMORY:
            yield len({*comm.allgather(windows(comm).turn)}) == 1, "whose turn it is"
        for _ in range(3):
            yield close(forward.run().to_numpy(), wanted), f"forward again of {shape}"
            yield close(back.run().to_numpy(), x), f"back again of {shape}"


def in_order(comm):
    """Small arrays as if they were large ones, which lie in order."""
    with patch("graycube.fourier.legs.LARGE", 0):
        for check in (
            a_run_is_a_call,
            there_and_back,
            in_place,
            into_gray_code,
            real_planes,
            in_any_order,
            any_source,
            into_arrays,
            components,
            there_and_back_in_one_buffer,
        ):
            apart = comm.Dup()  # where nothing is made ready yet
            yield from check(apart)


def calls_of_different_things(comm):
    """Ranks that call different transforms, or with something wrong, all hear of it."""
    n = size_of(comm)
    layout = gc.Layout.mesh((2 << n, 4, 6), (1 << n, 1, 1), code="gray")
    x = noise(layout.shape, "f8")
    a = gc.CubeArray.from_numpy(x, layout, comm)
    for other in (
        lambda: gc.rfftn(a, norm="ortho"),
        lambda: gc.rfftn(a, axes=(0, 1)),
        lambda: gc.rfftn(a.astype("f4")),
        lambda: gc.fftn(a),
        lambda: gc.rfftn(a, s=(2 << n, 4, 8)),
        lambda: gc.rfftn(a, norm="no norm"),
        a.to_numpy,
    ):
        for culprit in (0, comm.size - 1):
            call = other if comm.rank == culprit else lambda: gc.rfftn(a)
            error = yield from one_error(comm, call, InvalidValueError)
            yield close(gc.rfftn(a).to_numpy(), np.fft.rfftn(x)), f"after {error}"


def whatever_is_remembered(comm):
    """Ranks may have forgotten what others remember, and results stay as they are."""
    n = size_of(comm)
    layout = gc.Layout.mesh((2 << n, 4, 6), (1 << n, 1, 1), code="gray")
    kept = []
    for k in range(4):
        x = noise(layout.shape, "f8", k)
        a = gc.CubeArray.from_numpy(x, layout, comm)
        if comm.rank == k % comm.size:
            legs_of.cache_clear()
            complex_legs.cache_clear()
            private(comm).kept.clear()
        y = gc.rfftn(a)
        kept.append((x, y, gc.irfftn(y)))
    for x, y, z in kept:
        yield close(y.to_numpy(), np.fft.rfftn(x)), "a spectrum"
        yield close(z.to_numpy(), x), "there and back"


def memory_is_used_again(comm):
    """That of a large result, once nobody holds it or a view of it, and never before."""
    n = size_of(comm)
    layout = gc.Layout.mesh((8 << n, 32, 32), (1 << n, 1, 1), code="gray")
    a = gc.CubeArray.from_numpy(noise(layout.shape), layout, comm)
    y = gc.fftn(a)
    place, part = y.blocks.ctypes.data, y.blocks[0, 5:9]
    before, places = part.copy(), set()
    del y
    for _ in range(2 * MOST):
        places.add(gc.ifftn(a).blocks.ctypes.data)
    yield place not in places, "a view of the result is held"
    yield np.array_equal(part, before), "what is held has changed"
    yield len(places) <= MOST, f"{len(places)} places"
    del part
    held = [gc.ifftn(a) for _ in range(2)]
    yield place in {z.blocks.ctypes.data for z in held}, "nobody holds the result"
    held = [gc.ifftn(a) for _ in range(MOST)]
    yield len({y.blocks.ctypes.data for y in held}) == MOST, "two results are in one place"


def any_source(comm):
    """What is kept with the memory of results reads what is passed, and does not keep it."""
    n, over = size_of(comm), comm.Dup()
    layout = gc.Layout.mesh((2 << n, 4, 6), (1 << n, 1, 1), code="gray")
    for k in range(4 * MOST):
        x = noise(layout.shape, ("f8", "i4", "f4")[k % 3], k)
        a = gc.CubeArray.from_numpy(x, layout, over)
        if k % 2:
            a = a.with_blocks(np.stack((a.blocks, a.blocks), axis=-1)[..., 0])
            yield not a.blocks.flags.c_contiguous, "a strided block"
        y = gc.rfftn(a)
        yield close(y.to_numpy(), np.fft.rfftn(x)), f"{x.dtype}, {k}"
        yield close(gc.irfftn(y).to_numpy(), x * 1.0), f"back, {x.dtype}, {k}"
        source = ref(a.blocks)
        del a
        yield source() is None, "the source is held"
    kept = [k for _, shelf in private(over).kept["lent"].values() for k in shelf.values()]
    programs = [ref(made) for every in kept for made in every.values()]
    yield any(program() for program in programs), "nothing was kept"
    del kept
    before = y.blocks.copy()
    over.Free()
    yield not any(program() for program in programs), "they outlive their communicator"
    yield np.array_equal(y.blocks, before), "a result does not"


def into_arrays(comm):
    """What is kept with an array that results are written into goes with it."""
    n, over = size_of(comm), comm.Dup()
    layout = gc.Layout.mesh((2 << n, 4, 6), (1 << n, 1, 1), code="gray")
    first = gc.CubeArray.from_numpy(noise(layout.shape, "f8"), layout, over)
    y = gc.rfftn(first)
    outs = [gc.irfftn(y, s=layout.shape) for _ in range(2)]
    for k in range(6):
        x = noise(layout.shape, "f8", k)
        gc.rfftn(gc.CubeArray.from_numpy(x, layout, over), out=y)
        yield close(y.to_numpy(), np.fft.rfftn(x)), f"there, {k}"
        back = outs[k % 2]
        yield gc.irfftn(y, s=layout.shape, out=back) is back, "another array came back"
        yield close(back.to_numpy(), x), f"back, {k}"
    try:
        gc.rfftn(gc.CubeArray.from_numpy(x, layout, over), out=first)
    except InvalidValueError:
        yield True, "real numbers are no place for a spectrum"
    else:
        yield False, "a spectrum is in an array of real numbers"
    axes = (0, 1)
    gc.fftn(y, axes, out=y)
    wanted = np.fft.fftn(np.fft.rfftn(x), axes=axes)
    yield close(y.to_numpy(), wanted), "into itself"
    owned = private(over).kept["owned"]["owned"].kept
    yield len(owned) == 3, f"{len(owned)} arrays"
    (held,) = owned[id(outs[1])][1].values()
    program = ref(held)
    del held, outs[1], back
    yield len(owned) == 2 and program() is None, "what was made is kept without its array"
    over.Free()


def equal_arguments(comm):
    """What equals an argument of before is looked at again, unless it is the same."""
    n = size_of(comm)
    layout = gc.Layout.mesh((2 << n, 4, 6), (1 << n, 1, 1), code="gray")
    x = noise(layout.shape, "f8")
    a = gc.CubeArray.from_numpy(x, layout, comm)
    shape, axes = (2 << n, 4, 6), [0, 1]
    for _ in range(2):
        yield close(gc.rfftn(a, axes=(0, 1)).to_numpy(), np.fft.rfftn(x, axes=(0, 1))), "axes"
        yield close(gc.rfftn(a, s=shape).to_numpy(), np.fft.rfftn(x)), "lengths"
        for wrong in ({"axes": (0, 1.0)}, {"s": (*shape[:2], 6.0)}, {"norm": ("ortho",)}):
            error = raised(lambda wrong=wrong: gc.rfftn(a, **wrong))
            yield isinstance(error, gc.GraycubeError), f"{wrong}: {error!r}"
    for axes[1] in (1, 2):
        yield close(gc.fftn(a, axes).to_numpy(), np.fft.fftn(x, axes=axes)), f"{axes}"
    for workers in (2, 3):  # a transform is made for so many threads
        with (
            set_workers(workers),
            patch.object(engine, "threads", Mock(return_value=workers)) as asked,
        ):
            made = []
            for _ in range(4 * MOST):
                before = asked.call_count
                gc.rfftn(a)
                made.append(asked.call_count - before)
        yield made[0] > made[-1] == 1, f"transforms made: {made}"


def components(comm):
    """Components may lie apart in what is read and written, on some ranks or on all."""
    n, ranks = size_of(comm), comm.size
    mesh = gc.Layout.mesh
    for layout in (
        mesh((4 * ranks, 6, 8), (ranks, 1, 1), code="gray", ownership=False),
        mesh((4 * ranks, 2 * ranks, 3), (1, ranks, 1), code="gray"),
        mesh((5 * ranks + 1, 4, 6), (ranks, 1, 1)),
        gc.Layout.cyclic(2 * n + 3, n, nodes="gray"),
    ):
        x = noise((*layout.shape, 3), "f8", seed=5)
        axes, shape = range(len(layout.shape)), layout.shape
        together = gc.CubeArray.from_numpy(x, layout, comm)
        loose = gc.stack([together[..., k] for k in range(3)])
        wanted = np.fft.rfftn(x, axes=axes)
        for u in (together, loose, loose if comm.rank else together):
            for effort in (None, *EFFORTS):
                with gc.fourier.by_fftw(effort):
                    half = gc.rfftn(u)
                    yield close(half.to_numpy(), wanted), f"{layout} {effort}: a call"
                    for out in (together.copy(), loose.copy()):
                        gc.irfftn(half, s=shape, out=out)
                        yield close(out.to_numpy(), x), f"{layout} {effort}: back"
                        back = gc.bind(gc.irfftn, half, s=shape, out=out)
                        for _ in range(2):
                            out.blocks[...] = 0
                            yield close(back.run().to_numpy(), x), f"{layout} {effort}: bound"
            whole = gc.bind(gc.fftn, u, out=loose.astype(complex))
            yield close(whole.run().to_numpy(), np.fft.fftn(x, axes=axes)), f"{layout}: complex"
            for end in (together.copy(), loose.copy()):
                moved = gc.bind(gc.CubeArray.relayout, u, layout, out=end)
                yield close(moved.run().to_numpy(), x), f"{layout}: moved"


def memory_is_cleared(comm):
    """What others have read is cleared before it is written; what was there matters no more."""
    cleared = []

    def clearing(block, ranks):
        cleared.append(ranks)
        return (partial(block.fill, np.nan),)

    with patch("graycube.fourier.carriers.clearing", clearing):
        for shape, dtype, ours, numpys in (
            ((2 * comm.size, 12, 4), "f8", gc.rfftn, np.fft.rfftn),
            ((4 * comm.size, 16), "c16", gc.fftn, np.fft.fftn),
            ((comm.size**2,), "c16", gc.fft, np.fft.fft),
        ):
            layout = gc.Layout.mesh(shape, (comm.size, *(1 for _ in shape[1:])), code="gray")
            x = noise(shape, dtype)
            u = gc.CubeArray.from_numpy(x, layout, comm)
            bound = gc.bind(ours, u)
            for found in (bound.result, bound.run(), bound.run(), ours(u), ours(u)):
                yield close(found.to_numpy(), numpys(x)), f"{ours.__name__} of {shape}"
    yield {*cleared} == ({comm.size} if OVER_MEMORY else set()), f"{cleared}"


def few_layers(comm):
    """Called transforms and reductions, which are as light as bound ones but for the result."""
    u = gc.CubeArray.from_numpy(
        noise((8, 8, 8), "f8"), gc.Layout.mesh((8,) * 3, (comm.size, 1, 1)), comm
    )
    spectrum = gc.rfftn(u)
    for call, most in (
        (lambda: u + u, 30),
        (u.sum, 70),
        (lambda: np.roll(u, 1, 0), 150),
        (lambda: u.halo(1), 250),
        (lambda: gc.rfftn(u), 85),
        (lambda: gc.irfftn(spectrum), 85),
        (gc.bind(gc.rfftn, u).run, 25),
    ):
        found = layers(call)
        yield found <= most, f"a call takes {found} functions, not {most}"


def mistakes(comm):
    """What cannot be bound, and what was freed."""
    n = size_of(comm)
    layout = gc.Layout.mesh((2 << n, 4), (1 << n, 1))
    a = gc.CubeArray.from_numpy(noise(layout.shape), layout, comm)
    locked = gc.fftn(a)
    locked.blocks.flags.writeable = False
    elsewhere = comm.Split(0, -comm.rank)
    here = gc.CubeArray(np.zeros(layout.held_shape(range(comm.size)), "c16"), layout)
    for out, kind, words in (
        (a.astype("c8"), InvalidValueError, "out has dtype complex64"),
        (np.abs(a), InvalidTypeError, "out has dtype float64"),
        (a.blocks, InvalidTypeError, "out is a ndarray"),
        (locked, InvalidValueError, "out cannot be written to"),
        (gc.CubeArray(a.blocks, layout, elsewhere), InvalidValueError, "another communicator"),
        (here, InvalidValueError, "another communicator"),
    ):
        error = raised(lambda out=out: gc.bind(gc.fftn, a, out=out))
        yield isinstance(error, kind) and words in str(error), f"{error!r}"
    gray = gc.Layout.mesh(layout.shape, (1 << n, 1), code="gray")
    if n > 1:  # else both codes are one
        turn = partial(gc.bind, gc.CubeArray.relayout, a, gray, renumber=True)
        error = raised(lambda: turn(out=gc.CubeArray(a.blocks.copy(), gray, comm)))
        yield "another communicator" in str(error), f"{error!r}"
    same = gc.CubeArray(a.blocks.copy(), layout, type(comm).f2py(comm.py2f()))
    found = gc.fftn(a, out=same).to_numpy()
    yield close(found, np.fft.fftn(noise(layout.shape))), "another object of the communicator"
    alone = gc.CubeArray.from_numpy(noise(layout.shape), layout, comm.Split(comm.rank))
    found = gc.bind(gc.fftn, alone, out=here).run()  # one rank is as if there were no ranks
    yield close(found.to_numpy(), np.fft.fftn(noise(layout.shape))), "on one rank"
    last = comm.rank == comm.size - 1
    for options in ({"out": a.copy()}, {"axs": (0,)}):  # on one rank alone
        call = partial(gc.bind, gc.fftn, a, **(options if last else {}))
        yield from one_error(comm, call, gc.GraycubeError)
    error = raised(lambda: gc.bind(np.shape, a))
    yield isinstance(error, InvalidTypeError), f"{error!r}"
    bound = gc.bind(gc.fftn, a)
    if last:
        bound.free()
    yield from one_error(comm, bound.run, InvalidValueError)
    bound.free()
    yield from one_error(comm, bound.run, InvalidValueError)
    bound = gc.bind(gc.fft, a, 1)  # nothing is exchanged, and nobody waits
    if last:
        bound.free()
    error = raised(bound.run)
    yield isinstance(error, InvalidValueError) if last else error is None, f"{error!r}"
    axes = [0]
    bound = gc.bind(gc.fourier.dctn, a, axes=axes)  # whose runs are calls
    axes[0] = 1
    wanted = dctn(noise(layout.shape), axes=[0])
    yield close(bound.run().to_numpy(), wanted), "a list that was changed"
    over = comm.Dup()
    there = gc.CubeArray(a.blocks, layout, over)
    bound = gc.bind(gc.fftn, there)
    over.Free()
    for call in (bound.run, partial(gc.fftn, there), there.sum):
        error = raised(call)
        yield isinstance(error, gc.GraycubeError) and "was freed" in str(error), f"{error!r}"


def what_is_told_is_no_data(comm):
    """A rank may say that it waits, or leaves, before its data come: no receive takes that."""
    private(comm).roll._tell(-1)
    x, n = noise((8, 8)), size_of(comm)
    for ownership in (False, True):
        layout, other = (
            gc.Layout.mesh((8, 8), nodes, ownership=ownership)
            for nodes in ((comm.size, 1), (1, comm.size))
        )
        a = gc.CubeArray.from_numpy(x, layout, comm)
        yield close(gc.fftn(a).to_numpy(), np.fft.fftn(x)), "a transform"
        yield close(a.halo()[1, 0].to_numpy(), np.roll(x, -1, 0)), "a halo"
        yield close(a.sum(0).to_numpy(), x.sum(0)), "a sum"
        yield close(a.relayout(other).to_numpy(), x), "another layout"
        line = gc.Layout.mesh((64,), (comm.size,), ownership=ownership)
        a = gc.CubeArray.from_numpy(x.ravel(), line, comm)
        yield close(gc.fft(a).to_numpy(), np.fft.fft(x.ravel())), "a lone axis"
    plan = gc.plan(
        gc.Layout.cyclic(6, n), gc.Layout.consecutive(6, n), 64 >> n, machine="ideal"
    )
    blocks = x.reshape(comm.size, -1)
    made = plan.execute(np.ascontiguousarray(blocks[comm.rank]), comm)
    yield np.array_equal(made, plan.apply(blocks)[comm.rank]), "a plan"
    yield private(comm).roll.hear(), "nothing was told"


CHECKS = checks(
    (2, 4, 8),
    a_run_is_a_call,
    there_and_back,
    lengths_and_other_transforms,
    in_place,
    into_gray_code,
    real_planes,
    redistributions,
    planned_by_fftw,
    in_any_order,
    different_runs,
    in_order,
    calls_of_different_things,
    whatever_is_remembered,
    memory_is_used_again,
    any_source,
    into_arrays,
    equal_arguments,
    components,
    memory_is_cleared,
    few_layers,
    what_is_told_is_no_data,
    mistakes,
)

if __name__ == "__main__":
    carry_out({name: check for name, (check, _) in CHECKS.items()})
