"""Butterfly networks on arrays in any layout, with stages of any kind.

``groups`` decides by algebra which stages are done together and what is exchanged before;
``stages`` carries them out, and ``planned`` a plan of :func:`graycube.plan_butterfly`.
``butterfly`` and ``walsh`` are what people call. Fourier transforms are built on it.
"""

from graycube.butterflies.butterfly import butterfly
from graycube.butterflies.groups import StageGroup, groups
from graycube.butterflies.walsh import hadamard

__all__ = ["StageGroup", "butterfly", "groups", "hadamard"]
