"""Arrays spread over 2^n nodes: where everything is, exactly.

>>> import graycube as gc
>>> layout = gc.Layout.mesh((64, 32), nodes=(8, 4), code="gray")
>>> layout.locate(63, 31)  # (node, slot) of the last element
(18, 63)
>>> gc.mesh_distances(layout, axis=0).dilation  # mesh neighbours are at most one hop apart
1
"""

from graycube import view
from graycube.codes import (
    GrayCode,
    binary_to_gray,
    displacement_profile,
    gray,
    gray_inverse,
    gray_to_binary,
    is_gray_code,
    rotation,
    stride_profile,
)
from graycube.errors import (
    GraycubeError,
    InvalidTypeError,
    InvalidValueError,
    MissingExtraError,
    OutOfRangeError,
    SingularError,
)
from graycube.gf2 import AffineMap, Exchange, Matrix, compose
from graycube.layout import (
    ALLOCATIONS,
    Allocation,
    Axis,
    Distances,
    Layout,
    butterfly_distances,
    device_mesh,
    group_ranks,
    mesh_distances,
    rank_coordinates,
    rank_order,
    ring_order,
    split_keys,
)

__version__ = "0.1.0"

__all__ = [
    "ALLOCATIONS",
    "AffineMap",
    "Allocation",
    "Axis",
    "Distances",
    "Exchange",
    "GrayCode",
    "GraycubeError",
    "InvalidTypeError",
    "InvalidValueError",
    "Layout",
    "Matrix",
    "MissingExtraError",
    "OutOfRangeError",
    "SingularError",
    "binary_to_gray",
    "butterfly_distances",
    "compose",
    "device_mesh",
    "displacement_profile",
    "gray",
    "gray_inverse",
    "gray_to_binary",
    "group_ranks",
    "is_gray_code",
    "mesh_distances",
    "rank_coordinates",
    "rank_order",
    "ring_order",
    "rotation",
    "split_keys",
    "stride_profile",
    "view",
]
