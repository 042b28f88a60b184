"""Checkpoints over MPI: written by all ranks, read by any number; one that dies while writing.

As a program: ``write FOLDER FACTOR``, ``die FOLDER FACTOR MOMENT``, ``read FOLDER PLACE``.
"""

import os
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path
from shutil import rmtree
from unittest.mock import patch

import numpy as np
from mpi_checks import carry_out, checks, one_error

import graycube as gc
from graycube.array.disk import archive
from graycube.errors import GraycubeError, InvalidValueError

SHAPE = (16, 24)
X = np.random.default_rng(0).standard_normal(SHAPE)


def gray(comm):
    return gc.Layout.mesh(SHAPE, (comm.size, 1), code="gray")


def cyclic(comm):
    return gc.Layout.mesh(SHAPE, (1, comm.size), allocation="cyclic")


def write(comm, folder, factor):
    u = gc.CubeArray.from_numpy(float(factor) * X, gray(comm), comm)
    gc.array.Checkpoint(folder, comm).save(
        {"u": u, "half": gc.rfft(u)}, {"factor": float(factor)}
    )


def die(comm, folder, factor, moment):
    """The last rank is killed at a moment of the second writing: nobody is asked."""

    def killed(*_):
        if comm.rank == comm.size - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        comm.Barrier()

    with patch(f"graycube.array.disk.{moment}", killed):
        write(comm, folder, factor)


def read(comm, folder, place):
    """What is there, whoever wrote it, cyclically or in blocks on any number of ranks."""
    state = gc.array.Checkpoint(folder, comm)
    factor = state.attributes()["factor"]
    half = gc.Layout.mesh((16, 13), (comm.size, 1))
    layout = cyclic(comm) if place == "cyclic" else gc.Layout.mesh(SHAPE, (comm.size, 1))
    found = state.load({"u": layout, "half": half})
    assert np.array_equal(found["u"].to_numpy(), factor * X)
    assert np.allclose(found["half"].to_numpy(), np.fft.rfft(factor * X))
    if comm.rank == 0:
        print(f"factor {factor}", flush=True)  # noqa: T201


def shared_folder(comm):
    return Path(comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None))


def stores(comm):
    """Written and read in several layouts; every rank reads what is its own."""
    folder = shared_folder(comm)
    both = gc.Layout.mesh(SHAPE, (2, comm.size // 2), allocation="cyclic")
    for k, layout in enumerate((gray(comm), cyclic(comm), both)):
        u = gc.CubeArray.from_numpy(X, layout, comm)
        path = folder / f"{k}.zarr"
        u.save(path, {"k": k})
        for other in (cyclic(comm), gray(comm)):
            found = gc.CubeArray.load(path, other, comm)
            yield np.array_equal(found.to_numpy(), X), f"{layout} {other}"
        for axis in (0, 1):  # with copies
            mean = u.mean(axis=axis)
            mean.save(folder / f"mean{axis}.zarr")
            again = gc.CubeArray.load(folder / f"mean{axis}.zarr", mean.layout, comm)
            yield np.array_equal(again.blocks, mean.blocks), f"copies {mean.layout}"
        y = gc.fft(u, axis=0)
        y.save(folder / "y.zarr")
        again = gc.CubeArray.load(folder / "y.zarr", y.layout, comm)
        yield np.array_equal(again.blocks, y.blocks), f"a spectrum {y.layout}"
    comm.Barrier()
    if comm.rank == 0:
        rmtree(folder)


def mistakes(comm):
    """What one rank finds, all hear of; and the old store is there."""
    folder = shared_folder(comm)
    u = gc.CubeArray.from_numpy(X, gray(comm), comm)
    u.save(folder / "u.zarr")
    last = comm.rank == comm.size - 1

    def full(*_):
        raise InvalidValueError("the disk is full", "it has no room", "make some")

    with patch("graycube.array.disk.archive.local", full if last else gc.array.local.local):
        save = partial((2 * u).save, folder / "u.zarr")
        yield from one_error(comm, save, GraycubeError, "the disk is full")
    found = gc.CubeArray.load(folder / "u.zarr", cyclic(comm), comm)
    yield np.array_equal(found.to_numpy(), X), "the old store"
    comm.Barrier()
    if comm.rank == 0:
        files = sorted(p for p in (folder / "u.zarr" / "c").rglob("*") if p.is_file())
        files[-1].write_bytes(files[-1].read_bytes()[:50])  # only the last rank reads it
    comm.Barrier()
    wrong = "v.npy" if comm.rank == comm.size - 1 else "v.zarr"
    yield from one_error(comm, lambda: u.save(folder / wrong), InvalidValueError)
    for path, kind in (("u.zarr", InvalidValueError), ("none.zarr", FileNotFoundError)):
        load = partial(gc.CubeArray.load, folder / path, gray(comm), comm)
        yield from one_error(comm, load, kind)
    comm.Barrier()
    if comm.rank == 0:
        rmtree(folder)


def replaced(comm):
    """The last rank reads late, when another state counts and the files have gone."""
    folder, read, begun = shared_folder(comm), archive._read, []
    write(comm, folder, 1)

    def late(*given, **options):
        if begun:
            return read(*given, **options)
        begun.append(folder)
        found = None if comm.rank == comm.size - 1 else read(*given, **options)
        comm.Barrier()
        if found is None:
            y = gc.CubeArray.from_numpy(2 * X, gc.Layout.mesh(SHAPE, (1, 1)))
            gc.array.Checkpoint(folder).save({"u": y})
            found = read(*given, **options)
        return found

    with patch.object(archive, "_read", late):
        found = gc.array.Checkpoint(folder, comm).load({"u": cyclic(comm)})
        yield np.array_equal(found["u"].to_numpy(), 2 * X), "the newer state"
    comm.Barrier()
    if comm.rank == 0:
        rmtree(folder)


CHECKS = checks((2, 4, 8), stores, mistakes) | checks((2,), replaced)

if __name__ == "__main__":
    from mpi4py import MPI

    if len(sys.argv) > 1:
        known = {"write": write, "die": die, "read": read}
        known[sys.argv[1]](MPI.COMM_WORLD, *sys.argv[2:])
    else:
        carry_out({name: make for name, (make, _) in CHECKS.items()})
