"""What the page says of a plan, checked against the plan, element by element."""

import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from page_cases import CARDS, CASES, conversion, on_machine, on_torus, on_tree
from sweeping import sweep

import graycube as gc
from graycube.cost import replay, simulate
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.view.page import words
from graycube.view.page.drawn import drawn
from graycube.view.page.shrunk import shrunk

VOID = {"meta", "input", "br", "hr", "img"}


def scenes_of(html):
    (text,) = re.findall(r'<script type="application/json" id="scenes">(.*?)</script>', html)
    return json.loads(text)


def scene_of(plan):
    (scene,) = scenes_of(gc.view.page(plan))
    return scene


@cache
def plan_of(name):
    return CASES[name]()


@cache
def scene_named(name):
    return scene_of(plan_of(name))


class Followed:
    """Elements that follow the crossings of a scene, with no help of the package."""

    def __init__(self, scene):
        self.block, self.n = scene["drawn"]["block"], scene["n"]
        count = self.block << self.n
        self.node = [e // self.block for e in range(count)]
        self.place = [e % self.block for e in range(count)]
        rows = scene["crossings"]
        events = [(cycle + 1, 0, r, "crossing") for r, cycle in enumerate(rows["cycle"])] + [
            (time, 1, r, "inside") for r, time in enumerate(scene["inside"]["time"])
        ]
        for _, _, r, kind in sorted(events):
            if kind == "crossing":
                self.cross(
                    *(rows[name][r] for name in ("node", "dimension", "element", "place"))
                )
            else:
                element = scene["inside"]["element"][r]
                self.place[element] = scene["inside"]["place"][r]

    def cross(self, node, dimension, element, place):
        assert self.node[element] == node
        self.node[element] ^= 1 << dimension
        self.place[element] = place


DRAWN = [name for name in CASES if name != "no elements"]
ALL_DRAWN = [*sweep(("large ring",)), *(name for name in DRAWN if name != "large ring")]


SMALLER = {  # the arrays that are drawn for larger ones
    (1 << 20,): (gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4)),
    (96, 512): (
        gc.Layout.mesh((16, 16), nodes=(4, 8), code="gray"),
        gc.Layout.mesh((16, 16), nodes=(4, 8)),
    ),
}


def drawn_plan(plan, scene):
    """The plan whose crossings a scene has, made again from the words of the page."""
    if not scene["note"]:
        return plan
    block = scene["drawn"]["block"]
    scale = block / plan.task.block
    old = plan.machine
    machine = gc.Machine(old.dims, old.ports, old.switching, old.startup * scale, old.per_byte)
    task = plan.task
    source, target = SMALLER.get(plan.task.source.shape, (task.source, task.target))
    return gc.plan(
        source,
        target,
        block,
        itemsize=task.itemsize,
        machine=machine,
        algorithm=plan.algorithm,
    )


@pytest.mark.long
@pytest.mark.parametrize("name", ALL_DRAWN)
def test_followed_elements_end_where_the_plan_takes_real_data(name):
    plan, scene = plan_of(name), scene_named(name)
    small = drawn_plan(plan, scene)
    seen = Followed(scene)
    new = scene["relabel"] or list(range(1 << plan.task.n))
    found = np.full((1 << plan.task.n, seen.block), -1)
    for element, (node, place) in enumerate(zip(seen.node, seen.place, strict=True)):
        found[new[node], place] = element
    data = np.arange(found.size).reshape(found.shape)
    assert np.array_equal(found, small.apply(data))


@pytest.mark.long
@pytest.mark.parametrize("name", ALL_DRAWN)
def test_elements_end_where_the_layouts_want_them(name):
    plan, scene = plan_of(name), scene_named(name)
    seen = Followed(scene)
    assert scene["home"] == {"node": seen.node, "place": seen.place}
    task = drawn_plan(plan, scene).task
    source, target = task.source, task.target
    payload = seen.block // source.block_size
    new = scene["relabel"] or list(range(1 << plan.task.n))
    for element, (node, place) in enumerate(zip(seen.node, seen.place, strict=True)):
        first, position = divmod(element, seen.block)
        index = source.coordinates(first, position // payload)
        assert target.locate(*index) == (new[node], place // payload)
        assert place % payload == position % payload
        label, _, behind = scene["labels"][element].partition(".")
        assert label == ",".join(map(str, index))
        assert behind == (str(position % payload) if payload > 1 else "")


@pytest.mark.parametrize("name", ALL_DRAWN)
def test_loads_and_cycles_are_those_of_the_moves(name):
    plan, scene = plan_of(name), scene_named(name)
    moves = drawn_plan(plan, scene).moves()
    rows = scene["crossings"]
    loads = np.zeros((1 << plan.task.n, plan.task.n), dtype=int)
    for node, dimension in zip(rows["node"], rows["dimension"], strict=True):
        loads[node, dimension] += 1
    seen = replay(moves)
    assert np.array_equal(loads, seen.link_loads)
    per_cycle = np.bincount(rows["cycle"], minlength=scene["drawn"]["cycles"])
    assert np.array_equal(per_cycle, seen.active)
    assert rows["cycle"] == sorted(rows["cycle"])
    assert scene["drawn"]["rounds"] == list(moves.rounds)


@pytest.mark.parametrize("name", [*ALL_DRAWN, "no elements"])
def test_prices_are_those_of_the_whole_plan(name):
    plan, scene = plan_of(name), scene_named(name)
    assert (scene["rounds"], scene["cycles"], scene["bytes"], scene["seconds"]) == (
        plan.rounds,
        plan.cycles,
        plan.traffic.bytes,
        plan.cost,
    )
    assert sum(scene["drawn"]["seconds"]) == pytest.approx(
        0.0 if name == "no elements" else plan.cost
    )
    assert scene["bound"] == max(bound["seconds"] for bound in scene["bounds"])
    assert len(scene["bounds"]) == len(plan.bounds)
    assert len(scene["candidates"]) == len(plan.candidates) + (name == "no elements")
    for row, candidate in zip(scene["candidates"], plan.candidates, strict=False):
        assert row["name"] == candidate.algorithm.name
        if candidate.traffic is None:
            assert (row["seconds"], row["remark"]) == (None, candidate.reason)
        else:
            assert row["seconds"] == candidate.cost
            assert row["cycles"] == candidate.traffic.cycles
    assert sum(row["chosen"] for row in scene["candidates"]) >= 1
    assert scene["report"] == str(plan.verify())


@pytest.mark.parametrize(
    ("name", "block", "rounds"),
    [
        ("large", 8, 6),
        ("huge block", 8, 2),
        *sweep(("large ring", None, None), ("large prime", 8, 3)),
    ],
)
def test_a_large_plan_is_drawn_smaller_and_says_so(name, block, rounds):
    plan, scene = plan_of(name), scene_named(name)
    assert f"instead of {plan.task.block}" in scene["note"]
    assert scene["drawn"]["block"] < plan.task.block
    assert len(scene["crossings"]["cycle"]) <= 40_000
    if block is not None:
        assert (scene["drawn"]["block"], len(scene["drawn"]["rounds"])) == (block, rounds)
    assert len(gc.view.page(plan)) < 3_000_000


@pytest.mark.parametrize(("name", "shape"), [("large array", (256,)), ("large mesh", (16, 16))])
def test_an_array_that_is_too_large_is_drawn_smaller(name, shape):
    plan = plan_of(name)
    seen = drawn(plan)
    assert seen.plan.task.source.shape == shape
    assert f"an array of {' x '.join(map(str, shape))} instead of" in seen.note
    assert (seen.plan.algorithm, seen.plan.rounds) == (plan.algorithm, plan.rounds)


@given(st.integers(0, 500))
def test_smaller_arrays_travel_as_the_whole_one_does(seed):
    """From each node to each other one go as many elements, but for a common factor."""
    random = np.random.default_rng(seed)
    n, p = 2, int(random.integers(2, 9))
    slots = [f"b{j}" for j in range(p)]
    fields = []
    for _ in range(2):
        bits = [*random.permutation(slots[: n + 2]), *slots[n + 2 :]][:p]
        bits[0] = bits[0] if random.random() < 0.5 or p < 2 else f"{bits[0]}^{bits[-1]}"
        fields.append(f"({' '.join(bits[n:])} || {' '.join(bits[:n])})")
    task = gc.Task(*map(gc.Layout.parse, fields), 1 << p - n)
    whole = travels(task.source, task.target)
    for source, target in shrunk(task):
        assert np.array_equal(travels(source, target) << task.source.p - source.p, whole)


def travels(source, target):
    counts = np.zeros((1 << source.n, 1 << source.n), dtype=int)
    index = np.arange(1 << source.p)
    np.add.at(counts, (source.locate(index)[0], target.locate(index)[0]), 1)
    return counts


def test_a_plan_that_cannot_be_drawn_smaller_shows_its_rounds():
    plan, scene = plan_of("no elements"), scene_named("no elements")
    assert scene["note"].startswith("Nothing is drawn: there are 1048576 elements, a page")
    assert "crossings" not in scene
    traffic = [r for r in plan.traffic.rounds if r.longest]
    assert [row["longest"] for row in scene["drawn"]["traffic"]] == [r.longest for r in traffic]
    assert [row["links"] for row in scene["drawn"]["traffic"]] == [r.links for r in traffic]


PLACES = gc.Layout.cyclic(16, 8), gc.Layout.consecutive(16, 8)


def test_a_mean_of_rounds_that_are_alike_is_said_to_be_one():
    cube = gc.Machine(8, switching="circuit", startup=2e-6, per_byte=2e-10)
    plan = gc.plan(*PLACES, 256, itemsize=8, machine=cube, algorithm="groups")
    assert any(r.links % 1 for r in plan.traffic.rounds)
    text = gc.view.page(plan)
    assert " on average" in text
    assert not re.search(r"\d\.\d{4}", text[text.index("links in use") :].split("</table>")[0])


@pytest.mark.parametrize("machine", [gc.Machine.torus((16, 16)), gc.Machine.tree((16, 16))])
def test_rounds_on_trees_and_tori_do_not_count_the_links_of_a_cube(machine):
    text = gc.view.page(gc.plan(*PLACES, 256, machine=machine, algorithm="groups"))
    rounds = text[text.index("longest message<") :].split("</table>")[0]
    assert "<tbody>" in rounds
    assert "links" not in rounds
    assert "crossings" not in rounds


def test_a_schedule_that_no_algorithm_makes_is_the_plan_from_a_file(tmp_path):
    plan = conversion(3, 4, "gb1")
    text = json.dumps(json.loads(saved(plan, tmp_path)))
    changed = tmp_path / "changed.json"
    changed.write_text(text.replace('"gb1"', '"by hand"'))
    loaded = gc.load_plan(changed)
    scene = scene_of(loaded)
    assert [row["name"] for row in scene["candidates"] if row["chosen"]] == ["by hand"]
    assert scene["candidates"][-1]["remark"] == "chosen, not of the table"


def saved(plan, folder):
    plan.save(folder / "plan.json")
    return (folder / "plan.json").read_text()


def test_a_large_schedule_from_a_file_is_drawn_by_rounds(tmp_path):
    text = saved(conversion(6, 65536, "gb1"), tmp_path)
    changed = tmp_path / "changed.json"
    changed.write_text(text.replace('"gb1"', '"by hand"'))
    scene = scene_of(gc.load_plan(changed))
    assert "from a file" in scene["note"]
    assert "crossings" not in scene


class Wellformed(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ["gb3", "relabel", "no elements", "one node"])
def test_the_html_is_well_formed_and_asks_for_nothing(name):
    html = gc.view.page(plan_of(name))
    parser = Wellformed()
    parser.feed(html)
    parser.close()
    assert not parser.open
    assert all("src" not in attrs and "href" not in attrs for _, attrs in parser.seen)
    outside = r"(?:https?:|//\w|@import|url\(|\bimport\b|fetch\(|XMLHttpRequest)"
    without_names = html.replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(outside, re.sub(r"^\s*//.*$", "", without_names, flags=re.MULTILINE))
    assert "default-src 'none'" in html


HOSTILE = "</script><script>alert(1)</script><!-- & '\" <img src=x onerror=alert(2)>"


def test_hostile_names_stay_text():
    plan = conversion(2, 2, "gb1", name=HOSTILE)
    html = gc.view.page(plan)
    assert scenes_of(html)[0]["machine"].startswith(HOSTILE)
    assert "<script>alert" not in html
    assert "<img" not in html
    parser = Wellformed()
    parser.feed(html)
    assert [tag for tag, _ in parser.seen].count("script") == 2


def test_levels_of_a_tree_are_those_of_its_routes():
    """A part at a level is named in routes by its first node and by the level's dimension."""
    plan = on_tree()
    levels = scene_of(plan)["tree"]["levels"]
    nodes = range(1 << plan.task.n)
    names = {hop.name for u in nodes for v in nodes for hop in plan.machine.route(u, v)}
    assert names == {
        (first, way, start)
        for start, bits in levels
        for first in nodes[:: 1 << bits]
        for way in ("up", "down")
    }
    assert scene_named("gb1")["tree"] is None


def test_cards_are_drawn_above_links_that_nodes_have_of_their_own():
    found = scene_of(on_machine(CARDS))["tree"]
    assert found == {"levels": [[1, 1], [3, 3]], "within": 1, "nested": False}
    costs = {"startup": (1e-6, 1e-6, 5e-6, 5e-6), "per_byte": (1e-10, 1e-10, 1e-9, 1e-9)}
    inside = replace(CARDS, ports=(1, 1, 2, 2), share=1, **costs)
    assert [wires.dims for wires in inside.wires] == [range(2)]
    assert scene_of(on_machine(inside))["tree"] is None  # links of their own further out


def test_sides_have_the_numbers_of_their_users():
    assert scene_of(on_torus((2, 1, 8), joined=(True, True, False)))["sides"] == [
        [8, False, 2],
        [2, True, 0],
    ]
    assert scene_of(on_torus((2, 2, 2)))["sides"] == []  # a cube


def test_two_plans_of_one_task():
    html = gc.view.page(conversion(3, 4, "gb1"), conversion(3, 4, "gb3"))
    assert [scene["algorithm"] for scene in scenes_of(html)] == ["gb1", "gb3"]
    assert "A (gb1) wins: 20.64 µs against 30.48 µs of B (gb3), 1.477 times as fast." in html


def test_a_plan_by_the_name_of_a_candidate_has_a_row_of_its_own_beside_another():
    plan, other = conversion(3, 8, "gb3"), conversion(3, 8, "gb2")
    schedule = replace(other.schedule, algorithm="gb3")
    named = replace(other, schedule=schedule, traffic=simulate(schedule))
    html = gc.view.page(plan, named)
    assert html.count("<td>gb3</td>") == 2
    assert "<td>A: chosen; B: 0.75 times the chosen one</td>" in html
    assert "<td>B: chosen, not of the table</td>" in html


def test_two_plans_are_drawn_with_blocks_of_one_size():
    small, large = conversion(6, 200, "gb1"), conversion(6, 200, "gb2")
    assert scene_of(small)["drawn"]["block"] == 200  # alone it could be drawn whole
    blocks = {scene["drawn"]["block"] for scene in scenes_of(gc.view.page(small, large))}
    assert blocks == {scene_of(large)["drawn"]["block"]}
    assert blocks != {200}


def test_errors_name_value_limit_and_next_step(tmp_path):
    plan = conversion(3, 4)
    with pytest.raises(InvalidTypeError, match="got a str"):
        gc.view.page("plan")
    with pytest.raises(InvalidTypeError, match="got a int"):
        gc.view.page(plan, 3)
    with pytest.raises(InvalidValueError, match="cube of 9 dimensions: a page draws at most 8"):
        gc.view.page(conversion(9, 1))
    other = gc.plan(gc.Layout.nodes(3), gc.Layout.nodes(3, "gray"), 4, machine="ideal")
    with pytest.raises(InvalidValueError, match="differ in their source"):
        gc.view.page(plan, other)
    with pytest.raises(InvalidValueError, match="differ in their block: 4 and 8"):
        gc.view.page(plan, conversion(3, 8))
    for path in (tmp_path, tmp_path / "nowhere" / "plan.html"):
        with pytest.raises(InvalidValueError, match="cannot write"):
            gc.view.save_page(path, plan)
    with pytest.raises(InvalidValueError, match=r"ends with \.PNG.*plan\.html"):
        gc.view.save_page(tmp_path / "plan.PNG", plan)
    assert not list(tmp_path.iterdir())


def test_a_page_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    plan = conversion(3, 4)
    path = tmp_path / "plan.html"
    gc.view.save_page(path, plan)
    assert path.read_text(encoding="utf-8") == gc.view.page(plan)

    def fail(_self, _target):
        raise OSError("no room")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no room"):
        gc.view.save_page(path, conversion(2, 1))
    assert [entry.name for entry in tmp_path.iterdir()] == ["plan.html"]
    assert path.read_text(encoding="utf-8") == gc.view.page(plan)


def test_cycles_that_the_price_does_not_count_are_explained():
    scene = scene_named("all-to-all in hops")
    assert (scene["drawn"]["cycles"], scene["cycles"]) == (24, 12)
    assert scene["remarks"][0].startswith("What is drawn takes 24 cycles; the price counts 12,")
    assert scene_of(conversion(3, 4, "gb1"))["remarks"] == []


def test_what_is_nearly_the_same_is_not_said_to_be_one():
    shown = {"relabel": None, "seconds": 1.004, "bound": 1.0}
    assert words._gap(shown) == "just above 1"
    assert words._gap({**shown, "seconds": 1.0}) == "1"
    nearly = [{"algorithm": name, "seconds": 1 + k / 1e4} for k, name in enumerate("xy")]
    assert words._winner(nearly).endswith("of B (y), nearly the same.")
    equal = [{"algorithm": "x", "seconds": 0.1 + 0.2}, {"algorithm": "y", "seconds": 0.3}]
    assert "cost the same" in words._winner(equal)
    remarks = {row["remark"] for row in scene_named("huge block")["candidates"]}
    assert not any(remark.startswith("1 times") for remark in remarks)
