"""Functions of the user's, called between messages.

Rule: a rank on which one fails goes on as if it had not, with what it was given, so that no
other rank waits for it. In the end all ranks hear of it, and raise the same error.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from graycube.array.ranks import together
from graycube.run.mpi import Comm

_T = TypeVar("_T")


class Careful(Generic[_T]):
    """A function that is called until it fails, and then another one in its place.

    >>> half = Careful(lambda x: 1 / x, instead=lambda x: x)
    >>> half(2), half(0), half(2)
    (0.5, 0, 2)
    >>> half.settle(None)
    Traceback (most recent call last):
    ...
    ZeroDivisionError: division by zero
    """

    def __init__(self, function: Callable[..., _T], instead: Callable[..., _T]) -> None:
        self._function, self._instead = function, instead
        self._error: Exception | None = None

    def __call__(self, *given: Any) -> _T:  # noqa: ANN401 - whatever the function takes
        """What the function gives, or what stands for it."""
        if self._error is None:
            try:
                return self._function(*given)
            except Exception as error:  # noqa: BLE001 - the other ranks have to hear of any
                self._error = error
        return self._instead(*given)

    def settle(self, comm: Comm | None) -> None:
        """Raise what it raised on any rank on all of them; collective."""

        def prepare() -> tuple[None, dict[str, object]]:
            if self._error is not None:
                raise self._error
            return None, {}

        together(comm, prepare)
