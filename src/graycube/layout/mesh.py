"""Building the map of a mesh layout from its axes.

Rule: the word of an axis passes through its codes (one for the whole axis, or one for the node
field and one for the slot field), and its coded bits are then dealt to the address: node bits
to cube dimensions, slot bits to memory, both in C order unless ``dims`` says otherwise. So the
map is a permutation matrix times a block-diagonal code matrix.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from math import prod
from typing import Literal, TypeVar, get_args

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import (
    AffineMap,
    Matrix,
    gray_matrix,
    is_power_of_two,
    log2_exact,
    require_int,
    require_ints,
)
from graycube.layout.axis import Axis
from graycube.layout.owned_mesh import owned_mesh
from graycube.layout.ownership import Ownership
from graycube.layout.required import per_axis, require_word

CodeName = Literal["binary", "gray"]
Allocation = Literal["consecutive", "cyclic"]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _CodedAxis:
    """An axis with the code of its word; the node field starts at bit ``node_low``."""

    axis: Axis
    node_bits: int
    node_low: int
    code: Matrix


def code_matrix(code: str | None, width: int) -> Matrix:
    """The matrix of a code on a field of ``width`` bits.

    >>> code_matrix("gray", 3)(5)
    7
    """
    require_word(code, get_args(CodeName), "the code")
    return gray_matrix(width) if code == "gray" else Matrix.identity(width)


def mesh_address(  # noqa: PLR0913, PLR0917
    shape: Sequence[int],
    nodes: Sequence[int],
    code: CodeName | Sequence[CodeName],
    slots: CodeName | Sequence[CodeName],
    whole: CodeName | Sequence[CodeName | None] | None,
    allocation: Allocation | Sequence[Allocation],
    dims: Sequence[Sequence[int]] | None,
) -> tuple[tuple[Axis, ...], int, AffineMap]:
    """The axes, the number of node bits and the address map of a mesh layout."""
    d = len(shape)
    if len(nodes) != d or d == 0:
        raise InvalidValueError(
            f"shape has {d} axes and nodes has {len(nodes)}",
            "each axis, and there is at least one, needs its number of nodes",
            "use 1 for an axis that is not distributed"
            + f", or gc.node_mesh({prod(nodes)}, {d})" * (d > 0),
        )
    columns = zip(
        shape,
        nodes,
        per_axis(code, d, "code"),
        per_axis(slots, d, "slots"),
        per_axis(whole, d, "whole"),
        per_axis(allocation, d, "allocation"),
        strict=True,
    )
    coded = [_coded_axis(k, *column) for k, column in enumerate(columns)]
    codes = Matrix.block_diagonal(c.code for c in reversed(coded))
    placed = Matrix.permutation(_targets(coded, _dimensions(coded, dims))) @ codes
    return tuple(c.axis for c in coded), sum(c.node_bits for c in coded), AffineMap(placed)


def by_ownership(
    shape: Sequence[int],
    nodes: Sequence[int],
    asked: bool | None,  # noqa: FBT001 - it may be neither
    *,
    plain: bool,
) -> bool:
    """Whether a mesh is in boxes: if that is asked for, or it has to be, or ``plain`` ones are.

    >>> [by_ownership((64, 48), (8, count), None, plain=True) for count in (4, 5)]
    [True, True]
    >>> [by_ownership((64, 48), (8, count), None, plain=False) for count in (4, 5)]
    [False, True]
    """
    if len(shape) != len(nodes) or not shape:
        return False
    if asked is not None:
        return asked
    pairs = [*zip(shape, nodes, strict=True)]
    uneven = any(not is_power_of_two(count) or length % count for length, count in pairs)
    return uneven or (plain and not all(map(is_power_of_two, shape)))


def mesh_owned(  # noqa: PLR0913, PLR0917
    shape: Sequence[int],
    nodes: Sequence[int],
    code: CodeName | Sequence[CodeName],
    slots: CodeName | Sequence[CodeName],
    whole: CodeName | Sequence[CodeName | None] | None,
    allocation: Allocation | Sequence[Allocation],
    dims: Sequence[Sequence[int]] | None,
) -> Ownership:
    """The layout by ownership of a mesh on which lengths or numbers of nodes are any."""
    for k, (length, count) in enumerate(zip(shape, nodes, strict=True)):
        require_int(length, f"the length of axis {k}", least=1)
        require_int(count, f"the number of nodes of axis {k}", least=1)
    d = len(shape)
    codes, places = per_axis(code, d, "code"), per_axis(allocation, d, "allocation")
    for name, place in zip(codes, places, strict=True):
        require_word(name, get_args(CodeName), "the code")
        require_word(place, get_args(Allocation), "the allocation")
    further = {
        "slots": {*per_axis(slots, d, "slots")} != {"binary"},
        "whole": {*per_axis(whole, d, "whole")} != {None},
        "dims": dims is not None,
    }
    found = owned_mesh(shape, nodes, codes, places)
    if given := [name for name, there in further.items() if there]:
        why, instead = found.why_not_even() or ("ownership is True", "or say ownership=False")
        raise InvalidValueError(
            f"{given[0]} is given, and {why}",
            "bits have codes and dimensions where 2^k nodes divide the length",
            f"leave {given[0]} out; {instead}",
        )
    return found


def _coded_axis(  # noqa: PLR0913, PLR0917
    k: int,
    length: int,
    nodes: int,
    code: str | None,
    slots: str | None,
    whole: str | None,
    allocation: str | None,
) -> _CodedAxis:
    require_word(allocation, get_args(Allocation), "the allocation")
    bits, extent, node_bits = _split_length(k, length, nodes)
    cyclic = allocation == "cyclic"
    node_low = 0 if cyclic else bits - node_bits
    axis = Axis(bits, extent, low=node_bits if cyclic else 0)
    fields = [code_matrix(code, node_bits), code_matrix(slots, bits - node_bits)]
    if whole is None:
        matrix = Matrix.block_diagonal(fields if cyclic else reversed(fields))
        return _CodedAxis(axis, node_bits, node_low, matrix)
    if (code, slots) != ("binary", "binary"):
        raise InvalidValueError(
            f"axis {k} has whole={whole!r} beside the codes {code!r} and {slots!r}",
            "one code for the whole address leaves no fields to code apart",
            "give either whole, or the codes of nodes and slots",
        )
    return _CodedAxis(axis, node_bits, node_low, code_matrix(whole, bits))


def _split_length(k: int, length: int, nodes: int) -> tuple[int, int, int]:
    """Address bits, extent and node bits of axis k, or the error that says what would work."""
    require_int(length, f"the length of axis {k}", least=1)
    node_bits = log2_exact(nodes, f"the number of nodes of axis {k}")
    if length % nodes:
        below = length // nodes * nodes
        nearest = f"{below} and {below + nodes}" if below > 0 else str(nodes)
        raise InvalidValueError(
            f"axis {k} has {length} elements on {nodes} nodes",
            "the length must be a multiple of the number of nodes",
            f"the nearest that are: {nearest}",
        )
    bits = (length & -length).bit_length() - 1
    return bits, length >> bits, node_bits


def _dimensions(
    coded: Sequence[_CodedAxis], dims: Sequence[Sequence[int]] | None
) -> list[list[int]]:
    """The cube dimensions of each axis, least significant first."""
    widths = [c.node_bits for c in coded]
    n = sum(widths)
    if dims is None:
        tops = accumulate(widths, lambda top, width: top - width, initial=n)
        return [list(range(top - b, top)) for top, b in zip(tops, widths, strict=False)]
    dims = [require_ints(d, "dims") for d in _entries(dims, "dims")]
    if [len(d) for d in dims] != widths or sorted(chain(*dims)) != list(range(n)):
        raise InvalidValueError(
            f"dims is {tuple(map(tuple, dims))}",
            f"the axes have {tuple(widths)} node bits, and each of 0..{n - 1} must occur once",
            "name the cube dimensions of each axis, most significant first",
        )
    return [list(d)[::-1] for d in dims]


def _targets(coded: Sequence[_CodedAxis], dims: Sequence[Sequence[int]]) -> list[int]:
    """The address bit of every coded bit of the word, lowest first."""
    targets: list[int] = []
    slot = sum(c.node_bits for c in coded)
    for c, axis_dims in reversed(list(zip(coded, dims, strict=True))):
        slots = range(slot, slot + c.axis.bits - c.node_bits)
        slot = slots.stop
        targets += [*slots[: c.node_low], *axis_dims, *slots[c.node_low :]]
    return targets


def _entries(value: Iterable[_T], name: str) -> tuple[_T, ...]:
    if not isinstance(value, Iterable):
        raise InvalidTypeError(
            f"{name} is {value!r}", "it must be one name or a sequence", "see help(Layout.mesh)"
        )
    return tuple(value)
