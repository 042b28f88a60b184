"""Schedules as text: what is written is read back, and what is not sound is refused."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from json_trees import parent, places_in
from schedule_cases import (
    ON_CIRCUITS,
    circuits,
    conversion,
    conversions,
    one_port,
    random_schedules,
    rows_of,
)
from sweeping import examples

import graycube as gc
from graycube.schedule import Moves, Way, dump, expand, load
from graycube.table import relabel
from graycube.table.gray import gb1, gb3
from graycube.verify import check_algebra

WRONG = [None, True, -1, 1.5, "", "x", [], {}, [[]], 10**30, float("nan"), float("inf")]


def example():
    return json.loads(dump(gb3.emit(conversion(3, 4), one_port(3))))


def example_of_moves():
    return json.loads(dump(expand(gb1.emit(conversion(2, 2), one_port(2)))))


def example_of_relabel():
    return json.loads(dump(relabel.emit(conversion(3, 4), one_port(3))))


EXAMPLES = [example, example_of_moves, example_of_relabel]


def places_of(make):
    return [path for path in places_in(make()) if path]


def changed(tree, path, value):
    parent(tree, path)[path[-1]] = value
    return json.dumps(tree)


def refused(text):
    with pytest.raises(gc.GraycubeError) as caught:
        load(text)
    assert len(str(caught.value)) < 1000
    return str(caught.value)


def loads_soundly(text):
    """It is a schedule, or the library's own error says why not."""
    with contextlib.suppress(gc.GraycubeError):
        assert isinstance(load(text), (gc.Schedule, Moves))


@settings(max_examples=examples(75))
@given(conversions(algorithms=ON_CIRCUITS, machine=circuits))
def test_what_every_algorithm_emits_is_read_back(case):
    schedule, _ = case
    assert load(dump(schedule)) == schedule
    moves = expand(schedule)
    again = load(dump(moves))
    assert rows_of(again) == rows_of(moves)
    assert (again.task, again.algorithm) == (moves.task, moves.algorithm)
    assert (again.rounds, again.cycles) == (moves.rounds, moves.cycles)
    assert [c.dtype for c in (again.cycle, again.node, again.dimension, again.element)] == [
        c.dtype for c in (moves.cycle, moves.node, moves.dimension, moves.element)
    ]


@settings(max_examples=examples(50))
@given(random_schedules())
def test_any_schedule_is_read_back(schedule):
    again = load(dump(schedule))
    assert again == schedule
    assert dump(again) == dump(schedule)
    moves = expand(schedule)
    assert rows_of(load(dump(moves))) == rows_of(moves)
    assert load(dump(moves)).relabel == schedule.relabel


@pytest.mark.parametrize("n", [40, 63, 70, 256])
def test_a_huge_cube_is_read_back(n):
    for algorithm in (relabel, gb1, gb3):
        schedule = algorithm.emit(conversion(n, 64), one_port(n))
        assert load(dump(schedule)) == schedule


def test_slots_and_extents_are_read_back():
    slots = gb3.emit(conversion(4, 3, slots=2), one_port(4))
    assert load(dump(slots)) == slots
    gray, binary = (
        gc.Layout.mesh((12, 8), (4, 2), code=code, ownership=False)
        for code in ("gray", "binary")
    )
    task = gc.Task(gray, binary, 24, itemsize=8)
    whole = gc.Schedule(task, "none", (), 0, (Way(0, 24, ()),))
    assert load(dump(whole)) == whole


def test_a_file_is_read_and_not_verified():
    content = example()
    content["ways"][0]["steps"].pop()
    assert not check_algebra(load(json.dumps(content)), one_port(3))


@pytest.mark.parametrize("make", EXAMPLES)
def test_every_key_is_needed_and_no_other(make):
    for path in places_of(make):
        tree = make()
        if isinstance(parent(tree, path), dict) and path != ("relabel",):
            del parent(tree, path)[path[-1]]
            refused(json.dumps(tree))
        if isinstance(parent(tree, path), dict):
            refused(changed(make(), (*path[:-1], "more"), 0))


@pytest.mark.parametrize("make", EXAMPLES)
@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_a_wrong_value_anywhere_is_refused(make, wrong):
    for path in places_of(make):
        fits = wrong == [] and path in {("ways",), ("ways", 0, "steps"), ("rounds",)}
        fits |= wrong == [] and path == ("ways", 1, "steps")
        if isinstance(wrong, str) and path == ("algorithm",):
            fits = True
        if not fits:
            refused(changed(make(), path, wrong))


@pytest.mark.parametrize("version", [0, 3, 7, "1", 1.0, True, None, [1], 10**4000])
def test_another_version_is_refused(version):
    assert "version" in refused(changed(example(), ("version",), version))


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e400", "-1", "1" + "0" * 5000, "1e2", "[" * 50]
)
def test_a_number_is_a_plain_one_of_62_bits(number):
    for path in places_of(example):
        tree = example()
        if isinstance(parent(tree, path)[path[-1]], int):
            refused(changed(tree, path, "@").replace('"@"', number))


@pytest.mark.parametrize("exchange", ["", "flip", "flip -1 where 0 = 0", "flip 0 where 0 = 1"])
def test_what_is_no_exchange_is_refused(exchange):
    refused(changed(example(), ("ways", 0, "steps", 0, "exchange"), exchange))


@pytest.mark.parametrize(
    "exchange",
    [
        "flip 9999 where 0 = 0",
        "flip 0 where a4095 = 1",
        "flip " + "9" * 5000 + " where 0 = 0",
        "flip " + "0 " * 100000 + "where 0 = 0",
        "flip 0 0 where 0 = 0",
        "flip 0 where a1 ^ a1 = 1",
        "flip 0 where " + "a1 ^ " * 100000,
        "flip 0 where a0 = 1",
        "__import__('os').abort()",
    ],
    ids=lambda text: text[:24],
)
def test_an_exchange_that_does_not_fit_is_refused(exchange):
    refused(changed(example(), ("ways", 0, "steps", 0, "exchange"), exchange))


@pytest.mark.parametrize("depth", [10, 900, 5000, 200000])
def test_deep_nesting_is_refused(depth):
    for start, end in (("[", "]"), ('{"a":', "}")):
        deep = start * depth + "1" + end * depth
        refused(deep)
        for key in ("version", "algorithm", "ways", "rounds", "relabel", "task"):
            refused(json.dumps({**example(), key: "@"}).replace('"@"', deep))


def test_a_key_twice_is_refused():
    text = json.dumps(example())
    refused(text.replace('"cycles"', '"cycles": 7, "cycles"'))
    refused(text.replace('"start"', '"start": 1, "start"', 1))


@pytest.mark.parametrize("make", EXAMPLES)
def test_a_truncated_text_is_refused(make):
    text = json.dumps(make())
    for end in range(0, len(text), 7):
        refused(text[:end])


@given(st.text(max_size=40))
def test_any_text_is_refused(text):
    refused(text)


@settings(max_examples=examples(60))
@given(st.data())
def test_any_damage_is_refused_or_harmless(data):
    text = json.dumps(data.draw(st.sampled_from(EXAMPLES))())
    at = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 5))
    loads_soundly(text[:at] + data.draw(st.text(max_size=3)) + text[at + length :])


@pytest.mark.parametrize("block", [2**61, 2**62, 2**64, 3 * 10**300])
def test_a_claim_of_a_huge_block_costs_nothing(block):
    loads_soundly(changed(example(), ("task", "block"), block))


@pytest.mark.parametrize(
    ("column", "value"), [("cycle", 2**31), ("node", 2**31), ("dimension", 128)]
)
def test_an_entry_of_a_column_fits_its_type(column, value):
    refused(changed(example_of_moves(), ("moves", column, 0), value))


def test_the_example_of_the_documentation_is_verified():
    page = (Path(__file__).parents[2] / "docs" / "format.md").read_text()
    first = page.split('text = """')[1].split('"""')[0]
    schedule = load(
        "".join(line.removeprefix("... ") for line in first.splitlines(keepends=True))
    )
    assert check_algebra(schedule, one_port(2))
    assert schedule.ways == gb1.emit(schedule.task, one_port(2)).ways
