"""Advice for whole programs: phases, their prices in every layout, and the cheapest sequence.

``phases`` is what a program consists of, ``along`` those of one axis, ``homes`` the layouts it
may choose from, ``prices`` what a phase costs there by its actual schedule, ``sent`` what it
sends where the data stay, ``floors`` what it costs at least and ``known`` what of that has been
found out; ``paths`` and ``search`` are the cheapest way through all of it, loops included;
``workload`` reads programs from files.
"""

from graycube.advice.advise import Advice, advise
from graycube.advice.along import Butterfly, Scan, Sort, Tridiagonal
from graycube.advice.homes import Place, homes
from graycube.advice.paths import Leg, Repeated
from graycube.advice.phases import FFT, Coarse, Elementwise, Loop, Phase, Stencil, Transpose
from graycube.advice.prices import Methods
from graycube.advice.vary import Crossover, Variation
from graycube.advice.workload import Workload, load_workload

__all__ = [
    "FFT",
    "Advice",
    "Butterfly",
    "Coarse",
    "Crossover",
    "Elementwise",
    "Leg",
    "Loop",
    "Methods",
    "Phase",
    "Place",
    "Repeated",
    "Scan",
    "Sort",
    "Stencil",
    "Transpose",
    "Tridiagonal",
    "Variation",
    "Workload",
    "advise",
    "homes",
    "load_workload",
]
