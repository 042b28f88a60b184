"""Second differences over ranks: by ``w[...]``, by ``w.correlate``, and by hand.

mpiexec -n 2 python benchmarks/stencils.py [ROUNDS]
"""

import sys
from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter

import numpy as np
from mpi4py import MPI

import graycube as gc

Call = Callable[[], np.ndarray]


def by_hand(comm: MPI.Intracomm, x: np.ndarray) -> Call:
    """Slabs with a border of one in front and behind, and around each rank's own axes."""
    mesh = np.zeros([n + 2 for n in x.shape])
    inner = (slice(1, -1),) * x.ndim
    before, behind = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size

    def shifted(axis: int, step: int) -> np.ndarray:
        place = list(inner)
        place[axis] = slice(1 + step, mesh.shape[axis] - 1 + step)
        view: np.ndarray = mesh[tuple(place)]
        return view

    def work() -> np.ndarray:
        mesh[inner] = x
        comm.Sendrecv(mesh[1].copy(), before, recvbuf=mesh[-1], source=behind)
        comm.Sendrecv(mesh[-2].copy(), behind, recvbuf=mesh[0], source=before)
        for axis in range(1, x.ndim):
            rows = np.moveaxis(mesh, axis, 0)
            rows[0], rows[-1] = rows[-2], rows[1]
        total = -2 * x.ndim * x
        for axis in range(x.ndim):
            total += shifted(axis, 1)
            total += shifted(axis, -1)
        return total

    return work


def contenders(comm: MPI.Intracomm, shape: tuple[int, ...]) -> dict[str, Call]:
    layout = gc.Layout.mesh(shape, (comm.size, *[1] * (len(shape) - 1)))
    u = gc.CubeArray.from_function(lambda *k: np.sin(sum(k) / 9), layout, comm)
    w, out, d = u.halo(), u.copy(), len(shape)
    ones = np.eye(d, dtype=int)
    star = np.zeros((3,) * d)
    for step in (*ones, *-ones):
        star[tuple(1 + step)] = 1
    star[(1,) * d] = -2 * d

    def by_steps() -> np.ndarray:
        w.update(u)
        total = -2 * d * u
        for step in ones.tolist():
            total = total + w[step] + w[[-k for k in step]]
        local: np.ndarray = total.local
        return local

    return {
        "by hand": by_hand(comm, u.local.copy()),
        "w[1, 0] + ...": by_steps,
        "w.correlate": lambda: w.update(u).correlate(star).local,
        "w.correlate, out": lambda: w.update(u).correlate(star, out=out).local,
    }


def main(rounds: int) -> None:
    comm = MPI.COMM_WORLD
    for shape in ((256, 256), (1024, 1024), (128, 128, 128)):
        calls = contenders(comm, shape)
        times: dict[str, list[float]] = {name: [] for name in calls}
        wanted = calls["by hand"]()
        for name, call in calls.items():
            np.testing.assert_allclose(call(), wanted, atol=1e-12, err_msg=name)
        for _ in range(rounds):
            for name, call in calls.items():
                comm.Barrier()
                start = perf_counter()
                for _ in range(5):
                    call()
                times[name].append(comm.allreduce((perf_counter() - start) / 5, MPI.MAX))
        if comm.rank == 0:
            plain = times["by hand"]
            for name, took in times.items():
                low, middle, high = quantiles(
                    [t / one for t, one in zip(took, plain, strict=True)]
                )
                size = " x ".join(map(str, shape))
                print(
                    f"{size:16} on {comm.size} ranks  {name:18}"
                    f"{1e3 * median(took):8.2f} ms  {middle:5.2f} ({low:.2f} - {high:.2f})",
                    flush=True,
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
