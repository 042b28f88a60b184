"""Coarser and finer grids over MPI, of any lengths, and mistakes of one rank."""

import numpy as np
from mpi_checks import checks, one_error
from uneven_cases import of_either_kind

import graycube as gc
from graycube.errors import InvalidValueError


def there_and_back(comm):
    """NumPy's slices, also below one element a node, and zeros between."""
    for layout in [*of_either_kind(comm.size)][:: 5 if comm.size == 4 else 1]:
        x = np.random.default_rng(0).standard_normal((*layout.shape, 2))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        for factors in ((2, 1), (16, 8)):
            steps = tuple(slice(None, None, factor) for factor in factors)
            v = gc.coarsen(u, factors)
            what = f"{factors} of {layout}"
            yield np.array_equal(v.to_numpy(), x[steps]), what
            own = v.layout.scatter(x[steps], v.nodes)
            yield np.array_equal(v.blocks, own), f"the copy of this rank, {what}"
            zeros = np.zeros_like(x)
            zeros[steps] = x[steps]
            yield np.array_equal(gc.refine(v, factors, layout).to_numpy(), zeros), what
            w = gc.refine(v, factors)
            yield np.array_equal(w.to_numpy()[steps], x[steps]), what
            yield np.array_equal(gc.coarsen(w, factors).to_numpy(), x[steps]), what
            for gather in (2, (16, 4)):
                v = gc.coarsen(u, factors, gather)
                own = v.layout.scatter(x[steps], v.nodes)
                yield np.array_equal(v.blocks, own), f"{gather} nodes' elements, {what}"
                yield np.array_equal(gc.refine(v, factors, layout).to_numpy(), zeros), what


def mistakes(comm):
    """What is wrong on one rank is raised on all."""
    u = gc.CubeArray.from_numpy(np.arange(16), gc.Layout.mesh((16,), (comm.size,)), comm)
    last = comm.rank == comm.size - 1
    for call in (
        lambda: gc.coarsen(u, 3 if last else 2),
        lambda: gc.coarsen(u, 4 if last else 2),
        lambda: gc.coarsen(u, 2, gather=4 if last else 2),
        lambda: gc.refine(u, 2, u.layout if last else None),
    ):
        yield from one_error(comm, call, InvalidValueError)


CHECKS = checks((2, 4, 6, 8), there_and_back, mistakes)
