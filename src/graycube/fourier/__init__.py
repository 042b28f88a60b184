"""Fourier transforms of arrays over a cube, in whatever layout they are.

``passes`` decides what is transformed and exchanged, ``exchanges`` writes that as schedules,
``along`` carries it out along one axis, ``transform`` and ``real`` have what people call.
``candidates`` prices the emulations of :mod:`graycube.butterflies` on a machine, ``plan``
chooses one, and ``emulated`` makes passes of it.
"""

from graycube.fourier.along import Along, along
from graycube.fourier.candidates import TransformCandidate, in_place
from graycube.fourier.emulated import emulated_passes
from graycube.fourier.exchanges import exchange_schedules
from graycube.fourier.passes import Pass, passes
from graycube.fourier.plan import TransformPlan, plan_fft
from graycube.fourier.real import irfft, irfft2, irfftn, rfft, rfft2, rfftn
from graycube.fourier.transform import fft, fft2, fftn, ifft, ifft2, ifftn

__all__ = [
    "Along",
    "Pass",
    "TransformCandidate",
    "TransformPlan",
    "along",
    "emulated_passes",
    "exchange_schedules",
    "fft",
    "fft2",
    "fftn",
    "ifft",
    "ifft2",
    "ifftn",
    "in_place",
    "irfft",
    "irfft2",
    "irfftn",
    "passes",
    "plan_fft",
    "rfft",
    "rfft2",
    "rfftn",
]
