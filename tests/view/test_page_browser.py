"""The page in a real browser: what it draws is what the plan says, at any time."""

import shutil
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from page_cases import CARDS, CASES, conversion, on_machine, on_torus, on_tree
from sweeping import sweep

import graycube as gc
from graycube.cost import replay

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        CHROMIUM is None,
        reason="no Chromium on the path; install one, for example: apt-get install chromium",
    ),
]
SMALL = [
    name for name in CASES if "large" not in name and name not in ("huge block", "no elements")
]
OFTEN = ("gb1", "nonminimum-ring", "all-to-all in hops", "mixed")


@pytest.fixture(scope="session")
def browser():
    api = pytest.importorskip(
        "playwright.sync_api", reason="no playwright; install it: pip install playwright"
    )
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield chromium
        chromium.close()


class Opened:
    """A page, with everything that went wrong and everything that it asked for."""

    def __init__(self, browser, folder, plans, **options):
        path = folder / "plan.html"
        gc.view.save_page(path, *plans)
        options = {"viewport": {"width": 1280, "height": 900}, **options}
        options.setdefault("reduced_motion", "reduce")
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.wrong, self.asked = [], []
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def settle(self):
        self.wait("document.documentElement.dataset.settled === 'true'")

    def wait(self, truth):
        """Ask until it is so: the page's policy forbids what playwright would do itself."""
        for _ in range(500):
            if self.page.evaluate(truth):
                return
            self.page.wait_for_timeout(20)
        pytest.fail(f"never true: {truth}")

    def slide(self, position):
        self.page.eval_on_selector(
            "#time",
            "(e, x) => { e.value = x; e.dispatchEvent(new Event('input')); }",
            position,
        )

    def position(self):
        return float(self.page.eval_on_selector("#time", "e => e.value"))

    def held(self, view=0, where=".memory"):
        """The elements in the cells, by node and position."""
        cells = self.page.evaluate(
            """([view, where]) => Array.from(
                document.querySelectorAll('.plan')[view].querySelectorAll(where + ' .cell'),
                e => [e.dataset.node, e.dataset.slot, e.dataset.element])""",
            [view, where],
        )
        return {
            (int(node), int(slot)): [int(e) for e in elements.split()]
            for node, slot, elements in cells
            if elements
        }

    def loads(self, view=0):
        return self.page.evaluate(
            """view => Object.fromEntries(Array.from(
                document.querySelectorAll('.plan')[view].querySelectorAll('.link'),
                e => [e.dataset.link, Number(e.dataset.load)]))""",
            view,
        )

    def dots(self, view=0):
        return self.page.evaluate(
            """view => Array.from(
                document.querySelectorAll('.plan')[view].querySelectorAll('.dot[data-element]'),
                e => { const box = e.getBoundingClientRect();
                       return [Number(e.dataset.element), e.dataset.link,
                               box.x + box.width / 2, box.y + box.height / 2]; })""",
            view,
        )


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def start(*plans, **options):
        pages.append(Opened(browser, tmp_path, plans, **options))
        return pages[-1]

    yield start
    for page in pages:
        page.context.close()
        assert page.wrong == []
        assert all(url.startswith(("file:", "data:")) for url in page.asked)
        assert len(page.asked) == 1


def nodes_at(plan, cycle):
    """The node of every element before a cycle, by the moves of the plan alone."""
    moves, block = plan.moves(), plan.task.block
    node = [e // block for e in range(block << plan.task.n)]
    rows = zip(
        *(c.tolist() for c in (moves.cycle, moves.dimension, moves.element)), strict=True
    )
    for when, dimension, element in rows:
        if when < cycle:
            node[element] ^= 1 << dimension
    return node


def drawn_nodes(held):
    return {element: node for (node, _), elements in held.items() for element in elements}


@pytest.mark.parametrize(
    "name", [*OFTEN, *sweep(*((name,) for name in SMALL if name not in OFTEN))]
)
def test_elements_are_where_the_moves_and_apply_have_them(opened, name):
    plan = CASES[name]()
    page = opened(plan)
    cycles, n = plan.schedule.cycles, plan.task.n
    data = np.arange(plan.task.block << n).reshape(1 << n, -1)
    assert page.held() == {(u, k): [int(data[u, k])] for u, k in np.ndindex(data.shape)}
    for cycle in {1, cycles // 3, cycles // 2, cycles - 1} & set(range(1, cycles)):
        page.slide(cycle)
        where = drawn_nodes(page.held())
        assert [where[e] for e in range(len(where))] == nodes_at(plan, cycle)
    page.press("End")
    relabel = plan.schedule.relabel
    new = [u if relabel is None else relabel(u) for u in range(1 << n)]
    result = plan.apply(data)
    end = {(u, k): [int(result[new[u], k])] for u, k in np.ndindex(data.shape)}
    assert page.held() == end
    home = page.page.eval_on_selector_all(
        ".memory .cell", "all => all.map(e => e.dataset.home)"
    )
    assert set(home) == {"true"}
    assert page.held(where=".cube") == (end if n < 7 else {})


@pytest.mark.parametrize(
    "name",
    ["gb3", "direct", *sweep(("gb1",), ("nonminimum-ring",), ("all-to-all",), ("tight",))],
)
@pytest.mark.parametrize("unit", ["cycle", "round"])
def test_link_loads_and_chart_are_those_of_the_moves(opened, name, unit):
    plan = CASES[name]()
    moves, n = plan.moves(), plan.task.n
    marks = [*moves.rounds, moves.cycles] if unit == "round" else range(moves.cycles + 1)
    counted = [
        {
            f"{u}:{d}": int(
                np.sum(
                    (moves.cycle >= start)
                    & (moves.cycle < stop)
                    & (moves.node == u)
                    & (moves.dimension == d)
                )
            )
            for u in range(1 << n)
            for d in range(n)
        }
        for start, stop in pairwise(marks)
    ]
    page = opened(plan)
    page.page.select_option("#unit", unit)
    for step in range(len(counted)):
        page.slide(step)
        assert page.loads() == counted[step]
    page.press("End")
    assert set(page.loads().values()) == {0}
    chart = page.page.eval_on_selector_all(
        ".chart .load", "all => all.map(e => [e.dataset.row, e.dataset.column, e.dataset.load])"
    )
    expected = {
        (d << n | u, step, count)
        for step, loads in enumerate(counted)
        for link, count in loads.items()
        for u, d in [map(int, link.split(":"))]
        if count
    }
    assert {tuple(map(int, entry)) for entry in chart} == expected


def test_the_chart_of_many_links_sums_dimensions(opened):
    plan = conversion(5, 4, "gb1")
    page = opened(plan)
    chart = page.page.eval_on_selector_all(
        ".chart .load", "all => all.map(e => [e.dataset.row, Number(e.dataset.load)])"
    )
    total = replay(plan.moves()).link_loads.sum(axis=0)
    drawn = [sum(load for row, load in chart if int(row) == d) for d in range(5)]
    assert drawn == total.tolist()


@pytest.mark.parametrize("name", ["gb3", *sweep(("direct",), ("minimum-path",))])
def test_elements_on_their_way_are_on_the_right_links(opened, name):
    plan = CASES[name]()
    moves = plan.moves()
    page = opened(plan, reduced_motion="no-preference")
    lines = page.page.evaluate(
        """() => Object.fromEntries(Array.from(document.querySelectorAll('.link'), e => {
            const line = e.querySelector('line'), m = line.getScreenCTM();
            const at = (x, y) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f];
            return [e.dataset.link, [...at(line.x1.baseVal.value, line.y1.baseVal.value),
                                     ...at(line.x2.baseVal.value, line.y2.baseVal.value)]];
        }))"""
    )
    for cycle in (0, 1, plan.schedule.cycles - 1):
        ways = {}
        for row in np.flatnonzero(moves.cycle == cycle):
            link = f"{moves.node[row]}:{moves.dimension[row]}"
            ways.setdefault(int(moves.element[row]), []).append(link)
        for part in (0.25, 0.625):
            page.slide(cycle + part)
            dots = page.dots()
            assert {element for element, *_ in dots} == set(ways)
            resting = drawn_nodes(page.held())
            assert not resting.keys() & ways.keys()
            assert len(resting) + len(ways) == plan.task.block << plan.task.n
            for element, link, x, y in dots:
                way = ways[element]
                hop = int(part * len(way))
                x1, y1, x2, y2 = lines[way[hop]]
                along = part * len(way) - hop
                assert link == way[hop]
                assert (x, y) == pytest.approx(
                    (x1 + along * (x2 - x1), y1 + along * (y2 - y1)), abs=1
                )


def test_the_table_is_that_of_the_candidates(opened):
    plan = conversion(4, 64, "gb3")
    page = opened(plan)
    rows = page.page.evaluate(
        """() => Array.from(document.querySelectorAll('.candidates tbody tr'),
            r => [r.className, ...Array.from(r.cells, c => c.textContent)])"""
    )
    found = {row[1]: row for row in rows}
    assert len(rows) == len(plan.candidates)
    for candidate in plan.candidates:
        kind, _, *cells = found[candidate.algorithm.name]
        if candidate.traffic is None:
            assert (kind, cells[0]) == ("left", f"left out: {candidate.reason}")
            continue
        traffic = candidate.traffic
        counts = [traffic.nonempty, traffic.cycles, traffic.bytes]
        assert cells[:4] == [*map(str, counts), f"{candidate.cost:.4g}"]
        assert (kind == "chosen") == (candidate.algorithm.name == "gb3")
    bounds = page.page.evaluate(
        """() => Array.from(document.querySelectorAll('.bounds tbody tr'),
            r => Array.from(r.cells, c => c.textContent))"""
    )
    assert bounds == [[b.name, f"{b.seconds:.4g}", b.citation] for b in plan.bounds]
    assert page.page.text_content(".proof pre") == str(plan.verify())


def test_keys_move_the_time(opened):
    plan = CASES["gb3"]()
    page = opened(plan)
    page.press("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight")
    assert page.position() == 2
    page.press("Shift+ArrowRight")
    assert page.position() == 10
    page.press("Home", "5")
    assert page.position() == plan.schedule.cycles / 2
    page.press("End")
    assert page.position() == plan.schedule.cycles
    page.press("Shift+ArrowLeft", "r")
    first_of_round = plan.moves().rounds.index(8)
    assert page.position() == first_of_round
    page.press("c")
    assert page.page.input_value("#by") == "source"
    page.page.keyboard.press("?")
    assert page.page.is_visible("#keys")
    page.page.keyboard.press("Escape")
    assert not page.page.is_visible("#keys")


def test_space_plays_and_pauses(opened):
    page = opened(CASES["gb1"](), reduced_motion="no-preference")
    page.page.select_option("#speed", "8")
    page.page.focus("#time")
    page.page.keyboard.press(" ")
    page.wait("document.getElementById('time').value > 1")
    page.press(" ")
    stopped = page.position()
    assert 1 < stopped < 8
    page.page.wait_for_timeout(100)
    assert page.position() == stopped
    page.page.keyboard.press(" ")
    page.settle()
    assert page.position() == 8
    begun = "document.querySelector('#play').click(), document.documentElement.dataset.settled"
    assert page.page.evaluate(begun) == "false"


def test_with_reduced_motion_only_whole_steps_are_shown(opened):
    page = opened(CASES["gb1"]())
    page.page.select_option("#speed", "8")
    page.page.evaluate(
        """() => { window.seen = []; new MutationObserver(() => window.seen.push(
            Number(document.getElementById('time').value), document.querySelectorAll(
                '.dot[data-element]').length)).observe(document.getElementById('now'),
            { childList: true, characterData: true, subtree: true }); }"""
    )
    page.page.click("#play")
    page.wait("document.getElementById('time').value == 8")
    seen = page.page.evaluate("window.seen")
    assert len(seen) >= 16
    assert all(value == int(value) for value in seen[::2])
    assert not any(seen[1::2])
    page.slide(2.4)
    assert page.position() == 2


def test_buttons_clicks_and_drags(opened):
    plan = CASES["gb3"]()
    page = opened(plan)
    page.page.click("#next")
    page.settle()
    assert page.position() == 1
    page.page.click("#last")
    page.page.click("#back")
    page.settle()
    assert page.position() == plan.schedule.cycles - 1
    box = page.page.locator("#time").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.page.mouse.move(box["x"] + 0.9 * box["width"], middle)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + box["width"] / 2, middle, steps=4)
    page.page.mouse.up()
    assert page.position() == pytest.approx(plan.schedule.cycles / 2, abs=0.6)
    cycle = round(page.position())
    page.slide(cycle)
    where = drawn_nodes(page.held())
    assert [where[e] for e in range(len(where))] == nodes_at(plan, cycle)
    column = page.page.locator(".chart .load[data-column='7']").first
    column.click()
    assert page.position() == 7
    assert "cycle 7" in page.page.text_content(".reading")


def test_a_node_says_what_it_holds(opened):
    plan = CASES["gb1"]()
    page = opened(plan)
    page.page.click(".cube .node[data-node='6']")
    page.slide(3)
    assert "Node 6 (110)" in page.page.text_content(".panel h3")
    listed = page.page.eval_on_selector_all(
        ".panel li", "all => all.map(e => [Number(e.dataset.slot), e.dataset.element])"
    )
    assert {(6, slot): [int(e)] for slot, e in listed if e} == {
        key: value for key, value in page.held().items() if key[0] == 6
    }
    page.page.focus(".cube .node[data-node='6']")
    page.page.keyboard.press("ArrowDown")
    assert "Node 7 (111)" in page.page.text_content(".panel h3")


def test_everything_can_be_reached_by_tab(opened):
    page = opened(CASES["gb1"]())
    reached = set()
    for _ in range(30):
        page.page.keyboard.press("Tab")
        reached.add(
            page.page.evaluate(
                "document.activeElement.id || document.activeElement.getAttribute('class')"
            )
        )
    wanted = {
        "theme",
        "help",
        "first",
        "back",
        "play",
        "next",
        "last",
        "time",
        "unit",
        "speed",
        "by",
        "chart",
    }
    assert wanted <= reached
    assert any(str(name).startswith("node") for name in reached)
    page.page.focus("#next")
    page.page.keyboard.press("Enter")
    page.settle()
    assert page.position() == 1
    shown = page.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert shown == "solid"


def test_two_plans_share_one_time(opened):
    one, other = conversion(3, 8, "gb1"), conversion(3, 8, "gb3")
    page = opened(one, other)
    assert "wins" in page.page.text_content(".versus")
    for cycle in (0, 5, 12, 16):
        page.slide(cycle)
        for view, plan in enumerate((one, other)):
            where = drawn_nodes(page.held(view))
            assert [where[e] for e in range(len(where))] == nodes_at(plan, cycle)
    page.page.select_option("#align", "price")
    page.page.select_option("#unit", "round")
    page.press("End")
    both = [page.page.locator(".moment").nth(k).text_content() for k in range(2)]
    assert all(text.startswith("Done") for text in both)
    page.press("ArrowLeft")  # the dearer one is in its last round, the other is done
    texts = [page.page.locator(".moment").nth(k).text_content() for k in range(2)]
    cheaper = min((one.cost, 0), (other.cost, 1))[1]
    assert texts[cheaper].startswith("Done")
    assert "round 2 of 3" in texts[1 - cheaper]
    chosen = page.page.eval_on_selector_all(
        ".candidates tr.chosen", "all => all.map(e => e.cells[0].textContent)"
    )
    assert sorted(chosen) == ["gb1", "gb3"]


@pytest.mark.parametrize(
    "name", ["gb3", "large", *sweep(("seven",), ("no elements",), ("mixed",), ("one node",))]
)
def test_a_phone_needs_no_scrolling_to_the_side(opened, name):
    phone = {"width": 360, "height": 740}
    plan = CASES[name]()
    page = opened(plan, viewport=phone, has_touch=True)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
    sizes = page.page.eval_on_selector_all(
        "button, select, #time",
        "all => all.map(e => e.getBoundingClientRect()).filter(b => b.width).map("
        "b => [b.width, b.height])",
    )
    assert all(width >= 40 and height >= 40 for width, height in sizes)
    if plan.schedule.cycles and name != "no elements":
        player = page.page.locator(".transport")
        assert player.bounding_box()["height"] <= 740 / 10
        page.page.click("#more")
        page.page.select_option("#unit", "round")
        assert page.page.get_attribute("#more", "aria-expanded") == "true"
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 360


PHONE = {"width": 375, "height": 760}


@pytest.mark.parametrize(
    "drawn",
    [
        *(3, 4, 5, 6),
        (4, 4, 4),
        [4, 4, 4],
        *sweep(([4, 4],), ([16, 2],), ([64],), ((2, 2, 2),), ((16,),)),
    ],
    ids=str,
)
def test_on_a_phone_a_picture_fits_and_its_numbers_can_be_read(opened, drawn):
    if isinstance(drawn, int):
        plan = conversion(drawn, 12, "gb1")
    else:
        plan = (on_tree if isinstance(drawn, tuple) else on_torus)(drawn, slots=0)
    page = opened(plan, viewport=PHONE, has_touch=True)
    frame = page.page.eval_on_selector(".cube-frame", "e => [e.scrollWidth, e.clientWidth]")
    assert frame[0] <= frame[1]
    sizes = page.page.eval_on_selector_all(
        ".node .number", "all => all.map(e => e.getAttribute('font-size') * e.getScreenCTM().a)"
    )
    assert len(sizes) == 1 << plan.task.n
    assert min(sizes) >= 9
    boxes = corners(page, ".node .box")
    sides = boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 2]
    assert min(map(min, sides)) >= 20  # a finger finds it
    assert not touching(boxes)
    numbers = corners(page, ".node .number")
    assert np.all(numbers[:, 1] < boxes[:, 1])


def test_a_picture_is_drawn_anew_where_the_page_becomes_narrow(opened):
    page = opened(conversion(5, 12, "gb1"))
    page.page.focus(".cube .node[data-node='9']")
    page.slide(5)
    seen = page.held(where=".cube"), page.loads(), page.page.text_content(".panel")
    wide = page.page.get_attribute(".cube", "viewBox")
    page.page.set_viewport_size(PHONE)
    page.wait(f"document.querySelector('.cube').getAttribute('viewBox') !== '{wide}'")
    assert (page.held(where=".cube"), page.loads(), page.page.text_content(".panel")) == seen
    assert page.page.get_attribute(".node.chosen", "data-node") == "9"
    page.page.set_viewport_size({"width": 1280, "height": 900})
    page.wait(f"document.querySelector('.cube').getAttribute('viewBox') === '{wide}'")


def test_two_plans_are_stacked_on_a_phone(opened):
    page = opened(
        conversion(4, 8, "gb1"), conversion(4, 8, "gb3"), viewport={"width": 360, "height": 740}
    )
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
    first, second = (page.page.locator(".plan").nth(k).bounding_box() for k in range(2))
    assert second["y"] >= first["y"] + first["height"]
    assert first["width"] <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(opened, scheme):
    page = opened(CASES["gb1"](), color_scheme=scheme)

    def brightness(selector, what):
        colour = page.page.eval_on_selector(selector, f"e => getComputedStyle(e).{what}")
        return sum(map(float, colour.strip("rgb()").split(",")[:3])) / 3

    def is_dark():
        paper, ink = brightness("body", "backgroundColor"), brightness("body", "color")
        assert abs(paper - ink) > 120
        assert abs(brightness(".node .box", "fill") - brightness(".node .number", "fill")) > 120
        return paper < ink

    assert is_dark() == (scheme == "dark")
    page.page.click("#theme")
    assert not is_dark()
    page.page.click("#theme")
    assert is_dark()


def test_colours_by_source_or_destination(opened):
    plan = CASES["gb1"]()
    page = opened(plan)

    def shown():
        return page.page.eval_on_selector_all(
            ".cube .cell",
            "all => all.map(e => [Number(e.dataset.element), e.textContent])",
        )

    moves = plan.apply(np.arange(32).reshape(8, 4))
    target = {int(e): u for u, row in enumerate(moves) for e in row}
    assert all(int(text) == target[element] for element, text in shown())
    page.page.select_option("#by", "source")
    assert all(int(text) == element // 4 for element, text in shown())


@pytest.mark.parametrize(
    "name", ["relabel", "in memory", "identity", "one node", "no elements"]
)
def test_plans_without_crossings_are_explained(opened, name):
    page = opened(CASES[name]())
    words = page.page.text_content(".plan")
    expected = {
        "relabel": "Nothing crosses a link: the nodes get new numbers (old → new).",
        "in memory": "Before.",
        "identity": "Nothing has to move.",
        "one node": "Nothing has to move.",
        "no elements": "Nothing is drawn: there are 1048576 elements",
    }
    assert expected[name] in words
    assert page.page.is_visible(".figure") == (name != "no elements")
    page.press("End")


def routes_in(plan, cycle):
    """The links that each element takes in a cycle: the machine's routes.

    Links that nodes have of their own are those of the moves, on either side of a card.
    """
    moves, back, block = plan.moves(), plan.machine.numbers.inverse(), plan.task.block
    shared = {d for wires in plan.machine.wires for d in wires.dims}
    ends, own = {}, defaultdict(list)
    for row in np.flatnonzero(moves.cycle == cycle):
        number = int(moves.element[row])
        element = back(number // block) * block + number % block
        source, target = ends.get(element, (int(moves.node[row]),) * 2)
        assert target == moves.node[row]
        ends[element] = source, int(moves.partner[row])
        if not plan.machine.sides and moves.dimension[row] not in shared:
            own[element].append(f"{target}:{moves.dimension[row]}")
    return {
        element: own[element]
        + [
            link_name(plan, hop.name)
            for hop in plan.machine.route(back(u), back(v))
            if plan.machine.sides or isinstance(hop.name[1], str)
        ]
        for element, (u, v) in ends.items()
    }


def link_name(plan, name):
    """A link of a route, as the page calls it."""
    if not any(isinstance(part, str) for part in name):
        return ":".join(map(str, name))
    node, way, start = name
    levels = [wires.dims.start for wires in plan.machine.wires]
    number = levels.index(start)
    part = node >> len(plan.machine.wires[number].nodes)
    return f"{number}:{part}:{'up' if way in {'up', 'card out'} else 'down'}"


STORED = {"switching": "store-and-forward"}
SHAPES = {
    "Tree of 16 nodes": on_tree,
    "Cluster of 16 nodes": lambda: on_machine(CARDS),
    "Torus of 16 nodes": lambda: on_torus((4, 4)),
    "Mesh of 8 nodes": lambda: on_torus((8,), joined=False),
}
MORE = {
    "Torus of 32 nodes": lambda: on_torus((2, 16), slots=1),
    "Tree of 16 nodes, hop by hop": lambda: on_tree(**STORED),
    "Torus of 8 nodes": lambda: on_torus((8,), **STORED),
    "Torus of 64 nodes": lambda: on_torus((4, 2, 8), joined=(False, True, True)),
    "Cluster of 8 nodes": lambda: on_machine(gc.Machine(3, ports=(2, 2, 2))),
}


@pytest.mark.long
@pytest.mark.parametrize("name", [*SHAPES, *sweep(*((name,) for name in MORE))])
def test_links_carry_what_routes_of_the_machine_say(opened, name):
    plan = {**SHAPES, **MORE}[name]()
    page = opened(plan, reduced_motion="no-preference")
    assert page.page.get_attribute(".cube", "aria-label") == name.partition(",")[0]
    total = dict.fromkeys(page.loads(), 0)
    for cycle in range(plan.schedule.cycles):
        part = (0.375, 0.625)[cycle % 2]
        page.slide(cycle + part)
        routes = routes_in(plan, cycle)
        loads = dict.fromkeys(total, 0)
        for link in (link for route in routes.values() for link in route):
            loads[link] += 1
            total[link] += 1
        assert page.loads() == loads
        assert {e: link for e, link, *_ in page.dots()} == {
            e: route[int(part * len(route))] for e, route in routes.items()
        }
    assert any(total.values())
    chart = page.page.eval_on_selector_all(
        ".chart .load", "all => all.map(e => Number(e.dataset.load))"
    )
    assert sum(chart) == sum(total.values())
    page.press("End")
    data = np.arange(plan.task.block << plan.task.n).reshape(1 << plan.task.n, -1)
    result = np.ndenumerate(plan.apply(data))
    assert page.held() == {at: [int(element)] for at, element in result}
    home = page.page.eval_on_selector_all(".cell", "all => all.map(e => e.dataset.home)")
    assert set(home) == {"true"}


def corners(page, selector):
    """The boxes around some things: left, right, top and bottom of each."""
    return np.array(
        page.page.eval_on_selector_all(
            selector,
            """all => all.map(e => e.getBoundingClientRect()).map(b =>
                [b.left, b.right, b.top, b.bottom])""",
        )
    )


def touching(boxes):
    """Pairs of boxes that overlap."""
    left, right, top, bottom = boxes.T
    apart = (left[:, None] >= right) | (right[:, None] <= left)
    apart |= (top[:, None] >= bottom) | (bottom[:, None] <= top)
    return np.argwhere(~apart & ~np.eye(len(boxes), dtype=bool)).tolist()


def overlapping(lanes):
    """Pieces of lanes that lie on each other, where both run across or both run down."""
    pieces = defaultdict(list)
    for (x, y), (x_end, y_end) in (piece for lane in lanes for piece in pairwise(lane)):
        if abs(y - y_end) < 0.1:
            pieces["across", round(y)].append(sorted((x, x_end)))
        else:
            pieces["down", round(x)].append(sorted((y, y_end)))
    pairs = (pair for found in pieces.values() for pair in pairwise(sorted(found)))
    return [(one, other) for one, other in pairs if one[1] > other[0] + 0.1]


GRIDS = [
    ((4, 4), (True, True)),
    ((2, 8), (True, False)),
    *sweep(
        ((4, 4, 4), (True, True, True)),
        ((16, 16), (True, True)),
        ((2, 2, 8), (False, False, False)),
    ),
]


@pytest.mark.parametrize(("sides", "joined"), GRIDS, ids=repr)
def test_links_of_a_torus_pass_nodes_by_and_each_other(opened, sides, joined):
    page = opened(on_torus(sides, slots=0, joined=joined))
    n = sum(side.bit_length() - 1 for side in sides)
    each = [2 if ring else 2 - 2 / side for side, ring in zip(sides, joined, strict=True)]
    links = sum(1 if side == 2 else links for side, links in zip(sides, each, strict=True))
    lanes = page.page.eval_on_selector_all(
        ".link line, .link polyline",
        """all => all.map(e => e.points ? Array.from(e.points, (p) => [p.x, p.y])
            : [1, 2].map((k) => ["x", "y"].map((axis) => e[axis + k].baseVal.value)))""",
    )
    assert len(lanes) == (1 << n) * links
    assert not overlapping(lanes)
    boxes = corners(page, ".node .box")
    points = np.array(
        page.page.eval_on_selector_all(
            ".link line, .link polyline",
            """all => all.flatMap(e => {
                const [m, size] = [e.getScreenCTM(), e.getTotalLength()];
                return Array.from({ length: 41 }, (_, k) => e.getPointAtLength(size * k / 40))
                    .map((p) => p.matrixTransform(m)).map((p) => [p.x, p.y]); })""",
        )
    )
    inside = np.ones((len(points), len(boxes)), dtype=bool)
    for axis in (0, 1):
        low, high = boxes[:, 2 * axis], boxes[:, 2 * axis + 1]
        inside &= (points[:, axis, None] > low) & (points[:, axis, None] < high)
    assert not np.any(inside)


def test_a_tree_beside_a_cube(opened):
    plan = on_tree()
    task = plan.task
    cube = gc.plan(task.source, task.target, task.block, machine=gc.Machine(task.n))
    page = opened(plan, cube)
    shown = page.page.eval_on_selector_all(".cube", "all => all.map(e => e.ariaLabel)")
    assert shown == ["Tree of 16 nodes", "Cube of 16 nodes"]


UPLINKS = gc.Machine(
    4, share=(1, 1, 1, 4), per_byte=(1, 1, 2, 3), nested=True, switching="circuit"
)
"""A card for each node within a computer, and one link for four of them to the next level."""


@pytest.mark.parametrize(
    "machine",
    [gc.Machine.tree((16, 2)), UPLINKS, *sweep((gc.Machine.tree((2, 64)),))],
    ids=repr,
)
def test_ways_up_and_down_stand_above_their_parts(opened, machine):
    layouts = gc.Layout.nodes(machine.dims, "gray"), gc.Layout.nodes(machine.dims)
    plan = gc.plan(*layouts, 4, machine=machine)
    page = opened(plan)
    rectangle = """(e) => { const b = e.getBoundingClientRect();
        return [b.left, b.right, b.top, b.bottom]; }"""
    boxes = np.array(
        page.page.evaluate(f"Array.from(document.querySelectorAll('.node .box'), {rectangle})")
    )
    lines = page.page.evaluate(
        f"Array.from(document.querySelectorAll('.link'), e => "
        f"[e.dataset.link, ({rectangle})(e.querySelector('line'))])"
    )
    assert (
        len({tuple(at) for _, at in lines})
        == len(lines)
        == 2 * sum(1 << plan.task.n - len(wires.nodes) for wires in plan.machine.wires)
    )
    for name, (left, _, top, bottom) in lines:
        kind, number, _ = name.split(":")
        size = 1 << len(plan.machine.wires[int(kind)].nodes)
        mine = boxes[int(number) * size : (int(number) + 1) * size]
        assert mine[:, 0].min() < left < mine[:, 1].max()
        assert top < bottom < mine[:, 2].min()
        around = (boxes[:, 0] < left) & (left < boxes[:, 1]) & (boxes[:, 2] < bottom)
        assert not np.any(around & (top < boxes[:, 3]))


DRAWN = [0, 6, 8, *sweep(*((n,) for n in (1, 2, 3, 4, 5, 7)))]
TREES = [(8, 4, 2), *sweep(((2, 2),), ((16,),), ((4, 4, 4),), ((2, 64),), ((64, 2, 2),))]


TORI = [[4, 8], *sweep(([16, 16],), ([4, 4, 4],), ([256],), ([2, 2, 4, 4],))]


@pytest.mark.parametrize("drawn", [*DRAWN, *TREES, *TORI, CARDS], ids=str)
def test_nodes_do_not_overlap(opened, drawn):
    if isinstance(drawn, gc.Machine):
        plan = on_machine(drawn, slots=0)
    elif isinstance(drawn, tuple | list):
        plan = (on_tree if isinstance(drawn, tuple) else on_torus)(drawn, slots=0)
    else:
        plan = conversion(drawn, 2, "relabel" if drawn < 2 else "gb1")
    n, page = plan.task.n, opened(plan)
    boxes = corners(page, ".node .box")
    assert len(boxes) == 1 << n
    assert not touching(boxes)
    numbers = page.page.locator(".node .number").all_text_contents()
    assert [int(number.partition("→")[0]) for number in numbers] == list(range(1 << n))


def test_a_hostile_name_runs_nothing(opened):
    name = "</script><script>window.hit = 1</script><img src=x onerror='window.hit = 2'>"
    page = opened(conversion(3, 2, "gb1", name=name))
    assert page.page.evaluate("window.hit") is None
    assert name in page.page.text_content(".lead")


def test_a_round_without_cycles_is_no_error(opened):
    page = opened(CASES["identity"]())
    page.page.evaluate(
        """() => { const unit = document.getElementById('unit');
            unit.value = 'round'; unit.dispatchEvent(new Event('change')); }"""
    )
    assert page.page.get_attribute(".beam", "x1") not in (None, "NaN")


CONTRASTS = """() => {
    const light = (colour) => {
        const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(Number).map((c) =>
            c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
    return Array.from(document.querySelectorAll('.cell'), (cell) => {
        const [text, fill] = ['text', '.fill'].map((part) => cell.querySelector(part));
        const [a, b] = [text, fill].map((part) => light(getComputedStyle(part).fill));
        return text.textContent ? Math.max(a / b, b / a) : 21; }); }"""


@pytest.mark.parametrize("n", [3, 6])
def test_numbers_can_be_read_on_every_colour(opened, n):
    page = opened(conversion(n, 8, "gb1"))
    assert min(page.page.evaluate(CONTRASTS)) >= 4.5


def test_the_list_of_positions_keeps_its_place_and_the_focus(opened):
    page = opened(conversion(4, 64, "gb1"))
    page.page.focus(".places")
    page.page.eval_on_selector(".places", "e => { e.scrollTop = 300; }")
    page.press("ArrowRight")
    assert page.page.eval_on_selector(".places", "e => e.scrollTop") == 300
    assert page.page.eval_on_selector(".places", "e => e === document.activeElement")
    page.page.focus(".cube .node[data-node='3']")
    assert page.page.eval_on_selector(".places", "e => e.scrollTop") == 0


def test_a_wide_chart_follows_the_time_and_the_window(opened):
    page = opened(conversion(3, 400, "gb1"), viewport={"width": 360, "height": 740})
    inside = """e => { const frame = e.closest('.scroll').getBoundingClientRect();
        const at = e.getBoundingClientRect();
        return frame.left <= at.left && at.right <= frame.right; }"""
    for keys in (["5"], ["End", "ArrowLeft"], ["Home"], ["9"]):
        page.press(*keys)
        assert page.page.eval_on_selector(".beam", inside)
    page = opened(conversion(3, 40, "gb1"))
    wide = float(page.page.get_attribute(".chart", "width"))
    page.page.set_viewport_size({"width": 700, "height": 900})
    page.wait(f"document.querySelector('.chart').getAttribute('width') < {wide}")
    page.press("5")
    assert page.page.get_attribute(".cursor", "data-column") == "40"


def test_another_unit_leaves_the_longer_plan_where_it_is(opened):
    page = opened(conversion(3, 8, "gb3"), conversion(3, 8, "gb1"))
    page.slide(14)
    for name, value in (("unit", "round"), ("align", "price"), ("unit", "cycle")):
        page.page.select_option(f"#{name}", value)
        assert page.page.locator(".moment").nth(1).text_content().startswith("Cycle 14 of 16")
    page.press("End", "r")
    assert page.page.locator(".moment").nth(1).text_content() == "Done, after 16 cycles."


def test_plans_that_cost_nothing_have_no_priced_time(opened):
    free = {"startup": 0.0, "per_byte": 0.0}
    page = opened(conversion(3, 8, "gb1", **free), conversion(3, 8, "gb3", **free))
    assert page.page.is_hidden("#align")
    page.press("End")
    assert page.position() == 16


def test_what_is_played_is_not_announced(opened):
    page = opened(conversion(3, 64, "gb1"))
    spoken = "Array.from(document.querySelectorAll('.says'), e => e.ariaLive)"
    assert set(page.page.evaluate(spoken)) == {"polite"}
    page.page.keyboard.press(" ")
    page.wait("document.getElementById('play').textContent === 'Pause'")
    assert set(page.page.evaluate(spoken)) == {"off"}
    page.page.keyboard.press(" ")
    assert set(page.page.evaluate(spoken)) == {"polite"}


def test_in_a_low_window_nothing_with_the_focus_is_covered(opened):
    page = opened(conversion(4, 8, "gb1"), viewport={"width": 640, "height": 400})
    page.page.focus("#help")
    page.page.keyboard.press("Tab")
    assert page.page.evaluate(
        """() => { const box = document.activeElement.getBoundingClientRect();
            return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
                .closest('.node') === document.activeElement; }"""
    )


def test_print_is_on_white_and_cuts_nothing_off(opened):
    page = opened(conversion(5, 100, "gb1"), color_scheme="dark")
    page.page.click("#theme")
    page.page.click("#theme")
    page.page.set_viewport_size({"width": 720, "height": 1000})
    page.page.emulate_media(media="print")
    ink = page.page.eval_on_selector("body", "e => getComputedStyle(e).color")
    assert max(map(int, ink.strip("rgb()").split(","))) < 60
    cut = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.className)"
    assert page.page.eval_on_selector_all(".scroll, .table", cut) == []
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 720


def test_cycles_of_a_smaller_plan_are_said_to_be_drawn(opened):
    page = opened(CASES["large prime"]())
    assert "drawn, round 0" in page.page.text_content(".moment")
    page.press("End")
    assert page.page.text_content(".moment").endswith("cycles drawn.")
