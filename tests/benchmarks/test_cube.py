"""The cube of network namespaces: what it carries, and that nothing of it is left.

It needs root, or a kernel that lets everybody make namespaces, and iproute2.
"""

import ast
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from cubes import FOLDER, why_not
from sweeping import sweep

import graycube as gc

LIMIT = 240.0  # seconds: what hangs is ended then


NEEDED = why_not()
pytestmark = [
    pytest.mark.skipif(NEEDED is not None, reason=f"a cube needs {NEEDED}"),
    pytest.mark.timeout(3 * LIMIT),
]


def command(*arguments):
    return [sys.executable, str(FOLDER / "cube.py"), *map(str, arguments)]


def python(text):
    """A 2-cube with a program on its nodes."""
    return command("run", "--dims", 2, "--rate", 200, sys.executable, "-c", text)


def carried_out(line):
    return subprocess.run(line, capture_output=True, text=True, timeout=LIMIT, check=False)


def processes(mark):
    """Those that have the mark in their environment: everything that a cube starts has it."""
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            with suppress(OSError):
                if mark.encode() in (process / "environ").read_bytes():
                    yield int(process.name)


OF_CUBES = re.compile(r"02:00:00:00:|(^|/)node\d+\b", re.MULTILINE)  # hardware, namespaces


def left_here():
    """What is seen from outside and bears the name of something that cubes are made of."""
    shown = [["ip", "-o", "link"], ["ip", "netns"], ["cat", "/proc/self/mounts"]]
    told = [subprocess.run(line, capture_output=True, text=True, check=True) for line in shown]
    lines = [line for one in told for line in one.stdout.splitlines()]
    return [line for line in lines if OF_CUBES.search(line)]


@pytest.fixture
def clean(monkeypatch):
    """Nothing is left a moment after the test: no process, link, network or mount."""
    mark = f"A_CUBE_OF_A_TEST={uuid4()}"
    monkeypatch.setenv(*mark.split("="))
    yield
    end = time.monotonic() + 5
    while (left := {*processes(mark)} - {os.getpid()}) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left
    assert not left_here()


NODES = gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2)
WIDER = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)  # some of it goes over other nodes
PARTS = gc.Layout.cyclic(6, 2, nodes="gray"), gc.Layout.consecutive(6, 2)


def saved(path, layouts=NODES, itemsize=4096, algorithm="gb1"):
    machine = gc.Machine(layouts[0].n, "all", "circuit", startup=1e-4, per_byte=4e-8)
    gc.plan(*layouts, 64, itemsize=itemsize, machine=machine, algorithm=algorithm).save(path)
    return path


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize(
    ("layouts", "itemsize", "algorithm"),
    [
        (PARTS, 4096, "exchange"),
        *sweep(
            (NODES, 4096, "gb3"),
            (WIDER, 4096, "direct"),
            (NODES, 4096, "direct"),
            (NODES, 1000, "pipelined"),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_plan_is_carried_out_and_its_links_carry_what_it_says(
    layouts, itemsize, algorithm, tmp_path
):
    path = saved(tmp_path / "plan.json", layouts, itemsize, algorithm)
    done = carried_out(command("plan", path, "--rate", 200, "--runs", 3, "--json"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["right"]
    assert len(found["seconds"]) == 3
    measured, planned = np.array(found["links"]), np.array(found["planned"])
    assert (1.02 * planned <= measured).all()  # a header for each packet
    others = 6000 + 3000 * found["resent"]  # acknowledgements of the other direction
    assert (measured <= 1.05 * planned + others).all()


@pytest.mark.sweep
@pytest.mark.usefixtures("clean")
def test_a_plan_is_told(tmp_path):
    done = carried_out(command("plan", saved(tmp_path / "plan.json", algorithm="relabel")))
    assert done.returncode == 0, done.stderr
    assert "right on all nodes" in done.stdout
    assert "0 carry nothing" in done.stdout


@pytest.mark.sweep
@pytest.mark.usefixtures("clean")
def test_a_wrong_plan_is_found_out(tmp_path):
    path = saved(tmp_path / "plan.json")
    text = path.read_text()
    assert text.count("where a1 = 1") == 1
    path.write_text(text.replace("where a1 = 1", "where a1 = 0"))
    done = carried_out(command("plan", path, "--rate", 200))
    assert done.returncode != 0
    assert "the result is wrong" in done.stderr


@pytest.mark.sweep
@pytest.mark.usefixtures("clean")
def test_a_rank_sees_its_node_and_nothing_else():
    program = """
import socket
from mpi4py import MPI
from pathlib import Path
lines = Path("/proc/self/net/dev").read_text().splitlines()[2:]
ports = sorted(line.split(":")[0].strip() for line in lines)
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
    outside = "reached"
except OSError as error:
    outside = error.errno
found = MPI.COMM_WORLD.gather((MPI.COMM_WORLD.rank, ports, outside))
if found:
    print(found)
"""
    done = carried_out(python(program))
    assert done.returncode == 0, done.stderr
    unreachable = 101
    assert done.stdout.strip() == str([(u, ["d0", "d1", "lo"], unreachable) for u in range(4)])


@pytest.mark.sweep
@pytest.mark.usefixtures("clean")
def test_links_are_no_faster_than_asked_and_let_acknowledgements_go_first():
    program = """
import numpy as np, subprocess, time
from mpi4py import MPI
comm, block = MPI.COMM_WORLD, np.zeros(1 << 20, np.uint8)
for way in range(2):  # once for TCP to begin
    comm.Barrier()
    moment = time.monotonic()
    if comm.rank == 0:
        comm.Send(block, 1)
    if comm.rank == 1:
        comm.Recv(block, 0)
        moment = time.monotonic()
told = subprocess.run("tc -s class show dev d0".split(), capture_output=True, text=True)
found = comm.gather((moment, told.stdout))
if found:
    print(found)
"""
    done = carried_out(python(program))
    assert done.returncode == 0, done.stderr
    (begun, sender), (ended, receiver), *_ = ast.literal_eval(done.stdout)
    assert "rate 200Mbit ceil 200Mbit" in sender
    assert ended - begun >= 0.99 * 2**20 / (200e6 / 8)  # buckets are small
    ahead, behind = (dict(packets(told)) for told in (receiver, sender))
    acknowledged, length = ahead["1:2"]
    assert acknowledged > 10
    assert length < 64 + 14  # with the header of Ethernet
    sent, length = behind["1:10"]  # what node 0 has sent
    assert sent > 2 * 2**20 / 3000
    assert length > 2500
    for node, classes in enumerate((behind, ahead)):
        used = {name for name, (count, _) in classes.items() if count}
        assert used <= {"1:1", "1:2", f"1:{16 + node:x}"}


def packets(told):
    """How many went through each class of a link, and their mean length."""
    for name, nbytes, count in re.findall(r"class htb (\S+) .*\n Sent (\d+) bytes (\d+)", told):
        yield name, (int(count), int(nbytes) / max(int(count), 1))


CARDS = ("--ports", "1,1,1", "--share", "1,2,2", "--per-byte", "1e-7,2e-7,2e-7")
RING = ("--torus", "8", "--per-byte", "2e-7")


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize(
    ("options", "pairs", "carried"),
    [
        *sweep(
            (CARDS, {0: 2, 1: 5}, {"card0": 2, "switch": 1}),  # out of a card
            (CARDS, {0: 2, 4: 3}, {"card0": 1, "switch": 2}),  # and into one
            (RING, {0: 2, 1: 3}, {"node1": 2, "node2": 1}),
        ),
    ],
)
def test_messages_share_the_links_of_the_machine(options, pairs, carried):
    """Pairs of nodes, and how many messages pass over the busiest port of a place."""
    program = f"""
import json, subprocess, time
import numpy as np
from mpi4py import MPI
comm, block = MPI.COMM_WORLD, np.zeros(1 << 18, np.uint8)
def sent():
    comm.Barrier()
    told = {{}}
    for place in {[*carried]}:
        line = ["ip", "-n", place, "-s", "-j", "link"]
        links = json.loads(subprocess.run(line, capture_output=True, check=True).stdout)
        told[place] = [link["stats64"]["tx"]["bytes"] for link in links]
    comm.Barrier()
    now = time.monotonic()
    comm.Barrier()  # nobody sends before the first rank has looked at the clock
    return told, now
for way in range(2):  # once for TCP to begin
    before, begun = sent()
    for source, target in {pairs}.items():
        if comm.rank == source:
            comm.Send(block, target)
        if comm.rank == target:
            comm.Recv(block, source)
    comm.Barrier()
    ended = time.monotonic()
    after, _ = sent()
if comm.rank == 0:
    most = {{p: max(b - a for a, b in zip(before[p], after[p])) for p in before}}
    print((most, ended - begun))
"""
    line = command("run", "--dims", 3, *options, sys.executable, "-c", program)
    done = carried_out(line)
    assert done.returncode == 0, done.stderr
    most, seconds = ast.literal_eval(done.stdout)
    for place, messages in carried.items():
        assert messages << 18 < most[place] < 1.1 * (messages << 18)
    assert seconds >= 0.95 * 2 * 2e-7 * 2**18  # two messages on one link


@pytest.mark.sweep
@pytest.mark.usefixtures("clean")
def test_a_rank_that_fails_ends_all():
    program = """
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 2:
    MPI.COMM_WORLD.Abort(7)
MPI.COMM_WORLD.Barrier()
"""
    done = carried_out(python(program))
    assert done.returncode == 7, done.stderr


WAITS = """
from mpi4py import MPI
MPI.COMM_WORLD.Barrier()
if MPI.COMM_WORLD.rank == 0:
    print("running", flush=True)
import time
time.sleep(100)
"""


@pytest.mark.long
@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, *sweep((signal.SIGINT,), (signal.SIGKILL,))]
)
def test_whatever_ends_it_takes_all_away(number):
    with subprocess.Popen(
        python(WAITS), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout.readline() == b"running\n"
        os.kill(process.pid, number)
        assert process.wait(LIMIT) != 0


@pytest.mark.sweep
@pytest.mark.usefixtures("clean")
@pytest.mark.long
def test_two_at_a_time_do_not_meet():
    program = "from mpi4py import MPI; exit(MPI.COMM_WORLD.allreduce(1))"
    with ThreadPoolExecutor() as pool:
        both = [pool.submit(carried_out, python(program)) for _ in range(2)]
    for done in (one.result() for one in both):
        assert done.returncode == 4, done.stderr


@pytest.mark.sweep
@pytest.mark.usefixtures("clean")
def test_the_words_of_a_command_are_its_own():
    done = carried_out(command("run", "--dims", 2, "--", "echo", "--rate", 7, "--help"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "--rate 7 --help\n" * 4


MISTAKES = [
    (("run", "--dims", "9", "true"), "is not in the range 2<=x<=5"),
    (("run", "--dims", "2"), "Missing argument 'COMMAND...'"),
    (("run", "--dims", "2", "--rate", "0", "true"), "is not in the range"),
    (("plan", "nowhere.json"), "does not exist"),
]


@pytest.mark.long
def test_mistakes_are_told():
    """All in one process, since none of them begins a cube."""
    program = f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
from click.testing import CliRunner
from cube import main
for arguments, words in {MISTAKES!r}:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2 and words in done.stderr, (arguments, done)
    print(words)
"""
    done = carried_out([sys.executable, "-c", program])
    assert done.stdout.splitlines() == [words for _, words in MISTAKES], done.stderr


@pytest.mark.long
def test_a_program_that_is_not_there_is_told():
    done = carried_out(command("run", "--dims", 2, "no-such-program"))
    assert done.returncode != 0
    assert "there is no program 'no-such-program'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.sweep
@pytest.mark.usefixtures("clean")
def test_the_experiments_run_and_are_reported(tmp_path):
    results = tmp_path / "results.json"
    line = [sys.executable, str(FOLDER / "experiments.py"), "--quick", "--report", str(results)]
    done = carried_out([*line, "--dims", "2", "--dims", "3"])
    assert done.returncode == 0, done.stderr
    first = json.loads(results.read_text())["cubes"]
    done = carried_out([*line, "--dims", "2", "--only", "layouts"])
    assert done.returncode == 0, done.stderr
    second = json.loads(results.read_text())["cubes"]
    assert second["3"] == first["3"]
    assert {name for name in first["2"] if first["2"].get(name) != second["2"][name]} == {
        "layouts",
        "made",
    }
    report = carried_out(
        [sys.executable, str(FOLDER / "report.py"), str(results), str(tmp_path)]
    )
    assert report.returncode == 0, report.stderr
    assert "| 8 | three-fifths | all | " in report.stdout
    assert "| 4 | binary | 4 KiB | exchange | 1, 2, all | " in report.stdout
    assert len([*tmp_path.glob("cube-*.png")]) == 4


@pytest.mark.long
def test_more_elements_than_can_be_followed_are_refused(tmp_path):
    machine = gc.Machine(2)
    gc.plan(*NODES, 1 << 24, machine=machine, algorithm="gb1").save(tmp_path / "plan.json")
    done = carried_out(command("plan", tmp_path / "plan.json"))
    assert done.returncode != 0
    assert "larger --itemsize" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--quick",), "--quick needs a --report of its own"),
        (("--only", "grains", "--dims", "3", "--report", "none.json"), "has no 3-cube with"),
    ],
)
def test_figures_are_not_mixed_with_others(options, words):
    done = carried_out([sys.executable, str(FOLDER / "experiments.py"), *options])
    assert done.returncode != 0
    assert words in done.stderr
