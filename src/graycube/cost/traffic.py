"""The messages of a round."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class RoundTraffic:
    """The messages of one round, counted in elements, and of ``times - 1`` more like it.

    ``longest`` is the longest message on any link, ``crossings`` the sum over all links, and
    ``links`` how many links are used. Where rounds are alike but for the links they use,
    crossings and links are the mean.

    >>> RoundTraffic(longest=4, crossings=16, links=4).longest
    4
    """

    longest: int
    crossings: int | Fraction
    links: int | Fraction
    times: int = 1
