"""What nodes send in each round of a schedule, from all that it moves, element by element."""

import itertools
from bisect import bisect
from collections import Counter

import graycube as gc


def rounds(schedule):
    """The elements of each message, by sender and receiver, one round after the other."""
    return (sent for sent, _ in with_links(schedule))


def with_links(schedule):
    """The same, and the elements on each link of the cube, by its node and dimension."""
    moves, ends = gc.schedule.expand(schedule), [*schedule.rounds][1:]
    fields = moves.cycle, moves.element, moves.node, moves.dimension
    hops = sorted(zip(*(field.tolist() for field in fields), strict=True))
    for _, inside in itertools.groupby(hops, lambda hop: bisect(ends, hop[0])):
        flips = {}  # a circuit is all that an element crosses in one cycle
        for cycle, element, node, dim in inside:
            flips.setdefault((cycle, element), []).append((node, 1 << dim))
        sent = Counter()
        every = (link for crossed in flips.values() for link in crossed)
        links = Counter((node, flip.bit_length() - 1) for node, flip in every)
        for crossed in flips.values():
            (start,) = {node for node, _ in crossed} - {node ^ flip for node, flip in crossed}
            sent[start, start ^ sum(flip for _, flip in crossed)] += 1
        yield sent, links
