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
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

__version__ = "1.0.0rc1"


def _places(names_of: dict[str, str]) -> dict[str, str]:
    """The package of each name."""
    return {name: package for package, names in names_of.items() for name in names.split()}


# What programs need, by the packages that have it. It is loaded when it is first used, so that
# ``import graycube`` takes no time. Type checkers read the imports below.
_PUBLIC = _places(
    {
        "advice": "Coarse Elementwise FFT Loop Stencil Transpose advise load_workload",
        "array": "CubeArray argsort assert_allclose coarsen cumprod cumsum permute quantile "
        "refine scan solve_tridiagonal sort stack unique where",
        "butterflies": "butterfly hadamard",
        "errors": "GraycubeError UndecidedError",
        "fourier": "bind convolve fft fft2 fftn ifft ifft2 ifftn irfft irfft2 irfftn rfft "
        "rfft2 rfftn",
        "gf2": "GrayCode binary_to_gray circuit gray gray_inverse gray_to_binary",
        "layout": "Layout butterfly_distances device_mesh mesh_distances node_mesh split_keys",
        "machine": "Machine Interconnect profiles save_profile",
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
    *(package.partition(".")[0] for package in _PUBLIC.values()),
    *("cost", "jax", "papers", "qubits", "run", "search", "show", "verify", "view"),
}
__all__ = sorted({*_PUBLIC, "view"})  # noqa: PLE0605 - a list

if TYPE_CHECKING:
    from graycube import jax as jax, qubits as qubits, view as view
    from graycube.advice import (
        FFT as FFT,
        Coarse as Coarse,
        Elementwise as Elementwise,
        Loop as Loop,
        Stencil as Stencil,
        Transpose as Transpose,
        advise as advise,
        load_workload as load_workload,
    )
    from graycube.array import (
        CubeArray as CubeArray,
        argsort as argsort,
        assert_allclose as assert_allclose,
        coarsen as coarsen,
        cumprod as cumprod,
        cumsum as cumsum,
        permute as permute,
        quantile as quantile,
        refine as refine,
        scan as scan,
        solve_tridiagonal as solve_tridiagonal,
        sort as sort,
        stack as stack,
        unique as unique,
        where as where,
    )
    from graycube.butterflies import (
        butterfly as butterfly,
        hadamard as hadamard,
    )
    from graycube.errors import (
        GraycubeError as GraycubeError,
        UndecidedError as UndecidedError,
    )
    from graycube.fourier import (
        bind as bind,
        convolve as convolve,
        fft as fft,
        fft2 as fft2,
        fftn as fftn,
        ifft as ifft,
        ifft2 as ifft2,
        ifftn as ifftn,
        irfft as irfft,
        irfft2 as irfft2,
        irfftn as irfftn,
        rfft as rfft,
        rfft2 as rfft2,
        rfftn as rfftn,
    )
    from graycube.gf2 import (
        GrayCode as GrayCode,
        binary_to_gray as binary_to_gray,
        circuit as circuit,
        gray as gray,
        gray_inverse as gray_inverse,
        gray_to_binary as gray_to_binary,
    )
    from graycube.layout import (
        Layout as Layout,
        butterfly_distances as butterfly_distances,
        device_mesh as device_mesh,
        mesh_distances as mesh_distances,
        node_mesh as node_mesh,
        split_keys as split_keys,
    )
    from graycube.machine import (
        Interconnect as Interconnect,
        Machine as Machine,
        profiles as profiles,
        save_profile as save_profile,
    )
    from graycube.mapping import (
        Pattern as Pattern,
        place as place,
        rank_order as rank_order,
    )
    from graycube.measure import (
        bench as bench,
        calibrate as calibrate,
    )
    from graycube.planning import (
        Plan as Plan,
        certify as certify,
        load_plan as load_plan,
        plan as plan,
        plan_butterfly as plan_butterfly,
        plan_fft as plan_fft,
        price as price,
        synthesize as synthesize,
    )
    from graycube.schedule import (
        Schedule as Schedule,
        Task as Task,
    )
    from graycube.stencil import (
        halo as halo,
    )
    from graycube.table import (
        algorithms as algorithms,
        register as register,
    )
    from graycube.table.networks import (
        Method as Method,
        emulation as emulation,
    )
else:  # to type checkers, a name that is not here is an error

    def __getattr__(name: str) -> object:
        """What is loaded when it is first used."""
        if name in _PACKAGES:
            return import_module(f"{__name__}.{name}")
        if name not in _PUBLIC:
            message = f"module {__name__!r} has no attribute {name!r}"
            if name in _ELSEWHERE:
                message += f": {_ELSEWHERE[name]}"
            elif rooms := _rooms_of(name):
                message += f": it is {' or '.join(f'gc.{room}.{name}' for room in rooms)}"
            raise AttributeError(message, name=name, obj=sys.modules[__name__])
        found = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
        globals()[name] = found
        return found


_ELSEWHERE = {
    **dict.fromkeys(
        ("zeros", "ones", "empty", "full"),
        "use gc.CubeArray.from_function(lambda i, j: 0.0, layout, comm)",
    ),
    **{
        name: f"np.fft.{name} takes arrays"
        for name in ("hfft", "ihfft", "fftshift", "ifftshift")
    },
    **dict.fromkeys(("fftfreq", "rfftfreq"), "use spectrum.frequencies(spacing, s=u.shape)"),
    **dict.fromkeys(("fftconvolve", "oaconvolve"), "use gc.convolve"),
}


def _rooms_of(name: str) -> list[str]:
    """The packages that list a name, which are not loaded for that."""
    from pathlib import Path  # noqa: PLC0415 - only who writes a wrong name waits for it

    lists = {
        p.parent.name: p.read_text("utf-8") for p in Path(__file__).parent.glob("*/__init__.py")
    }
    return sorted(room for room in _PACKAGES if f'    "{name}",\n' in lists.get(room, ""))


def __dir__() -> list[str]:
    """The public names, and the packages that have the others: all that can be loaded here.

    ``help`` and ``inspect.getmembers`` take each of them.
    """
    there = find_spec("jax") is not None and find_spec("jaxlib") is not None
    return sorted({*__all__, *_PACKAGES, "__version__"} - (set() if there else {"jax"}))
