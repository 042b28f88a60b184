"""Plans for other programs: traces as the format wants them, and tables that are followed."""

import csv
import json
from collections import Counter, defaultdict
from dataclasses import replace
from io import StringIO
from math import isclose

import numpy as np
import pytest
from cli_runs import cli
from page_cases import CASES, COSTS, conversion
from way_mutants import goals

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.view import events as made

SMALL = [name for name in CASES if not name.startswith(("large", "huge", "no "))]
FIELDS = {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"}


def events_of(plan):
    """The complete events of a trace, which must be one that viewers read."""
    content = json.loads(gc.view.trace(plan), parse_constant=pytest.fail)
    assert set(content) == {"traceEvents", "displayTimeUnit", "otherData"}
    assert content["displayTimeUnit"] in {"ms", "ns"}
    named, places, events = {}, {}, []
    for event in content["traceEvents"]:
        at = event["pid"], event["tid"]
        assert all(type(number) is int and number > 0 for number in at)
        if event["ph"] == "M":
            kind, _, what = event["name"].partition("_")
            key = {"process": at[0], "thread": at}[kind]
            if what == "sort_index":
                places[key] = event["args"]["sort_index"]
                continue
            assert what == "name"
            assert key not in named
            named[key] = event["args"]["name"]
        else:
            assert set(event) == FIELDS
            assert event["ph"] == "X"
            assert event["ts"] >= 0
            assert event["dur"] > 0
            events.append(event)
    assert {event["pid"] for event in events} <= named.keys()
    assert {(e["pid"], e["tid"]) for e in events} <= named.keys()
    assert places.keys() == named.keys()
    numbers = {named[key]: place for key, place in places.items()}
    nodes = [numbers[f"node {u}"] for u in range(len(numbers)) if f"node {u}" in numbers]
    assert nodes == sorted(set(nodes))
    assert numbers["nodes"] < numbers["links"] if "nodes" in numbers else not nodes
    in_order(events)
    return events


def in_order(events):
    """On a track events begin one after the other and do not overlap."""
    ends = defaultdict(float)
    for event in events:
        track = event["pid"], event["tid"]
        assert event["ts"] >= ends[track] * (1 - 1e-12)
        ends[track] = event["ts"] + event["dur"]


def read(plan):
    """The rows of the table, as Python's own reader finds them."""
    return [
        {name: int(x) for name, x in row.items()}
        for row in csv.DictReader(StringIO(gc.view.csv(plan)))
    ]


@pytest.mark.parametrize("name", SMALL)
def test_rounds_of_a_trace_last_as_long_as_the_plan_costs(name):
    plan = CASES[name]()
    rounds = [e for e in events_of(plan) if e["pid"] == made.ROUNDS]
    assert isclose(sum(e["dur"] for e in rounds), plan.cost * 1e6, rel_tol=1e-9)
    assert len([e for e in rounds if e["cat"] == "round"]) == plan.rounds


@pytest.mark.parametrize("name", SMALL)
def test_messages_of_a_trace_are_those_of_the_table(name):
    """What a message is, its length and its round, from the rows of the table alone."""
    plan = CASES[name]()
    events = events_of(plan)
    sizes = Counter((r["round"], r["node"], r["partner"]) for r in read(plan))
    links = [e for e in events if e["cat"] == "link"]
    found = {(e["args"]["round"], e["args"]["from"], e["args"]["to"]): e for e in links}
    assert len(found) == len(links)
    assert {key: e["args"]["elements"] for key, e in found.items()} == sizes
    rounds = {e["name"]: e for e in events if e["cat"] == "round"}
    slowest = Counter()
    for (number, _, _), e in found.items():
        assert e["ts"] == rounds[f"round {number}"]["ts"]
        nbytes = e["args"]["elements"] * plan.task.itemsize
        seconds = COSTS["startup"] + nbytes * COSTS["per_byte"]
        assert isclose(e["dur"], seconds * 1e6, rel_tol=1e-9)
        slowest[number] = max(slowest[number], e["dur"])
    assert {f"round {k}" for k in slowest} == rounds.keys()
    assert all(isclose(rounds[f"round {k}"]["dur"], x) for k, x in slowest.items())
    sent = Counter()
    for e in events:
        sent[e["tid"]] += e["args"]["elements"] if e["cat"] == "node" else 0
    assert sum(sent.values()) == sum(sizes.values()) == plan.traffic.crossings


@pytest.mark.parametrize("name", SMALL)
def test_elements_that_follow_the_table_come_to_their_nodes(name):
    plan = CASES[name]()
    task, machine = plan.task, plan.machine
    node = [e // task.block for e in range(task.block << task.n)]
    there, used = dict.fromkeys(range(len(node)), 0), set()
    for row in read(plan):
        e, cycle = row["element"], row["cycle"]
        assert row["node"] == node[e]
        assert row["partner"] ^ row["node"] == 1 << row["dimension"]
        if machine.switching == "store-and-forward":
            assert cycle >= there[e]
        assert (cycle, row["node"], row["partner"]) not in used
        used.add((cycle, row["node"], row["partner"]))
        node[e], there[e] = row["partner"], cycle + 1
    number = plan.schedule.relabel or (lambda u: u)
    ends = [number(u) for u in node]
    wanted = goals(task)
    assert ends == [wanted[divmod(e, task.block)][0] for e in range(len(node))]


def test_a_conversion_ends_by_the_definition_of_gray_code():
    plan = conversion(4, 12, "nonminimum-ring", ports="all")
    node = [e // 12 for e in range(12 << 4)]
    for row in gc.view.table(plan).tolist():
        node[row[5]] = row[3]
    gray = {i ^ i >> 1: i for i in range(16)}
    assert node == [gray[e // 12] for e in range(12 << 4)]


def test_a_torus_with_squares_has_the_numbers_of_its_users():
    machine = gc.Machine.torus((4, 4), startup=1e-6, per_byte=1e-9)
    source, target = (gc.Layout.mesh((16, 16), nodes=nodes) for nodes in ((4, 4), (16, 1)))
    plan = gc.plan(source, target, 16, itemsize=8, machine=machine)
    node = {e: e // 16 for e in range(256)}
    steps = set()
    for row in read(plan):
        assert node[row["element"]] == row["node"]
        node[row["element"]] = row["partner"]
        steps.add((row["node"], row["partner"]))
    ends = [target.locate(source.index(e // 16, e % 16))[0] for e in range(256)]
    assert list(node.values()) == ends
    named = {(e["args"]["from"], e["args"]["to"]) for e in events_of(plan) if e["pid"] == 3}
    assert named == steps
    rounds = [e for e in events_of(plan) if e["pid"] == made.ROUNDS]
    assert isclose(sum(e["dur"] for e in rounds), plan.cost * 1e6)


def test_gathering_has_its_time_before_the_rounds():
    machine = gc.Machine(dims=2, switching="circuit", startup=1e-6, per_byte=0, per_row=1e-8)
    source, target = (gc.Layout.mesh((8, 8), nodes=nodes) for nodes in ((4, 1), (1, 4)))
    plan = gc.plan(source, target, 16, machine=machine, algorithm="all-to-all")
    first, *rest = [e for e in events_of(plan) if e["pid"] == made.ROUNDS]
    assert first["name"] == "rows gathered, in all rounds"
    assert isclose(first["dur"] + sum(e["dur"] for e in rest), plan.cost * 1e6)


def test_meetings_have_their_time_before_the_rounds():
    ring = gc.Machine.torus((8,), startup=1e-6, per_byte=1e-9)
    source, target = (gc.Layout.mesh((8, 8), nodes=nodes) for nodes in ((8, 1), (1, 8)))
    plan = gc.plan(source, target, 1 << 20, machine=ring, algorithm="exchange")
    first, *rest = [e for e in events_of(plan) if e["pid"] == made.ROUNDS]
    assert first["name"] == "meetings, between all rounds"
    assert isclose(first["dur"], 2 * 3)  # microseconds: two meetings of three start-ups
    assert len(rest) == 3
    assert isclose(first["dur"] + sum(e["dur"] for e in rest), plan.cost * 1e6)


@pytest.mark.parametrize("block", [1 << 40, 30])
def test_a_large_plan_has_its_rounds_alone_and_says_so(block, monkeypatch):
    plan = conversion(6, block, "gb3")
    if block == 30:
        monkeypatch.setattr(made, "MAX_EVENTS", 900)
    events = events_of(plan)
    assert {e["pid"] for e in events} == {made.ROUNDS}
    assert sum(e["args"]["rounds"] for e in events) == plan.rounds
    assert isclose(sum(e["dur"] for e in events), plan.cost * 1e6)
    assert "too many for a trace" in json.loads(gc.view.trace(plan))["otherData"]["note"]


def test_a_trace_has_no_more_events_than_it_may(monkeypatch):
    plan = conversion(4, 64, "nonminimum-ring", ports="all")
    whole = events_of(plan)
    monkeypatch.setattr(made, "MAX_EVENTS", 2)
    events = events_of(plan)
    assert len(events) <= 2 < plan.rounds < len(whole)
    assert sum(e["args"]["rounds"] for e in events) == plan.rounds
    assert isclose(sum(e["dur"] for e in events), plan.cost * 1e6)


def test_networks_that_copy_have_rounds():
    layout = gc.Layout.nodes(3, "gray")
    plan = gc.plan_fft(layout, machine=gc.Machine(dims=3, **COSTS), algorithm="copies")
    events = events_of(plan)
    assert isclose(sum(e["dur"] for e in events), plan.cost * 1e6)
    with pytest.raises(InvalidValueError, match="copies"):
        gc.view.table(plan)


def test_what_is_too_long_for_a_table_is_refused_at_once():
    with pytest.raises(InvalidValueError, match="a table has at most 1048576; plan the same"):
        gc.view.csv(CASES["huge block"]())
    with pytest.raises(InvalidTypeError, match="make one with"):
        gc.view.trace("plan.json")


def test_columns_of_moves_fit_the_table():
    moves = CASES["gb1"]().moves()
    table = gc.view.table(CASES["gb1"]())
    order = np.argsort(moves.cycle, kind="stable")
    for name in ("round", "cycle", "node", "partner", "dimension", "element"):
        assert np.array_equal(table[name], getattr(moves, name)[order])
    assert moves.round.tolist() == [moves.round_of(cycle) for cycle in moves.cycle.tolist()]


@pytest.mark.parametrize("words", [["--trace", "t.json"], ["--csv", "m.csv"]], ids=str)
def test_the_command_writes_what_is_asked_for_alone(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = conversion(3, 4, "gb1")
    plan.save("plan.json")
    said = cli("view", "plan.json", *words, "--json").json()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["plan.json", words[1]])
    maker = {"--trace": gc.view.trace, "--csv": gc.view.csv}[words[0]]
    assert (tmp_path / words[1]).read_text() == maker(plan)
    assert said == {words[0].strip("-"): words[1], "algorithm": "gb1"}
    assert "page.html" in cli("view", "plan.json", *words, "-o", "page.html").err
    assert (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--trace", "plan.json"], "is the plan itself"),
        (["--csv", "nowhere/m.csv"], "a folder that exists"),
        (["--csv", "same", "--trace", "same"], "a file for each"),
        (["--csv", "m.csv", "-o", "m.csv"], "a file for each"),
        (["--trace", "t", "--against", "gb3"], "add -o"),
        (["--trace", "t", "--open"], "add -o"),
        (["--trace", "t", "--node", 0], "no page"),
        (["--trace", "t.json", "-o", "page.html", "--csv", "m.csv"], "a table has at most"),
    ],
    ids=str,
)
def test_nothing_is_written_where_something_cannot_be(words, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CASES["huge block"]().save("plan.json")
    assert complaint in cli("view", "plan.json", *words).refused()
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_a_hostile_name_reaches_no_viewer_raw():
    plan = conversion(3, 4)
    schedule = replace(plan.schedule, algorithm="gb1 <b>")
    text = gc.view.trace(replace(plan, schedule=schedule))
    assert text.isascii()
    assert json.loads(text)["otherData"]["algorithm"] == "gb1 <b>"
    with pytest.raises(InvalidValueError, match="can be seen"):
        replace(plan.schedule, algorithm="gb1\u202e")
