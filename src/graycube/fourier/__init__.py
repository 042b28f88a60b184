"""Fourier transforms of arrays over a cube, in whatever layout they are.

``passes`` are groups of :mod:`graycube.butterflies`, also written as schedules, ``along``
carries them out along one axis; ``lines`` brings a whole axis to memory instead.
``transform``, ``real`` and ``trigonometric`` have what people call, with ``arguments`` that
they share, and ``numpy_names`` is what ``numpy.fft`` does with such arrays.
``planned`` carries out a plan of :func:`graycube.plan_fft`. Over ranks, ``legs`` and ``halves``
are ``carried`` out, with ``carriers`` by memory or messages; ``bind`` makes a call once, to run
many times. Lines in memory are for the ``engine``, or for ``fftw`` where somebody asks. In
layouts by ownership, ``owned`` trades axes, and ``lone`` leaves one over its nodes, with
``lone_real`` and ``lone_cosine``; ``places`` are where elements go along it, and
``waves`` take a spectrum to other numbers of points. ``convolution`` is made of transforms, of
whole numbers those modulo primes, of ``residues``.
"""

from graycube.fourier.along import Along, along
from graycube.fourier.bind import BoundCall, bind
from graycube.fourier.convolution import convolve
from graycube.fourier.engine import by_fftw
from graycube.fourier.numpy_names import add_to_table
from graycube.fourier.passes import Pass, exchange_schedules, passes
from graycube.fourier.real import irfft, irfft2, irfftn, rfft, rfft2, rfftn
from graycube.fourier.transform import fft, fft2, fftn, ifft, ifft2, ifftn
from graycube.fourier.trigonometric import dct, dctn, dst, dstn, idct, idctn, idst, idstn
from graycube.fourier.waves import resampled, to_points, to_waves

add_to_table()

__all__ = [
    "Along",
    "BoundCall",
    "Pass",
    "along",
    "bind",
    "by_fftw",
    "convolve",
    "dct",
    "dctn",
    "dst",
    "dstn",
    "exchange_schedules",
    "fft",
    "fft2",
    "fftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "irfft",
    "irfft2",
    "irfftn",
    "passes",
    "resampled",
    "rfft",
    "rfft2",
    "rfftn",
    "to_points",
    "to_waves",
]
