"""The kept figures are those that the commands make."""

import pytest
from kept import rows, script

import graycube as gc
from graycube.search import least_cycles

KEPT = {(int(row["n"]), int(row["K"])): row for row in rows("tr_20_91", "cycles")}
SAMPLE = [
    pytest.param(n, block, marks=[] if n + block // 8 < 6 else pytest.mark.sweep)
    for n in range(2, 9)
    for block in (1, n, n + 1, n + 2, n + 3, 20, 64)
]


@pytest.mark.long
@pytest.mark.parametrize(("n", "block"), SAMPLE)
def test_rows_of_the_table_come_out_again(n, block):
    table = script("tr_20_91", "table")
    made = table.row(n, block, table.optima())
    assert made == tuple(KEPT[n, block].values())


def test_the_table_is_whole():
    assert list(KEPT) == [(n, block) for n in range(2, 9) for block in range(1, 65)]


def test_the_best_is_above_the_formula_only_where_that_is_infeasible():
    above = {case for case, row in KEPT.items() if int(row["best"]) > int(row["theorem 8"])}
    assert above == {(2, 3), (2, 4), (3, 4), (3, 5), (4, 6)}
    assert above == {case for case, row in KEPT.items() if "infeasible" in row["remark"]}


def test_nothing_is_below_a_bound_or_an_optimum():
    for row in KEPT.values():
        least = int(row["optimum"] or row["bound"])
        assert int(row["bound"]) <= least <= int(row["best"])


SMALL = [(row, int(row["n"]) * int(row["K"])) for row in rows("tr_20_91", "optima")]


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[] if size <= 16 else pytest.mark.sweep)
        for row, size in SMALL
        if size <= 24
    ],
)
def test_small_optima_come_out_again(row):
    n, block = int(row["n"]), int(row["K"])
    ports = row["ports"] if row["ports"] == "all" else int(row["ports"])
    task = gc.Task(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block)
    best = least_cycles(task, gc.Machine(dims=n, ports=ports))
    assert (best.cycles, best.proof) == (int(row["cycles"]), row["proof"])


def test_packets_need_no_more_start_ups_than_in_the_paper():
    startups = script("tr_20_91", "startups")
    for kept in rows("tr_20_91", "startups"):
        n, packet = int(kept["n"]), int(kept["B"])
        assert int(kept["our minimum"]) <= int(kept["paper minimum"])
        assert int(kept["our nonminimum"]) <= int(kept["paper nonminimum"])
        if n <= 4:
            assert startups.row(n, packet) == tuple(kept.values())
