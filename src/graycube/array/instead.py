"""What to write instead of functions and names that arrays do not have."""

from collections.abc import Callable
from typing import Any, NoReturn

PLACES = (
    "np.count_nonzero(mask), u.sum(where=mask), or on all ranks "
    "[i.read[mask] for i in mask.indices()]"
)
"""What to write for the indices where a mask is true, at the end of a hint."""
_SHAPE = "the layout has the shape: use u.local.reshape(...), what is here, or to_numpy()"
_LINE = f"sums, np.histogram and np.bincount take u as it is; {_SHAPE}"
_PRODUCT = "use np.vdot(a, b) for the sum of products, and np.einsum or @ for those of payload"
_INDICES = "use i, j = u.indices(sparse=True)"
_MASK = "write u[mask] = value, or np.copyto(u, v, where=mask)"
_MADE = "use CubeArray.from_function(lambda i, j: 0.0, layout, comm), or np.zeros_like(u)"
_FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(("save", "savetxt", "savez"), "let all ranks call its method save(path)"),
    **dict.fromkeys(
        ("argwhere", "nonzero", "flatnonzero"), f"use np.where(mask, u, 0), {PLACES}"
    ),
    "extract": "use u.read[mask] on all ranks, or np.where(mask, u, 0)",
    **dict.fromkeys(("reshape", "resize"), _SHAPE),
    "ravel": _LINE,
    "kron": _PRODUCT,
    **dict.fromkeys(("meshgrid", "ix_", "indices"), _INDICES),
    **dict.fromkeys(("place", "put", "put_along_axis", "fill_diagonal"), _MASK),
    **dict.fromkeys(("array_str", "array_repr", "array2string"), "print(u) shows what is here"),
    **dict.fromkeys(("trace", "diagonal"), f"{_INDICES}, and u.sum(where=i == j)"),
    **dict.fromkeys(("append", "block", "insert"), "use np.concatenate([u, v], axis=0)"),
    **dict.fromkeys(("tril", "triu"), f"{_INDICES}, and np.where(j <= i, u, 0)"),
    **dict.fromkeys(
        ("broadcast_to", "broadcast_arrays"), "arrays broadcast in arithmetic: np.add(u, 0 * v)"
    ),
    **dict.fromkeys(("partition", "argpartition"), "use np.sort(u), or np.argsort(u)"),
    **dict.fromkeys(("array", "asarray", "zeros", "ones", "empty", "full"), _MADE),
    "ediff1d": "use np.diff(u, axis=0)",
    "real_if_close": "use u.real, once abs(u.imag).max() is small",
    "apply_over_axes": "use u.sum(axis=(0, 1), keepdims=True) and the like",
    **dict.fromkeys(("convolve", "correlate"), "use gc.convolve, which goes over nodes"),
}
NAMES: dict[str, str] = {
    **dict.fromkeys(("zeros", "ones", "empty", "full"), _MADE),
    **{name: _FUNCTIONS[name] for name in ("nonzero", "put")},
    **dict.fromkeys(("reshape", "resize"), _SHAPE),
    **dict.fromkeys(("ravel", "flatten", "flat"), _LINE),
    **dict.fromkeys(("tolist", "tobytes"), "use u.to_numpy(), and u.local for what is here"),
    **dict.fromkeys(("tofile", "dump", "dumps"), "let all ranks call u.save(path)"),
    **dict.fromkeys(("view", "data", "strides", "base", "flags"), "use those of u.local"),
    "sort": "use np.sort(u), which is a new array",
    "searchsorted": "call np.searchsorted(line, u)",
    "ptp": "call np.ptp(u)",
    "partition": "use np.sort(u) or np.quantile(u, q)",
    "redistribute": "use u.relayout(layout)",
    "local_slice": "use u.slices",
    "global_shape": "use u.shape",
    "v": "use u.local",
}
"""Those of NumPy's arrays, and in the last four lines of mpi4py-fft's."""


def instead_of(function: Callable[..., Any]) -> str:
    """What does the work of a function that does not take arrays over nodes.

    >>> import numpy as np
    >>> instead_of(np.trace)
    'use i, j = u.indices(sparse=True), and u.sum(where=i == j)'
    >>> instead_of(np.linalg.svd)
    'call np.linalg.svd(u.to_numpy()) on all ranks, or work on u.local, what is here'
    """
    space = function.__module__.replace("numpy", "np", 1)
    whole = f"call {space}.{function.__name__}(u.to_numpy()) on all ranks"
    return _FUNCTIONS.get(function.__name__, f"{whole}, or work on u.local, what is here")


class NoSuchName:
    """A name of other arrays that arrays over nodes do not have, which says what to write.

    >>> class Some:
    ...     sort = NoSuchName("sort", "use np.sort(u)")
    >>> hasattr(Some(), "sort")
    False
    >>> Some().sort
    Traceback (most recent call last):
    ...
    AttributeError: a CubeArray has no 'sort': use np.sort(u)
    """

    def __init__(self, name: str, hint: str) -> None:
        self._text = f"a CubeArray has no {name!r}: {hint}"

    def __get__(self, array: object, kind: type) -> NoReturn:
        """Say so."""
        raise AttributeError(self._text)
