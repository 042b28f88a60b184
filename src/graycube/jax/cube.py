"""The axes of a mesh of devices as bits of a node number: the first axis has the highest."""

from collections.abc import Iterable
from dataclasses import dataclass

import jax
import jax.numpy as jnp

from graycube.errors import InvalidValueError
from graycube.gf2 import is_power_of_two
from graycube.jax.names import Block, Mesh


@dataclass(frozen=True)
class MeshCube:
    """The nodes of some axes of a mesh, in C order: ``bits[k]`` bits for the axis ``names[k]``.

    >>> cube = MeshCube(("x", "y"), (1, 2))
    >>> cube.n, cube.dims("x"), cube.dims("y")
    (3, (2,), (1, 0))
    """

    names: tuple[str, ...]
    bits: tuple[int, ...]

    @property
    def n(self) -> int:
        """Number of node bits.

        >>> MeshCube(("x",), (3,)).n
        3
        """
        return sum(self.bits)

    @property
    def axes(self) -> tuple[tuple[int, ...], ...]:
        """The node bits of each axis, highest first.

        >>> MeshCube(("x", "y"), (1, 2)).axes
        ((2,), (1, 0))
        """
        tops = [sum(self.bits[k:]) for k in range(len(self.bits))]
        return tuple(
            tuple(range(top - 1, top - b - 1, -1))
            for top, b in zip(tops, self.bits, strict=True)
        )

    def dims(self, name: str) -> tuple[int, ...]:
        """The node bits of an axis, highest first.

        >>> MeshCube(("x", "y"), (1, 2)).dims("y")
        (1, 0)
        """
        return self.axes[self.names.index(name)]

    def count(self, names: Iterable[str]) -> int:
        """How many devices are along some axes.

        >>> MeshCube(("x", "y"), (1, 2)).count(("y", "x"))
        8
        """
        return 1 << sum(len(self.dims(name)) for name in names)

    def named(self, dims: Iterable[int]) -> tuple[str, ...]:
        """The axes that consist of these node bits.

        >>> MeshCube(("x", "y"), (1, 2)).named((0, 1))
        ('y',)
        """
        inside = set(dims)
        pairs = zip(self.names, self.axes, strict=True)
        return tuple(name for name, bits in pairs if bits and inside.issuperset(bits))

    def node(self) -> Block:
        """The number of the node that runs this, within ``shard_map``.

        >>> int(MeshCube((), ()).node())
        0
        """
        return jax.lax.axis_index(self.names) if self.n else jnp.int32(0)


def cube_of(mesh: Mesh, names: Iterable[str] | None = None) -> MeshCube:
    """The cube of a mesh, or of some of its axes, in the order of the mesh.

    >>> cube_of(jax.make_mesh((1,), ("x",)))
    MeshCube(names=('x',), bits=(0,))
    """
    chosen = set(mesh.axis_names if names is None else names)
    sizes = {name: size for name, size in dict(mesh.shape).items() if name in chosen}
    for name, size in sizes.items():
        if not is_power_of_two(size):
            raise InvalidValueError(
                f"the mesh axis {name!r} has {size} devices",
                "layouts need a power of two on each axis that is used",
                "make a mesh of such axes, or leave this one out of the PartitionSpec",
            )
    return MeshCube(tuple(sizes), tuple(size.bit_length() - 1 for size in sizes.values()))
