"""The algorithms: one a file, one shape, one flat table.

Each module has ``ALGORITHM``, an :class:`Algorithm` with two functions: ``applicable`` says why
it cannot do a task on a machine (or None), ``emit`` gives its schedule. Programs and installed
packages may :func:`register` their own.
"""

from graycube.table.algorithm import Algorithm
from graycube.table.known import TABLE
from graycube.table.registered import register, registered, unregister


def algorithms() -> tuple[Algorithm, ...]:
    """The table of algorithms: name, paper, ports, when it applies, closed form.

    Conversions come first; the networks after them are for tasks with stages of butterflies.
    Those that others registered are the last.

    >>> for algorithm in algorithms()[:5]:
    ...     print(f"{algorithm.name:8} {algorithm.formula}")
    relabel  0, or that of the move that is left
    direct   s + K t
    gb1      (n - 1) (s + K t)
    gb2      (n + 1) (s + K t / 2)
    gb3      n (s + K t / 2)
    """
    return (*TABLE, *registered())


__all__ = ["Algorithm", "algorithms", "register", "unregister"]
