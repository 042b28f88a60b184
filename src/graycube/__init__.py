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

__version__ = "0.1.0"


def _places(names_of: dict[str, str]) -> dict[str, str]:
    """The package of each name."""
    return {name: package for package, names in names_of.items() for name in names.split()}


# What programs need, by the packages that have it. It is loaded when it is first used, so that
# ``import graycube`` takes no time. Type checkers read the imports below.
_PUBLIC = _places(
    {
        "advice": "Elementwise FFT Loop Stencil Transpose advise load_workload",
        "array": "CubeArray argsort assert_allclose coarsen cumprod cumsum permute quantile "
        "refine scan solve_tridiagonal sort stack unique where",
        "butterflies": "butterfly hadamard",
        "errors": "GraycubeError UndecidedError",
        "fourier": "bind convolve fft fft2 fftn ifft ifft2 ifftn irfft irfft2 irfftn rfft "
        "rfft2 rfftn",
        "gf2": "GrayCode binary_to_gray circuit gray gray_inverse gray_to_binary",
        "layout": "Layout butterfly_distances device_mesh mesh_distances node_mesh split_keys",
        "machine": "Machine profiles save_profile",
        "measure": "bench calibrate",
        "mapping": "Pattern place rank_order",
        "planning": "Plan certify load_plan plan plan_butterfly plan_fft price synthesize",
        "schedule": "Schedule Task",
        "stencil": "halo",
        "table": "algorithms register",
        "table.networks": "Method emulation",
    }
)
_PACKAGES = {
    *[
        "array",
        "butterflies",
        "cost",
        "errors",
        "fourier",
        "gf2",
        "jax",
        "layout",
        "machine",
        "measure",
        "papers",
        "planning",
        "qubits",
    ],
    *[
        "advice",
        "mapping",
        "run",
        "schedule",
        "search",
        "show",
        "stencil",
        "table",
        "verify",
        "view",
    ],
}
__all__ = sorted({*_PUBLIC, "view"})  # noqa: PLE0605 - a list

# Names that were here, by the packages that they are in: they work for one release.
_MOVED = _places(
    {
        "advice": "Advice Methods Variation Workload",
        "array": "Window",
        "cost": "Bound Certificate Cut Tolls Traffic best_cut known_certificate "
        "load_certificate lower_bounds minimum_path_bound",
        "errors": "InvalidTypeError InvalidValueError MissingExtraError OutOfRangeError "
        "PeerError SingularError",
        "gf2": "AffineMap Exchange Matrix compose displacement_profile is_gray_code rotation "
        "stride_profile",
        "layout": "ALLOCATIONS Allocation Axis Distances group_ranks rank_coordinates "
        "ring_order",
        "measure": "Bench Calibration",
        "planning": "Candidate",
        "schedule": "Action Crossing Delay Delivery Moves Program Stage Step Way hop",
        "stencil": "Halo",
        "table": "Algorithm",
        "verify": "RULES Report Violation",
    }
)

if TYPE_CHECKING:
    from graycube import jax as jax
    from graycube import qubits as qubits
    from graycube import view as view
    from graycube.advice import (
        FFT as FFT,
    )
    from graycube.advice import (
        Elementwise as Elementwise,
    )
    from graycube.advice import (
        Loop as Loop,
    )
    from graycube.advice import (
        Stencil as Stencil,
    )
    from graycube.advice import (
        Transpose as Transpose,
    )
    from graycube.advice import (
        advise as advise,
    )
    from graycube.advice import (
        load_workload as load_workload,
    )
    from graycube.array import (
        CubeArray as CubeArray,
    )
    from graycube.array import (
        argsort as argsort,
    )
    from graycube.array import (
        assert_allclose as assert_allclose,
    )
    from graycube.array import (
        coarsen as coarsen,
    )
    from graycube.array import (
        cumprod as cumprod,
    )
    from graycube.array import (
        cumsum as cumsum,
    )
    from graycube.array import (
        permute as permute,
    )
    from graycube.array import (
        quantile as quantile,
    )
    from graycube.array import (
        refine as refine,
    )
    from graycube.array import (
        scan as scan,
    )
    from graycube.array import (
        solve_tridiagonal as solve_tridiagonal,
    )
    from graycube.array import (
        sort as sort,
    )
    from graycube.array import (
        stack as stack,
    )
    from graycube.array import (
        unique as unique,
    )
    from graycube.array import (
        where as where,
    )
    from graycube.butterflies import (
        butterfly as butterfly,
    )
    from graycube.butterflies import (
        hadamard as hadamard,
    )
    from graycube.errors import (
        GraycubeError as GraycubeError,
    )
    from graycube.errors import (
        UndecidedError as UndecidedError,
    )
    from graycube.fourier import (
        bind as bind,
    )
    from graycube.fourier import (
        convolve as convolve,
    )
    from graycube.fourier import (
        fft as fft,
    )
    from graycube.fourier import (
        fft2 as fft2,
    )
    from graycube.fourier import (
        fftn as fftn,
    )
    from graycube.fourier import (
        ifft as ifft,
    )
    from graycube.fourier import (
        ifft2 as ifft2,
    )
    from graycube.fourier import (
        ifftn as ifftn,
    )
    from graycube.fourier import (
        irfft as irfft,
    )
    from graycube.fourier import (
        irfft2 as irfft2,
    )
    from graycube.fourier import (
        irfftn as irfftn,
    )
    from graycube.fourier import (
        rfft as rfft,
    )
    from graycube.fourier import (
        rfft2 as rfft2,
    )
    from graycube.fourier import (
        rfftn as rfftn,
    )
    from graycube.gf2 import (
        GrayCode as GrayCode,
    )
    from graycube.gf2 import (
        binary_to_gray as binary_to_gray,
    )
    from graycube.gf2 import (
        circuit as circuit,
    )
    from graycube.gf2 import (
        gray as gray,
    )
    from graycube.gf2 import (
        gray_inverse as gray_inverse,
    )
    from graycube.gf2 import (
        gray_to_binary as gray_to_binary,
    )
    from graycube.layout import (
        Layout as Layout,
    )
    from graycube.layout import (
        butterfly_distances as butterfly_distances,
    )
    from graycube.layout import (
        device_mesh as device_mesh,
    )
    from graycube.layout import (
        mesh_distances as mesh_distances,
    )
    from graycube.layout import (
        node_mesh as node_mesh,
    )
    from graycube.layout import (
        split_keys as split_keys,
    )
    from graycube.machine import (
        Machine as Machine,
    )
    from graycube.machine import (
        profiles as profiles,
    )
    from graycube.machine import (
        save_profile as save_profile,
    )
    from graycube.mapping import (
        Pattern as Pattern,
    )
    from graycube.mapping import (
        place as place,
    )
    from graycube.mapping import (
        rank_order as rank_order,
    )
    from graycube.measure import (
        bench as bench,
    )
    from graycube.measure import (
        calibrate as calibrate,
    )
    from graycube.planning import (
        Plan as Plan,
    )
    from graycube.planning import (
        certify as certify,
    )
    from graycube.planning import (
        load_plan as load_plan,
    )
    from graycube.planning import (
        plan as plan,
    )
    from graycube.planning import (
        plan_butterfly as plan_butterfly,
    )
    from graycube.planning import (
        plan_fft as plan_fft,
    )
    from graycube.planning import (
        price as price,
    )
    from graycube.planning import (
        synthesize as synthesize,
    )
    from graycube.schedule import (
        Schedule as Schedule,
    )
    from graycube.schedule import (
        Task as Task,
    )
    from graycube.stencil import (
        halo as halo,
    )
    from graycube.table import (
        algorithms as algorithms,
    )
    from graycube.table import (
        register as register,
    )
    from graycube.table.networks import (
        Method as Method,
    )
    from graycube.table.networks import (
        emulation as emulation,
    )
else:  # to type checkers, names that moved are errors, as they will be

    def __getattr__(name: str) -> object:
        """What is loaded when it is used, or a name that has moved, with a warning."""
        if name in _PACKAGES:
            return import_module(f"{__name__}.{name}")
        if name in _PUBLIC:
            found = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
            globals()[name] = found
            return found
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
    return sorted({*__all__, *_PACKAGES, "__version__"})
