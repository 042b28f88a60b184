"""What ways and schedules are made of, checked where it comes in."""

from collections.abc import Iterable
from typing import TypeVar

from graycube.errors import InvalidTypeError

_Kind = TypeVar("_Kind")


def require_all(
    given: Iterable[_Kind], kinds: type | tuple[type, ...], what: str
) -> tuple[_Kind, ...]:
    """The given things as a tuple, if all of them are of these kinds."""
    if type(given) is tuple and {*map(type, given)} == {kinds}:  # mostly
        return given
    try:
        entries = tuple(given)
    except TypeError:
        entries = None
    if entries == ():
        return entries
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if entries is None or not all(isinstance(entry, kinds) for entry in entries):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidTypeError(
            f"{what} are {given!r:.60}", f"they are a sequence of {names}", "pass a tuple"
        )
    return entries
