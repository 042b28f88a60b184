"""Arithmetic of arrays that carry their layout: block by block, and nothing is sent."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import jax.numpy as jnp

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.jax.names import Block, Dtype
from graycube.layout import Layout


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

    def _with(self, other: object, how: Callable[[Block, Block], Block]) -> Self:
        return replace(self, blocks=how(self.blocks, self._meeting(other)))

    def _after(self, other: object, how: Callable[[Block, Block], Block]) -> Self:
        return self._with(other, lambda mine, theirs: how(theirs, mine))

    def __add__(self, other: object) -> Self:
        return self._with(other, operator.add)

    def __radd__(self, other: object) -> Self:
        return self._after(other, operator.add)

    def __sub__(self, other: object) -> Self:
        return self._with(other, operator.sub)

    def __rsub__(self, other: object) -> Self:
        return self._after(other, operator.sub)

    def __mul__(self, other: object) -> Self:
        return self._with(other, operator.mul)

    def __rmul__(self, other: object) -> Self:
        return self._after(other, operator.mul)

    def __truediv__(self, other: object) -> Self:
        return self._with(other, operator.truediv)

    def __rtruediv__(self, other: object) -> Self:
        return self._after(other, operator.truediv)

    def __pow__(self, other: object) -> Self:
        return self._with(other, operator.pow)

    def __rpow__(self, other: object) -> Self:
        return self._after(other, operator.pow)

    def __floordiv__(self, other: object) -> Self:
        return self._with(other, operator.floordiv)

    def __rfloordiv__(self, other: object) -> Self:
        return self._after(other, operator.floordiv)

    def __mod__(self, other: object) -> Self:
        return self._with(other, operator.mod)

    def __rmod__(self, other: object) -> Self:
        return self._after(other, operator.mod)

    def __and__(self, other: object) -> Self:
        return self._with(other, operator.and_)

    def __or__(self, other: object) -> Self:
        return self._with(other, operator.or_)

    def __lt__(self, other: object) -> Self:
        return self._with(other, operator.lt)

    def __le__(self, other: object) -> Self:
        return self._with(other, operator.le)

    def __gt__(self, other: object) -> Self:
        return self._with(other, operator.gt)

    def __ge__(self, other: object) -> Self:
        return self._with(other, operator.ge)

    def __eq__(self, other: object) -> Self:  # type: ignore[override]  # by element, as NumPy
        return self._with(other, operator.eq)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]  # by element, as NumPy
        return self._with(other, operator.ne)

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
