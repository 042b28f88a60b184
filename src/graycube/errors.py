"""One exception tree: every error names the value, the limit it broke and the next step.

The classes also inherit from the built-in that fits, so ``except ValueError`` works as usual.
The three texts are the constructor's arguments, so an error survives pickling and can be
sent from one process to another. Each is made a line of bounded length, whatever it quotes.
"""

from graycube.texts import one_line

__all__ = [
    "GraycubeError",
    "InvalidTypeError",
    "InvalidValueError",
    "MissingExtraError",
    "OutOfRangeError",
    "PeerError",
    "SingularError",
    "UndecidedError",
]


class GraycubeError(Exception):
    """What graycube raises for input it cannot accept.

    >>> error = GraycubeError("n is 3", "n must be even", "use 2 or 4")
    >>> print(error)
    n is 3: n must be even; use 2 or 4
    >>> error.hint
    'use 2 or 4'
    """

    def __init__(self, found: str, limit: str, hint: str) -> None:
        found, limit, hint = map(one_line, (found, limit, hint))
        super().__init__(found, limit, hint)
        self.found, self.limit, self.hint = found, limit, hint

    def __str__(self) -> str:
        return f"{self.found}: {self.limit}; {self.hint}"


class InvalidValueError(GraycubeError, ValueError):
    """A value of the right type that means nothing here.

    >>> import graycube as gc
    >>> gc.gray(-1)
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the smallest value is -1: a Gray code is defined for
    integers >= 0; shift or mask the values first
    """


class InvalidTypeError(GraycubeError, TypeError):
    """A value of a type that cannot be used, such as a float where bits are meant.

    >>> import graycube as gc
    >>> gc.gray(0.5)
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: got dtype float64: integers are needed; convert with
    .astype(np.int64) if the values are whole
    """


class OutOfRangeError(GraycubeError, IndexError):
    """An index, node, slot, axis or dimension outside its range.

    >>> import graycube as gc
    >>> gc.Layout.nodes(3).locate(8)
    Traceback (most recent call last):
    ...
    graycube.errors.OutOfRangeError: index is 8: it must lie in 0..7; check the shape (8,)
    """


class SingularError(GraycubeError, ValueError):
    """A matrix that has no inverse: one over GF(2) where a bijection is needed, or equations.

    >>> from graycube.gf2 import Matrix
    >>> Matrix.from_rows([0b11, 0b11], width=2).inverse()
    Traceback (most recent call last):
    ...
    graycube.errors.SingularError: the 2 x 2 matrix has rank 1: an inverse needs rank 2;
    look at kernel() for what it maps to zero
    """


class MissingExtraError(GraycubeError, ImportError):
    """An optional package is not installed; the hint says which extra brings it.

    >>> error = MissingExtraError("matplotlib is not installed", "plots need it",
    ...                           "run: pip install 'graycube[plot]'")
    >>> isinstance(error, ImportError)
    True
    """


class UndecidedError(GraycubeError, TimeoutError):
    """A search that ended without an answer; the limit says what is known.

    >>> error = UndecidedError("whether 5 cycles are enough is undecided (time limit reached)",
    ...                        "the optimum lies between 5 and 8 cycles", "raise time_limit")
    >>> isinstance(error, TimeoutError)
    True
    """


class PeerError(GraycubeError, RuntimeError):
    """Some ranks failed, with an error that is not one of graycube's.

    >>> error = PeerError("rank 3 raised MemoryError()", "no rank can go on without it",
    ...                   "look at what that rank did")
    >>> isinstance(error, RuntimeError)
    True
    """
