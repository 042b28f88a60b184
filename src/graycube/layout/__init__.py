"""Placement: where every element of a distributed array is, and how good that is.

:class:`Layout` is the one object; the papers' eight allocations are a table of them, rank
orders are the placements that need no data to move, and the embedding functions say how far
communication partners end up from each other.
"""

from graycube.layout.allocations import ALLOCATIONS, Allocation
from graycube.layout.axis import Axis
from graycube.layout.embedding import Distances, butterfly_distances, mesh_distances
from graycube.layout.layout import Layout
from graycube.layout.ownership import Ownership
from graycube.layout.ranks import (
    device_mesh,
    node_mesh,
    rank_coordinates,
    rank_order,
    split_keys,
)

__all__ = [
    "ALLOCATIONS",
    "Allocation",
    "Axis",
    "Distances",
    "Layout",
    "Ownership",
    "butterfly_distances",
    "device_mesh",
    "mesh_distances",
    "node_mesh",
    "rank_coordinates",
    "rank_order",
    "split_keys",
]
