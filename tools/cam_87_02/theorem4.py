"""Theorem 4, found by the planner: how often which strategy is best.

    python tools/cam_87_02/theorem4.py [CASES]

The planner searches; beside it the times of all three are counted, exactly.
"""

import sys
from collections import Counter

from graycube.papers.cam_87_02.strategies import NAMES, cases, consulted

CASES = 10_000


def compare(count: int = CASES) -> Counter[str]:
    """How often which strategy is best; raises where the search finds another time."""
    seen = Counter[str]()
    for problem in cases(count):
        (cost, chosen), times = consulted(problem), problem.times
        if not cost == times[chosen] == min(times.values()):
            raise AssertionError(str(problem), cost, times)
        seen[NAMES[chosen]] += 1
    return seen


if __name__ == "__main__":
    for name, count in compare(int(sys.argv[1]) if sys.argv[1:] else CASES).most_common():
        print(f"{name}: {count}")
