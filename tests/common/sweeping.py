"""What `make test` leaves to `make check` and `make sweep`: long cases, and more examples."""

import pytest
from hypothesis import HealthCheck, given, settings

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]


def sweep(*cases):
    """These cases of a parametrized test, each the arguments of one.

    ``@pytest.mark.parametrize("n", [3, 4, *sweep((7,), (8,))])``
    """
    return [pytest.param(*case, marks=pytest.mark.sweep) for case in cases]


def long(*cases):
    """These cases, too, but in ``make check``."""
    return [pytest.param(*case, marks=pytest.mark.long) for case in cases]


def examples(number):
    """So many where the profile of Hypothesis, see conftest.py, has a hundred."""
    return max(1, number * settings.default.max_examples // 100)


def seeds(few, many, first=0):
    """So many numbers as cases, and more of them in ``make sweep``."""
    return [
        *range(first, first + few),
        *sweep(*((k,) for k in range(first + few, first + many))),
    ]


def larger(size, swept):
    """The first in ``make test``, the second in ``make sweep``, for whatever bounds cases."""
    return swept if settings.default.max_examples >= 100 else size


def law(few, many, *strategies):
    """A law to try on a few cases, and on many in ``make sweep``."""

    def tried(test):
        def run(cases):
            often = settings(max_examples=cases, suppress_health_check=SLOW)
            often(given(*strategies)(test))()

        run.__name__, run.__doc__ = test.__name__, test.__doc__
        counts = [few, pytest.param(many, marks=pytest.mark.sweep)]
        return pytest.mark.parametrize("cases", counts)(run)

    return tried
