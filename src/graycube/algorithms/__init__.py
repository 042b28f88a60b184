"""The algorithms: one a file, one shape, one flat table.

Each module has ``ALGORITHM``, an :class:`Algorithm` with two functions: ``applicable`` says why
it cannot do a task on a machine (or None), ``emit`` gives its schedule.
"""

from graycube.algorithms import any_order, circuit_split, direct, gb1, gb2, gb3, relabel
from graycube.algorithms.algorithm import Algorithm

TABLE: tuple[Algorithm, ...] = (
    relabel.ALGORITHM,
    direct.ALGORITHM,
    gb1.ALGORITHM,
    gb2.ALGORITHM,
    gb3.ALGORITHM,
    any_order.ALGORITHM,
    circuit_split.ALGORITHM,
)


def algorithms() -> tuple[Algorithm, ...]:
    """The table of algorithms: name, paper, ports, when it applies, closed form.

    >>> [algorithm.name for algorithm in algorithms()]
    ['relabel', 'direct', 'gb1', 'gb2', 'gb3', 'any-order', 'circuit-split']
    """
    return TABLE


__all__ = ["Algorithm", "algorithms"]
