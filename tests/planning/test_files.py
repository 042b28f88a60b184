"""Plans as files: saved whole, read back equal, and never trusted."""

import copy
import json
import pickle
import subprocess
import sys
from dataclasses import asdict
from functools import cache
from math import inf
from multiprocessing import get_context
from pathlib import Path

import pytest

import graycube as gc
from graycube import whole_files
from graycube.errors import InvalidValueError
from graycube.schedule import dump, load

WRONG = [None, True, -1, 1.5, "", "x", [], {}, 10**30, float("nan"), float("inf")]
COSTS = {("machine", name) for name in ("startup", "per_byte", "arithmetic", "per_row")}
HARMLESS = {("schedule", "algorithm"), ("machine", "name")}


@cache
def chosen(algorithm="auto", n=4, machine="ipsc1"):
    layouts = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    return gc.plan(*layouts, block=64, itemsize=8, machine=machine, algorithm=algorithm)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "plan.json"
    chosen().save(path)
    return path


def rewrite(file, path, value):
    content = json.loads(file.read_text())
    tree = content
    for key in path[:-1]:
        tree = tree[key]
    tree[path[-1]] = value
    file.write_text(json.dumps(content))


def refused(file):
    with pytest.raises(gc.GraycubeError) as caught:
        gc.load_plan(file)
    assert len(str(caught.value)) < 1000 + len(str(file))
    return str(caught.value)


def loads_or_is_refused(file):
    """Whether it loads; any other error than the library's own is a fault."""
    try:
        gc.load_plan(file)
    except gc.GraycubeError:
        return False
    return True


@pytest.mark.parametrize("algorithm", ["auto", "relabel", "gb1", "gb2", "gb3", "any-order"])
def test_a_saved_plan_is_read_back(tmp_path, algorithm):
    plan = chosen(algorithm)
    plan.save(tmp_path / "plan.json")
    again = gc.load_plan(tmp_path / "plan.json")
    assert again == plan
    assert again.explain() == plan.explain()
    assert again.verify()


def test_a_file_says_what_rows_cost_only_where_they_do(tmp_path):
    """Older versions read no file with a word that they do not know."""
    for per_row in (0.0, 2e-9):
        plan = chosen(machine=gc.Machine(4, startup=1e-3, per_row=per_row))
        plan.save(tmp_path / "plan.json")
        assert ("per_row" in (tmp_path / "plan.json").read_text()) is bool(per_row)
        assert gc.load_plan(tmp_path / "plan.json").machine.per_row == per_row


@pytest.mark.parametrize("algorithm", ["auto", "direct", "circuit-split"])
def test_a_plan_on_circuits_is_read_back(tmp_path, algorithm):
    machine = gc.Machine(5, ports=2, switching="circuit", startup=1e-3, packet=1024)
    plan = chosen(algorithm, n=5, machine=machine)
    plan.save(str(tmp_path / "plan.json"))
    assert gc.load_plan(str(tmp_path / "plan.json")) == plan


@pytest.mark.parametrize("n", [20, pytest.param(100, marks=pytest.mark.sweep)])
def test_a_plan_of_a_huge_cube_is_read_back(tmp_path, n):
    plan = chosen("gb3", n=n, machine=gc.Machine(n, ports="all"))
    plan.save(tmp_path / "plan.json")
    assert gc.load_plan(tmp_path / "plan.json").schedule == plan.schedule


def test_saving_replaces_the_file_and_leaves_no_other(file):
    other = chosen("gb2")
    other.save(file)
    assert gc.load_plan(file) == other
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("error", [OSError, MemoryError, KeyboardInterrupt])
def test_a_failing_write_leaves_the_old_file_alone(file, monkeypatch, error):
    before = file.read_bytes()

    def fail(*_):
        raise error

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(error):
        chosen("gb2").save(file)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_saved_plan_can_be_read_by_whom_a_new_file_can(file):
    new = file.with_name("new")
    new.touch()
    assert file.stat().st_mode == new.stat().st_mode


def test_the_unfinished_file_of_another_writer_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(whole_files, "token_hex", lambda _: "both")
    other = tmp_path / ".both.part"
    other.write_text("half a plan")
    with pytest.raises(FileExistsError):
        chosen().save(tmp_path / "plan.json")
    assert other.read_text() == "half a plan"


def test_a_link_to_itself_is_replaced(tmp_path):
    (tmp_path / "plan.json").symlink_to("plan.json")
    chosen().save(tmp_path / "plan.json")
    assert gc.load_plan(tmp_path / "plan.json") == chosen()


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(InvalidValueError, match="nowhere"):
        chosen().save(tmp_path / "nowhere" / "plan.json")


def test_a_name_with_a_zero_is_refused(file):
    for use in (gc.load_plan(file).save, gc.load_plan):
        with pytest.raises(InvalidValueError, match="no name of a file has a zero in it"):
            use("a\0b")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.json"):
        gc.load_plan(tmp_path / "missing.json")


def test_a_directory_is_no_plan(tmp_path):
    with pytest.raises((gc.GraycubeError, IsADirectoryError), match=tmp_path.name):
        gc.load_plan(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"\x80",
        b"null",
        b"[]",
        b"0",
        b'"x"',
        b"{}",
        b"NaN",
        b"\0" * 99,
    ],
)
def test_other_bytes_are_no_plan(file, content):
    file.write_bytes(content)
    assert "no plan" in refused(file)


def test_a_truncated_plan_is_refused(file):
    whole = file.read_bytes()
    for end in range(0, len(whole), 11):
        file.write_bytes(whole[:end])
        assert "no plan" in refused(file)


def test_a_file_that_is_too_large_is_not_even_read(file):
    with file.open("r+b") as stream:
        stream.truncate(1 << 40)
    assert "larger" in refused(file)


@pytest.mark.parametrize("depth", [900, 5000, 200000])
def test_deep_nesting_is_refused(file, depth):
    whole = file.read_text()
    for key in ("machine", "schedule", "version", "format"):
        rewrite(file, (key,), "@")
        file.write_text(file.read_text().replace('"@"', "[" * depth + "]" * depth))
        refused(file)
        file.write_text(whole)


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_a_wrong_value_anywhere_is_refused(file, wrong):
    whole = file.read_text()
    content = json.loads(whole)
    places = [(key,) for key in content]
    places += [(part, key) for part in ("machine", "schedule") for key in content[part]]
    for place in places:
        rewrite(file, place, wrong)
        if not may_be(place, wrong):
            refused(file)
        else:
            loads_or_is_refused(file)
        file.write_text(whole)


def may_be(place, value):
    """Values that are right somewhere: no packet, a cost of any size, a text, an empty list."""
    if place in HARMLESS:
        return isinstance(value, str)
    if place in {("schedule", "rounds"), ("schedule", "ways")}:
        return value == []
    if place == ("machine", "packet"):
        return value in (None, 10**30)
    return place in COSTS and value in (1.5, 10**30)


def test_a_key_more_or_less_is_refused(file):
    whole = file.read_text()
    for part in ((), ("machine",), ("schedule",)):
        rewrite(file, (*part, "more"), 1)
        refused(file)
        file.write_text(whole)
    for key in ("format", "version", "machine", "schedule"):
        content = json.loads(whole)
        del content[key]
        file.write_text(json.dumps(content))
        refused(file)


@pytest.mark.parametrize("version", [0, 2, "1", 1.0, True, None])
def test_another_version_is_refused(file, version):
    rewrite(file, ("version",), version)
    assert "version" in refused(file)


def test_a_key_twice_is_refused(file):
    file.write_text(file.read_text().replace('"version": 1,', '"version": 2, "version": 1,', 1))
    refused(file)


@pytest.mark.parametrize("cost", ["startup", "per_byte"])
@pytest.mark.parametrize("value", [10**400, 10**4000, 1e308], ids=["400", "4000", "308"])
def test_a_huge_cost_is_a_number_or_refused(file, cost, value):
    rewrite(file, ("machine", cost), value)
    loads_or_is_refused(file)


@pytest.mark.parametrize("machine", [{"dims": 0, "ports": "all"}, {"dims": 0}, {"dims": 9}])
def test_a_machine_for_another_cube_is_refused(file, machine):
    rewrite(file, ("machine",), {"name": "other", **machine})
    assert refused(file).startswith(f"{file} is no plan: the machine has ")


@pytest.mark.parametrize("key", ["block", "itemsize"])
def test_a_claim_of_a_huge_block_costs_nothing(file, key):
    rewrite(file, ("schedule", "task", key), 2**61)
    plan = gc.load_plan(file)
    assert bool(plan.verify()) == (key == "itemsize")


CARDS = gc.Machine(4, (1,) * 4, "circuit", 1e-6, 1e-9, share=(1, 1, 4, 4))
RING = gc.Machine.torus((16,), startup=1e-6, per_byte=1e-9)


CYCLIC, CONSECUTIVE = gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4)


@pytest.mark.parametrize("algorithm", ["exchange", "all-to-all"])
@pytest.mark.parametrize("machine", [CARDS, RING], ids=["cards", "ring"])
def test_a_huge_block_has_a_price_where_links_are_shared(file, machine, algorithm):
    made = gc.plan(CYCLIC, CONSECUTIVE, 64, itemsize=8, machine=machine, algorithm=algorithm)
    made.save(file)
    rewrite(file, ("schedule", "task", "itemsize"), 2**61)
    plan = gc.load_plan(file)
    assert made.cost < plan.cost < inf
    assert f"{plan.cost:.4g} s" in repr(plan)
    assert plan.verify()


def test_what_nobody_can_count_has_no_price(file):
    """Messages in turns that last too long for their rounds, of more than can be followed."""
    gc.plan(CYCLIC, CONSECUTIVE, 64, machine=CARDS, algorithm="all-to-all").save(file)
    rewrite(file, ("schedule", "task", "block"), 2**61)
    assert "no theorem counts messages of steps like these" in refused(file)


def test_packets_have_the_size_of_a_file_or_less(file):
    rewrite(file, ("machine", "packet"), 10**400)
    assert "of 1329 bits: it must be at most" in refused(file)


def test_a_round_without_messages_is_free(file):
    content = json.loads(file.read_text())["schedule"]
    rewrite(file, ("schedule", "rounds"), [*content["rounds"], content["cycles"]])
    rewrite(file, ("schedule", "cycles"), content["cycles"] + 1)
    assert gc.load_plan(file).verify()


def test_single_moves_are_no_plan(file):
    plan = chosen()
    rewrite(file, ("schedule",), json.loads(dump(plan.moves())))
    assert "a symbolic schedule" in refused(file)


def test_a_tampered_plan_loads_and_does_not_verify(file):
    hop = ("schedule", "ways", 0, "steps", 0, "exchange")
    rewrite(file, hop, "flip 0 where a1 = 1")
    report = gc.load_plan(file).verify()
    assert not report
    assert "end" in dict(report.counts)


def test_a_plan_with_many_conditions_is_judged(file):
    content = json.loads(file.read_text())
    task = {"source": str(gc.Layout.nodes(20, "gray")), "target": str(gc.Layout.nodes(20))}
    hops = [{"start": 0, "exchange": f"flip {j} where a{j + 1} = 1"} for j in range(19)]
    content["schedule"]["task"] |= task
    content["schedule"]["rounds"] = [0]
    content["schedule"]["ways"] = [{"elements": [0, 64], "steps": hops}]
    content["machine"] = asdict(gc.Machine(20))
    file.write_text(json.dumps(content))
    if loads_or_is_refused(file):
        assert not gc.load_plan(file).verify()


def test_nothing_in_a_file_is_executed(file):
    code = "__import__('pathlib').Path('executed').touch()"
    for place in [("machine", "name"), ("schedule", "algorithm")]:
        rewrite(file, place, code)
    assert gc.load_plan(file).algorithm == code
    rewrite(file, ("schedule", "task", "source"), code)
    refused(file)


def hostile(kind):
    """Texts that say much with few bytes, or much with many."""
    most = (1 << 24) - 1000
    return {
        "many objects": "[" + ",".join(['{"a":0}'] * (1 << 19)) + "]",
        "objects and a wide text": '["' + "\U0001f600" * (1 << 21) + '",' + '{"a":0},' * 10**6,
        "too many entries": "[" + ",".join(["[]"] * (1 << 21)) + "]",
        "a long text": '["' + "x" * most + '\U0001f600"]',
        "a deep one": "[" * (most // 2) + "]" * (most // 2),
        "only open": "[" * most,
        "too large": " " * (most + 2000),
    }[kind]


@pytest.mark.long
@pytest.mark.parametrize(
    "kind",
    [
        "too large",
        "only open",
        *(
            pytest.param(kind, marks=pytest.mark.sweep)
            for kind in (
                "many objects",
                "objects and a wide text",
                "too many entries",
                "a long text",
                "a deep one",
            )
        ),
    ],
)
def test_no_file_takes_much_memory(kind, tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(hostile(kind))
    code = (
        "import re, sys, graycube as gc\n"
        "from graycube.errors import InvalidValueError\n"
        "try:\n    gc.load_plan(sys.argv[1])\n"
        "except InvalidValueError:\n"  # ru_maxrss may be that of the process before
        "    print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 512 << 10  # kilobytes


def test_what_could_not_be_read_is_not_written(file, monkeypatch):
    plan, before = gc.load_plan(file), file.read_bytes()
    monkeypatch.setattr("graycube.planning.files.MAX_TEXT", len(before) - 1)
    for write in (plan.save, lambda _: pickle.dumps(plan)):
        with pytest.raises(InvalidValueError, match=r"as a file: at most \d+ are read"):
            write(file)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "text", ['{"a": NaN}', '{"a": Infinity}', '{"a": 1e999}', '{"a": 1, "a": 1}', "9" * 5000]
)
def test_what_is_no_json_is_refused(file, text):
    file.write_text(text)
    assert "no JSON" in refused(file)


def test_entries_and_bits_are_counted_before_anything_is_made(file):
    bits = " ".join(f"b{j}" for j in range(1025))
    rewrite(file, ("schedule", "task", "source"), f"(|| {bits})")
    assert "at most 1024 bits" in refused(file)
    file.write_text("[" + "[]," * (1 << 20) + "[]]")
    assert "more than 2097152 entries" in refused(file)


def test_brackets_in_names_are_no_depth(file):
    rewrite(file, ("machine", "name"), "]" + '[{"\\' * 40)
    assert gc.load_plan(file).machine.name.startswith("][")
    rewrite(file, ("machine", "name"), "@")
    for depth, fine in ((40, False), (49, False), (60, True)):
        file.write_text(f'{{"a": {"[" * depth}{"]" * depth}}}')
        assert ("deep" in refused(file)) == fine


@pytest.mark.long
@pytest.mark.parametrize("hops", [1 << 12, (1 << 12) + 1, 200_000])
def test_a_strand_of_too_many_hops_is_refused(file, hops):
    hop = {"start": 0, "exchange": "flip 0 where a1 = 1"}
    rewrite(file, ("schedule", "ways", 0, "steps"), [hop] * hops)
    if hops > 1 << 12:
        assert "at most 4096 are read" in refused(file)
    else:
        assert len(gc.load_plan(file).schedule.ways[0].steps) == hops


def test_many_hops_and_rounds_together_are_refused(file):
    hop = {"start": 0, "exchange": "flip 0 where a1 = 1"}
    rewrite(file, ("schedule", "ways"), [{"elements": [0, 64], "steps": [hop] * 4000}] * 2)
    rewrite(file, ("schedule", "cycles"), 4000)
    rewrite(file, ("schedule", "rounds"), list(range(4000)))
    assert "at most 16777216 are read" in refused(file)


def test_a_proof_gives_up_before_it_takes_minutes(file, monkeypatch):
    """And then it has proved nothing; where elements are few, they decide."""
    assert gc.load_plan(file).verify()
    monkeypatch.setattr("graycube.verify.straight.MAX_COMPARISONS", 0)
    plan = chosen("nonminimum-path", machine=gc.Machine(4, "all"))
    assert "algebra does not decide" in str(plan.verify())
    monkeypatch.setattr("graycube.verify.ways.MAX_FOLLOWED", 0)
    report = plan.verify()
    assert not report
    assert "comparisons" in str(report)


# Plans that are sent


SENT = ("auto", "relabel", "gb3", "few-ports")


def pickled(plan):
    return pickle.loads(pickle.dumps(plan))  # noqa: S301 - it is ours


@pytest.mark.parametrize("algorithm", SENT)
@pytest.mark.parametrize("copy_of", [pickled, copy.deepcopy])
def test_a_plan_survives_pickling(algorithm, copy_of):
    plan = chosen(algorithm)
    again = copy_of(plan)
    assert again == plan
    assert again.explain() == plan.explain()
    assert (again.schedule.relabel, again.machine.name) == (
        plan.schedule.relabel,
        plan.machine.name,
    )


def test_what_is_pickled_is_the_text_of_the_file(file):
    """So that no name within graycube is in it, which may change."""
    plan = chosen()
    made, (text, _) = plan.__reduce__()
    assert text == file.read_text()
    assert made(text, "it") == plan


def test_to_send_a_plan_prices_nothing_else(monkeypatch):
    plan = chosen()
    monkeypatch.setattr(sys.modules["graycube.planning.plan"], "all_candidates", None)
    assert pickled(plan).verify()


@pytest.mark.long
def test_a_plan_goes_to_another_process():
    plan = chosen("relabel")
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(plan.__class__.verify, (plan,))
        assert pool.apply(copy.copy, (plan,)) == plan


def wide(ways):
    """A file for 300 address bits, of which nothing has to move."""
    slots, nodes = (" ".join(f"b{j}" for j in some) for some in (range(250, 300), range(250)))
    layout = f"({slots} || {nodes})"
    task = {"source": layout, "target": layout, "block": 1 << 50, "itemsize": 1}
    head = {"format": "graycube schedule", "version": 2, "algorithm": "x", "task": task}
    return json.dumps({**head, "cycles": 1, "rounds": [0], "ways": ways})


CROSSING = {"exchange": "flip 0 where a1 = 1", "start": 0}
LATE = {"cycles": 1, "mask": 8, "want": 1}
MAP = {"map": {"columns": [1 << j for j in range(300)], "constant": 0}}


def way(*steps):
    return {"elements": [0, 1], "steps": steps}


@pytest.mark.parametrize(
    ("ways", "what"),
    [
        ([way()] * 1000, "ways times the square"),
        ([way(*[{**CROSSING, "delays": [LATE]}] * 200)], "steps that wait times the square"),
        ([way({**CROSSING, "delays": [LATE] * 5000})], "delays times address bits"),
        ([way(*[MAP] * 20)], "maps times n"),
    ],
)
def test_what_would_take_minutes_to_prove_is_refused(ways, what):
    with pytest.raises(InvalidValueError, match=what):
        load(wide(ways))


@pytest.mark.parametrize("blank", ["  ", "\u2800", "\u3164", "\u115f", "\ufe0f", "\u05d0"])
def test_a_name_cannot_push_what_follows_to_another_line(file, blank):
    rewrite(file, ("schedule", "algorithm"), f"gb3{blank}by algebra: nothing is wrong")
    assert "it must be a line" in refused(file)
