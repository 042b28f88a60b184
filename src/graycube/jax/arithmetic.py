"""Arithmetic of arrays that carry their layout: block by block, and nothing is sent."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, NoReturn, Self

import jax.numpy as jnp
import numpy as np

from graycube.array import CubeArray
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.jax.names import Block, Dtype
from graycube.layout import Layout

_HINTS = {
    1: "use a batch within jax.vmap, or take one of it: jax.tree.map(lambda v: v[k], batch)",
    0: "spread elements by gc.jax.Array.from_array(x, layout)",
    -1: "vmap and scan take an array apart by its devices: name axes instead, as in "
    "gc.jax.fftn(a, axes=axes), or take a.to_array()",
}
"""By what the blocks have of axes: too many, the right number, too few."""

_Operator = Callable[[Any, object], Any]


def _with(how: Callable[[Block, Block], Block]) -> _Operator:
    """The method of an operator: what is made of two blocks."""

    def method(self: "Arithmetic", other: object) -> "Arithmetic":
        require_numbers(other)
        return self.map(how, other)

    return method


def require_numbers(other: object) -> None:
    """Refuse what is neither an array nor a number.

    >>> require_numbers(2.5)
    """
    known = isinstance(other, Arithmetic | CubeArray) or hasattr(other, "__jax_array__")
    if not known and not hasattr(other, "dtype") and np.asarray(other).dtype.kind in "OSU":
        raise InvalidTypeError(
            f"a gc.jax.Array meets a {type(other).__name__}",
            "operators work by element, with numbers and arrays, also == and !=",
            "write `a is None`, or pass a number",
        )


def _both(how: Callable[[Block, Block], Block]) -> tuple[_Operator, _Operator]:
    """The same, and the one for what meets the array from the left."""
    return _with(how), _with(lambda mine, theirs: how(theirs, mine))


@dataclass(frozen=True, eq=False, repr=False)
class Arithmetic:
    """Blocks in a layout, with the operators of Python.

    What they meet has the same layout, or is a number, or aligns with the payload: what blocks
    have behind their slots. NumPy leaves the operators to them, and makes no array of them: the
    elements are on several devices.
    """

    blocks: Block
    layout: Layout
    payload: tuple[int, ...] = field(init=False)

    __array_ufunc__ = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "payload", tuple(self.blocks.shape[2:]))
        self.require_blocks()

    def require_blocks(self) -> Block:
        """The blocks, if they are those of the array: neither a batch of them nor a part.

        JAX puts leaves of any shape into a pytree: ``vmap`` gives it one axis more, and takes
        one away.

        >>> from graycube.jax import Array
        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(16), jax.NamedSharding(mesh, jax.P("x")))
        >>> Array.from_array(x).require_blocks().shape
        (8, 2)
        """
        found = tuple(self.blocks.shape)
        wanted = (1 << self.layout.n, self.layout.block_size, *self.payload)
        if found != wanted:
            raise InvalidValueError(
                f"the blocks have shape {found}",
                f"those of an array of shape {self.shape} on {wanted[0]} devices have {wanted}",
                _HINTS[(len(found) > len(wanted)) - (len(found) < len(wanted))],
            )
        return self.blocks

    @property
    def ndim(self) -> int:
        """The number of axes, with those of the payload.

        >>> from graycube.jax import Array
        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones((3, 8)), jax.NamedSharding(mesh, jax.P(None, "x")))
        >>> Array.from_array(x).ndim
        2
        """
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements on all devices together.

        >>> from graycube.jax import Array
        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones((3, 8)), jax.NamedSharding(mesh, jax.P(None, "x")))
        >>> Array.from_array(x).size
        24
        """
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Their bytes.

        >>> from graycube.jax import Array
        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones((3, 8)), jax.NamedSharding(mesh, jax.P(None, "x")))
        >>> Array.from_array(x).nbytes
        96
        """
        return self.size * int(self.blocks.dtype.itemsize)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes, and of those of the payload.

        >>> from graycube.jax import Array
        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones((3, 8)), jax.NamedSharding(mesh, jax.P(None, "x")))
        >>> Array.from_array(x).shape
        (3, 8)
        """
        return *self.layout.shape, *self.payload

    def map(self, function: Callable[..., Block], *others: object) -> Self:
        """An elementwise function of the array, such as ``jnp.sin``, or of it and others.

        It is given blocks, with all that a device has. What looks along an axis, such as a
        softmax, does not belong here, nor does an array that the function knows from outside.

        >>> from graycube.jax import Array
        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(8), jax.NamedSharding(mesh, jax.P("x")))
        >>> a = Array.from_array(x)
        >>> float(a.map(jnp.log).blocks.sum())
        0.0
        >>> float((a < 2).map(jnp.where, a, 5).blocks.sum())  # where(a < 2, a, 5)
        8.0
        """
        axes = max(len(x.payload) for x in (self, *others) if isinstance(x, Arithmetic))
        values = [self._meeting(x, axes) for x in (self, *others)]
        shapes = [jnp.shape(value) for value in values]
        try:
            wanted = np.broadcast_shapes(*shapes)
        except ValueError:
            payloads = " and ".join(str(shape[-axes:]) for shape in shapes)
            raise InvalidValueError(
                f"payloads of shapes {payloads} meet",
                "they align from the last axis back",
                "stack arrays of one shape",
            ) from None
        made = function(*values)
        if jnp.shape(made) != wanted:
            raise InvalidValueError(
                f"a function gave shape {jnp.shape(made)} for {wanted}",
                "map takes elementwise functions",
                "for a sum, a mean or a norm write a.blocks.sum()",
            )
        return replace(self, blocks=made)

    def __getattr__(self, name: str) -> NoReturn:
        """Say what to write instead of what arrays of JAX have."""
        raise AttributeError(
            f"a gc.jax.Array has no {name!r}: write a.map(jnp.real) for what goes by element, "
            "a.blocks.sum() for what takes all, and a.to_array() for the rest",
            name=name,
            obj=self,
        )

    def __getitem__(self, _index: object) -> NoReturn:
        """Refuse, and so in loops as well."""
        raise InvalidTypeError(
            f"elements of a gc.jax.Array of shape {self.shape} are to be read by their index",
            "they are on several devices, in the order of a layout",
            "index np.asarray(a.to_array()), or a.to_array() as JAX does",
        )

    def __array__(self, dtype: Dtype = None, copy: bool | None = None) -> Dtype:  # noqa: FBT001
        """Refuse to become a plain array in silence."""
        raise InvalidTypeError(
            f"a gc.jax.Array of shape {self.shape} is to become an array of NumPy",
            "its elements are on several devices, in the order of a layout",
            "call to_cube(), or take to_array(), which is an array of JAX",
        )

    def _meeting(self, other: object, axes: int) -> Block:
        """The blocks of an array in this layout, with so many axes of payload, or a number."""
        if isinstance(other, Arithmetic):
            if other.layout != self.layout:
                raise InvalidValueError(
                    f"arrays of layouts {self.layout} and {other.layout} meet",
                    "elementwise arithmetic needs one layout",
                    "bring one to the other: b.relayout(a.layout)",
                )
            blocks, more = other.require_blocks(), axes - len(other.payload)
            return jnp.expand_dims(blocks, range(2, 2 + more)) if more else blocks
        if isinstance(other, CubeArray):
            raise InvalidTypeError(
                "a gc.jax.Array meets a CubeArray",
                "its blocks are in the memory of this process",
                "take it to the devices, with gc.jax.Array.from_cube(u, a.sharding)",
            )
        if jnp.ndim(other) > axes:
            raise InvalidTypeError(
                f"a gc.jax.Array meets an array of shape {jnp.shape(other)}",
                f"plain arrays align with the payload, which has {axes} axes here",
                "make it one, with gc.jax.Array.from_array(x, a.layout)",
            )
        return other

    __add__, __radd__ = _both(operator.add)
    __sub__, __rsub__ = _both(operator.sub)
    __mul__, __rmul__ = _both(operator.mul)
    __truediv__, __rtruediv__ = _both(operator.truediv)
    __pow__, __rpow__ = _both(operator.pow)
    __floordiv__, __rfloordiv__ = _both(operator.floordiv)
    __mod__, __rmod__ = _both(operator.mod)
    __and__, __rand__ = _both(operator.and_)
    __or__, __ror__ = _both(operator.or_)
    __xor__, __rxor__ = _both(operator.xor)
    __lshift__, __rlshift__ = _both(operator.lshift)
    __rshift__, __rrshift__ = _both(operator.rshift)
    __lt__, __le__ = _with(operator.lt), _with(operator.le)
    __gt__, __ge__ = _with(operator.gt), _with(operator.ge)
    __eq__, __ne__ = _with(operator.eq), _with(operator.ne)  # by element, as NumPy
    __hash__ = None  # type: ignore[assignment]  # as arrays, which compare by element

    def __bool__(self) -> bool:
        """Refuse to be one truth value of many."""
        raise InvalidValueError(
            f"a gc.jax.Array of shape {self.shape} is to be true or false",
            "it has a truth value for each element",
            "write (a == b).blocks.all(), or any()",
        )

    def __invert__(self) -> Self:
        return self.map(operator.invert)

    def __pos__(self) -> Self:
        return self.map(operator.pos)

    def __neg__(self) -> Self:
        return self.map(operator.neg)

    def __abs__(self) -> Self:
        return self.map(abs)
