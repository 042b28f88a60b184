"""What an array of numbers is here, in the memory of this process, and who works on it.

Rules.

1. What NumPy takes as an array is one, whatever library made it: nested lists, buffers, tensors
   of PyTorch on the host, columns of a table.
2. What lies on a device is refused, not copied in silence. An array says where it lies by
   ``__dlpack_device__``; those of JAX are on a device by definition, also where that is the
   host, and within ``jit`` they have no values at all.
3. There are no masks: an array of which something is masked is refused, since what is under
   the mask would count.
4. As many threads work as ``scipy.fft.set_workers`` says: one, if nobody says anything.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError

_HOST = (1, 3, 11)  # DLPack's names of the host's memory: plain, and pinned for CUDA or ROCm
_OF_DEVICES = {"jax", "jaxlib"}


def host_array(x: object) -> NDArray[Any]:
    """The array, as ``numpy.asarray`` makes it, if it is in the memory of this process.

    >>> host_array([1, 2])
    array([1, 2])
    >>> class OnDevice(list):
    ...     def __dlpack_device__(self):
    ...         return 2, 0
    >>> host_array(OnDevice([1, 2]))
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: got a OnDevice on device (2, 0): arrays are taken from the
    memory of this process; copy it there yourself first, and pass the copy
    """
    if isinstance(x, np.ndarray):
        if type(x) is not np.ndarray and np.ma.is_masked(x):
            raise InvalidTypeError(
                f"got a masked array of shape {x.shape}",
                "arrays have no masks, and what is under this one would count",
                "fill it, as x.filled(np.nan), or keep the mask as an array of its own",
            )
        return np.asarray(x)
    if any(made.__module__.partition(".")[0] in _OF_DEVICES for made in type(x).__mro__):
        raise InvalidTypeError(
            f"got a JAX {type(x).__name__}",
            "arrays are taken from the memory of this process, and no plan moves those of JAX",
            "copy it with np.asarray(x), outside of jit, or use gc.jax.Array",
        )
    try:
        where = x.__dlpack_device__() if hasattr(x, "__dlpack_device__") else None
        if where is None or where[0] in _HOST:
            return np.asarray(x)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise InvalidTypeError(
            f"got a {type(x).__name__}", f"NumPy says: {error}", "pass a NumPy array"
        ) from error
    device = ", ".join(str(int(number)) for number in where)
    raise InvalidTypeError(
        f"got a {type(x).__name__} on device ({device})",
        "arrays are taken from the memory of this process",
        "copy it there yourself first, and pass the copy",
    )


def threads() -> int:
    """How many threads work; where nobody imported ``scipy.fft``, nobody said anything.

    >>> import scipy.fft
    >>> with scipy.fft.set_workers(2):
    ...     threads()
    2
    """
    known = sys.modules.get("scipy.fft")
    return 1 if known is None else int(known.get_workers())
