"""What ufuncs do: on single elements, as reductions and scans, and products of payload."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from graycube.array.elementwise import (
    PLAIN_NUMBERS,
    assigned,
    at_once,
    element_by_element,
)
from graycube.array.held import Held
from graycube.array.payload import require_same_layout
from graycube.array.reducing.norms import vdot
from graycube.array.reducing.reductions import reduced
from graycube.array.scanning.scans import cumprod, cumsum, scan
from graycube.errors import InvalidTypeError
from graycube.warned import warn

_H = TypeVar("_H", bound=Held)
_USUAL = {*PLAIN_NUMBERS, np.ndarray}
_NOWHERE = (
    "'where' used without 'out': elsewhere the result has whatever was in memory; pass out=, "
    "or use np.where"
)
_ASSOCIATIVE = {
    *(np.add, np.multiply, np.minimum, np.maximum, np.fmin, np.fmax, np.gcd, np.lcm),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logaddexp, np.logaddexp2),
    *(np.bitwise_and, np.bitwise_or, np.bitwise_xor),
}
_SCANS = {np.add: cumsum, np.multiply: cumprod}


def applied(
    kind: type[_H],
    ufunc: np.ufunc,
    method: str,
    inputs: Sequence[object],
    options: Mapping[str, Any],
) -> Any:  # noqa: ANN401 - NumPy's protocol: an array or NotImplemented
    """What a ufunc gives for operands of which one is of a kind of arrays.

    >>> from graycube.layout import Layout
    >>> x = Held(np.array([[3], [1]]), Layout.nodes(1))
    >>> applied(Held, np.add, "__call__", (1, x), {}).blocks.tolist()
    [[4], [2]]
    >>> applied(Held, np.maximum, "reduce", [x], {})
    np.int64(3)
    >>> applied(Held, np.add, "accumulate", [x], {}).blocks.tolist()
    [[3], [4]]
    """
    plain = method == "__call__" and ufunc.signature is None
    if plain and not options and (made := at_once(kind, ufunc, inputs)) is not None:
        return made
    outs: tuple[Any, ...] = options.get("out", ())
    for x in (*inputs, *outs):
        if type(x) is not kind and type(x) not in _USUAL and _has_its_own_way(kind, x):
            return NotImplemented
    if not plain:
        return _combined(ufunc, method, inputs, options)
    if not options:
        return element_by_element(ufunc, inputs, options)
    if len(outs) > 1:
        raise InvalidTypeError(
            f"numpy.{ufunc.__name__} is given out",
            f"it has {ufunc.nout} results",
            "give them names, as in q, r = np.divmod(u, 2)",
        )
    further = {name: value for name, value in options.items() if name != "out"}
    if not further.keys() <= {"dtype", "casting", "where"}:
        raise InvalidTypeError(
            f"numpy.{ufunc.__name__} is given {', '.join(map(repr, further))}",
            "elementwise operations take 'out', 'where', 'dtype' and 'casting'",
            "leave the others out",
        )
    if not outs and further.get("where", True) is not True:
        warn(_NOWHERE, UserWarning)
        further["out"] = None  # so that NumPy does not name a line of ours
    if outs and further.get("casting") == "unsafe":  # what is cast is seen here
        made = element_by_element(ufunc, inputs, {**further, "out": None})
        asked = {name: further[name] for name in further.keys() - {"dtype"}}
        return element_by_element(assigned, [made], asked, *outs)
    return element_by_element(ufunc, inputs, further, *outs)


def _combined(
    ufunc: np.ufunc, method: str, inputs: Sequence[object], options: Mapping[str, Any]
) -> Any:  # noqa: ANN401 - an array of the kind of the first one, or a plain one
    """What a method of a ufunc gives, or one that takes more than single elements."""
    first, known = inputs[0], {"axis", "dtype", "keepdims", "initial", "where"}
    given = {"axis": 0, **options}
    if isinstance(first, Held):
        if method == "reduce" and ufunc in _ASSOCIATIVE and given.keys() <= known:
            return reduced(first, ufunc, **given)
        if method == "accumulate" and ufunc in _SCANS and given.keys() <= {"axis", "dtype"}:
            return _SCANS[ufunc](first, **given)
        if method == "accumulate" and ufunc in _ASSOCIATIVE and given.keys() == {"axis"}:
            return scan(ufunc, first, given["axis"])
    if method == "__call__" and not options:
        ours = [x for x in inputs if isinstance(x, Held) and x.ndim == 1]
        if len(ours) == 2 and ufunc in {np.matmul, np.vecdot}:
            return vdot(*ours, conjugate=ufunc is np.vecdot)
        return _of_payload(ufunc, inputs)
    name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    raise InvalidTypeError(
        f"{name} is given a CubeArray" + (f", with {', '.join(options)}" if options else ""),
        "over nodes, reduce and accumulate combine what is associative, and products are those "
        "of payload",
        "use u.sum(axis) and the like, gc.scan, or np.einsum over the payload"
        if method != "at"
        else f"call {name} on the w.meshes of a window w = u.halo(1), and then w.add_back()",
    )


def _of_payload(ufunc: np.ufunc, inputs: Sequence[Any]) -> Any:  # noqa: ANN401
    """A product of vectors and matrices that are payload, at every element."""
    cores = [core.count(",") + 1 for core in str(ufunc.signature).split("->")[0].split("),(")]
    ours = [x for x in inputs if isinstance(x, Held)]
    first = ours[0]
    if len(ours) == 1 and first is inputs[0] and np.ndim(inputs[-1]) <= cores[-1]:
        cores[0] = 1 if ufunc is np.matmul else cores[0]  # rows, of what may be vectors
    inner = [
        len(x.payload) - core if isinstance(x, Held) else max(np.ndim(x) - core, 0)
        for x, core in zip(inputs, cores, strict=True)
    ]
    most = max(n for x, n in zip(inputs, inner, strict=True) if isinstance(x, Held))
    if min(inner) < 0 or max(inner) > most:
        raise InvalidTypeError(
            f"numpy.{ufunc.__name__} is given arrays of shapes "
            f"{' and '.join(str(np.shape(x)) for x in inputs)}",
            f"it multiplies payload, of shapes {' and '.join(str(x.payload) for x in ours)}: "
            "axes of layouts are no part of vectors and matrices",
            "name axes of the payload with np.einsum('...ij,...j->...i', a, b), or sum "
            "elements with np.vdot(a, b)",
        )
    for x in ours[1:]:
        require_same_layout(first, x)
    values = [
        x.blocks.reshape(*x.blocks.shape[:2], *(1,) * (most - n), *x.payload)
        if isinstance(x, Held)
        else x
        for x, n in zip(inputs, inner, strict=True)
    ]
    return first.with_blocks(ufunc(*values))


def _has_its_own_way(kind: type[Held], x: object) -> bool:
    """Whether NumPy asks something else than us or itself what to do."""
    way = getattr(type(x), "__array_ufunc__", None)
    own = getattr(kind, "__array_ufunc__", None)
    return way not in {None, np.ndarray.__array_ufunc__, own}
