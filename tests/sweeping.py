"""What `make sweep` tries and `make test` does not: long cases, and more examples."""

import pytest
from hypothesis import settings


def sweep(*cases):
    """These cases of a parametrized test, each the arguments of one.

    ``@pytest.mark.parametrize("n", [3, 4, *sweep((7,), (8,))])``
    """
    return [pytest.param(*case, marks=pytest.mark.sweep) for case in cases]


def examples(number):
    """So many where the profile of Hypothesis, see conftest.py, has a hundred."""
    return max(1, number * settings.default.max_examples // 100)
