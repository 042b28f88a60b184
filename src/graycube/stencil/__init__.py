"""Halo exchange: what a stencil makes nodes send to each other, in which rounds, at what price.

:func:`halo` takes any layout whose node bits each depend on one axis, and how far the stencil
reads along every axis. The :class:`Halo` that comes back knows exactly which elements go from
where to where, and has a schedule of rounds for every machine.
"""

from graycube.stencil.exchange import Halo, ReachLike, halo
from graycube.stencil.frame import Frame
from graycube.stencil.messages import HaloMessage
from graycube.stencil.rounds import HaloRound, Move

__all__ = ["Frame", "Halo", "HaloMessage", "HaloRound", "Move", "ReachLike", "halo"]
