"""The layout: an affine bijection over GF(2) from logical index to machine address.

Rules. A machine address is ``(slot || node)``: the node number in its n low bits, the memory
slot above. The p-bit logical word is the address bits of all axes, first axis highest, so
that without extents it is the index in C order. What is not a power of two (the extents of
the axes) never enters the map: it is a payload of C-ordered elements behind every slot, and
``slot`` counts elements of the block with the address bits first, extents last. Where nodes
have copies of each other's elements, the highest bits of the word tell the copies apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Matrix, require_int, require_ints
from graycube.layout import copied, text
from graycube.layout.affine import AffinePlacement
from graycube.layout.axis import Axis
from graycube.layout.mesh import Allocation, CodeName, by_ownership, mesh_address, mesh_owned
from graycube.layout.ownership import Ownership
from graycube.layout.required import left_axes, require_order
from graycube.show import Piece as SheetPiece, Sheet, Shown
from graycube.texts import in_digits


@dataclass(frozen=True)
class Layout(AffinePlacement, Shown):
    """Where every element of an array over 2^n nodes is.

    ``Layout(map, n)`` takes any invertible affine map of p bits; the class methods build the
    usual ones. Two layouts are equal exactly when they put every element in the same place.

    >>> layout = Layout.cyclic(10, 4, nodes="gray")
    >>> print(layout)
    (b9 b8 b7 b6 b5 b4 || b3 g2 g1 g0)
    >>> layout.locate(21)  # 21 = 1 * 16 + 5, and gray(5) = 7
    (7, 1)
    >>> layout.index(7, 1)
    21
    """

    map: AffineMap
    n: int
    axes: tuple[Axis, ...] = ()
    copies: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.map, AffineMap):
            raise InvalidTypeError(
                f"the map is {self.map!r:.60}",
                "a layout is an affine map of bits",
                "pass graycube.gf2.AffineMap(matrix), or use Layout.mesh",
            )
        _ = self.inverse_map  # a layout is a bijection: this raises where the map is none
        object.__setattr__(self, "n", require_int(self.n, "n"))
        if not 0 <= self.n <= self.p:
            raise InvalidValueError(
                f"n is {self.n}",
                f"an address of {self.p} bits has 0..{self.p} node bits",
                "use fewer node bits or a larger map",
            )
        object.__setattr__(self, "copies", require_int(self.copies, "copies", least=0))
        axes = tuple(self.axes) or (Axis(max(self.p - self.copies, 0)),)
        object.__setattr__(self, "axes", axes)
        if sum(axis.bits for axis in axes) + self.copies != self.p:
            tell = f" and {self.copies} copy bits" if self.copies else ""
            raise InvalidValueError(
                f"the axes have {'+'.join(str(axis.bits) for axis in axes)} address bits{tell}",
                f"the map has {self.p}",
                "give the axes as many bits as the map",
            )
        if self.copies:
            one_form = copied.canonical(self.map, self.n, self.copies)
            object.__setattr__(self, "map", one_form)
            self.__dict__.pop("inverse_map")  # it was that of the other form

    @cached_property
    def _hash(self) -> int:
        return hash((self.map, self.n, self.axes, self.copies))

    def __hash__(self) -> int:  # the same each time, for a layout is a key again and again
        return self._hash

    @classmethod
    def mesh(  # noqa: PLR0913
        cls,
        shape: int | Sequence[int],
        nodes: int | Sequence[int],
        *,
        code: CodeName | Sequence[CodeName] = "binary",
        slots: CodeName | Sequence[CodeName] = "binary",
        whole: CodeName | Sequence[CodeName | None] | None = None,
        allocation: Allocation | Sequence[Allocation] = "consecutive",
        dims: Sequence[Sequence[int]] | None = None,
        ownership: bool | None = None,
    ) -> "Layout":
        """An array of any number of axes over a mesh of nodes.

        Axis k has ``shape[k]`` elements on ``nodes[k]`` nodes. Each of the other arguments is
        one value for all axes or one per axis: ``code`` of the node bits, code of the
        ``slots``, or one code for the ``whole`` address of the axis; ``allocation`` is
        "consecutive" or "cyclic". ``dims[k]`` names the cube dimensions of axis k, most
        significant first; by default the first axis has the highest ones.

        Where all lengths and numbers of nodes are powers of two, this is a :class:`Layout`,
        which plans and the papers are about. Anywhere else it is an :class:`Ownership`: each
        node has a box of ceil(length / nodes) elements along each axis, in C order; the last
        ones have fewer or none. Plans take such a layout too if the boxes are equal, on 2^n
        nodes. To type checkers all are a Layout: arrays do the same with both kinds, and what
        needs the map of a Layout refuses the other and says why.

        ``ownership=True`` makes boxes in any case. With ``ownership=False``, and where
        ``slots``, ``whole`` or ``dims`` is given, lengths are 2^k times an odd extent: 2^n
        nodes have to divide them, and blocks have all address bits before all extents.

        >>> print(Layout.mesh((64, 32), nodes=(8, 4), code="gray"))
        (b0:2 b0:1 b0:0 b1:2 b1:1 b1:0 || b0:5 g0:4 g0:3 b1:4 g1:3)
        >>> Layout.mesh((1000,), nodes=(8,), code="gray").locate(999)
        (4, 124)
        >>> Layout.mesh((1000, 7), nodes=(16, 3))
        <Ownership (1000, 7) on 48 nodes: (1000 on 16, 7 on 3)>
        >>> print(Layout.mesh((1000,), nodes=(8,), code="gray", ownership=False))
        (|| b2 g1 g0) x 125
        """
        shape, nodes = require_ints(shape, "shape"), require_ints(nodes, "nodes")
        plain = (slots, whole, dims) == ("binary", None, None)
        if by_ownership(shape, nodes, ownership, plain=plain):
            owned: Any = mesh_owned(shape, nodes, code, slots, whole, allocation, dims)
            return owned  # type: ignore[no-any-return] # plans want a Layout, arrays take both
        axes, n, address = mesh_address(shape, nodes, code, slots, whole, allocation, dims)
        return cls(address, n, axes)

    @classmethod
    def consecutive(
        cls,
        p: int,
        n: int,
        *,
        nodes: CodeName = "binary",
        slots: CodeName = "binary",
        whole: CodeName | None = None,
    ) -> "Layout":
        """2^p elements over 2^n nodes, neighbours together: the high index bits are the node.

        >>> print(Layout.consecutive(6, 2, nodes="gray"))
        (b3 b2 b1 b0 || b5 g4)
        """
        shape, over = _powers(p, n)
        return cls.mesh(shape, over, code=nodes, slots=slots, whole=whole)

    @classmethod
    def cyclic(
        cls,
        p: int,
        n: int,
        *,
        nodes: CodeName = "binary",
        slots: CodeName = "binary",
        whole: CodeName | None = None,
    ) -> "Layout":
        """2^p elements over 2^n nodes, dealt out in turn: the low index bits are the node.

        >>> print(Layout.cyclic(6, 2, whole="gray"))
        (b5 g4 g3 g2 || g1 g0)
        """
        shape, over = _powers(p, n)
        return cls.mesh(shape, over, code=nodes, slots=slots, whole=whole, allocation="cyclic")

    @classmethod
    def nodes(cls, n: int, code: CodeName = "binary") -> "Layout":
        """One block of any size on each of 2^n nodes: block i lives on the node of its code.

        >>> Layout.nodes(3, "gray").locate(5)
        (7, 0)
        """
        n = require_int(n, "n", least=0)
        return cls.consecutive(n, n, nodes=code)

    @classmethod
    def parse(cls, address_field: str) -> "Layout":
        """The layout that prints as ``address_field``, the notation of TR-764.

        >>> Layout.parse("(b3 || b2 g1 g0)") == Layout.cyclic(4, 3, nodes="gray")
        True
        """
        address, n, axes, copies = text.parse(address_field)
        if not address.matrix.is_invertible():
            raise InvalidValueError(
                f"the bits of {address_field[:80]!r} do not tell all indices apart",
                f"{address.width} independent sums of index bits are needed",
                "look for a bit that is missing or repeated",
            )
        return cls(address, n, axes, copies)

    def without_axes(self, axes: Sequence[int], *, keepdims: bool = False) -> "Layout":
        """The layout of what is left when the elements along some axes become one.

        It stays on the nodes where it comes about. So nodes that differ in bits of these axes
        only have copies of the same elements, and ``c0`` says which node bits tell them apart.
        With ``keepdims`` the axes stay, with a length of 1.

        >>> mesh = Layout.mesh((8, 8), nodes=(4, 2))
        >>> print(mesh.without_axes([0]))
        (b1 b0 || c1 c0 b2)
        >>> print(mesh.without_axes([1], keepdims=True))
        (b0:0 || b0:2 b0:1 c0) x 1 on axis 1
        """
        gone, kept = left_axes(self.axes, axes, Axis(0), keepdims=keepdims)
        return _left(self, tuple(gone), kept)

    def facts(self) -> tuple[SheetPiece, ...]:
        """The address bits, what is what in them, and the sizes.

        >>> Layout.nodes(2).facts()[-1]
        '4 elements on 4 nodes, 1 on each'
        """
        from graycube.layout.sheet import facts  # noqa: PLC0415 - it is about layouts

        return facts(self)

    def permuted(self, order: Sequence[int]) -> "Layout":
        """The layout with its axes in another order; every element stays on its node.

        >>> print(Layout.mesh((4, 2), nodes=(2, 1)).permuted([1, 0]))
        (b1:0 b0:0 || b1:1)
        """
        order, columns = require_order(order, len(self.axes)), self.map.matrix.columns
        bits = [columns[bit] for k in reversed(order) for bit in self.word_bits(k)]
        address = AffineMap(Matrix((*bits, *self.copy_flips), self.p), self.map.constant)
        return replace(self, map=address, axes=tuple(self.axes[k] for k in order))

    def raised(self, count: int) -> "Layout":
        """The layout with so many axes of length 1 before its own.

        >>> Layout.nodes(2).raised(1).shape
        (1, 4)
        """
        return replace(self, axes=(Axis(0),) * count + self.axes)

    def conversion(self, target: "Layout") -> AffineMap:
        """The map on machine addresses that takes this layout to ``target``.

        >>> gray, binary = Layout.nodes(3, "gray"), Layout.nodes(3)
        >>> [gray.conversion(binary)(a) for a in range(8)]
        [0, 1, 3, 2, 7, 6, 4, 5]
        """
        if not isinstance(target, Layout):
            raise InvalidTypeError(
                f"the target is {target!r:.80}",
                "it must be a Layout",
                "build one, for example with Layout.mesh",
            )
        pairs = enumerate(zip(self.axes, target.axes, strict=False))
        moved = [(k, a, b) for k, (a, b) in pairs if a != b]
        if self.shape == target.shape and moved:
            k, a, b = moved[0]
            raise InvalidValueError(
                f"the factor {a.extent} of axis {k} is above bit {a.low} of its index here, "
                f"above bit {b.low} there",
                "a conversion moves bits",
                "bring both into one allocation, or transform spectra back first",
            )
        if (self.axes, self.n, self.copies) != (target.axes, target.n, target.copies):
            raise InvalidValueError(
                f"{self.shape} on 2^{self.n} nodes meets {target.shape} on 2^{target.n} nodes",
                "a conversion keeps the array and the nodes",
                "give both layouts the same shape, nodes and copies",
            )
        return target.map @ self.inverse_map

    def __matmul__(self, other: AffineMap) -> "Layout":
        """The layout with word w where this one has ``other(w)``: indices in a new order."""
        if not isinstance(other, AffineMap):
            return NotImplemented
        return replace(self, map=self.map @ other)

    def __rmatmul__(self, other: AffineMap) -> "Layout":
        """The layout after every element at address a has moved to ``other(a)``."""
        if not isinstance(other, AffineMap):
            return NotImplemented
        return replace(self, map=other @ self.map)

    @cached_property
    def _text(self) -> str:
        return text.address_field(self.map, self.n, self.axes)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Layout {self.shape} on {1 << self.n} nodes: {self}>"

    def _sheet(self) -> Sheet:
        from graycube.layout.sheet import sheet_of  # noqa: PLC0415 - it is about layouts

        return sheet_of(self)


@lru_cache(maxsize=256)  # a program reduces along the same axes again and again
def _left(layout: Layout, gone: tuple[int, ...], kept: tuple[Axis, ...]) -> Layout:
    address, copies = copied.without_axes(layout.map, layout.n, layout.axes, gone)
    return Layout(address, layout.n, kept, copies)


def require_cube(layout: object, what: str) -> Layout:
    """The layout, if it is one in bits: equal blocks on 2^n nodes, whose slots have bits.

    >>> require_cube(Layout.mesh((9,), nodes=(4,)), "a plan")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: axis 0 has 9 elements on 4 nodes: a plan needs equally
    many elements on each of 2^n nodes; the nearest lengths are 8 and 12; arrays take any, and
    CubeArray.relayout goes between them
    """
    if isinstance(layout, Ownership):
        if (uneven := layout.why_not_even()) is None:
            raise InvalidValueError(
                f"the layout {layout} has boxes in C order",
                f"{what} needs slots that are numbered by bits",
                "use Layout.mesh(..., ownership=False), and CubeArray.relayout to go there",
            )
        raise InvalidValueError(
            uneven[0],
            f"{what} needs equally many elements on each of 2^n nodes",
            f"{uneven[1]}; arrays take any, and CubeArray.relayout goes between them",
        )
    if not isinstance(layout, Layout):
        raise InvalidTypeError(
            f"the layout is {layout!r:.60}",
            "it must be a Layout",
            "build one, for example Layout.nodes(6, 'gray') for 2^6 nodes",
        )
    return layout


def _powers(p: int, n: int) -> tuple[tuple[int], tuple[int]]:
    p, n = require_int(p, "p"), require_int(n, "n")
    if p > text.MAX_BITS:
        elements, over = in_digits(p), in_digits(n)
        raise InvalidValueError(
            f"the index has {elements} bits",
            f"there are at most {text.MAX_BITS}, of 2^{text.MAX_BITS} elements",
            f"for {elements} elements say Layout.mesh(({elements},), ({over},))",
        )
    if not 0 <= n <= p:
        raise InvalidValueError(
            f"p is {p} and n is {n}",
            "0 <= n <= p is needed: every node holds at least one element",
            "use fewer nodes, or Layout.nodes(n) with a block per node",
        )
    return (1 << p,), (1 << n,)
