"""Warnings name the line of the user's program: our own, and NumPy's.

NumPy names the line that calls it, which is one of ours. So here it writes what is wrong with
numbers to us (its mode ``log``), and we warn, of the first line that is neither ours nor
NumPy's. Imaginary parts that are lost we leave out ourselves, and warn as NumPy does. Filters
of warnings and ``np.errstate`` mean what they always do.
"""

import sys
import warnings
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")
_HERE = {"graycube", "numpy"}


def at_users_line(call: Callable[_P, _R]) -> Callable[_P, _R]:
    """The same call, whose warnings name the line of the user's program.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as found:
    ...     _ = at_users_line(lambda: np.float64(1) / np.float64(0))()
    >>> str(found[0].message)
    'divide by zero encountered in scalar divide'
    """

    @wraps(call)
    def made(*args: _P.args, **options: _P.kwargs) -> _R:
        token = entered()
        try:
            return call(*args, **options)
        finally:
            left(token)

    return made


def warn(text: str, kind: type[Warning] = RuntimeWarning) -> None:
    """A warning of the first line that is neither of this library nor of NumPy.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as found:
    ...     warn("nothing is left")
    >>> found[0].category
    <class 'RuntimeWarning'>
    """
    frame, level = sys._getframe(1), 2  # noqa: SLF001 - as warnings.warn counts frames
    while _is_of_a_library(frame.f_globals) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


def as_written(x: _T, dtype: Any) -> _T:  # noqa: ANN401 - any array or number
    """What is to be written as a dtype: of complex numbers the real parts, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as found:
    ...     as_written(np.array([1 + 2j]), float)
    array([1.])
    >>> found[0].category
    <class 'numpy.exceptions.ComplexWarning'>
    """
    given = np.dtype(complex) if type(x) is complex else getattr(x, "dtype", None)
    if given is None or given.kind != "c" or dtype is None or np.dtype(dtype).kind not in "iuf":
        return x
    text = "Casting complex values to real discards the imaginary part"
    warn(text, np.exceptions.ComplexWarning)
    made: Any = x
    return made.real  # type: ignore[no-any-return]


def _is_of_a_library(names: dict[str, Any]) -> bool:
    return str(names.get("__name__")).partition(".")[0] in _HERE


class _Log:
    """Where NumPy writes what is wrong, instead of warning."""

    def write(self, text: str) -> None:
        """A line of NumPy's, as ``Warning: overflow encountered in add``."""
        warn(text.removeprefix("Warning: ").rstrip())


def _variable() -> ContextVar[Any]:
    """Where NumPy keeps what ``np.errstate`` says. If it is elsewhere, NumPy warns as ever."""
    with np.errstate(all="ignore"):
        within = copy_context()
    now = copy_context()
    changed = (each for each, said in within.items() if now.get(each) is not said)
    return next(changed, ContextVar("graycube_errstate", default=None))


_SAID = _variable()
_get, _set, left = _SAID.get, _SAID.set, _SAID.reset
_LOG = _Log()
_known: tuple[Any, Any] = (object(), None)
"""What the user said last, and the same with our log where NumPy is to warn."""


def entered() -> Any:  # noqa: ANN401 - a token, for ``left``
    """From here on NumPy's warnings name the user's line, until ``left`` gets the token.

    >>> token = entered()
    >>> np.geterr()["divide"]
    'log'
    >>> left(token)
    >>> np.geterr()["divide"]
    'warn'
    """
    said, ours = _known
    now = _get()
    return _set(ours if now is said or now is ours else _with_log(now))


def _with_log(now: Any) -> Any:  # noqa: ANN401 - what NumPy keeps
    """What is said now, with our log where NumPy is to warn, unless there is another log."""
    global _known  # noqa: PLW0603 - one pair, which all threads may replace
    modes, ours = np.geterr(), now
    if not {"call", "log"} & {*modes.values()}:
        logged: Any = {k: "log" for k, mode in modes.items() if mode == "warn"}
        with np.errstate(call=_LOG, **logged):
            ours = _get()
    _known = now, ours
    return ours
