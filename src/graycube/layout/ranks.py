"""Rank orders: put mesh neighbours on neighbouring nodes by renumbering, moving nothing.

Rule: the node of a mesh coordinate is the concatenation of the codes of its components, the
first axis in the high bits (CAM-87-02 section 7). With a cyclic Gray code on every axis, mesh
neighbours, the wrap-around included, are neighbours in the cube: their numbers differ in one
bit. On a ring or torus with sides longer than 4 such numbers are not neighbours.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import GrayCode, gray, log2_exact, require_int, require_ints
from graycube.layout.required import per_axis
from graycube.texts import as_given

Code = str | GrayCode
Ranks = NDArray[np.int64]
_MOST_BITS = 31  # of a rank: in MPI it is an int of C


def rank_order(mesh_shape: int | Sequence[int], code: Code | Sequence[Code] = "gray") -> Ranks:
    """The node of a cube for each mesh coordinate; an array of shape ``mesh_shape``.

    In Gray code mesh neighbours have numbers that differ in one bit: neighbours on a cube, and
    not on a ring or torus with sides longer than 4.

    ``code`` is "gray", "binary" or a :class:`~graycube.GrayCode`, for all axes or one per axis.

    >>> rank_order((4, 2))
    array([[0, 1],
           [2, 3],
           [6, 7],
           [4, 5]])
    """
    shape = require_ints(mesh_shape, "mesh_shape")
    if not shape:
        raise InvalidValueError(
            "mesh_shape is empty", "a mesh has at least one axis", "use (1,) for one place"
        )
    codes = per_axis(code, len(shape), "code")
    widths = [log2_exact(size, f"the extent of mesh axis {k}") for k, size in enumerate(shape)]
    if sum(widths) > _MOST_BITS:
        raise InvalidValueError(
            f"the mesh has 2^{sum(widths)} places",
            f"ranks have numbers of {_MOST_BITS} bits",
            "use a smaller mesh",
        )
    order = np.zeros((), dtype=np.int64)
    for k, (width, axis_code) in enumerate(zip(widths, codes, strict=True)):
        order = order[..., None] << width | _words(axis_code, width, k)
    return order


def node_mesh(nodes: int, axes: int) -> tuple[int, ...]:
    """A nearly square mesh of so many nodes; the first axes have more.

    >>> node_mesh(8, 2), node_mesh(16, 3), node_mesh(12, 2), node_mesh(7, 2)
    ((4, 2), (4, 2, 2), (4, 3), (7, 1))
    """
    left = require_int(nodes, "the number of nodes", least=1)
    found = [1] * require_int(axes, "the number of axes", least=1)
    primes, factor = list[int](), 2
    while left > 1:
        if factor * factor > left:
            factor = left
        while left % factor == 0:
            primes.append(factor)
            left //= factor
        factor += 1
    for prime in reversed(primes):  # the largest first, each to the shortest axis so far
        found[found.index(min(found))] *= prime
    return tuple(sorted(found, reverse=True))


def rank_coordinates(
    mesh_shape: int | Sequence[int], code: Code | Sequence[Code] = "gray"
) -> Ranks:
    """The mesh coordinate of each node, one row per node: the inverse of :func:`rank_order`.

    >>> rank_coordinates((2, 2))
    array([[0, 0],
           [0, 1],
           [1, 0],
           [1, 1]])
    """
    shape = require_ints(mesh_shape, "mesh_shape")
    return np.stack(np.unravel_index(split_keys(shape, code), shape), axis=-1)


def split_keys(mesh_shape: int | Sequence[int], code: Code | Sequence[Code] = "gray") -> Ranks:
    """For each node its place in the mesh, in C order: keys for mpi4py's ``Comm.Split``.

    ``mesh = comm.Split(0, int(split_keys(shape)[comm.rank]))`` gives a communicator whose rank
    r is at mesh coordinate ``np.unravel_index(r, shape)``, if ``comm`` numbers the cube. It is
    that of ``comm.Create(comm.Get_group().Incl(rank_order(shape).ravel()))``.

    >>> split_keys((8,))
    array([0, 1, 3, 2, 7, 6, 4, 5])
    """
    return np.argsort(rank_order(mesh_shape, code), axis=None)


def device_mesh(
    devices: Sequence[Any],
    mesh_shape: int | Sequence[int],
    code: Code | Sequence[Code] = "gray",
) -> NDArray[np.object_]:
    """The devices as an array of shape ``mesh_shape``, ready for ``jax.sharding.Mesh``.

    ``Mesh(device_mesh(jax.devices(), (4, 2)), ("x", "y"))`` has cube neighbours next to each
    other, if device k of the list is node k of the cube.

    >>> device_mesh(["d0", "d1", "d2", "d3"], (4,)).tolist()
    ['d0', 'd1', 'd3', 'd2']
    """
    order = rank_order(mesh_shape, code)
    if len(devices) != order.size:
        raise InvalidValueError(
            f"{len(devices)} devices meet a mesh of {order.size} places",
            "each place needs one device",
            "pass as many devices as the product of the mesh shape",
        )
    flat = np.empty(order.size, dtype=object)
    flat[:] = list(devices)
    return flat[order]


def _words(code: Code, width: int, k: int) -> Ranks:
    """The code words of one axis."""
    if isinstance(code, GrayCode):
        if code.n != width:
            raise InvalidValueError(
                f"the code of axis {k} has {1 << code.n} words",
                f"the axis has {1 << width} places",
                "use a code of that length",
            )
        return np.array(code.words, dtype=np.int64)
    numbers = np.arange(1 << width)
    if code not in ("gray", "binary"):
        raise InvalidValueError(
            f"the code of axis {k} is {as_given(code)}",
            "the known ones are 'gray' and 'binary'",
            "choose one of them or pass a GrayCode",
        )
    return gray(numbers) if code == "gray" else numbers
