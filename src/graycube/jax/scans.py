"""Scans of sharded arrays: running sums, products and anything associative, in true order.

Rules.

1. Each device scans its stretch of every line, in memory. Layouts whose devices have no
   stretches are taken to one where they have, and back (``graycube.array.scanning``).
2. The totals of the stretches, one element a line, are all that is sent. Few of them go to all
   devices at once, by one collective; of many, each device gets one in each of n rounds, so
   that it receives n of them, not 2^n - 1. What takes less time is taken, if a start-up takes
   as long as ``STARTUP`` bytes.
3. An all-gather is over whole axes of the mesh: JAX cannot batch what has groups. Elsewhere
   there are rounds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from graycube.array.ordering.ways import STARTUP
from graycube.array.scanning.scans import first_of, no_initial, not_flattened, require_alike
from graycube.errors import InvalidTypeError
from graycube.jax.applied import applied
from graycube.jax.blocks import permuted
from graycube.jax.cube import MeshCube
from graycube.jax.names import Block, Dtype, Sharding
from graycube.jax.over import is_lasting, settled
from graycube.jax.rows import AlongLines, DeviceRow, row_of
from graycube.layout import Layout
from graycube.layout.required import require_axis

_REAL = jnp.integer, jnp.floating
_NATIVE = {
    jnp.add: (jax.lax.cumsum, (jnp.number,)),
    jnp.multiply: (jax.lax.cumprod, (jnp.number,)),
    jnp.maximum: (jax.lax.cummax, _REAL),
    jnp.minimum: (jax.lax.cummin, _REAL),
    jnp.logaddexp: (jax.lax.cumlogsumexp, (jnp.floating,)),
}
"""What JAX has a scan of its own for, and of which numbers."""


def scan(  # noqa: PLR0913
    op: Callable[[Any, Any], Any],
    a: Block,
    axis: int,
    exclusive: bool = False,  # noqa: FBT001, FBT002 - as gc.scan
    reverse: bool = False,  # noqa: FBT001, FBT002
    *,
    initial: object = None,
    source: Sharding = None,
) -> Block:
    """All elements up to each one along an axis, combined by ``op``.

    ``op(x, y)`` is a ufunc of ``jnp`` or of NumPy, or a function of two arrays of elements that
    gives an array of the same shape and dtype. It must be associative, which nobody can find
    out. Its left operand is before its right one, also in ``reverse``. The payload is their
    last axes.

    With ``exclusive`` the element itself is left out: the first result is the ``initial`` one,
    or the identity of the ufunc. ``reverse`` combines each element with those behind it. The
    result is where the array is.

    >>> mesh = jax.make_mesh((4,), ("x",))
    >>> x = jax.device_put(jnp.array([3, 1, 4, 1]), jax.NamedSharding(mesh, jax.P("x")))
    >>> scan(jnp.maximum, x, 0).tolist(), scan(jnp.add, x, 0, exclusive=True).tolist()
    ([3, 3, 4, 4], [0, 3, 4, 8])
    """
    combine = _combining(op)
    identity = getattr(combine, "identity", None)
    if exclusive and initial is None and identity is None:
        raise no_initial(op)

    def made(dtype: Dtype, element: tuple[int, ...]) -> "Running":
        before = None if initial is None else _known(initial)
        if exclusive and initial is None:
            with np.errstate(invalid="ignore"):  # -inf for integers, which are refused later
                before = np.asarray(identity).astype(dtype)
        first = None if before is None else first_of(before, element, np.dtype(dtype)).tobytes()
        return Running(combine, dtype, first, element, bool(exclusive), bool(reverse))

    return _scanned(a, axis, source, made)


def cumsum(
    a: Block, axis: int | None = None, dtype: Dtype = None, *, source: Sharding = None
) -> Block:
    """Running sums along an axis, with the dtypes of ``jnp.cumsum``.

    >>> mesh = jax.make_mesh((4,), ("x",))
    >>> x = jax.device_put(jnp.arange(8), jax.NamedSharding(mesh, jax.P("x")))
    >>> cumsum(x).tolist()
    [0, 1, 3, 6, 10, 15, 21, 28]
    """
    return _cumulated(jnp.add, jnp.cumsum, a, axis, dtype, source)


def cumprod(
    a: Block, axis: int | None = None, dtype: Dtype = None, *, source: Sharding = None
) -> Block:
    """Running products along an axis, with the dtypes of ``jnp.cumprod``.

    >>> mesh = jax.make_mesh((4,), ("x",))
    >>> x = jax.device_put(jnp.arange(1, 5), jax.NamedSharding(mesh, jax.P("x")))
    >>> cumprod(x).tolist()
    [1, 2, 6, 24]
    """
    return _cumulated(jnp.multiply, jnp.cumprod, a, axis, dtype, source)


def _cumulated(  # noqa: PLR0913, PLR0917
    ufunc: Any,  # noqa: ANN401 - of jnp
    jnps: Callable[..., Any],
    a: Block,
    axis: int | None,
    dtype: Dtype,
    source: Sharding,
) -> Block:
    if axis is None:
        axis = 0
        if len(getattr(a, "shape", ())) > 1:
            raise not_flattened(a.shape)

    def made(given: Dtype, _element: tuple[int, ...]) -> "Running":
        wide: bool = jax.config.jax_enable_x64
        wanted = _dtype_of(jnps, given, dtype, wide)
        return Running(ufunc, wanted, None, (), exclusive=False, reverse=False)

    return _scanned(a, axis, source, made)


@lru_cache(maxsize=64)
def _dtype_of(jnps: Callable[..., Any], given: Dtype, dtype: Dtype, _wide: bool) -> Dtype:  # noqa: FBT001
    """What a function of JAX gives: it takes milliseconds to find out, at every call."""
    one = jax.ShapeDtypeStruct((1,), given)
    return jax.eval_shape(lambda x: jnps(x, dtype=dtype), one).dtype


def _scanned(
    a: Block,
    axis: int,
    source: Sharding,
    made: Callable[[Dtype, tuple[int, ...]], "Running"],
) -> Block:
    """The array after a scan along an axis of the layout, or of the payload."""

    def body_of(
        layout: Layout, cube: MeshCube, _home: Layout | None
    ) -> tuple["AlongLines", Layout]:
        d, shape = len(layout.axes), a.shape
        k = require_axis(axis, len(shape))
        element = tuple(size for j, size in enumerate(shape[d:], d) if j != k)
        running = made(a.dtype, element)
        if k >= d:
            return AlongLines(running, None, layout, cube, k - d), layout
        return AlongLines(running, row_of(layout, k, cube), layout, cube), layout

    return applied(a, source, body_of)


@dataclass(frozen=True)
class Running:
    """A scan of lines: what combines two elements, and what is before the first one, if any."""

    op: Callable[[Any, Any], Any]
    dtype: Dtype
    first: bytes | None
    element: tuple[int, ...]
    exclusive: bool
    reverse: bool

    @property
    def lasting(self) -> bool:
        """Whether this is the same whenever the operator is."""
        return is_lasting(self.op)

    def __call__(self, lines: Block, row: DeviceRow | None) -> Block:
        """The scans of the stretches of a device, and of what is before them in the row."""
        lines = lines.astype(self.dtype)
        own = found = self._inclusive(lines, 1)
        before, some = self._before(self._last(own, 1), row)
        if self.first is not None:
            element = np.frombuffer(self.first, self.dtype).reshape(self.element)
            first = jnp.broadcast_to(element, before.shape)
            if some is not None:
                first = jnp.where(some, self._join(first, before), first)
            before, some = first, True
        if some is not None:
            found = self._join(jnp.broadcast_to(before[:, None], own.shape), own)
            found = found if some is True else jnp.where(some, found, own)
        if not self.exclusive:
            return found
        rest = jax.lax.slice_in_dim(found, *((1, None) if self.reverse else (0, -1)), axis=1)
        parts = before[:, None], rest
        return jnp.concatenate(parts[::-1] if self.reverse else parts, 1)

    def _last(self, lines: Block, axis: int) -> Block:
        """The totals of what is scanned."""
        end = 0 if self.reverse else lines.shape[axis] - 1
        return jax.lax.index_in_dim(lines, end, axis, keepdims=False)

    def _join(self, x: Block, y: Block) -> Block:
        """What is nearer to the beginning of the scan, and what is behind it."""
        found = self.op(y, x) if self.reverse else self.op(x, y)
        require_alike(found, x)
        return found

    def _inclusive(self, lines: Block, axis: int) -> Block:
        """The scan in memory."""
        if isinstance(self.op, jnp.ufunc) and self.op in _NATIVE:
            native, kinds = _NATIVE[self.op]
            if any(jnp.issubdtype(self.dtype, kind) for kind in kinds):
                return native(lines, axis, reverse=self.reverse)
        return jax.lax.associative_scan(self._join, lines, self.reverse, axis)

    def _before(self, totals: Block, row: DeviceRow | None) -> tuple[Block, Block | None]:
        """What all stretches before this one make together, and whether there are some."""
        if row is None or row.count == 1:
            return totals, None
        if row.names and _is_quick(row, totals.size * totals.dtype.itemsize):
            every = self._inclusive(row.gathered(totals), 0)
            here, end = row.here(), row.count - 1 if self.reverse else 0
            near = jnp.clip(here + (1 if self.reverse else -1), 0, row.count - 1)
            before = jax.lax.dynamic_index_in_dim(every, near, 0, keepdims=False)
            return before, here != end
        return self._in_rounds(totals, row)

    def _in_rounds(self, totals: Block, row: DeviceRow) -> tuple[Block, Block]:
        """The same by rounds, in which each device meets the nearest of the other half."""
        before, some = totals, jnp.bool_(False)  # noqa: FBT003
        nodes = range(1 << row.cube.n)
        for k, change in enumerate(row.turns):
            other = permuted(totals, row.cube.names, [(v, v ^ change) for v in nodes])
            behind = (row.bit(k) == 1) != self.reverse
            fresh = jnp.where(some, self._join(other, before), other) if k else other
            first, second = jnp.where(behind, other, totals), jnp.where(behind, totals, other)
            before, some = jnp.where(behind, fresh, before), some | behind
            totals = self._join(first, second)
        return before, some


def _is_quick(row: DeviceRow, nbytes: int) -> bool:
    """Whether an all-gather of so many bytes takes less time than rounds."""
    more = (row.count - 1 - len(row.turns)) * nbytes
    return 0 < more < (len(row.turns) - 1) * STARTUP


def _combining(op: object) -> Callable[[Any, Any], Any]:
    """What combines two arrays of JAX."""
    if isinstance(op, np.ufunc):
        op = getattr(jnp, op.__name__, None) or op
    if not callable(op) or isinstance(op, np.ufunc):
        raise InvalidTypeError(
            f"op is a {type(op).__name__}",
            "it is a ufunc of jnp, or a function of two arrays",
            "pass one, such as jnp.add",
        )
    return settled(op)


def _known(initial: object) -> np.ndarray[Any, Any]:
    """The initial element as NumPy has it."""
    if isinstance(initial, jax.core.Tracer):
        raise InvalidTypeError(
            "initial is a traced array",
            "it is a number, or a known array",
            "combine it with the result: op(initial, scan(...))",
        )
    return np.asarray(initial)
