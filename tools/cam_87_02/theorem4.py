"""Theorem 4, found by the planner: how often which strategy is best.

    python tools/cam_87_02/theorem4.py [CASES]

The planner searches, and the paper's formulas are evaluated beside it, exactly.
"""

import sys
from collections import Counter
from fractions import Fraction

from graycube.papers.cam_87_02.model import MAPPINGS, Costs, Model
from graycube.papers.cam_87_02.strategies import cases, chosen, consulted

CASES = 10_000


def compare(count: int = CASES) -> Counter[str]:
    """How often which strategy is best; raises where search and formulas differ."""
    seen = Counter[str]()
    for k, stencils, s, c, q, d in cases(count):
        found = consulted(k, stencils, s, c, q, d)
        model = Model(Costs(Fraction(s), Fraction(c)), d, q)
        prices = {str(name): model.unchanged(name, k, stencils) for name in MAPPINGS}
        prices["converted"] = model.converted(k, stencils)
        least = min(prices.values())
        if found.cost != least or prices[chosen(found)] != least:
            raise AssertionError((k, stencils, s, c, q, d), found.cost, prices)
        seen[chosen(found)] += 1
    return seen


if __name__ == "__main__":
    for name, count in compare(int(sys.argv[1]) if sys.argv[1:] else CASES).most_common():
        print(f"{name}: {count}")
