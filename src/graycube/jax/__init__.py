"""Sharded arrays of JAX: resharded and transformed without gathers, in and out of ``jit``.

The extra ``jax`` brings JAX, and nothing else in graycube imports it. ``import graycube as gc``
is enough: ``gc.jax`` is loaded when it is first used.

>>> import jax.numpy as jnp
>>> mesh = jax.make_mesh((8,), ("x",))
>>> x = jax.device_put(jnp.arange(64.0), jax.NamedSharding(mesh, jax.P("x")))
>>> compiled = jax.jit(fft).lower(x).compile()  # where jnp.fft.fft gathers
>>> "all-gather" in compiled.as_text(), "all-to-all" in compiled.as_text()
(False, True)

The files, in the order in which data meets them:

1. ``shardings`` are layouts, on the ``cube`` that a mesh is.
2. ``moves`` divides a move into what devices do and one collective; ``blocks`` does both, and
   ``over`` runs what a device does on all of them.
3. ``reshard``, ``permute`` and ``halo`` are for arrays of JAX. ``array`` carries its layout,
   and has its ``arithmetic``; ``convert`` takes blocks from the host and back.
4. ``legs``, ``steps`` and ``lines`` are what a transform is made of; ``transform`` and
   ``real`` are what people call. It is ``applied`` to arrays of both kinds, as are
   ``networks`` of stages, for ``walsh`` and ``butterfly``, and work on lines over ``rows`` of
   devices, for ``scans`` and ``sorting``.
5. ``rounds`` of a plan, made of ``matchings``, are what ``execute`` carries out.
6. ``local`` is for a ``shard_map`` of your own, and ``traffic`` reads what a program sends.
"""

from graycube.errors import MissingExtraError

try:
    import jax.numpy  # noqa: F401 - any folder named jax would do for `import jax`
except ImportError as error:
    raise MissingExtraError(
        "JAX is not installed",
        "graycube.jax needs it",
        "run: pip install 'graycube[jax]'",
    ) from error

from graycube.jax import local
from graycube.jax.array import Array
from graycube.jax.butterfly import butterfly
from graycube.jax.execute import execute
from graycube.jax.halo import halo
from graycube.jax.permute import permute
from graycube.jax.real import (
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
    to_points,
    to_waves,
)
from graycube.jax.reshard import reshard
from graycube.jax.scans import cumprod, cumsum, scan
from graycube.jax.shardings import layout, sharding
from graycube.jax.sorting import argsort, sort
from graycube.jax.traffic import Collectives, traffic
from graycube.jax.transform import fft, fft2, fftn, ifft, ifft2, ifftn
from graycube.jax.walsh import hadamard

__all__ = [
    "Array",
    "Collectives",
    "argsort",
    "butterfly",
    "cumprod",
    "cumsum",
    "execute",
    "fft",
    "fft2",
    "fftn",
    "hadamard",
    "halo",
    "ifft",
    "ifft2",
    "ifftn",
    "irfft",
    "irfft2",
    "irfftn",
    "layout",
    "local",
    "permute",
    "reshard",
    "rfft",
    "rfft2",
    "rfftn",
    "scan",
    "sharding",
    "sort",
    "to_points",
    "to_waves",
    "traffic",
]
