"""Random small programs of NumPy's functions give NumPy's results, in any layout."""

import numpy as np
import pytest
from mpi_runs import Launch, OverMPI
from random_programs import STEPS, findings, trouble
from sweeping import sweep

import graycube as gc


@pytest.mark.parametrize(
    ("count", "seeds"), [(3, 12), (4, 12), *sweep((1, 500), (2, 500), (6, 500), (8, 500))]
)
def test_programs_give_what_numpy_gives(count, seeds):
    found = [each for seed in range(seeds) for each in findings(seed, count)]
    assert len(found) == STEPS * seeds
    assert [(name, outcome) for name, outcome, wrong in found if wrong] == []
    assert sum(not outcome for _, outcome, _ in found) > 0.7 * len(found)


def test_the_comparison_sees_what_is_wrong():
    x = np.arange(6.0)
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh((6,), (2,)))
    assert not trouble(u, x)
    for other in (x + 1e-9, x.astype("f4"), x[:5], np.where(x == 3, np.nan, x)):
        assert trouble(u, other)


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("programs",), messages=True, sweep=True),
        *(Launch(count, ("programs",), sweep=True) for count in (1, 2, 3, 6)),
    )
