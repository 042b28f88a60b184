"""What calls on small arrays cost beyond NumPy's work on the blocks that are here.

    python benchmarks/small_calls.py [LENGTH] [ROUNDS]
    mpiexec -n 2 python benchmarks/small_calls.py

Each line has microseconds a call: what NumPy takes for the block of this rank, and what
graycube takes beyond that, which on ranks includes all messages. Each figure is the least of
many rounds, in which the two alternate, so what other programs take is hardly in it.
"""

import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from mpi4py import MPI

import graycube as gc

try:
    from ducc0.fft import c2r, r2c
except ImportError:
    from scipy.fft import irfftn as back, rfftn as forward
else:
    forward = partial(r2c, axes=(0, 1, 2))
    back = partial(c2r, axes=(0, 1, 2), forward=False, inorm=2)
EACH = 20  # calls in a round
Call = Callable[[], object]


def into(out: Any, a: Any, b: Any) -> None:  # noqa: ANN401 - any arrays
    np.add(a, b, out=out)


def calls(comm: MPI.Intracomm, length: int) -> dict[str, tuple[Call, Call]]:
    """By name, what graycube does and what NumPy, or the engine of transforms, does here."""
    layout = gc.Layout.mesh((length,) * 3, nodes=(comm.size, 1, 1))
    rng = np.random.default_rng(0)
    u, v = (gc.CubeArray.from_numpy(rng.random(layout.shape), layout, comm) for _ in range(2))
    w, t = u.copy(), gc.stack([u, v])
    x, y, z, s = (np.ascontiguousarray(a.local) for a in (u, v, w, t))
    spectrum, window = gc.rfftn(u), u.halo(1)
    half = np.fft.rfftn(x)
    return {
        "u + v": (lambda: u + v, lambda: x + y),
        "u * 2": (lambda: u * 2, lambda: x * 2),
        "np.add(u, v, out=w)": (lambda: into(w, u, v), lambda: into(z, x, y)),
        "u > 0.5": (lambda: u > 0.5, lambda: x > 0.5),
        "np.sin(u)": (lambda: np.sin(u), lambda: np.sin(x)),
        "np.where(u > 0, u, 0)": (lambda: np.where(u > 0, u, 0), lambda: np.where(x > 0, x, 0)),
        "t[..., 0]": (lambda: t[..., 0], lambda: s[..., 0]),
        "t * u[..., None]": (lambda: t * u[..., None], lambda: s * x[..., None]),
        "u.shape": (lambda: u.shape, lambda: x.shape),
        "u.local": (lambda: u.local, lambda: x),
        "u.sum()": (u.sum, x.sum),
        "np.sum(u)": (lambda: np.sum(u), lambda: np.sum(x)),
        "u.sum(axis=1)": (lambda: u.sum(axis=1), lambda: x.sum(axis=1)),
        "u.mean()": (u.mean, x.mean),
        "u.max()": (u.max, x.max),
        "np.vdot(u, v)": (lambda: np.vdot(u, v), lambda: np.vdot(x, y)),
        "np.linalg.norm(u)": (lambda: np.linalg.norm(u), lambda: np.linalg.norm(x)),
        "u.halo(1)": (lambda: u.halo(1), lambda: np.pad(x, 1, "wrap")),
        "window.update(u)": (lambda: window.update(u), lambda: np.pad(x, 1, "wrap")),
        "window[1, 0, 0]": (lambda: window[1, 0, 0], lambda: np.roll(x, -1, 0)),
        "np.roll(u, 1, 1)": (lambda: np.roll(u, 1, 1), lambda: np.roll(x, 1, 1)),
        "np.roll(u, 1, 0)": (lambda: np.roll(u, 1, 0), lambda: np.roll(x, 1, 0)),
        "gc.rfftn(u)": (lambda: gc.rfftn(u), lambda: forward(x)),
        "gc.irfftn(spectrum)": (lambda: gc.irfftn(spectrum), lambda: back(half)),
        "gc.fft(u, 2)": (lambda: gc.fft(u, 2), lambda: np.fft.fft(x, axis=2)),
    }


def least(comm: MPI.Intracomm, pair: tuple[Call, Call], rounds: int) -> list[float]:
    """The least seconds a call of both, over the rounds; of the slowest rank in each."""
    found = [float("inf")] * len(pair)
    for _ in range(rounds):
        for k, call in enumerate(pair):
            call()
            comm.Barrier()
            start = perf_counter()
            for _ in range(EACH):
                call()
            took = comm.allreduce(perf_counter() - start, MPI.MAX) / EACH
            found[k] = min(found[k], took)
    return found


def main(length: int, rounds: int) -> None:
    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        print(f"{length}^3 on {comm.size} ranks, us      NumPy   beyond", flush=True)
    for name, pair in calls(comm, length).items():
        both, own = least(comm, pair, rounds)
        if comm.rank == 0:
            print(f"{name:24}{1e6 * own:10.1f}{1e6 * (both - own):9.1f}", flush=True)


if __name__ == "__main__":
    main(*(int(k) for k in (*sys.argv[1:], *("32", "100")[len(sys.argv) - 1 :])))
