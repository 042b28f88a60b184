"""The kept figures of TR-764 are those that the commands make."""

import pytest
from kept import rows, script

from graycube.layout import ALLOCATIONS

KEPT = rows("tr_764", "cycles")


def figure(row, name):
    return int(row[name]) if row[name] else None


def above(ours, paper):
    """The cases in which ours takes more cycles than the paper says."""
    return {
        (row["allocation"], row["encoding"], int(row["n"]), int(row["slots"]))
        for row in KEPT
        if row[ours] and row[paper] and int(row[ours]) > int(row[paper])
    }


def test_the_table_is_whole():
    assert len(KEPT) == 8 * 36


@pytest.mark.parametrize("allocation", ALLOCATIONS, ids=str)
def test_rows_come_out_again(allocation):
    table = script("tr_764", "cycles")
    kept = {
        (int(r["n"]), int(r["slots"])): tuple(r.values())
        for r in KEPT
        if (r["allocation"], r["encoding"]) == (allocation.kind, allocation.encoding)
    }
    for n, slots in ((1, 1), (2, 2), (3, 1), (3, 3), (5, 2)):
        assert table.row(allocation, n, slots) == kept[n, 1 << slots]


def test_multi_sectioning_meets_its_formula_or_beats_it_by_a_cycle():
    """Four-sectioning of an odd number of dimensions begins with one of them."""
    assert not above("multi", "multi: paper")
    for row in KEPT:
        if row["multi: paper"]:
            saved = figure(row, "multi: paper") - figure(row, "multi")
            room = int(row["slots"]) >= (4 if row["encoding"] == "Binary" else 8)
            assert saved == 0 or (saved == 1 and int(row["n"]) % 2 and room)


def test_theorem_1_holds_for_eight_elements_or_more():
    for row in KEPT:
        n, slots = int(row["n"]), int(row["slots"])
        if row["allocation"] == "cyclic" and slots >= 8 and n > 1:
            assert figure(row, "multi") <= slots // 2 + n - 2


def test_cyclic_data_meet_table_4_with_local_conversion():
    for row in KEPT:
        if row["allocation"] == "cyclic" and row["local: paper"]:
            in_2_cubes = row["n"] == "2" and row["encoding"] in (
                "Gray || Gray",
                "Binary || Gray",
            )
            assert figure(row, "local") == figure(row, "local: paper") - in_2_cubes


def test_cyclic_data_meet_table_4_with_inter_node_conversion():
    for row in KEPT:
        if row["allocation"] == "cyclic" and row["inter-node: paper"] and row["n"] != "1":
            assert figure(row, "inter-node") == figure(row, "inter-node: paper")


def test_gray_coded_data_take_as_many_cycles_as_binary_data():
    cyclic = {
        (row["encoding"], row["n"], row["slots"]): row
        for row in KEPT
        if row["allocation"] == "cyclic" and row["local"]
    }
    for (encoding, n, slots), row in cyclic.items():
        if encoding != "Binary" and int(slots) >= 4:
            assert figure(row, "local") <= figure(cyclic["Binary", n, slots], "local")


def test_consecutive_data_miss_theorem_3_only_where_the_errata_say():
    assert above("local", "local: paper") == {
        (row["allocation"], row["encoding"], n, slots)
        for row in KEPT
        for n, slots in [(int(row["n"]), int(row["slots"]))]
        if row["allocation"] == "consecutive" and row["local: paper"] and n > 2
        if row["encoding"] == "Gray" or (row["encoding"] != "Binary" and slots // 2 <= n)
    }
    for row in KEPT:
        if row["local: paper"]:
            assert figure(row, "local") <= figure(row, "local: paper") + 1
        if row["inter-node"]:
            assert figure(row, "inter-node") <= int(row["slots"]) + int(row["n"])


def test_nothing_is_below_the_bound():
    for row in KEPT:
        for name in ("inter-node", "local", "multi", "restored"):
            assert figure(row, name) is None or figure(row, name) >= figure(row, "bound")


@pytest.mark.parametrize(
    "row", [row for row in rows("tr_764", "feasible") if int(row["seconds"]) < 1]
)
def test_small_cases_are_decided_again(row):
    program = script("tr_764", "feasible")
    code = row["encoding"].rsplit(maxsplit=1)[-1].lower()
    slots = int(row["slots"]).bit_length() - 1
    case = (row["allocation"], code, int(row["n"]), slots, int(row["cycles"]), row["output"])
    assert program.solve(*case)[:-1] == list(row.values())[:-1]


def test_no_schedule_of_ours_is_infeasible():
    infeasible = {
        (row["allocation"], row["encoding"], row["n"], row["slots"]): int(row["cycles"])
        for row in rows("tr_764", "feasible")
        if row["feasible"] == "no"
    }
    for row in KEPT:
        least = infeasible.get((row["allocation"], row["encoding"], row["n"], row["slots"]), -1)
        for name in ("inter-node", "local", "multi"):
            assert figure(row, name) is None or figure(row, name) > least
