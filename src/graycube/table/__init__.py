"""The algorithms: one a file, one shape, one flat table.

Each module has ``ALGORITHM``, an :class:`Algorithm` with two functions: ``applicable`` says why
it cannot do a task on a machine (or None), ``emit`` gives its schedule.
"""

from graycube.table import (
    all_to_all,
    any_order,
    circuit_split,
    dimension_exchange,
    direct,
    few_ports,
    fewer_bytes,
    field_phases,
    gb1,
    gb2,
    gb3,
    groups,
    half_exchange,
    minimum_path,
    nonminimum_path,
    nonminimum_ring,
    pipeline,
    pipelined,
    relabel,
    rotations,
    three_fifths,
    tight,
    two_cube,
)
from graycube.table.algorithm import Algorithm
from graycube.table.networks import copies, sectioning

TABLE: tuple[Algorithm, ...] = (
    relabel.ALGORITHM,
    direct.ALGORITHM,
    gb1.ALGORITHM,
    gb2.ALGORITHM,
    gb3.ALGORITHM,
    any_order.ALGORITHM,
    circuit_split.ALGORITHM,
    pipelined.ALGORITHM,
    minimum_path.ALGORITHM,
    nonminimum_path.ALGORITHM,
    nonminimum_ring.ALGORITHM,
    three_fifths.ALGORITHM,
    field_phases.ALGORITHM,
    two_cube.ALGORITHM,
    tight.ALGORITHM,
    rotations.ALGORITHM,
    few_ports.ALGORITHM,
    fewer_bytes.ALGORITHM,
    dimension_exchange.ALGORITHM,
    half_exchange.ALGORITHM,
    pipeline.ALGORITHM,
    all_to_all.ALGORITHM,
    groups.ALGORITHM,
    *sectioning.ALGORITHMS,
    copies.ALGORITHM,
)


def algorithms() -> tuple[Algorithm, ...]:
    """The table of algorithms: name, paper, ports, when it applies, closed form.

    Conversions come first; the networks after them are for tasks with stages of butterflies.

    >>> for algorithm in algorithms()[:5]:
    ...     print(f"{algorithm.name:8} {algorithm.formula}")
    relabel  0, or that of the move that is left
    direct   s + K t
    gb1      (n - 1) (s + K t)
    gb2      (n + 1) (s + K t / 2)
    gb3      n (s + K t / 2)
    """
    return TABLE


__all__ = ["Algorithm", "algorithms"]
