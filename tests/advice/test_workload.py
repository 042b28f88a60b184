"""Workload files: every key is read, and every wrong one is an error that says what to do."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from sweeping import sweep

import graycube as gc
from graycube.advice import Workload
from graycube.advice.phases import MAX_TIMES
from graycube.advice.workload import MAX_DEPTH, MAX_LINE, MAX_TEXT
from graycube.errors import InvalidTypeError, InvalidValueError

EXAMPLE = Path(__file__).parents[2] / "examples" / "navier_stokes.toml"
GOOD = {"shape": "[16, 16]", "nodes": "4", "phases": '[{kind = "fft"}, {kind = "stencil"}]'}


def text(**entries):
    return "\n".join(f"{key} = {value}" for key, value in (GOOD | entries).items())


def parsed(**entries):
    return Workload.parse(text(**entries))


def phase(entry):
    (only,) = parsed(phases=f"[{entry}]").phases
    return only


def rejected(complaint, **entries):
    """The text or the advice is refused with all three parts of an error."""
    with pytest.raises(gc.GraycubeError, match=complaint) as caught:
        parsed(**entries).advise()
    assert all((caught.value.found, caught.value.limit, caught.value.hint))
    assert len(str(caught.value)) < 500


def nested(depth, times=2, inner='{kind = "stencil"}'):
    opening = f'[{{kind = "loop", times = {times}, phases = '
    return opening * depth + f"[{inner}]" + "}]" * depth


def test_every_key_is_read():
    found = Workload.parse("""
shape = [48, 80]
nodes = 16
itemsize = 8
returns = true
[machine]
ports = "all"
switching = "circuit"
startup = 1e-3
per_byte = 2e-6
packet = 512
arithmetic = 1e-7
name = "ours"
[[phases]]
kind = "fft"
axes = [1, 0]
order = "free"
[[phases]]
kind = "transpose"
axes = [1, 0]
[[phases]]
kind = "loop"
times = 7
name = "Schritte für 漢字"
[[phases.phases]]
kind = "stencil"
reach = [1, [0, 2]]
periodic = [true, false]
corners = true
[[phases.phases]]
kind = "elementwise"
""")
    inner = gc.Stencil((1, (0, 2)), (True, False), corners=True), gc.Elementwise()
    assert found == Workload(
        phases=(
            gc.FFT((1, 0), "free"),
            gc.Transpose((1, 0)),
            gc.Loop(inner, 7, "Schritte für 漢字"),
        ),
        size=(48, 80),
        machine=gc.Machine(4, "all", "circuit", 1e-3, 2e-6, 512, 1e-7),
        itemsize=8,
        returns=True,
    )
    assert found.machine.name == "ours"


def test_what_a_text_leaves_out_has_the_defaults_of_advise():
    found = parsed()
    assert found.phases == (gc.FFT(), gc.Stencil())
    assert (found.itemsize, found.returns) == (16, False)
    assert found.machine == gc.Machine.profile("ideal", dims=2)
    advice = gc.advise(found.phases, machine=found.machine, size=found.size)
    assert found.advise().cost == advice.cost
    assert found.advise().explain() == advice.explain()


@pytest.mark.parametrize("name", ["ipsc1", "ipsc2", "cm2", "ideal"])
def test_a_machine_may_be_a_profile(name):
    found = parsed(machine=f'"{name}"').machine
    assert found == gc.Machine.profile(name, dims=2)


def test_one_axis_may_be_a_number():
    assert phase("{kind = 'fft', axes = 1}") == gc.FFT(axes=(1,))


@pytest.mark.long
def test_advice_heeds_every_key():
    """A change of any of them changes the price."""
    base = dict.fromkeys(("itemsize", "machine"), "1") | {"machine": "{startup = 5.0}"}
    cost = parsed(**base).advise().cost
    for changed in (
        {"itemsize": "3"},
        {"machine": "{startup = 6.0}"},
        {"machine": '{startup = 5.0, ports = "all"}'},
        {"machine": "{startup = 5.0, packet = 1}"},
        {"shape": "[32, 16]"},
        {"nodes": "8"},
        {"phases": '[{kind = "fft"}, {kind = "stencil", reach = 2}]'},
        {"phases": '[{kind = "fft"}, {kind = "stencil", stride = [2, 4]}]'},
        {"phases": '[{kind = "fft"}, {kind = "stencil", periodic = false}]'},
    ):
        assert parsed(**base | changed).advise().cost != cost


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("16", "not iterable|shape"),
        ('"16"', "is '1': it must be an integer"),
        ("[]", "0 axes"),
        ("[16.0]", "is 16.0: it must be an integer"),
        ("[true, 16]", "is True: it must be an integer"),
        ('["16"]', "is '16': it must be an integer"),
        ("[[16]]", r"is \[16\]: it must be an integer"),
        ("[-16, 16]", "the length of axis 0 is -16"),
        ("[0, 16]", "the length of axis 0 is 0"),
        ("[3, 3]", "3 x 3 on 4 nodes: lengths must be multiples"),
        ("[nan]", "is nan: it must be an integer"),
        ("[inf]", "is inf: it must be an integer"),
        ("2000-01-01", "not iterable|shape"),
        (f"[16, {16**20}]", "it must be at most"),
    ],
)
def test_a_wrong_shape_is_an_error(value, complaint):
    rejected(complaint, shape=value)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("0", "nodes is 0: it must be at least 1"),
        ("-4", "nodes is -4: it must be at least 1"),
        ("3", "nodes is 3, and a power of two is needed, such as 2 or 4"),
        ("true", "nodes is True: it must be an integer"),
        ("4.0", "nodes is 4.0: it must be an integer"),
        ('"4"', "nodes is '4': it must be an integer"),
        ("nan", "nodes is nan: it must be an integer"),
        ("[4]", r"nodes is \[4\]: it must be an integer"),
        (str(1 << 200), "an array of 16 x 16 on 160693804425899"),
        (str(1 << 300), "dims is 300: it must be at most 256"),
    ],
)
def test_a_wrong_number_of_nodes_is_an_error(value, complaint):
    rejected(complaint, nodes=value)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("0", "itemsize is 0: it must be at least 1"),
        ("8.0", "itemsize is 8.0: it must be an integer"),
        ("true", "itemsize is True: it must be an integer"),
        ('"8"', "itemsize is '8': it must be an integer"),
        (str(1 << 100), "itemsize is 1267650600228229401496703205376"),
    ],
)
def test_a_wrong_itemsize_is_an_error(value, complaint):
    rejected(complaint, itemsize=value)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ('"cray"', "the profile is 'cray': the known ones are cm2, dgx-h100"),
        ('"../ideal"', "the known ones are cm2, dgx-h100"),
        ("3", "the machine is neither a name nor a table"),
        ("[]", "the machine is neither a name nor a table"),
        ("{dims = 2}", "look at 'dims'"),
        ("{speed = 2}", "look at 'speed'"),
        ("{ports = 0}", "ports is 0"),
        ("{ports = 3}", "a node of a 2-cube has 1..2 ports"),
        ("{ports = 1.5}", "'all'.* is 1.5: it must be an integer"),
        ("{ports = true}", "'all'.* is True: it must be an integer"),
        ('{switching = "slow"}', "switching is 'slow': the known ones are"),
        ("{switching = []}", r"switching is \[\]: the known ones are"),
        ("{startup = nan}", "startup is nan: it must be finite"),
        ("{startup = inf}", "startup is inf: it must be finite"),
        ("{startup = -1}", "startup is -1: it must be finite and >= 0"),
        ('{startup = "1"}', "startup is '1': it must be a number"),
        ("{per_byte = true}", "per_byte is True: it must be a number"),
        ("{per_byte = -inf}", "per_byte is -inf: it must be finite"),
        ("{packet = 0}", "packet is 0: it must be at least 1"),
        ("{packet = 1.5}", "packet is 1.5: it must be an integer"),
        ("{arithmetic = nan}", "arithmetic is nan: it must be finite"),
    ],
)
def test_a_wrong_machine_is_an_error(value, complaint):
    rejected(complaint, machine=value)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("{}", "phases is no list"),
        ('"fft"', "phases is no list"),
        ("3", "phases is no list"),
        ("[3]", "a phase is 3: its kind is one of fft, stencil, transpose"),
        ("[[]]", r"a phase is \[\]: its kind is one of"),
        ('["fft"]', "a phase is fft: its kind is one of"),
        ("[{}]", "its kind is one of"),
        ("[{kind = 3}]", "its kind is one of"),
        ("[{kind = []}]", "this is no workload"),
        ('[{kind = "FFT"}]', "its kind is one of"),
        ('[{kind = "é"}]', "its kind is one of"),
    ],
)
def test_wrong_phases_are_errors(value, complaint):
    rejected(complaint, phases=value)


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ('kind = "fft", axis = 0', "look at 'axis'"),
        ('kind = "fft", axes = "0"', r"axes\[0\] is '0': it must be an integer"),
        ('kind = "fft", axes = [0.0]', r"axes\[0\] is 0.0: it must be an integer"),
        ('kind = "fft", axes = [true]', r"axes\[0\] is True: it must be an integer"),
        ('kind = "fft", axes = 1.5', "the axes are 1.5: they must be whole numbers"),
        ('kind = "fft", order = 1', "the order is 1: the known ones are"),
        ('kind = "fft", order = []', r"the order is \[\]: the known ones are"),
        ('kind = "stencil", reaches = 1', "look at 'reaches'"),
        ('kind = "stencil", reach = 1.5', r"reach\[0\] is 1.5: it must be an integer"),
        ('kind = "stencil", reach = true', r"reach\[0\] is True: it must be an integer"),
        ('kind = "stencil", reach = -1', "reach"),
        ('kind = "stencil", stride = 3', r"stride\[0\] is 3: it must be a power of two"),
        ('kind = "stencil", reach = "1"', "reach"),
        ('kind = "stencil", reach = [1]', "reach"),
        ('kind = "stencil", reach = [1, 2, 3]', "reach"),
        ('kind = "stencil", reach = [1, [2]]', "reach"),
        ('kind = "stencil", reach = [1, [1, 2, 3]]', "reach"),
        ('kind = "stencil", reach = 99999999999999', "reach"),
        ('kind = "stencil", periodic = 1', "periodic is 1: it must be a bool"),
        ('kind = "stencil", periodic = [true, 0]', "periodic is 0: it must be a bool"),
        ('kind = "stencil", periodic = [true]', "stencil|periodic"),
        ('kind = "stencil", corners = 1', "corners is 1: it must be a bool"),
        ('kind = "stencil", corners = "true"', "corners is 'true': it must be a bool"),
        ('kind = "transpose", order = 1', "look at 'order'"),
        ('kind = "transpose", axes = [0]', r"the axes of a transpose are \(0,\)"),
        ('kind = "transpose", axes = [0, 0]', r"the axes of a transpose are \(0, 0\)"),
        ('kind = "transpose", axes = [0, 2]', r"the axes of a transpose are \(0, 2\)"),
        ('kind = "transpose", axes = "10"', r"axes\[0\] is '1': it must be an integer"),
        ('kind = "elementwise", axes = [0]', "look at 'axes'"),
        ('kind = "loop"', "look at 'phases'"),
        ('kind = "loop", times = 3', "look at 'phases'"),
        ('kind = "loop", phases = []', "look at 'times'"),
        ('kind = "loop", times = -1, phases = []', "times is -1: it must be at least 0"),
        ('kind = "loop", times = "3", phases = []', "times is '3': it must be an integer"),
        ('kind = "loop", times = true, phases = []', "times is True: it must be an integer"),
        ('kind = "loop", times = 1.0, phases = []', "times is 1.0: it must be an integer"),
        ('kind = "loop", times = nan, phases = []', "times is nan: it must be an integer"),
        ('kind = "loop", times = 3, phases = {}', "phases is no list"),
        (
            'kind = "loop", times = 3, phases = [], name = 3',
            "the name of a loop is 3: it is a name",
        ),
        ('kind = "loop", times = 3, phases = [], reach = 3', "look at 'reach'"),
        ('kind = "coarse"', "look at 'factor'"),
        ('kind = "coarse", factor = 2', "look at 'phases'"),
        ('kind = "coarse", phases = []', "look at 'factor'"),
        ('kind = "coarse", factor = 2, phases = {}', "phases is no list"),
        ('kind = "coarse", factor = 2, phases = [], times = 2', "look at 'times'"),
        (
            'kind = "coarse", factor = 3, phases = []',
            "factor.* is 3: it must be a power of two",
        ),
        (
            'kind = "coarse", factor = 2.0, phases = []',
            "factor.* is 2.0: it must be an integer",
        ),
        ('kind = "coarse", factor = "2", phases = []', "factor.* is '2'"),
        ('kind = "coarse", factor = [2], phases = []', "factor has 1 entries for 2 axes"),
        ('kind = "coarse", factor = 2, phases = [{kind = "fft"}]', "there is the phase 'fft'"),
    ],
)
def test_a_wrong_entry_of_a_phase_is_an_error(entry, complaint):
    rejected(complaint, phases=f"[{{{entry}}}]")


def test_a_coarse_grid_is_read_with_its_phases():
    inner = '{kind = "coarse", factor = [4, 1], phases = [{kind = "stencil", stride = 2}]}'
    text = f"kind = 'coarse', factor = 2, phases = [{inner}, {{kind = 'elementwise'}}]"
    inside = gc.Coarse((4, 1), [gc.Stencil(stride=2)])
    assert phase(f"{{{text}}}") == gc.Coarse(2, [inside, gc.Elementwise()])


def test_coarse_grids_may_be_nested_like_loops():
    opening = '[{kind = "coarse", factor = 1, phases = '
    for depth, fine in ((MAX_DEPTH - 1, True), (MAX_DEPTH, False)):
        text = opening * depth + "[]" + "}]" * depth
        if fine:
            assert parsed(phases=text).advise().cost == 0.0
        else:
            rejected(f"more than {MAX_DEPTH} loops or grids deep", phases=text)


@pytest.mark.parametrize("key", ["shape", "nodes", "phases"])
def test_what_is_needed_cannot_be_left_out(key):
    without = "\n".join(f"{k} = {v}" for k, v in GOOD.items() if k != key)
    with pytest.raises(InvalidValueError, match=f"look at '{key}'"):
        Workload.parse(without)


@pytest.mark.parametrize("key", ["size", "Shape", "start", "'é 漢'", "layouts", "dims"])
def test_unknown_keys_are_errors(key):
    rejected(f"look at '{key.strip(chr(39))}' .the known ones are", **{key: "1"})


@pytest.mark.parametrize(
    "wrong", ["", "\0", "shape = [8", "shape = 8\nshape = 8", "[" * 5000, f"x = {'[' * 5000}"]
)
def test_what_is_no_toml_or_no_workload_is_an_error(wrong):
    with pytest.raises(InvalidValueError, match="this is no workload"):
        Workload.parse(wrong)


@pytest.mark.parametrize("wrong", [None, b"shape = [8]", 3, Path("program.toml")], ids=str)
def test_only_text_is_parsed(wrong):
    with pytest.raises(InvalidTypeError, match="it is TOML text; pass a str"):
        Workload.parse(wrong)


def test_loops_may_be_nested_and_not_without_end():
    deepest = parsed(phases=nested(MAX_DEPTH - 1))
    cost = deepest.advise().cost
    assert cost == 2 ** (MAX_DEPTH - 1) * parsed(phases='[{kind = "stencil"}]').advise().cost
    for depth in (MAX_DEPTH, 40):
        rejected(f"more than {MAX_DEPTH} loops or grids deep", phases=nested(depth))
    rejected("this is no workload", phases=nested(5000))


def test_long_loops_take_no_longer_than_short_ones():
    entry = '{kind = "loop", times = %d, phases = [{kind = "stencil"}, {kind = "stencil"}]}'
    few, many = (parsed(phases=f"[{entry % times}]").advise() for times in (1, MAX_TIMES))
    assert many.cost == MAX_TIMES * few.cost
    assert len(many.steps) == 1
    rejected(f"at most {MAX_TIMES}", phases=f"[{entry % (MAX_TIMES + 1)}]")


def test_a_program_may_have_no_phases():
    found = parsed(phases="[]")
    assert found.phases == ()
    assert found.advise().cost == 0.0


# Files.


def test_a_file_is_what_its_text_says(tmp_path):
    path = tmp_path / "προγραμμα.toml"
    content = text(phases='[{kind = "loop", name = "漢", times = 2, phases = []}]')
    for ending in ("\n", "\r\n"):
        path.write_bytes(content.replace("\n", ending).encode())
        for name in (path, str(path)):
            assert gc.load_workload(name) == Workload.parse(content)


def test_files_that_are_not_there_are_errors_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError, match=re.escape("missing.toml")):
        gc.load_workload(tmp_path / "missing.toml")
    with pytest.raises(OSError, match=re.escape(str(tmp_path))):
        gc.load_workload(tmp_path)


def test_a_mark_at_the_beginning_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "program.toml"
    path.write_bytes(b"\xef\xbb\xbf" + text().encode())
    assert gc.load_workload(path) == Workload.parse(text())


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (bytes(range(256)), "is no UTF-8"),
        (text().encode("utf-16"), "is no UTF-8"),
        (b"#" * (MAX_TEXT + 1), f"is larger than {MAX_TEXT} bytes"),
        (b"a." * 5000 + b"a = 1", f"a line has more than {MAX_LINE} characters"),
        (b"", "look at 'nodes'"),
        (b"\x00" * 100, "this is no workload: no TOML"),
    ],
    ids=["binary", "utf-16", "large", "long line", "empty", "zeros"],
)
def test_files_that_hold_no_workload_are_errors(tmp_path, content, complaint):
    path = tmp_path / "program.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidValueError, match=complaint):
        gc.load_workload(path)


# The example.


def test_the_example_is_what_its_comment_says():
    found = gc.load_workload(EXAMPLE)
    comment = " ".join(
        line.lstrip("# ") for line in EXAMPLE.read_text("utf-8").splitlines() if line[:1] == "#"
    )
    assert "512 x 512 points on 64 nodes" in comment
    assert (found.size, found.machine.dims) == ((512, 512), 6)
    assert found.machine == gc.Machine.profile("ipsc1", dims=6)
    assert found.itemsize == 16
    (steps,) = found.phases
    (stages,) = steps.phases
    assert "two stages" in comment
    assert (steps.name, stages.name, stages.times) == ("steps", "stages", 2)
    assert "nine-point" in comment
    assert stages.phases == (
        gc.Stencil(reach=1, corners=True),
        gc.Elementwise(),
        gc.FFT(order="reversed"),
        gc.Elementwise(),
        gc.FFT(order="reversed"),
    )


@pytest.mark.long
@pytest.mark.parametrize("profile", ["ipsc1", *sweep(("cm2",))])
def test_the_example_gives_advice_that_grows_with_its_steps(profile):
    """A smaller one: 32 x 32 points on 4 nodes."""
    machine = gc.Machine.profile(profile, dims=2)
    small = replace(gc.load_workload(EXAMPLE), size=(32, 32), machine=machine)
    found = small.advise()
    costs = found.vary(steps=(0, 1, 1000, 2000)).costs
    assert costs[0] == 0
    assert costs[2] == found.cost
    assert costs[3] - costs[2] == pytest.approx(1000 * (costs[2] - costs[1]) / 999)
    assert any(f"{count} times" in found.explain() for count in range(990, 1001))
    assert found.cost <= min(cost for _, cost in found.alternatives)
