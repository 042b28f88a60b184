"""Wrong calls with arrays: what one rank does wrong is raised on all, and they go on."""

import resource
import tempfile
import threading
import warnings
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from mpi_checks import checks, one_error

import graycube as gc
from graycube.array.disk import files as files_of_arrays
from graycube.errors import (
    GraycubeError,
    InvalidTypeError,
    InvalidValueError,
    OutOfRangeError,
    PeerError,
)

PATIENCE = 15  # seconds after which a rank is taken to wait for ever


def layout_of(comm, allocation="consecutive"):
    """A mesh with its first axis over all ranks."""
    return gc.Layout.mesh(
        (8, 6), (comm.size, 1), code="gray", allocation=allocation, ownership=False
    )


def field(comm):
    """The same array every time."""
    return gc.CubeArray.from_numpy(np.arange(48.0).reshape(8, 6), layout_of(comm), comm)


def works(comm, when):
    """Transforms and windows do what they should."""
    a = field(comm)
    x = np.arange(48.0).reshape(8, 6)
    yield np.allclose(gc.fft(a, 0).to_numpy(), np.fft.fft(x, axis=0)), f"fft {when}"
    yield np.array_equal(a.halo()[1, 0].to_numpy(), np.roll(x, -1, 0)), f"halo {when}"


def refused(comm, call, kind, *texts, alike=False):
    """All ranks raise the same error, and go on afterwards.

    It is of graycube's, or if every rank fails ``alike``, what each of them raised.
    """
    hung = threading.Timer(PATIENCE, ended, [comm, call])
    hung.start()
    wanted = Exception if alike and kind is GraycubeError else kind
    error = yield from one_error(comm, call, wanted, *texts)
    hung.cancel()
    yield alike or isinstance(error, GraycubeError), f"{error!r} is none of graycube's"
    if alike:
        yield not isinstance(error, PeerError), f"{error!r}"
        yield not str(error).startswith("on rank"), f"no rank is the one of {error}"
    yield error.__cause__ is None or isinstance(error, PeerError), f"{error!r} has a cause"
    yield field(comm).sum() == 48 * 47 / 2, f"after {error}"


def ended(comm, call):
    """The end of a job in which a rank waits for ever."""
    print(f"rank {comm.rank} waits for ever in {call}", flush=True)  # noqa: T201
    comm.Abort(3)


def mixed(comm, right, wrong, call, kind, *texts):
    """A call with the wrong thing on the first rank, then on the last, then on all."""
    for culprits in ({0}, {comm.size - 1}, set(range(comm.size))):
        given = wrong if comm.rank in culprits else right
        alike = len(culprits) == comm.size
        yield from refused(comm, partial(call, given), kind, *texts, alike=alike)
    yield from works(comm, f"after {call} with {wrong}")


def differing(comm, one, other, call, *texts):
    """A call with one thing on the last rank and another, as good, on the rest."""
    given = one if comm.rank == comm.size - 1 else other
    yield from refused(comm, partial(call, given), InvalidValueError, *texts)


def not_today(*_):
    """What a folder says that takes no new files, or a function on a bad day."""
    raise PermissionError("not today")


# Making


def functions(comm):
    """A function that raises, or gives something else, on one rank."""
    layout = layout_of(comm)

    def make(function):
        return gc.CubeArray.from_function(function, layout, comm)

    def right(i, j):
        return i + 10 * j

    yield from mixed(comm, right, not_today, make, GraycubeError, "not today")
    yield from mixed(comm, right, lambda i: i, make, GraycubeError)
    yield from mixed(comm, right, lambda i, j: np.zeros((i.size, j.size)), make, GraycubeError)
    yield from differing(comm, right, lambda i, j: i + 0.5 * j, make, "dtype")

    def draw(seed):
        return gc.CubeArray.random(layout, comm, seed=seed)

    yield from mixed(comm, 7, None, draw, InvalidTypeError, "the same on all ranks")
    yield from differing(comm, 7, [7, 1], draw, "seed")
    found = np.random.Generator(np.random.Philox(7)).random(layout.shape)
    yield np.array_equal(draw(7).to_numpy(), found), "random numbers"


def arrays(comm):
    """Arrays of another shape or dtype, and layouts that do not fit, on one rank."""
    x, layout = np.zeros((8, 6)), layout_of(comm)
    other = layout_of(comm, "cyclic")
    larger = gc.Layout.mesh((8, 6), (comm.size, 2), ownership=False)

    def make(given):
        return gc.CubeArray.from_numpy(given, layout, comm)

    def place(where):
        return gc.CubeArray.from_numpy(x, where, comm)

    yield from mixed(comm, x, x.T, make, InvalidValueError, "its first axes must be (8, 6)")
    yield from differing(comm, x, x.astype(np.float32), make, "dtype")
    yield from differing(comm, x, x[..., None], make, "payload")
    yield from differing(comm, layout, other, place, "layout")
    yield from mixed(comm, layout, larger, place, InvalidValueError, "mpiexec -n")
    yield from mixed(comm, layout, "gray", place, InvalidTypeError, "it must be a Layout")


def scattered(comm):
    """What a root sends: nothing, objects, another shape; and roots that there are not."""
    x, layout = np.zeros((8, 6)), layout_of(comm)

    def send(given, root=0, where=layout):
        return gc.CubeArray.scatter(given, where, comm, root)

    for given, kind in ((None, InvalidTypeError), (x.T, InvalidValueError)):
        yield from refused(comm, partial(send, given), kind)
    objects = x.astype(object)
    yield from refused(comm, partial(send, objects), InvalidTypeError, "Python objects")
    for root in (-1, comm.size):
        yield from mixed(comm, 0, root, partial(send, x), OutOfRangeError, "the ranks are 0..")
    yield from mixed(comm, 0, 0.5, partial(send, x), InvalidTypeError)
    yield from differing(comm, 0, 1, partial(send, x), "root")
    fewer = gc.Layout.mesh((8, 6), (comm.size // 2, 1), ownership=False)
    more = gc.Layout.mesh((8, 6), (comm.size, 2), ownership=False)
    for where in (fewer, more):
        call = partial(send, x, 0)
        yield from mixed(comm, layout, where, call, InvalidValueError)
    yield from mixed(comm, layout, "gray", partial(send, x, 0), InvalidTypeError)


def gathered(comm):
    """Roots that there are not, or that differ; dtypes that differ; objects."""
    a = field(comm)
    for root in (-1, comm.size):
        yield from mixed(comm, 0, root, a.gather, OutOfRangeError, "the ranks are 0..")
    yield from mixed(comm, 0, "0", a.gather, InvalidTypeError)
    yield from differing(comm, 0, 1, a.gather, "root")
    single = a.astype(np.float32)
    yield from differing(comm, a, single, lambda z: z.to_numpy(), "dtype")
    objects = a.astype(object)
    yield from mixed(comm, a, objects, lambda z: z.to_numpy(), InvalidTypeError)
    yield from differing(comm, "gather", "to_numpy", lambda name: getattr(a, name)())


# Working


def reductions(comm):
    """Axes that there are not or that differ, and numbers that overflow on one rank only."""
    a = field(comm)
    for name in ("sum", "mean", "max", "min", "all", "any", "std", "argmin"):
        call = partial(reduction, a, name)
        yield from mixed(comm, None, 2, call, OutOfRangeError, "has 2 axes")
        yield from differing(comm, None, 0, call, "axis")
    single = a.astype(np.float32)
    yield from differing(comm, a, single, lambda z: z.sum(), "dtype")
    yield from differing(comm, "sum", "max", lambda name: getattr(a, name)())
    with np.errstate(over="raise"):
        yield from mixed(comm, a, a * 0 + 1e308, lambda z: z.sum(), GraycubeError, "overflow")
    with warnings.catch_warnings(action="error"):
        yield from mixed(comm, a, a * 0 + 1e308, lambda z: z.sum(), GraycubeError, "overflow")
    infinite = np.full_like(a, np.inf)
    with np.errstate(invalid="raise"):
        for call in (lambda z: z.std(), partial(np.cov, rowvar=False)):
            yield from mixed(comm, a, infinite, call, GraycubeError, "invalid value")


def reduction(a, name, axis):
    """A reduction by name."""
    return getattr(a, name)(axis)


def indices(comm):
    """Many indices, one of which differs on one rank."""
    a, one = field(comm), np.arange(100) * 5 % 6
    other = one.copy()
    other[77] += 1
    yield from differing(comm, one, other, lambda at: np.take(a, at, axis=0), "indices")
    yield from differing(comm, one, other, lambda at: a.read[at], "index")


def relayouts(comm):
    """Targets, machines and algorithms that are wrong or differ."""
    a, target = field(comm), layout_of(comm, "cyclic")
    for wrong, kind in (
        ("binary", InvalidTypeError),
        (gc.Layout.mesh((8, 3), (comm.size, 1), ownership=False), InvalidValueError),
        (gc.Layout.mesh((8, 6), (comm.size // 2, 1), ownership=False), InvalidValueError),
        (
            gc.Layout.mesh((8, 6), (comm.size // 2, 1), allocation="cyclic", ownership=False),
            InvalidValueError,
        ),
        (
            gc.Layout.mesh((8, 6), (comm.size, 2), allocation="cyclic", ownership=False),
            InvalidValueError,
        ),
    ):
        yield from mixed(comm, target, wrong, a.relayout, kind)
    yield from differing(comm, target, a.layout, a.relayout)

    def go(options):
        return a.relayout(target, **options)

    right = {"machine": "ideal"}
    for options in ({"machine": "?"}, {"algorithm": "gb1"}, {**right, "algorithm": "?"}):
        yield from mixed(comm, right, options, go, InvalidValueError)
    yield from differing(comm, right, {}, go)
    yield from differing(comm, {"renumber": True}, {}, go)
    objects = a.astype(object)
    yield from refused(comm, lambda: objects.relayout(target), InvalidTypeError, "objects")


def transforms(comm):
    """Axes, norms, orders, dtypes that are wrong or differ; other directions."""
    a = field(comm)
    text = a.astype("U8")
    for call in (gc.fft, gc.ifft, gc.fftn, gc.ifft2, gc.rfftn, gc.irfftn):
        yield from mixed(comm, a, text, call, GraycubeError, "dtype")
        yield from differing(comm, a, a.astype(np.float32), call, "dtype")
    for wrong, kind in (
        ({"axis": 2}, OutOfRangeError),
        ({"axis": 0.5}, InvalidTypeError),
        ({"norm": "best"}, InvalidValueError),
        ({"order": "none"}, InvalidValueError),
    ):
        yield from mixed(comm, {}, wrong, lambda options: gc.fft(a, **options), kind)
    for other in ({"axis": 0}, {"norm": "ortho"}, {"order": "natural"}):
        yield from differing(comm, other, {}, lambda options: gc.fft(a, **options))
    yield from differing(comm, gc.fft, gc.ifft, lambda call: call(a, 0))
    yield from mixed(comm, a, a.astype(complex), gc.rfftn, GraycubeError, "dtype")
    yield from mixed(comm, 6, 0, lambda n: gc.irfft(gc.rfft(a), n=n), InvalidValueError)
    other = gc.CubeArray(a.blocks, layout_of(comm, "cyclic"), comm)
    yield from differing(comm, a, other, partial(gc.fft, axis=0), "layout")


def in_numpys_name(comm):
    """What ``np.fft`` is given, which a rank looks at alone; payload it transforms alone."""
    u = field(comm)
    v = gc.stack([u + 1j, u])
    for function in (np.fft.fft, np.fft.irfft, np.fft.hfft, np.fft.ihfft, np.fft.fftshift):
        named = "axes" if function is np.fft.fftshift else "axis"

        def call(axis, function=function, named=named):
            return function(u, **{named: axis})

        yield from mixed(comm, 0, 5, call, OutOfRangeError, "5")
    for function in (np.fft.fftn, np.fft.rfftn, np.fft.irfft2):

        def of(s, function=function):
            return function(u, s=s, axes=(0, 1))

        yield from mixed(comm, (8, 6), (8,), of, InvalidValueError, "s has 1 entries")
        yield from mixed(comm, (8, 6), (8, 0.5), of, Exception)
    yield from mixed(comm, None, "no", lambda x: np.fft.hfft(u, axis=0, norm=x), GraycubeError)
    yield from mixed(comm, (0,), 0.5, lambda x: np.fft.fftn(u, axes=x), Exception)
    yield from mixed(comm, v.real, v, lambda x: np.fft.rfft(x, axis=-1), Exception)
    yield from mixed(comm, 4, -2, lambda n: np.fft.fft(v, n, axis=-1), Exception)
    yield from mixed(comm, gc.fft, None, lambda f: gc.bind(f, u), GraycubeError, "a function")


def plans(comm):
    """Arrays of another layout or dtype than the plan's, other norms and directions."""
    a = field(comm)
    made = partial(gc.fft, axis=0, plan=gc.plan_fft(a.layout, 0, machine="ideal"))
    other = gc.CubeArray(a.blocks, layout_of(comm, "cyclic"), comm)
    yield from mixed(comm, a, other, made, InvalidValueError, "make a plan for its layout")
    yield from mixed(comm, a, a.astype("U8"), made, GraycubeError, "dtype")
    yield from differing(comm, a, a.astype(np.float32), made, "dtype")
    yield from mixed(comm, None, "best", lambda norm: made(a, norm=norm), InvalidValueError)
    yield from differing(comm, None, "ortho", lambda norm: made(a, norm=norm))
    plan = made.keywords["plan"]
    yield from differing(comm, gc.ifft, gc.fft, lambda way: way(a, 0, plan=plan))
    yield from differing(comm, plan, None, lambda chosen: gc.fft(a, 0, plan=chosen))


def windows(comm):
    """Reaches and fills that are wrong or differ."""
    a = field(comm)
    for wrong in ({"reach": -1}, {"reach": (1, 1, 1)}, {"periodic": 1}, {"fill": 0}):
        yield from mixed(comm, {}, wrong, lambda options: a.halo(**options), GraycubeError)
    for other in ({"reach": 2}, {"periodic": False}, {"corners": True}):
        yield from differing(comm, other, {}, lambda options: a.halo(**options))
    yield from differing(comm, 5, None, lambda fill: a.halo(periodic=False, fill=fill))
    objects = a.astype(object)
    yield from mixed(comm, a, objects, lambda z: z.halo(), GraycubeError)
    yield from updates(comm, a)
    boxes = a.relayout(gc.Layout.mesh((8, 6), (comm.size, 1), ownership=True))
    yield from updates(comm, boxes)
    wide = gc.CubeArray.from_numpy(np.zeros((2 * comm.size, 1 << 17)), rows(comm), comm)
    yield from updates(comm, wide)  # borders that are sent, also between ranks of one machine


def rows(comm):
    """Two long rows on each rank."""
    return gc.Layout.mesh((2 * comm.size, 1 << 17), (comm.size, 1))


def updates(comm, a):
    """What a window is no window of, on one rank; afterwards it works."""
    window, x = a.halo((1, 0)), a.to_numpy()
    turned = gc.CubeArray(a.blocks, a.layout.permuted([1, 0]), comm)
    for wrong, kind, text in (
        (a.astype(np.float32), InvalidValueError, "dtype float32"),
        (a[..., None], InvalidValueError, "shape"),
        (turned, InvalidValueError, "shape"),
        (x, InvalidTypeError, "ndarray"),
    ):
        yield from mixed(comm, a, wrong, window.update, kind, text)
    turned = gc.CubeArray(a.blocks, a.layout, comm.Split(0, -comm.rank))
    yield from refused(comm, lambda: window.update(turned), InvalidValueError, "communicator")
    yield from refused(
        comm,
        lambda: window.update(a) if comm.rank else a.sum(),
        InvalidValueError,
        "all ranks need the same",
    )
    window.update(a * 3)
    yield np.array_equal(window[1, 0].to_numpy(), np.roll(3 * x, -1, 0)), "a window afterwards"


# Files


def files(comm):
    """Paths that are wrong or differ, files that are missing on one rank."""
    folder = Path(comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None))
    path = folder / "x.npy"
    a = field(comm)
    a.save(path)
    before = path.read_bytes()
    yield from saves(comm, a, path)
    yield path.read_bytes() == before, "the old file has changed"
    comm.Barrier()
    left = sorted(p.name for p in folder.iterdir())
    yield left == ["x.npy"], f"{left}"
    comm.Barrier()
    yield from loads(comm, a, path)
    comm.Barrier()
    if comm.rank == 0:
        for found in folder.iterdir():
            found.unlink()
        folder.rmdir()


def saves(comm, a, path):
    """Wrong paths, dtypes; and files that cannot be put in their place."""
    folder = path.parent
    for wrong in (folder, folder / "no" / "x.npy", path / "x.npy", "", "."):
        yield from mixed(comm, path, wrong, a.save, InvalidValueError)
    for wrong in (None, 3):
        yield from mixed(comm, path, wrong, a.save, GraycubeError)
    yield from differing(comm, path, folder / "y.npy", a.save, "path")
    yield from mixed(comm, a, a.astype(object), lambda z: z.save(path), InvalidTypeError)
    yield from differing(comm, a, a.astype(np.float32), lambda z: z.save(path), "dtype")
    replace = Path.replace
    Path.replace = not_today
    try:
        yield from refused(comm, partial((a * 2).save, path), GraycubeError, "not today")
    finally:
        Path.replace = replace
    rows = a.relayout(gc.Layout.mesh((8, 6), (comm.size, 1)))  # each rank writes its own
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for culprit in (0, comm.size - 1):
        if comm.rank == culprit:  # to a writer the same as a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, limits[1]))
        try:
            save = partial(rows.save, path)
            yield from refused(comm, save, GraycubeError, "OSError", path.name)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with patch.object(files_of_arrays, "_write_own", side_effect=OSError(28, "no space")):
        yield from refused(comm, save, OSError, "no space", path.name, alike=True)


def loads(comm, a, path):
    """Files that are missing, or hold something else, on one rank; wrong layouts."""
    missing, other = path.with_name("no.npy"), path.with_name("y.npy")
    if comm.rank == 0:
        np.save(other, np.zeros((8, 6, 2)))
        path.with_name("text").write_text("no array")
    comm.Barrier()

    def read(given, layout=a.layout):
        return gc.CubeArray.load(given, layout, comm)

    yield from mixed(comm, path, missing, read, GraycubeError, "no.npy")
    for name in ("no.npy", "no.zarr"):
        yield from refused(
            comm, partial(read, path.with_name(name)), FileNotFoundError, name, alike=True
        )
    yield from mixed(comm, path, path.with_name("text"), read, InvalidValueError)
    yield from mixed(comm, path, path.parent, read, GraycubeError)
    yield from mixed(comm, path, None, read, GraycubeError)
    yield from differing(comm, path, other, read)
    yield from refused(
        comm, lambda: read(path) if comm.rank else a.sum(), InvalidValueError, "the operation"
    )
    more = gc.Layout.mesh((8, 6), (comm.size, 2), ownership=False)
    for wrong, kind in (("gray", InvalidTypeError), (more, InvalidValueError)):
        yield from mixed(comm, a.layout, wrong, partial(read, path), kind)
    yield from differing(comm, a.layout, layout_of(comm, "cyclic"), partial(read, path))


CHECKS = checks(
    (2, 4),
    functions,
    arrays,
    scattered,
    gathered,
    reductions,
    indices,
    relayouts,
    transforms,
    in_numpys_name,
    plans,
    windows,
    files,
)
