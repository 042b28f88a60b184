"""The general butterfly: stages of the user's, each on all pairs of elements of one bit."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from graycube.array import CubeArray
from graycube.array.held import require_array
from graycube.array.moving import of_kind
from graycube.array.ranks import Careful, facts_of, spread, together
from graycube.array.sharing import require_plain
from graycube.butterflies.groups import groups, reached
from graycube.butterflies.planned import Planned, on_planned_pairs, planned_stages, require_plan
from graycube.butterflies.stages import Blocks, OnPairs, Pair, carried_out, in_pairs
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.layout import Layout
from graycube.layout.in_bits import in_bits
from graycube.layout.required import require_axis, require_bits, require_word
from graycube.warned import at_users_line

if TYPE_CHECKING:
    from graycube.planning import Plan

Order = Literal["any", "natural"]
Stage = Callable[[Any, Any, int, Any], tuple[Any, Any]]
"""What a user does with pairs."""


@at_users_line
def butterfly(  # noqa: PLR0913
    a: CubeArray,
    stage: Stage,
    axis: int = -1,
    bits: Sequence[int] | None = None,
    order: Order = "any",
    *,
    plan: "Plan | None" = None,
) -> CubeArray:
    """The array after stages on the pairs of elements whose indices differ in one bit.

    ``stage(low, high, bit, index)`` gets arrays of pairs and gives a pair of arrays of the same
    shape and dtype: what becomes of the elements whose index has a 0 in this bit, and of those
    that have a 1. ``index`` is the index of the low ones along the axis; it broadcasts with
    them. Payload comes last, as in the array. The arrays are not to be written.

    The stages are those of ``bits``, in this order: bit b pairs i and i + 2^b. By default they
    are all bits of the index, from the highest down. The axis has 2^k elements. Indices stay;
    where the elements are is up to what costs least, and the result carries its layout.
    ``order="natural"`` brings it back to that of ``a``. With a ``plan`` of
    :func:`graycube.plan_butterfly` its rounds are carried out.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1, 4, 1], Layout.nodes(2, "gray"))
    >>> def exchange(low, high, bit, index):
    ...     return np.minimum(low, high), np.maximum(low, high)
    >>> butterfly(x, exchange, bits=[0]).to_numpy().tolist()
    [1, 3, 1, 4]
    """
    require_array(a, "a butterfly")

    def prepare() -> tuple[
        tuple[Layout, int, tuple[int, ...], Planned | None], dict[str, object]
    ]:
        layout = in_bits(a.layout, "a butterfly")
        k = require_axis(axis, len(layout.axes))
        stages = require_bits(layout, k, bits)
        require_word(order, get_args(Order), "order")
        require_stage(stage)
        if spread(a.comm) is not None:
            require_plain(a.dtype)
        network = None
        if plan is not None:
            require_plan(plan, layout, tuple(layout.word_bits(k).start + b for b in stages))
            network = planned_stages(plan.schedule, a.nodes, plan.in_step) if stages else None
        facts = {"axis": k, "bits": stages, "order": order, "plan": plan and plan.identity}
        return (layout, k, stages, network), {
            **facts_of("butterfly", layout, a.blocks),
            **facts,
        }

    layout, k, stages, network = together(a.comm, prepare)
    home, a = a.layout, of_kind(a, layout)
    offset = layout.word_bits(k).start
    careful = Careful(_checked(stage, offset, layout.axes[k].length), lambda *given: given[:2])
    words = [offset + bit for bit in stages]
    if network is not None:
        result = network.result
        blocks = network.run(a.blocks, a.comm, on_planned_pairs(careful))
    else:
        made = groups(layout, words)
        on_group = in_pairs(words, layout, a.nodes, careful)
        blocks = carried_out(a.blocks, layout, made, a.comm, careful, on_group)
        result = reached(layout, made)
    careful.settle(a.comm)
    if np.may_share_memory(blocks, a.blocks):  # there was no stage
        blocks = blocks.copy()
    found = a.with_blocks(blocks, result)
    return found.relayout(home) if order == "natural" else found


def _checked(stage: Stage, offset: int, length: int) -> OnPairs:
    """The stage with bits and indices of the axis, which gives what it should or raises."""

    def call(low: Blocks, high: Blocks, bit: int, words: IntArray) -> Pair:
        index = words >> offset & (length - 1)
        found: Any = stage(_to_read(low), _to_read(high), bit - offset, index)
        return require_pair(found, low, bit - offset)

    return call


def _to_read(half: Blocks) -> Blocks:
    view = half.view()
    view.setflags(write=False)
    return view


def require_stage(stage: object) -> None:
    """Refuse what cannot be called.

    >>> require_stage(lambda low, high, bit, index: (low, high))
    """
    if not callable(stage):
        raise InvalidTypeError(
            f"the stage is a {type(stage).__name__}",
            "it is called with (low, high, bit, index)",
            "pass a function",
        )


def require_pair(
    found: Any,  # noqa: ANN401 - of the user's
    low: Any,  # noqa: ANN401 - an array, or one of JAX
    bit: int,
    as_array: Callable[[Any], Any] = np.asarray,
) -> tuple[Any, Any]:
    """What a stage gives, if it is a pair of arrays like its halves.

    >>> require_pair([[1], [2]], np.array([3]), 0)
    (array([1]), array([2]))
    """
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise InvalidTypeError(
            f"the stage of bit {bit} gives a {type(found).__name__}",
            "it gives two arrays: what becomes of the low ones, and of the high ones",
            "return (low, high)",
        )
    first, second = (as_array(part) for part in found)
    for part in (first, second):
        if (part.shape, part.dtype) != (low.shape, low.dtype):
            raise InvalidValueError(
                f"the stage of bit {bit} gives an array of shape {part.shape} and dtype "
                f"{part.dtype}",
                f"it was given pairs of shape {low.shape} and dtype {low.dtype}, which stay",
                "call astype on the array first",
            )
    return first, second
