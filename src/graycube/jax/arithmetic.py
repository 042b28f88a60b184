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

    def map(self, function: Callable[[Block], Block]) -> Self:
        """An elementwise function of the array, such as ``jnp.sin``.

        >>> from graycube.jax import Array
        >>> mesh = jax.make_mesh((8,), ("x",))
        >>> x = jax.device_put(jnp.ones(8), jax.NamedSharding(mesh, jax.P("x")))
        >>> float(Array.from_array(x).map(jnp.log).blocks.sum())
        0.0
        """
        return replace(self, blocks=function(self.blocks))

    def __array__(self, dtype: Dtype = None, copy: bool | None = None) -> Dtype:  # noqa: FBT001
        """Refuse to become a plain array in silence."""
        raise InvalidTypeError(
            f"a gc.jax.Array of shape {self.layout.shape} is to become an array of NumPy",
            "its elements are on several devices, in the order of a layout",
            "call to_cube(), or take to_array(), which is an array of JAX",
        )

    def _with(self, other: object, how: Callable[[Block, Block], Block]) -> Self:
        if isinstance(other, Arithmetic):
            if other.layout != self.layout:
                raise InvalidValueError(
                    f"arrays of layouts {self.layout} and {other.layout} meet",
                    "elementwise arithmetic needs one layout",
                    "bring one to the other: b.relayout(a.layout)",
                )
            return replace(self, blocks=how(self.blocks, other.blocks))
        if jnp.ndim(other):
            raise InvalidTypeError(
                f"a gc.jax.Array meets an array of shape {jnp.shape(other)}",
                "what it has in which place is not known",
                "make it one, with gc.jax.Array.from_array(x, a.layout)",
            )
        return replace(self, blocks=how(self.blocks, other))

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

    def __neg__(self) -> Self:
        return self.map(operator.neg)

    def __abs__(self) -> Self:
        return self.map(abs)
