"""Which rank goes to which node, so that the busiest link of a machine has least to carry."""

from graycube.mapping.pattern import Pattern
from graycube.mapping.placed import Considered, RankOrder
from graycube.mapping.placing import place, rank_order

__all__ = ["Considered", "Pattern", "RankOrder", "place", "rank_order"]
