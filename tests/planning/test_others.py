"""Algorithms and schedules that others wrote: considered, proved, and never trusted."""

import importlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mpi_runs import launch
from sweeping import sweep

import graycube as gc
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.schedule import Way, expand
from graycube.table import Algorithm, unregister
from graycube.table.gray.gb3 import ALGORITHM as GB3
from graycube.table.registered import registered
from graycube.verify import check_elements

EXAMPLE = Path(__file__).parents[2] / "examples" / "rotated.py"
MACHINE = gc.Machine(dims=3, ports=2, startup=1.0, per_byte=1.0)
ENTRY = "[graycube.algorithms]\n{}\n"


@pytest.fixture
def rotated():
    """The example as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLE.parent)
        yield importlib.import_module("rotated")
    sys.modules.pop("rotated")


@pytest.fixture
def register():
    """Registers algorithms for one test."""
    known = []

    def put(algorithm):
        known.append(algorithm.name)
        return gc.register(algorithm)

    yield put
    for name in set(known):
        unregister(name)


def conversion(n=3, block=8):
    return gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block


def transpose(n=3, block=16):
    shape = (1 << n, 1 << n)
    rows, columns = (gc.Layout.mesh(shape, nodes=nodes) for nodes in ((1 << n, 1), (1, 1 << n)))
    return rows, columns, block


def making(schedule):
    """An algorithm's two functions: it always applies, and makes the same."""
    return {"applicable": lambda *_: None, "emit": lambda *_: schedule}


def of(plan, name):
    return next(c for c in plan.candidates if c.algorithm.name == name)


@pytest.mark.long
@pytest.mark.parametrize("n", [3, 4, 6, *sweep(*((n,) for n in (5, 7, 8, 9)))])
@pytest.mark.parametrize("ports", [2, 3, "all"])
def test_the_example_is_what_the_table_has(rotated, register, n, ports):
    register(rotated.ALGORITHM)
    machine = gc.Machine(n, ports=ports, startup=3.0, per_byte=1.0)
    for block in (1, 7, 3 * n):
        plan = gc.plan(*conversion(n, block), machine=machine, algorithm="rotated")
        assert plan.verify()
        assert check_elements(expand(plan.schedule), machine)
        if plan.machine.links_at_once < n - 1:  # on more it is another's
            assert plan.traffic.time(machine) == of(plan, "rotations").cost
        values = np.arange(block << n).reshape(-1, block)
        source, target = plan.task.source, plan.task.target
        assert np.array_equal(plan.apply(source.scatter(values)), target.scatter(values))


def test_the_cheapest_is_chosen_whoever_wrote_it(register):
    """A search finds seven cycles for eleven elements, the table eight."""
    machine = gc.Machine(dims=3, ports="all")
    found = gc.synthesize(*conversion(block=11), machine=machine, keep=False).schedule
    known = gc.plan(*conversion(block=11), machine=machine)
    register(Algorithm(name="found", **making(found)))
    plan = gc.plan(*conversion(block=11), machine=machine)
    assert (plan.algorithm, plan.cycles, known.cycles) == ("found", 7, 8)
    assert "found" in plan.explain()
    assert plan.verify()
    other = gc.plan(*conversion(block=12), machine=machine)
    assert of(other, "found").reason == "its schedule is for another task"
    unpriced = gc.plan_fft(gc.Layout.cyclic(6, 3), machine=machine)
    assert "found" not in unpriced.explain()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_an_algorithm_for_layouts_of_two_axes_is_taken(register, n):
    task = gc.Task(*transpose(n, 2 << n))
    known = gc.plan(
        task.source, task.target, task.block, machine=gc.Machine(n), algorithm="exchange"
    )
    register(Algorithm(name="mine", **making(replace(known.schedule, task=task))))
    plan = gc.plan(
        task.source, task.target, task.block, machine=gc.Machine(n), algorithm="mine"
    )
    assert plan.verify()
    assert plan.traffic.time(plan.machine) == known.traffic.time(plan.machine)


def test_a_network_of_others_is_for_transforms(register):
    given = gc.Layout.cyclic(6, 3), MACHINE
    best = gc.plan_fft(given[0], machine=given[1]).schedule
    register(Algorithm(name="mine", **making(best), network=True))
    plan = gc.plan_fft(given[0], itemsize=16, machine=given[1], algorithm="mine")
    assert plan.verify()
    assert plan.schedule == replace(best, algorithm="mine")
    other = gc.plan_fft(gc.Layout.cyclic(7, 3), machine=MACHINE)
    assert of(other, "mine").reason == "its schedule is for another task"


def raising(task, _):
    raise KeyError(f"{task.block}\nb\x1b[31m")


def hasty(task, machine):
    """All steps of a way at once."""
    good = GB3.emit(task, machine)
    (way, *rest) = good.ways
    steps = tuple(
        replace(s, crossings=tuple(replace(c, start=0) for c in s.crossings)) for s in way.steps
    )
    return replace(good, ways=(replace(way, steps=steps), *rest))


def lazy(task, _):
    """Nothing moves."""
    return gc.Schedule(task, "lazy", (), 0, (Way(0, task.block, ()),))


def renumbering(task, _):
    same = replace(task, target=task.source)
    made = gc.Schedule(same, "new", (), 0, (Way(0, task.block, ()),))
    renumbers = AffineMap(Matrix.identity(task.p), 1)
    return replace(made, task=task, relabel=renumbers)


def nowhere(task, _):
    """It is done at once, if nothing has to move."""
    return lazy(replace(task, target=task.source), None)


def finer(*_):
    """For half as many elements on a node, each of two."""
    layouts = (gc.Layout.consecutive(4, 3, nodes=code) for code in ("gray", "binary"))
    return lazy(gc.Task(*layouts, block=8), None)


def elsewhere(task, machine):
    return GB3.emit(replace(task, block=task.block * 2), machine)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"applicable": raising}, "it failed (KeyError: '7\\nb\\x1b[31m')"),
        ({"emit": raising}, "it failed (KeyError: '7\\nb\\x1b[31m')"),
        ({"applicable": lambda *_: "no\nway"}, "no\\nway"),
        ({"emit": lambda *_: [1, 2]}, "it gives [1, 2], which is no schedule"),
        ({"emit": hasty}, "its schedule is not proved: "),
        ({"emit": lazy}, "its schedule is not proved: "),
        ({"emit": renumbering}, "its schedule renumbers the nodes"),
        ({"emit": elsewhere}, "its schedule is for another task"),
        ({"emit": nowhere}, "its schedule is for another task"),
        ({"emit": finer}, "its schedule is for another task"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value[:30],
)
def test_what_is_wrong_with_it_is_told_and_nothing_else_suffers(register, part, said):
    before = gc.plan(*conversion(block=7), machine=MACHINE)
    register(replace(GB3, name="mine", **part))
    plan = gc.plan(*conversion(block=7), machine=MACHINE)
    assert plan.schedule == before.schedule
    assert of(plan, "mine").reason.startswith(said)
    with pytest.raises(InvalidValueError, match="'mine' cannot do this"):
        gc.plan(*conversion(block=7), machine=MACHINE, algorithm="mine")


def test_what_others_say_of_their_floors_leaves_nothing_out(register, rotated):
    """It is not proved: no figure too high, and no error, keeps an algorithm from a plan."""
    machine = gc.Machine(6, 3, startup=1e-4, per_byte=1e-9)
    layouts = gc.Layout.nodes(6, "gray"), gc.Layout.nodes(6)
    for floor in (lambda *_: 1e9, lambda *_: 1 / 0):
        register(replace(rotated.ALGORITHM, name="rotated", floor=floor))
        made = gc.plan(*layouts, 6000, machine=machine)
        assert "rotated" in {one.algorithm.name for one in made.__dict__["_priced"]}


@pytest.mark.parametrize(
    ("algorithm", "error"),
    [
        (lambda: 5, InvalidTypeError),
        (lambda: replace(GB3, name=5), InvalidTypeError),
        (lambda: replace(GB3, name="two\nlines"), InvalidValueError),
        (lambda: replace(GB3, name="auto"), InvalidValueError),
        (lambda: GB3, InvalidValueError),
        (lambda: replace(GB3, name="mine", emit=None), InvalidTypeError),
        (lambda: replace(GB3, name="mine", applicable="always"), InvalidTypeError),
    ],
)
def test_what_cannot_be_registered(algorithm, error):
    with pytest.raises(error):
        gc.register(algorithm())
    assert not registered()


def test_a_name_is_registered_anew_and_taken_out(register):
    first, second = replace(GB3, name="mine"), replace(GB3, name="mine", formula="better")
    assert register(first) is first
    register(second)
    assert gc.algorithms()[-1] is second
    assert len(registered()) == 1
    unregister("mine")
    assert not registered()
    register(first)
    with pytest.raises(InvalidValueError, match="none of that name"):
        unregister("gb3")
    with pytest.raises(InvalidTypeError, match="pass a str"):
        unregister(["mine"])


def test_anybodys_schedule_is_a_plan(tmp_path):
    made = GB3.emit(gc.Task(*conversion()), MACHINE)
    plan = gc.Plan.from_schedule(made, MACHINE)
    same = gc.plan(*conversion(), machine=MACHINE, algorithm="gb3")
    assert plan == same
    assert gc.price(made, MACHINE) == same.cost
    assert gc.price(made, "ideal") == made.cycles
    plan.save(tmp_path / "plan.json")
    assert gc.load_plan(tmp_path / "plan.json") == plan
    wrong = gc.Plan.from_schedule(lazy(same.task, MACHINE), MACHINE)
    assert not wrong.verify()
    source, _, block = conversion()
    needless = replace(made, task=gc.Task(source, source, block))
    explained = gc.Plan.from_schedule(needless, MACHINE).explain()
    assert "knows of nothing that has to be sent" in explained
    for call in (gc.price, gc.Plan.from_schedule):
        with pytest.raises(InvalidTypeError, match="the schedule is"):
            call(made.ways, MACHINE)
        with pytest.raises(GraycubeError, match="4"):
            call(made, gc.Machine(dims=4))


def test_on_a_torus_a_schedule_has_the_numbers_of_the_cube():
    torus = gc.Machine.torus((4, 4), startup=1.0, per_byte=1.0)
    known = gc.plan(gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4), 8, machine=torus)
    plan = gc.Plan.from_schedule(known.schedule, torus)
    assert plan.task == known.task
    assert plan.cost == known.cost


def installed(folder, *lines):
    """A package as pip leaves it: a module, and its entry points."""
    folder.mkdir(exist_ok=True)
    (folder / "their_rotated.py").write_text(EXAMPLE.read_text())
    known = folder / "their_rotated-1.0.dist-info"
    known.mkdir(exist_ok=True)
    (known / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: their-rotated\nVersion: 1.0\n"
    )
    (known / "entry_points.txt").write_text(ENTRY.format("\n".join(lines)))
    return {**os.environ, "PYTHONPATH": str(folder)}


def python(*arguments, env, cwd):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


ROTATED = "rotated = their_rotated:ALGORITHM"
PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
import graycube as gc
from mpi4py import MPI

comm = MPI.COMM_WORLD
gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
machine = gc.Machine(3, ports=2, startup=1.0, per_byte=1.0)
values = np.arange(80).reshape(8, 10)
plan = gc.plan(gray, binary, 10, itemsize=8, machine=machine, algorithm="rotated")
got = plan.execute(gray.scatter(values)[comm.rank], comm)
assert np.array_equal(got, binary.scatter(values)[comm.rank])
sys.path.pop(0)
read = gc.load_plan({path!r})
assert read.schedule == plan.schedule
assert np.array_equal(read.execute(gray.scatter(values)[comm.rank], comm), got)
print("done", flush=True)
"""


@pytest.mark.sweep
def test_an_installed_package_is_in_the_table(tmp_path):
    """Planned, priced, proved, drawn and saved with it; read and carried out without it."""
    env = installed(tmp_path / "site", ROTATED)
    path = tmp_path / "plan.json"
    line = ["-m", "graycube", "plan", "gray", "binary", "--dims", 3, "--block", 10]
    line += ["--itemsize", 8, "--ports", 2, "--startup", 1, "--per-byte", 1]
    line += ["--algorithm", "rotated", "--output", path]
    done = python(*line, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "rotated" in done.stdout
    page = tmp_path / "plan.html"
    done = python("-m", "graycube", "view", path, "--output", page, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "rotated" in page.read_text()
    read = gc.load_plan(path)
    assert read.algorithm == "rotated"
    assert read.verify()
    assert "chosen, not of the table" in read.explain()
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(folder=str(tmp_path / "site"), path=str(path)))
    run = launch(program, 8, tmp_path)
    assert run.returncode == 0, run
    assert run.stdout.count("done") == 8


LISTED = """
import dataclasses
import graycube as gc
first = len(gc.table.known.TABLE)
(theirs,) = gc.algorithms()[first:]
print(theirs.name)
gc.register(dataclasses.replace(theirs, formula="mine"))
print(*[algorithm.formula for algorithm in gc.algorithms()[first:]])
"""


@pytest.mark.long
def test_packages_that_cannot_be_loaded_are_told_and_left_out(tmp_path):
    env = installed(
        tmp_path / "site",
        "gone = their_rotated:NOTHING",
        "ours = graycube.table.gray.gb3:ALGORITHM",
        "number = math:pi",
        "missing = no_such_module:ALGORITHM",
        "loud = their_loud:ALGORITHM",
        ROTATED,
    )
    (tmp_path / "site" / "their_loud.py").write_text("raise RuntimeError('\\x1b[31m\\nfine')")
    done = python("-c", LISTED, env=env, cwd=tmp_path)
    assert done.stdout.split() == ["rotated", "mine"], done
    told = [line for line in done.stderr.splitlines() if "is left out" in line]
    assert len(told) == 5, done.stderr
    for value, why in (
        ("their_rotated:NOTHING", "AttributeError"),
        ("graycube.table.gray.gb3:ALGORITHM", "graycube has one of that name"),
        ("math:pi", "it is a graycube.table.Algorithm"),
        ("no_such_module:ALGORITHM", "ModuleNotFoundError"),
        ("their_loud:ALGORITHM", "RuntimeError: \\x1b[31m\\nfine"),
    ):
        assert any(value in line and why in line for line in told), told
