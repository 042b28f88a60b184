"""Algorithms of others: those that a program registers, and those of installed packages.

A package offers an algorithm as an entry point of the group ``graycube.algorithms``: whoever
installs it has it in the table, on the command line too. One that cannot be loaded is told in a
warning and left out.
"""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.parsing import require_line
from graycube.table.algorithm import Algorithm
from graycube.table.known import TABLE
from graycube.texts import one_line
from graycube.warned import warn

GROUP = "graycube.algorithms"
_KNOWN = {algorithm.name for algorithm in TABLE}
_registered: dict[str, Algorithm] = {}


def register(algorithm: Algorithm) -> Algorithm:
    """Put an algorithm at the end of the table, until the process ends or it is unregistered.

    It is considered like all others wherever something is planned. What it makes is proved
    each time; where that fails, it is left out, and ``explain(why=True)`` says why. An
    algorithm of the same name that was registered before is replaced. On several ranks all
    have to register it.

    >>> from dataclasses import replace
    >>> from graycube.table.gray import gb3
    >>> register(replace(gb3.ALGORITHM, name="mine")).name
    'mine'
    >>> from graycube.layout import Layout
    >>> from graycube.planning import plan
    >>> gray, binary = Layout.nodes(4, "gray"), Layout.nodes(4)
    >>> plan(gray, binary, 64, machine="ideal").candidates[-1]
    <Candidate mine: 128 s>
    >>> unregister("mine")
    """
    _registered[_checked(algorithm).name] = algorithm
    return algorithm


def unregister(name: str) -> None:
    """Take an algorithm out of the table that was registered.

    >>> unregister("gb3")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the algorithm is 'gb3': none of that name was registered;
    name one that register added
    """
    if _registered.pop(require_line(name, "the name of the algorithm"), None) is None:
        raise InvalidValueError(
            f"the algorithm is {name!r:.60}",
            "none of that name was registered",
            "name one that register added",
        )


def registered() -> Sequence[Algorithm]:
    """Those of installed packages, and those of this program, which go before the former."""
    return tuple({**_installed(), **_registered}.values())


@cache
def _installed() -> dict[str, Algorithm]:
    loaded = map(_loaded, entry_points(group=GROUP))
    return {algorithm.name: algorithm for algorithm in loaded if algorithm is not None}


def _loaded(point: EntryPoint) -> Algorithm | None:
    """The algorithm of a package, which may have been written for another graycube."""
    try:
        return _checked(point.load())
    except Exception as error:  # noqa: BLE001 - whatever it is, graycube goes on without it
        why = error if isinstance(error, GraycubeError) else f"{type(error).__name__}: {error}"
        text = one_line(f"the algorithm {point.value!r} of {GROUP} is left out: {why}")
        warn(text, UserWarning)
        return None


def _checked(algorithm: object) -> Algorithm:
    """The value, if it is an algorithm with a name of its own."""
    if not isinstance(algorithm, Algorithm):
        raise InvalidTypeError(
            f"the algorithm is {algorithm!r:.60}",
            "it is a graycube.table.Algorithm",
            "make one, with a name, applicable and emit",
        )
    name = require_line(algorithm.name, "the name of the algorithm")
    if name == "auto" or name in _KNOWN:
        raise InvalidValueError(
            f"the algorithm is called {name!r}",
            "graycube has one of that name",
            "choose another",
        )
    for part in ("applicable", "emit"):
        if not callable(getattr(algorithm, part)):
            raise InvalidTypeError(
                f"{part} of {name!r} is {getattr(algorithm, part)!r:.60}",
                "it must be a function of a task and a machine",
                "pass such a function",
            )
    return algorithm
