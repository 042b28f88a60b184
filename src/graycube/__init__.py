"""Arrays spread over 2^n nodes: where everything is, exactly.

>>> import graycube as gc
>>> layout = gc.Layout.mesh((64, 32), nodes=(8, 4), code="gray")
>>> layout.locate(63, 31)  # (node, slot) of the last element
(18, 63)
>>> gc.mesh_distances(layout, axis=0).dilation  # mesh neighbours are at most one hop apart
1

Getting from one layout to another, verified, priced and carried out:

>>> plan = gc.plan(gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4), block=64, machine="ipsc1")
>>> plan.algorithm, bool(plan.verify())
('gb1', True)
"""

import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING

from graycube import view
from graycube.advice import FFT, Elementwise, Loop, Stencil, Transpose, advise, load_workload
from graycube.array import CubeArray, where
from graycube.bounds import load_certificate
from graycube.butterflies import Method, emulation
from graycube.calibration import bench, calibrate
from graycube.codes import GrayCode, binary_to_gray, gray, gray_inverse, gray_to_binary
from graycube.errors import GraycubeError, UndecidedError
from graycube.fourier import (
    fft,
    fft2,
    fftn,
    ifft,
    ifft2,
    ifftn,
    irfft,
    irfft2,
    irfftn,
    plan_fft,
    rfft,
    rfft2,
    rfftn,
)
from graycube.gf2 import circuit
from graycube.layout import (
    Layout,
    butterfly_distances,
    device_mesh,
    group_ranks,
    mesh_distances,
    node_mesh,
    rank_coordinates,
    rank_order,
    ring_order,
    split_keys,
)
from graycube.machine import Machine, profiles, save_profile
from graycube.planning import Plan, certify, load_plan, plan, synthesize
from graycube.schedule import Schedule, Task
from graycube.stencil import halo
from graycube.table import algorithms

__version__ = "0.1.0"

__all__ = [
    "FFT",
    "CubeArray",
    "Elementwise",
    "GrayCode",
    "GraycubeError",
    "Layout",
    "Loop",
    "Machine",
    "Method",
    "Plan",
    "Schedule",
    "Stencil",
    "Task",
    "Transpose",
    "UndecidedError",
    "advise",
    "algorithms",
    "bench",
    "binary_to_gray",
    "butterfly_distances",
    "calibrate",
    "certify",
    "circuit",
    "device_mesh",
    "emulation",
    "fft",
    "fft2",
    "fftn",
    "gray",
    "gray_inverse",
    "gray_to_binary",
    "group_ranks",
    "halo",
    "ifft",
    "ifft2",
    "ifftn",
    "irfft",
    "irfft2",
    "irfftn",
    "load_certificate",
    "load_plan",
    "load_workload",
    "mesh_distances",
    "node_mesh",
    "plan",
    "plan_fft",
    "profiles",
    "rank_coordinates",
    "rank_order",
    "rfft",
    "rfft2",
    "rfftn",
    "ring_order",
    "save_profile",
    "split_keys",
    "synthesize",
    "view",
    "where",
]

# Names that were here, by the packages that they are in: they work for one release.
_MOVED = {
    name: package
    for package, names in {
        "advice": "Advice Methods Variation Workload",
        "array": "Window",
        "bounds": "Bound Certificate Cut Tolls best_cut known_certificate lower_bounds "
        "minimum_path_bound",
        "calibration": "Bench Calibration",
        "codes": "displacement_profile is_gray_code rotation stride_profile",
        "errors": "InvalidTypeError InvalidValueError MissingExtraError OutOfRangeError "
        "PeerError SingularError",
        "fourier": "TransformPlan",
        "gf2": "AffineMap Exchange Matrix compose",
        "layout": "ALLOCATIONS Allocation Axis Distances",
        "planning": "Candidate",
        "schedule": "Action Crossing Delay Delivery Moves Program Stage Step Way hop",
        "simulate": "Traffic",
        "stencil": "Halo",
        "table": "Algorithm",
        "verify": "RULES Report Violation",
    }.items()
    for name in names.split()
}

if not TYPE_CHECKING:  # to mypy they are errors, as they will be

    def __getattr__(name: str) -> object:
        """A name that has moved, with a warning that says where to."""
        if name not in _MOVED:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=sys.modules[__name__])
        place = f"{__name__}.{_MOVED[name]}"
        warnings.warn(
            f"graycube.{name} is now {place}.{name}: import from there",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(import_module(place), name)


def __dir__() -> list[str]:
    """The public names, and the packages that have the others."""
    return sorted({*__all__, *_MOVED.values(), "__version__"})
