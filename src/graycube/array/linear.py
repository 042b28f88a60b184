"""Products and decompositions of vectors and matrices that are payload, and sums of products.

Rules.

1. Vectors and matrices are the last axes, and those are payload: NumPy works on the blocks.
2. Products that leave no axis of the layout are sums over all nodes, as ``np.dot`` of lines.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from graycube.array.held import Held
from graycube.array.payload import require_same_layout
from graycube.array.reducing.norms import vdot
from graycube.array.reducing.reductions import reduced
from graycube.array.results import crossed
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.required import require_axis

_Any = Any  # as NumPy's: an array over nodes, or a plain one


def of_last(
    function: Callable[..., _Any], count: int, *operands: object, **options: _Any
) -> _Any:
    """A function of the last axes of arrays, such as the product of matrices.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[[[1.0, 2], [3, 4]]]]), Layout.nodes(0))
    >>> of_last(np.linalg.det, 2, a).blocks.round(6).tolist()
    [[-2.0]]
    """
    for x in (ours := [x for x in operands if isinstance(x, Held)]):
        if len(x.payload) < count:
            raise InvalidTypeError(
                f"numpy.{function.__name__} is given a payload of shape {x.payload}",
                f"it works on the last {count} axes, and those of the layout are no part of it",
                "stack components first, index as in v[..., None], or use to_numpy()",
            )
        require_same_layout(ours[0], x)
    made = _on_blocks(function, operands, **options)
    if isinstance(made, tuple):  # such as eigenvalues and vectors, which have names
        each = [ours[0].with_blocks(part) for part in made]
        kind: Any = type(made)
        return kind(*each) if hasattr(made, "_fields") else (*each,)
    return ours[0].with_blocks(made)


def _on_blocks(
    function: Callable[..., _Any], operands: Sequence[_Any], **options: _Any
) -> _Any:
    """What NumPy makes of the blocks; what it refuses is told in shapes of whole arrays."""
    try:
        return function(*(x.blocks if isinstance(x, Held) else x for x in operands), **options)
    except np.linalg.LinAlgError:
        raise  # of what is in a matrix
    except ValueError:
        ours = [x for x in operands if isinstance(x, Held)]
        raise InvalidValueError(
            f"numpy.{function.__name__} is given arrays of shapes "
            f"{', '.join(str(np.shape(x)) for x in operands if not isinstance(x, str)):.80}",
            f"payloads of shapes {', '.join(str(x.payload) for x in ours):.80} do not fit",
            "index them, as in u[..., None], or name their axes with np.einsum",
        ) from None


def summed_products(subscripts: str, *operands: object, **options: _Any) -> _Any:
    """``numpy.einsum``: sums over payload, or over axes of the layout; these are collective.

    The axes of the layout stand for themselves, first and alike in all arrays, or are ``...``.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[[1, 2]], [[3, 4]]]), Layout.nodes(1))
    >>> summed_products("...i,...i->...", a, a).blocks.tolist()
    [[5], [25]]
    >>> summed_products("xi,xi->", a, a), summed_products("xi->i", a)
    (np.int64(30), array([4, 6]))
    """
    ours = [x for x in operands if isinstance(x, Held)]
    given, arrow, result = str(subscripts).replace(" ", "").partition("->")
    terms, gone = given.split(","), tuple[int, ...]()
    if not arrow and "..." not in given:  # letters that are there once stay, in their order
        once = [letter for letter in {*given} - {","} if given.count(letter) == 1]
        arrow, result = "->", "".join(sorted(once))
    if arrow and "..." not in given and len(terms) == len(operands):
        terms, result, gone = _without_letters(terms, result, operands)
    left = {
        len(x.payload) - len(term) + 3
        for x, term in zip(operands, terms, strict=False)
        if isinstance(x, Held)
    }
    dotted = all(
        term.startswith("...") if isinstance(x, Held) else "..." not in term
        for term, x in zip(terms, operands, strict=False)
    )
    fits = len(terms) == len(operands) and dotted and len(left) == 1 and min(left) >= 0
    if not fits or (arrow and not result.startswith("...")) or "out" in options:
        raise InvalidValueError(
            f"the subscripts are {subscripts!r:.60}" + ", with out" * ("out" in options),
            "letters name axes of the payload, and '...' stands for those of the layout, which "
            "may also have letters, first and alike in all arrays",
            "write, for example, '...i,...i->...', 'ij,...j->...i', or 'xy,xy->x' to sum",
        )
    for x in ours[1:]:
        require_same_layout(ours[0], x)
    text = ",".join(terms) + arrow + result
    made = ours[0].with_blocks(_on_blocks(np.einsum, (text, *operands), **options))
    return reduced(made, np.add, gone, dtype=made.dtype) if gone else made


def _without_letters(
    terms: Sequence[str], result: str, operands: Sequence[object]
) -> tuple[list[str], str, tuple[int, ...]]:
    """Subscripts with '...' for the letters of axes of the layout, and which of these go."""
    pairs = [*zip(terms, operands, strict=True)]
    heads = {term[: len(x.layout.shape)] for term, x in pairs if isinstance(x, Held)}
    head = min(heads)
    rests = [term[len(head) :] if isinstance(x, Held) else term for term, x in pairs]
    kept = [letter for letter in head if letter in result]
    whole = all(len(term) == x.ndim for term, x in pairs if isinstance(x, Held))
    clear = whole and len(heads) == 1 and len({*head}) == len(head)
    if not clear or {*head} & {*"".join(rests)} or not result.startswith("".join(kept)):
        return [*terms], result, ()
    made = [
        f"...{rest}" if isinstance(x, Held) else rest
        for rest, (_, x) in zip(rests, pairs, strict=True)
    ]
    gone = tuple(k for k, letter in enumerate(head) if letter not in kept)
    return made, f"...{result[len(kept) :]}", gone


def cross(  # noqa: PLR0913, PLR0917 - NumPy's
    a: _Any,
    b: _Any,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> _Any:
    """The cross product of vectors, whose components are the last axis.

    >>> from graycube.layout import Layout
    >>> x = Held(np.array([[[1, 0, 0]], [[0, 1, 0]]]), Layout.nodes(1))
    >>> cross(x, [0, 0, 1]).blocks.tolist()
    [[[0, -1, 0]], [[1, 0, 0]]]
    """
    named = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    first, second = (x.ndim if isinstance(x, Held) else np.ndim(x) for x in (a, b))
    for k, count in zip(named, (first, second, max(first, second)), strict=True):
        if k != -1 and require_axis(k, count) != count - 1:
            raise InvalidValueError(
                f"axis {k} of numpy.cross has the components",
                "components are the last axis of arrays over nodes",
                "leave axis out, or bring them there with np.moveaxis",
            )
    return of_last(_cross, 1, a, b)


@wraps(np.cross)
def _cross(a: _Any, b: _Any) -> _Any:
    a, b = np.asarray(a), np.asarray(b)
    vectors = a.shape[-1:] == b.shape[-1:] == (3,) and "O" not in {a.dtype.kind, b.dtype.kind}
    return crossed(a, b) if vectors else np.cross(a, b)


def matrices(function: Callable[..., _Any]) -> Callable[..., _Any]:
    """A function of NumPy's of matrices, the last two axes, at every element.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[[[2.0, 0], [0, 3]]]]), Layout.nodes(0))
    >>> matrices(np.linalg.eigh)(a).eigenvalues.blocks.tolist()
    [[[2.0, 3.0]]]
    """

    def call(*operands: _Any, **options: _Any) -> _Any:
        return of_last(function, 2, *operands, **options)

    return call


def dot(a: _Any, b: _Any) -> _Any:
    """The sum of products of two lines, or of vectors with a plain matrix, as ``numpy.dot``.

    The first is collective.

    >>> from graycube.layout import Layout
    >>> dot(*2 * [Held(np.array([[3], [4]]), Layout.nodes(1))])
    np.int64(25)
    """
    if isinstance(a, Held) and a.payload and not isinstance(b, Held) and np.ndim(b) in {1, 2}:
        product: _Any = np.matmul
        return product(a, b)
    return tensordot(a, b, 1)


def tensordot(a: _Any, b: _Any, axes: _Any = 2) -> _Any:
    """The sum of products over all axes, as ``numpy.tensordot``; collective.

    With a plain array, it is over axes of the payload, and sends nothing.

    >>> from graycube.layout import Layout
    >>> tensordot(*2 * [Held(np.array([[3, 4]]), Layout.mesh((2, 1), (1, 1)))])
    np.int64(25)
    """
    if isinstance(a, Held) and not isinstance(b, Held):
        n = axes if isinstance(axes, int) else 0
        pair = (range(a.ndim - n, a.ndim), range(n)) if n else axes
        mine, theirs = (np.ravel(part).tolist() for part in pair)
        inside = [2 + require_axis(k, a.ndim) - len(a.layout.shape) for k in mine]
        if inside and min(inside) >= 2:
            made = _on_blocks(np.tensordot, (a, np.asarray(b)), axes=(inside, theirs))
            return a.with_blocks(made)
    if not (np.ndim(a) == np.ndim(b) == axes):
        raise InvalidTypeError(
            f"shapes {np.shape(a)} and {np.shape(b)} are multiplied over {axes!r:.20} axes",
            "over nodes all axes are summed, or those of the payload",
            "use np.vdot(a, b) for the sum of products, np.einsum or @ for those of payload",
        )
    return vdot(a, b, conjugate=False)


def outer(a: _Any, b: _Any) -> _Any:
    """Products of a line over nodes with each number of a plain line, which are payload.

    >>> from graycube.layout import Layout
    >>> outer(Held(np.array([[3], [4]]), Layout.nodes(1)), [1, 2]).blocks.tolist()
    [[[3, 6]], [[4, 8]]]
    """
    if not isinstance(a, Held) or isinstance(b, Held) or a.ndim != 1:
        raise InvalidTypeError(
            f"the outer product of shapes {np.shape(a)} and {np.shape(b)} is asked for",
            "the first is a line over nodes, and the second is plain",
            "use axes of length 1, as of u.indices(sparse=True), which broadcast",
        )
    return a.with_blocks(a.blocks[..., None] * np.ravel(b))
