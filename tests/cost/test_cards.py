"""Cards send and receive: both are counted, by messages and node numbers alone."""

from collections import Counter
from itertools import product

import pytest
from crowds import priced
from round_messages import rounds
from sweeping import sweep

import graycube as gc
from graycube.schedule import Task


def seconds(sent, share, far):
    """An element takes a second on its sender's card, and on its receiver's."""
    busy = Counter()
    for (source, target), elements in sent.items():
        if (source ^ target) & far:
            busy["out", source // share] += elements
            busy["in", target // share] += elements
    return max(busy.values(), default=0)


CODES = [("gray", "binary"), ("binary", "gray"), ("gray", "gray")]
FEW = [*zip(CODES, (4, 2, 1), strict=True)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("codes", "share"), [*FEW, *sweep(*(c for c in product(CODES, (1, 2, 4)) if c not in FEW))]
)
def test_a_round_waits_for_the_card_that_sends_or_receives_most(share, codes):
    far = 0b1100
    machine = gc.Machine(
        4, (2, 2, 1, 1), "circuit", share=(1, 1, share, share), per_byte=(0.0, 0.0, 1.0, 1.0)
    )
    source = gc.Layout.consecutive(6, 4, nodes=codes[0])
    task = Task(source, gc.Layout.cyclic(6, 4, nodes=codes[1]), 16)
    tried = 0
    for candidate, schedule in priced(task, machine):
        counted = sum(seconds(sent, share, far) for sent in rounds(schedule))
        assert candidate.cost >= counted, candidate
        if candidate.algorithm.name in ("all-to-all", "direct", "gb1"):
            assert candidate.cost == counted, candidate
            tried += 1
    assert tried
