"""Shares in whole elements: they are all of a block, and rounds hardly get longer."""

from collections import Counter

import pytest
from hypothesis import example, given, strategies as st
from sweeping import sweep

from graycube.table.conversion import Field
from graycube.table.gray.fewer_bytes import _of_fields, _of_table
from graycube.table.lanes import cycles, lengths, shares_of
from graycube.table.whole_shares import LaneShare, whole_shares

LANES = st.lists(
    st.tuples(st.integers(0, 2), st.integers(1, 2), st.sampled_from("xyz")),
    max_size=3,
    unique_by=lambda lane: lane[0],
)
SHARES = st.lists(
    st.builds(LaneShare, st.integers(1, 5), st.sampled_from("uv"), LANES.map(tuple)),
    min_size=1,
    max_size=6,
)


@given(shares=SHARES, block=st.integers(1, 10**20))
def test_they_are_all_of_each_block(shares, block):
    sizes, sums = whole_shares(shares, block), Counter()
    for share, size in zip(shares, sizes, strict=True):
        assert size >= 0
        sums[share.nodes] += size
    assert set(sums.values()) == {block}


X, Y, Z = (0, 3, "x"), (3, 1, "y"), (4, 2, "z")
WHERE_IT_DECIDES = [
    LaneShare(weight, nodes, lanes)
    for weight, nodes, lanes in (
        (1, "u", (Z, Y)),
        (1, "u", (X,)),
        (3, "w", (Z,)),
        (3, "w", (X, Y)),
    )
]


@given(shares=SHARES, block=st.integers(1, 10**3))
@example(shares=WHERE_IT_DECIDES, block=3)
def test_a_lane_of_several_rounds_is_as_many_lanes(shares, block):
    each = [
        share._replace(
            lanes=tuple(
                (r, 1, lane) for lane in share.lanes for r in range(lane[0], lane[0] + lane[1])
            )
        )
        for share in shares
    ]
    assert whole_shares(each, block) == whole_shares(shares, block)


@pytest.mark.parametrize(
    ("n", "ports"),
    [(3, "all"), (4, "all"), (4, 1), (4, 2), (5, 3), *sweep((5, "all"), (6, "all"), (6, 4))],
)
def test_a_round_is_longer_than_its_share_by_an_element_at_most(n, ports):
    fields = (Field(tuple(range(n)), to_binary=True),)
    for choice in _of_table(fields, ports):
        ways = _of_fields(fields, ports, choice)
        parts = lengths(shares_of(ways))
        for block in (2, 3, 5, 8, 13, 21, 30, 55, 100, 300):
            assert sum(cycles(shares_of(ways), block)) <= sum(parts) * block + len(parts)
