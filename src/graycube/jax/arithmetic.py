"""Arithmetic of arrays that carry their layout: block by block, and nothing is sent."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import jax.numpy as jnp

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.jax.names import Block, Dtype
from graycube.layout import Layout

_Operator = Callable[[Any, object], Any]


def _with(how: Callable[[Block, Block], Block]) -> _Operator:
    """The method of an operator: what is made of two blocks."""

    def method(self: "Arithmetic", other: object) -> "Arithmetic":
        return replace(self, blocks=how(self.blocks, self._meeting(other)))

    return method


def _both(how: Callable[[Block, Block], Block]) -> tuple[_Operator, _Operator]:
    """The same, and the one for what meets the array from the left."""
    return _with(how), _with(lambda mine, theirs: how(theirs, mine))


@dataclass(frozen=True, eq=False, repr=False)
class Arithmetic:
    """Blocks in a layout, with the operators of Python.

    What they meet has the same layout, or is a number. NumPy leaves the operators to them, and
    makes no array of them: the elements are on several devices.
    """

    blocks: Block
    layout: Layout

    __array_ufunc__ = None

    def map(self, function: Callable[..., Block], *others: object) -> Self:
        """An elementwise function of the array, such as ``jnp.sin``, or of it and others.

        What looks along an axis, such as a softmax, does not belong here: a device has a part.

        >>> from graycube.jax import Array
        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(8), jax.NamedSharding(mesh, jax.P("x")))
        >>> a = Array.from_array(x)
        >>> float(a.map(jnp.log).blocks.sum())
        0.0
        >>> float((a < 2).map(jnp.where, a, 5).blocks.sum())  # where(a < 2, a, 5)
        8.0
        """
        made = function(self.blocks, *(self._meeting(other) for other in others))
        if jnp.shape(made) != jnp.shape(self.blocks):
            raise InvalidValueError(
                f"a function gave shape {jnp.shape(made)} for {jnp.shape(self.blocks)}",
                "map takes elementwise functions",
                "for a sum, a mean or a norm write a.blocks.sum()",
            )
        return replace(self, blocks=made)

    def __array__(self, dtype: Dtype = None, copy: bool | None = None) -> Dtype:  # noqa: FBT001
        """Refuse to become a plain array in silence."""
        raise InvalidTypeError(
            f"a gc.jax.Array of shape {self.layout.shape} is to become an array of NumPy",
            "its elements are on several devices, in the order of a layout",
            "call to_cube(), or take to_array(), which is an array of JAX",
        )

    def _meeting(self, other: object) -> Block:
        """The blocks of another array in the same layout, or a number."""
        if isinstance(other, Arithmetic):
            if other.layout != self.layout:
                raise InvalidValueError(
                    f"arrays of layouts {self.layout} and {other.layout} meet",
                    "elementwise arithmetic needs one layout",
                    "bring one to the other: b.relayout(a.layout)",
                )
            return other.blocks
        if jnp.ndim(other):
            raise InvalidTypeError(
                f"a gc.jax.Array meets an array of shape {jnp.shape(other)}",
                "what it has in which place is not known",
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
    __and__, __or__ = _with(operator.and_), _with(operator.or_)
    __lt__, __le__ = _with(operator.lt), _with(operator.le)
    __gt__, __ge__ = _with(operator.gt), _with(operator.ge)
    __eq__, __ne__ = _with(operator.eq), _with(operator.ne)  # by element, as NumPy
    __hash__ = None  # type: ignore[assignment]  # as arrays, which compare by element

    def __bool__(self) -> bool:
        """Refuse to be one truth value of many."""
        raise InvalidValueError(
            f"a gc.jax.Array of shape {self.layout.shape} is to be true or false",
            "it has a truth value for each element",
            "write (a == b).blocks.all(), or any()",
        )

    def __invert__(self) -> Self:
        return self.map(operator.invert)

    def __neg__(self) -> Self:
        return self.map(operator.neg)

    def __abs__(self) -> Self:
        return self.map(abs)
