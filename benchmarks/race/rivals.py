"""Transforms by others: mpi4py-fft, and one rank that does it all."""

import importlib
from collections.abc import Callable
from typing import Any

import fftw_mpi
import numpy as np
import scipy.fft
from contest import Contender, NotThereError
from tasks import Array, Transform, collect, points


def optional(name: str) -> Any:  # noqa: ANN401  # a module
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise NotThereError(f"{name} is not installed") from missing


def scipy_engine(data: Array) -> Callable[[], Array]:
    return lambda: np.asarray(scipy.fft.fftn(data, overwrite_x=True))


def pyfftw_engine(data: Array) -> Callable[[], Array]:
    axes = range(data.ndim)
    plan = optional("pyfftw").FFTW(data, data, axes, flags=("FFTW_MEASURE",), threads=1)

    def transform() -> Array:
        plan.execute()
        return data

    return transform


def on_one_rank(
    task: Transform, name: str, engine: Callable[[Array], Callable[[], Array]]
) -> Contender:
    """Consecutive blocks come to rank 0, are transformed there and go back."""
    comm, mine = task.comm, task.block()
    held = mine.copy()
    full = fftw_mpi.aligned(mine.size * comm.size if comm.rank == 0 else 0)
    transform = engine(full.reshape(task.shape)) if comm.rank == 0 else None

    def work() -> None:
        comm.Gather(held, full)
        comm.Scatter(transform() if transform else full, held)

    return Contender(
        name=name,
        ready=lambda: np.copyto(held, mine),
        work=work,
        right=lambda: task.right(collect(comm, held)),
    )


def gathered(task: Transform) -> list[Contender]:
    return [on_one_rank(task, "gather, SciPy, scatter", scipy_engine)]


def gathered_fftw(task: Transform) -> list[Contender]:
    optional("pyfftw")  # on every rank, or on none
    return [on_one_rank(task, "gather, pyFFTW, scatter", pyfftw_engine)]


def fftw(task: Transform) -> list[Contender]:
    return fftw_mpi.contenders(task, points)


def pencils(task: Transform, name: str, **options: object) -> Contender:
    """mpi4py-fft with its own arrays, unscaled: no copies in, none out."""
    plan = optional("mpi4py_fft").PFFT(
        task.comm, task.shape, dtype="complex128", flags=("FFTW_MEASURE",), **options
    )
    forward = plan.forward
    mine = task.whole[plan.local_slice(False)].copy()  # noqa: FBT003  # their interface

    def whole() -> Array | None:
        part = plan.local_slice(True), forward.output_array  # noqa: FBT003
        parts = task.comm.gather(part)
        if parts is None:
            return None
        result = np.empty(task.shape, "complex128")
        for where, block in parts:
            result[where] = block
        return result

    return Contender(
        name=name,
        ready=lambda: np.copyto(forward.input_array, mine),
        work=lambda: forward(normalize=False),
        right=lambda: task.right(whole()),
    )


def mpi4py_fft(task: Transform) -> list[Contender]:
    optional("mpi4py_fft")
    slab = pencils(task, "mpi4py-fft, slabs", grid=[-1])
    if len(task.shape) == 2:
        return [slab]
    return [
        slab,
        pencils(task, "mpi4py-fft, slabs, collapsed", grid=[-1], collapse=True),
        pencils(task, "mpi4py-fft, pencils"),
    ]
