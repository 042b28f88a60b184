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

from graycube import view
from graycube.advice import (
    FFT,
    Advice,
    Elementwise,
    Loop,
    Methods,
    Stencil,
    Transpose,
    Variation,
    Workload,
    advise,
    load_workload,
)
from graycube.array import CubeArray, Window, where
from graycube.bounds import (
    Bound,
    Certificate,
    Cut,
    Tolls,
    best_cut,
    known_certificate,
    load_certificate,
    lower_bounds,
    minimum_path_bound,
)
from graycube.butterflies import Method, emulation
from graycube.calibration import Bench, Calibration, bench, calibrate
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
    PeerError,
    SingularError,
    UndecidedError,
)
from graycube.fourier import (
    TransformPlan,
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
from graycube.gf2 import AffineMap, Exchange, Matrix, circuit, compose
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
    node_mesh,
    rank_coordinates,
    rank_order,
    ring_order,
    split_keys,
)
from graycube.machine import Machine, profiles, save_profile
from graycube.planning import Candidate, Plan, certify, load_plan, plan, synthesize
from graycube.schedule import (
    Action,
    Crossing,
    Delay,
    Delivery,
    Moves,
    Program,
    Schedule,
    Stage,
    Step,
    Task,
    Way,
    hop,
)
from graycube.simulate import Traffic
from graycube.stencil import Halo, halo
from graycube.table import Algorithm, algorithms
from graycube.verify import RULES, Report, Violation

__version__ = "0.1.0"

__all__ = [
    "ALLOCATIONS",
    "FFT",
    "RULES",
    "Action",
    "Advice",
    "AffineMap",
    "Algorithm",
    "Allocation",
    "Axis",
    "Bench",
    "Bound",
    "Calibration",
    "Candidate",
    "Certificate",
    "Crossing",
    "CubeArray",
    "Cut",
    "Delay",
    "Delivery",
    "Distances",
    "Elementwise",
    "Exchange",
    "GrayCode",
    "GraycubeError",
    "Halo",
    "InvalidTypeError",
    "InvalidValueError",
    "Layout",
    "Loop",
    "Machine",
    "Matrix",
    "Method",
    "Methods",
    "MissingExtraError",
    "Moves",
    "OutOfRangeError",
    "PeerError",
    "Plan",
    "Program",
    "Report",
    "Schedule",
    "SingularError",
    "Stage",
    "Stencil",
    "Step",
    "Task",
    "Tolls",
    "Traffic",
    "TransformPlan",
    "Transpose",
    "UndecidedError",
    "Variation",
    "Violation",
    "Way",
    "Window",
    "Workload",
    "advise",
    "algorithms",
    "bench",
    "best_cut",
    "binary_to_gray",
    "butterfly_distances",
    "calibrate",
    "certify",
    "circuit",
    "compose",
    "device_mesh",
    "displacement_profile",
    "emulation",
    "fft",
    "fft2",
    "fftn",
    "gray",
    "gray_inverse",
    "gray_to_binary",
    "group_ranks",
    "halo",
    "hop",
    "ifft",
    "ifft2",
    "ifftn",
    "irfft",
    "irfft2",
    "irfftn",
    "is_gray_code",
    "known_certificate",
    "load_certificate",
    "load_plan",
    "load_workload",
    "lower_bounds",
    "mesh_distances",
    "minimum_path_bound",
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
    "rotation",
    "save_profile",
    "split_keys",
    "stride_profile",
    "synthesize",
    "view",
    "where",
]
