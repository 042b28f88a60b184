"""What notebooks and the prompt show: sound HTML of any object at any size, and short lines."""

import re
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pages import Page, page
from strategies import mesh_specs

import graycube as gc
from graycube.advice import FFT, Loop, Methods, Stencil, Variation
from graycube.errors import InvalidValueError
from graycube.gf2 import Matrix
from graycube.layout import Distances
from graycube.measure import Bench, Calibration
from graycube.measure.bench import Timed
from graycube.measure.samples import Sample
from graycube.show import Sheet, Shown, shown, text
from graycube.texts import shortened
from graycube.verify import RULES, Report, Violation

HOSTILE = "<script>alert('x')</script>&\"quoted\""


def layouts():
    shape = {"shape": (64, 32), "nodes": (8, 4)}
    return gc.Layout.mesh(**shape, code="gray"), gc.Layout.mesh(**shape)


def some_plan(name="custom", dims=5):
    machine = gc.Machine(dims, "all", startup=2e-6, per_byte=1e-9, name=name)
    return gc.plan(*layouts(), block=64, itemsize=8, machine=machine)


def transform_plan():
    machine = gc.Machine(dims=4, ports=2, startup=10.0, name=HOSTILE)
    return gc.plan_fft(gc.Layout.cyclic(10, 4, nodes="gray"), itemsize=1, machine=machine)


def advice(name="steps", machine="custom"):
    machine = gc.Machine(dims=4, startup=1e-3, per_byte=1e-6, name=machine)
    phases = [FFT(), Loop([Stencil()], times=50, name=name), FFT()]
    return gc.advise(phases, machine=machine, size=(64, 64))


def calibration(sizes=(8, 1024), name="calibrated"):
    samples = [
        Sample("distance", k, b, seconds=1e-5 + k * b * 1e-9) for k in (1, 2) for b in sizes
    ]
    return Calibration.of(samples, dims=2, name=name)


def bench():
    rows = Timed("gb1", 3, 3e-6, (4e-6,)), Timed("gb3", 4, 2e-6, (5e-6,))
    return Bench(rows, chosen="gb3")


def broken(count):
    violations = tuple(Violation("end", node=k) for k in range(count))
    return Report("by hand", ("end", "link"), violations, (("end", count),))


def hostile_report():
    violations = (Violation("end", detail=HOSTILE),)
    return Report(HOSTILE, (HOSTILE,), violations, ((HOSTILE, 1),))


def array():
    return gc.CubeArray.from_numpy(np.zeros((64, 32), np.float32), layouts()[0])


SHOWN = {
    "layout": lambda: layouts()[0],
    "layout by ownership": lambda: gc.Layout.mesh((1000, 7), nodes=(6, 2)),
    "plan": some_plan,
    "transform": transform_plan,
    "proof": lambda: some_plan().verify(),
    "refusal": lambda: broken(40),
    "advice": advice,
    "variation": lambda: advice().vary(steps=range(1, 30)),
    "machine": lambda: gc.Machine.profile("cm2"),
    "calibration": calibration,
    "bench": bench,
    "distances": lambda: gc.mesh_distances(layouts()[1]),
    "matrix": lambda: layouts()[0].map.matrix,
    "map": lambda: layouts()[0].map,
    "array": array,
    "circuit": lambda: gc.qubits.plan([("h", 3)], gc.Layout.consecutive(4, 2)),
    "rank order": lambda: gc.place(
        gc.Pattern.mesh((2, 3), neighbours=1e6), gc.Interconnect.torus((6,), per_byte=1e-9)
    ),
}


@cache
def thing_of(name):
    return SHOWN[name]()


@pytest.mark.long
def test_every_public_class_that_notebooks_show_is_tried_here():
    packages = (
        import_module(f"graycube.{m.name}")
        for m in iter_modules(gc.__path__)
        if m.ispkg and m.name != "jax"  # whose arrays are JAX's to show
    )
    public = [getattr(package, name) for package in packages for name in package.__all__]
    showing = {c for c in public if isinstance(c, type) and issubclass(c, Shown)} - {Shown}
    assert showing == {type(thing_of(name)) for name in SHOWN}
    assert len(showing) == 15


@pytest.mark.parametrize("name", SHOWN)
def test_html_is_sound_short_and_fits_any_theme(name):
    html = thing_of(name)._repr_html_()
    assert len(html) < 9 << 10
    Page(html)
    for colour in re.findall(r"(?:background|color|border[a-z-]*):([^;\"]*)", html):
        assert re.search("rgba|currentColor|collapse|separate|dashed|3px$", colour), colour


@pytest.mark.parametrize("name", SHOWN)
def test_the_prompt_shows_one_short_line(name):
    line = repr(thing_of(name))
    assert "\n" not in line
    assert len(line) < 200


@pytest.mark.parametrize("name", SHOWN)
def test_text_and_card_say_the_same(name):
    """Of tables every cell; what a card leaves out in the middle is in the text."""
    sheet = thing_of(name)._sheet()
    said = " ".join(text(Sheet("", *sheet.pieces)).split())
    for table in page(thing_of(name)).tables:
        for row in table:
            for cell in row:
                for word in cell.split():
                    assert word in said or word.isdigit() or word in "slot node bits"


def test_schedules_and_candidates_are_one_short_line():
    plan, made = some_plan(), transform_plan()
    things = [plan.schedule, made.schedule, *made.candidates, advice().search, *plan.candidates]
    things += [candidate.algorithm for candidate in plan.candidates]
    assert all("\n" not in repr(thing) and len(repr(thing)) < 200 for thing in things)
    assert repr(plan.schedule) == f"<Schedule minimum-path: {plan.cycles} cycles, 32 nodes>"
    assert (
        repr(plan.candidates[1]) == f"<Candidate direct: left out, {plan.candidates[1].reason}>"
    )


def test_prompts_say_what_matters():
    assert repr(bench()) == "<Bench of 2 candidates: gb1 is fastest, gb3 is chosen, 1.250 x>"
    assert repr(Bench((), "gb1")) == "<Bench of 0 candidates>"
    assert repr(Bench(bench().candidates, "read from a file")).endswith("gb1 is fastest>")
    assert repr(broken(3)) == "<Report by hand: 3 x end>"
    assert repr(calibration()).startswith("<Calibration calibrated: 4 ranks: start-up 10 us,")
    many = Variation({"a": (1, 2), "b": (3,)}, ("A", "B"), (1.0, 2.0))
    assert repr(many) == "<Variation of 2 numbers of a and 1 numbers of b: 2 strategies>"


@given(mesh_specs(max_axes=3))
def test_the_bits_of_a_layout_are_those_it_prints(spec):
    layout = spec.layout()
    bits = page(layout).tables[0]
    assert "".join(bits[1]) == re.match(r"\((.*?)\)", str(layout))[1].replace(" ", "")
    numbers = [int(k) for k in bits[2] if k]
    assert numbers == [*range(layout.p - layout.n)[::-1], *range(layout.n)[::-1]]


def test_gray_bits_are_marked_by_their_border_and_axes_by_colour():
    html = layouts()[0]._repr_html_()
    found = {
        m[2]: m[1] for m in re.finditer(r'<td style="([^"]*monospace)">([^<]*)</td>', html)
    }
    assert {t for t, style in found.items() if "2px dashed" in style} == {
        "g0:4",
        "g0:3",
        "g1:3",
    }
    hues = {t: re.search(r"rgba\((.*?)\)", style)[1] for t, style in found.items()}
    assert len({hue for t, hue in hues.items() if t[1] == "0"}) == 1
    assert hues["b0:5"] == hues["g0:3"] != hues["b1:4"] == hues["g1:3"]
    assert "Gray-coded" in page(layouts()[0]).text
    assert "Gray-coded" not in page(layouts()[1]).text


def test_a_bit_of_several_axes_has_the_colour_of_none():
    html = gc.Layout.parse("(b1:0 || b0:0^b1:0)")._repr_html_()
    style = re.search(r'<td style="([^"]*)">b0:0\^b1:0<', html)[1]
    assert "background" not in style


def test_the_grid_of_two_axes_has_the_nodes():
    layout = layouts()[0]
    text = page(layout)
    head, *rows = text.tables[1]
    assert head == ["", "0-7", "8-15", "16-23", "24-31"]
    for i, (label, *nodes) in enumerate(rows):
        assert label == f"{8 * i}-{8 * i + 7}"
        assert [int(u) for u in nodes] == [layout.locate(8 * i, 8 * j)[0] for j in range(4)]
    assert "64 x 32 = 2048 elements on 32 nodes, 64 on each" in text.text
    assert "axis 0: 64" in text.text


def test_the_table_of_one_axis_has_the_indices():
    layout = gc.Layout.cyclic(5, 2, nodes="gray")
    assert page(layout).tables[1] == [
        ["node", "bits", "indices in slot order"],
        ["0", "00", "0, 4, 8, ... 28"],
        ["1", "01", "1, 5, 9, ... 29"],
        ["2", "10", "3, 7, 11, ... 31"],
        ["3", "11", "2, 6, 10, ... 30"],
    ]


def test_more_axes_have_no_grid():
    assert len(page(gc.Layout.mesh((4, 4, 4), nodes=(2, 2, 2))).tables) == 1


@pytest.mark.parametrize(
    "layout",
    [
        gc.Layout.cyclic(60, 30, nodes="gray"),
        gc.Layout.mesh(
            (1 << 30, 3 << 30), nodes=(1 << 15, 1 << 15), code="gray", ownership=False
        ),
        gc.Layout.mesh((8,) * 40, nodes=(2,) * 40),
        gc.Layout.consecutive(300, 299, whole="gray"),
        gc.Layout.nodes(0),
    ],
    ids=lambda layout: f"{layout.p}-{layout.n}",
)
def test_layouts_of_any_size_are_shown(layout):
    html = layout._repr_html_()
    assert len(html) < 20_000
    Page(html)


def test_the_middle_of_long_things_is_left_out():
    bits = page(gc.Layout.cyclic(60, 30)).tables[0][1]
    assert bits[:1] + bits[-1:] == ["b59", "b0"]
    assert bits.count("...") == 2
    assert len(page(broken(90)).text.split("end: node")) - 1 == 39
    matrix = Matrix.identity(500)
    lines = page(matrix).text.splitlines()
    assert len(lines) == 32
    assert lines[-1].endswith(". 1")
    numbers = tuple(range(2000))
    wild = Variation({"n": numbers}, tuple("AB" * 1000), numbers)
    assert len(page(wild).tables[0]) == 41
    many = calibration(sizes=range(8, 408, 4))
    assert len(page(many).tables[0]) == 41
    far = Distances(dict.fromkeys(range(1000), 1))
    assert [row[0] for row in page(far).tables[0]].count("...") == 1


def test_a_plan_shows_the_figures_of_its_candidates():
    plan = some_plan()
    text = page(plan)
    table, reasons = text.tables
    rows = {row[0]: row[1:] for row in table}
    for candidate in plan.candidates:
        name, traffic = candidate.algorithm.name, candidate.traffic
        if traffic is None:
            assert any(
                name in row[0].split(", ") and row[1] == candidate.reason for row in reasons
            )
            assert name not in rows
        else:
            counts = [str(x) for x in (traffic.nonempty, traffic.cycles, traffic.bytes)]
            assert rows[name][:4] == [*counts, f"{candidate.cost:.4g}"]
    bound = max(plan.bounds, key=lambda b: b.seconds)
    assert rows["lower bound"][3:] == [
        f"{bound.seconds:.4g}",
        f"{bound.name} ({bound.citation})",
    ]
    assert f"{plan.cost / plan.lower_bound:.3g} of the bound" in text.text
    left_out = sum(c.traffic is None for c in plan.candidates)
    assert f"Left out: {left_out}" in text.text
    assert str(plan.task.source) in text.text
    assert str(plan.task.target) in text.text


@pytest.mark.parametrize("thing", [some_plan(), transform_plan(), bench()], ids=repr)
def test_the_chosen_candidate_alone_is_bold(thing):
    bold = re.findall(r'<tr style="font-weight:bold"><td[^>]*>(.*?)</td>', thing._repr_html_())
    assert bold == [getattr(thing, "algorithm", None) or thing.chosen]


def test_a_transform_plan_shows_the_figures_of_its_candidates():
    made = transform_plan()
    text = page(made)
    rows = {row[0]: row[1:] for row in text.tables[0]}
    for candidate in made.candidates:
        if candidate.traffic is not None:
            traffic = candidate.traffic
            figures = [traffic.nonempty, traffic.cycles, traffic.bytes, f"{candidate.cost:.4g}"]
            assert rows[candidate.algorithm.name][:4] == list(map(str, figures))
    assert rows["lower bound"][3] == f"{made.lower_bound:.4g}"


def test_a_report_shows_its_rules_and_what_is_broken():
    good, bad = some_plan().verify(), broken(2)
    assert [row[0] for row in page(good).tables[0]] == list(good.rules)
    assert all(row[1:] == ["kept", RULES[row[0]]] for row in page(good).tables[0])
    assert "True: nothing is wrong" in page(good).text
    assert "a node holds at most 64 elements" in page(good).text
    assert "False: 2 x end" in page(bad).text
    assert [row[:2] for row in page(bad).tables[0]] == [["end", "broken 2 x"], ["link", "kept"]]
    assert all(str(violation) in page(bad).text for violation in bad.violations)


def test_advice_shows_its_steps_and_alternatives():
    found = advice()
    text = page(found)
    (steps,) = text.tables
    whole = steps.index(["in all", "", f"{found.cost:.4g}", ""])
    assert ["50 times:", "", "", ""] in steps
    indented = [row for row in steps if row[0].startswith("\N{NO-BREAK SPACE}")]
    assert [row[0].strip() for row in indented] == ["stencil of reach 1"]
    names = [[name, f"{cost:.4g}"] for name, cost in found.alternatives[:6]]
    assert [row[1:3] for row in steps[whole + 1 :]] == names
    assert found.strategy in text.text
    for line in found.explain().splitlines()[-2:]:
        assert line in text.text


@pytest.mark.parametrize("transforms", [1, 3])
def test_the_title_of_advice_counts_conversions(transforms):
    """CAM-87-02, Theorem 4: three transforms in whole blocks pay for going to binary code."""
    layouts = {c: gc.Layout.consecutive(12, 6, nodes=c) for c in ("binary", "gray")}
    program = [Loop([FFT(order="free")], transforms), Loop([Stencil(reach=[(0, 1)])], 10)]
    methods = Methods(fft="whole blocks", conversion="gb1")
    found = gc.advise(
        program, machine="ipsc1", size=4096, layouts=layouts, returns=True, methods=methods
    )
    counts = re.findall(r"pays to convert (\d+) times", found.explain())
    assert len(counts) == (transforms > 2)
    told = f"; {found.strategy}, with "
    assert [f"{told}{count} conversions" in page(found).text for count in counts] == [
        True
    ] * len(counts)
    assert (told in page(found).text) == bool(counts)


def test_a_variation_shows_where_each_strategy_is_best():
    one = Variation({"n": (1, 2, 3, 4)}, ("A", "A", "B", "A"), (1.0, 2.0, 3.0, 4.0))
    assert page(one).tables[0] == [
        ["n", "best strategy", "seconds"],
        ["1 to 2", "A", "1 to 2"],
        ["3", "B", "3"],
        ["4", "A", "4"],
    ]
    values = {"m": (5, 6), "n": (1, 2)}
    two = Variation(values, ("A", "A", "A", "B"), (1.0, 2.0, 3.0, 4.0))
    assert page(two).tables[0][1:] == [
        ["5", "1 to 2", "A", "1 to 2"],
        ["6", "1", "A", "3"],
        ["6", "2", "B", "4"],
    ]
    assert len(page(Variation({"n": ()}, (), ())).tables[0]) == 1


def test_a_machine_shows_its_costs():
    machine = gc.Machine(6, "all", "circuit", 1.5e-6, 2e-9, packet=1024, arithmetic=3e-9)
    assert page(machine).tables[0] == [
        ["nodes", "64 = 2^6"],
        ["ports", "6, which are all"],
        ["switching", "circuit"],
        ["start-up", "1.5e-06 s"],
        ["per byte", "2e-09 s"],
        ["packets", "1024 bytes"],
        ["arithmetic", "3e-09 s"],
    ]


def test_measurements_show_what_their_reports_say():
    found = calibration()
    text = page(found)
    assert all(line in text.text for line in str(found).splitlines())
    told = found.report().splitlines()[3:]
    for row, line in zip(text.tables[0], told, strict=True):
        assert " ".join(row).split() == line.split()
    for row, line in zip(page(bench()).tables[0], bench().report().splitlines(), strict=True):
        assert " ".join(row).split() == line.split()


def test_distances_show_their_histogram_in_proportion():
    distances = gc.mesh_distances(layouts()[1])
    rows = page(distances).tables[0][1:]
    assert {int(row[0]): int(row[1]) for row in rows} == distances.histogram
    widths = re.findall(r"width:([0-9.]*)em", distances._repr_html_())
    shares = [count / distances.pairs for count in distances.histogram.values()]
    assert [float(w) / 12 for w in widths] == pytest.approx(shares, abs=1e-3)
    assert f"at most {distances.dilation} hops" in page(distances).text
    assert f"{float(distances.mean):.4g} in the mean" in page(distances).text


def test_matrices_show_the_entries_that_they_print():
    address = layouts()[0].map
    assert page(address.matrix).text.endswith(str(address.matrix))
    assert page(address).text.endswith(str(address))


def test_an_array_shows_what_it_is_and_not_its_data():
    x = array()
    text = page(x)
    assert text.text.startswith("CubeArray 64 x 32, float32")
    assert "32 blocks here, 8192 bytes" in text.text
    assert str(x.layout) in text.text
    assert text.tables[0] == page(x.layout).tables[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: gc.Machine(3, name=HOSTILE),
        lambda: some_plan(HOSTILE),
        lambda: calibration(name=HOSTILE),
        lambda: advice(machine=HOSTILE),
        lambda: advice(name=HOSTILE).vary(**{HOSTILE: [1, 2]}),
        lambda: Bench((Timed(HOSTILE, 1, 1.0, (1.0,)),), HOSTILE),
        hostile_report,
        lambda: gc.CubeArray.from_numpy(np.zeros(8, [(HOSTILE, "f8")]), gc.Layout.nodes(3)),
    ],
    ids=[
        "machine",
        "plan",
        "calibration",
        "advice",
        "vary",
        "bench",
        "report",
        "array",
    ],
)
def test_names_are_text_and_never_tags(make):
    text = page(make())
    assert "script" not in text.tags
    assert "<script>alert(" in text.text


def test_names_too_long_for_a_page_are_refused():
    for make in (lambda name: gc.Machine(3, name=name), lambda name: advice(name=name)):
        assert len(make("x" * 200)._repr_html_()) < 8000
        with pytest.raises(InvalidValueError, match="up to 200 characters"):
            make("x" * 201)


@given(st.integers(0, 50), st.integers(3, 20))
def test_what_is_shown_is_in_order_with_one_gap(count, most):
    places = shown(count, most)
    assert len(places) <= most
    assert [k for k in places if k is not None] == sorted(k for k in places if k is not None)
    assert places.count(None) == (count > most)
    assert places[:1] + places[-1:] == ([0, count - 1] if count else [])


@given(st.text(), st.integers(5, 30))
def test_a_shortened_text_keeps_its_ends(text, most):
    short = shortened(text, most)
    assert len(short) == min(len(text), most)
    assert short[0:1] == text[0:1]
