"""Fourier transforms of arrays over a cube, in whatever layout they are.

``passes`` decides what is transformed and exchanged, ``exchanges`` writes that as schedules,
``along`` carries it out along one axis, and ``transform`` has the functions that people call.
"""

from graycube.fourier.along import Along, along
from graycube.fourier.exchanges import exchange_schedules
from graycube.fourier.passes import Pass, passes
from graycube.fourier.transform import fft, fft2, fftn, ifft, ifft2, ifftn

__all__ = [
    "Along",
    "Pass",
    "along",
    "exchange_schedules",
    "fft",
    "fft2",
    "fftn",
    "ifft",
    "ifft2",
    "ifftn",
    "passes",
]
