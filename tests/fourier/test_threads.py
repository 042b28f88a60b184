"""Threads of one process that calculate at the same time, and share the memory of results."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import graycube as gc

LAYOUT = gc.Layout.mesh((16, 16, 16), nodes=(1, 1, 1))


@pytest.fixture
def impatient():
    """Threads that interrupt each other as often as Python lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("impatient")
def test_threads_get_what_one_would():
    rng = np.random.default_rng(0)
    given = [rng.random((*LAYOUT.shape, 3)) for _ in range(4)]
    arrays = [gc.CubeArray.from_numpy(x, LAYOUT) for x in given]
    spectra = [np.fft.rfftn(x, axes=(0, 1, 2)) for x in given]

    def right(k):
        x, u = given[k], arrays[k]
        v = gc.rfftn(u)
        back = gc.irfftn(v, s=LAYOUT.shape)
        return (
            np.allclose(v.to_numpy(), spectra[k])
            and np.allclose(back.to_numpy(), x)
            and np.array_equal((u * 2 + u).to_numpy(), x * 2 + x)
            and np.array_equal(np.cross(u, arrays[k - 1]).to_numpy(), np.cross(x, given[k - 1]))
        )

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(right, [k % 4 for k in range(200)]))


@pytest.mark.usefixtures("impatient")
def test_bound_transforms_run_in_any_thread():
    rng = np.random.default_rng(1)
    given = [rng.random((*LAYOUT.shape, 3)) for _ in range(4)]
    spectra = [gc.rfftn(gc.CubeArray.from_numpy(x, LAYOUT)) for x in given]
    bound = [gc.bind(gc.irfftn, v, s=LAYOUT.shape) for v in spectra]

    def right(k):
        for _ in range(50):
            bound[k].run()
            if not np.allclose(bound[k].result.to_numpy(), given[k]):
                return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(right, range(4)))
