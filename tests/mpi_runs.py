"""Programs of ``tests/mpi`` under mpiexec, with a watchdog; and the checks within them.

Outside: :func:`started` starts a program and sees that it ends, that no process of it is left,
and that its working directory is as empty as before. What a process starts inherits its
environment, so a mark there finds all processes of a job, whatever session they are in.

Inside: a check is a generator that takes the communicator and yields, for each thing that it
compares, whether it is so and what it is. :func:`run_checks` carries many of them out in one
launch and reports each; :meth:`Run.require` makes tests of the reports.
"""

import faulthandler
import json
import os
import runpy
import signal
import subprocess
import sys
import time
import traceback
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest

TESTS = Path(__file__).parent
PROCESSES = Path("/proc")
MARK = "GRAYCUBE_TEST_JOB"
LIMIT = 120  # seconds: what hangs is ended then; nothing here should take half of that
SHARED = "shared memory: "  # what programs that do not end well say of MPI's files in memory
GRACE = 20  # seconds in which the processes of a job that is over have to go
SETTINGS = {  # more ranks than cores, also with Open MPI and for root
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl": "^ofi",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def program(name):
    """The path of a program."""
    return TESTS / "mpi" / f"{name}.py"


def checks_of(name, ranks):
    """The names of the checks that a program makes with so many ranks."""
    table = runpy.run_path(str(program(name)))["CHECKS"]
    return [check for check, (_, sizes) in table.items() if ranks in sizes]


@dataclass(frozen=True)
class Run:
    """A job that ended in time and left nothing behind."""

    returncode: int
    stdout: str
    stderr: str

    def __str__(self):
        return f"exit status {self.returncode}\n{self.stdout}\n{self.stderr}"

    @property
    def reports(self):
        """What the checks said, by name."""
        lines = (line for line in self.stdout.splitlines() if line.startswith('{"check"'))
        return {entry["check"]: entry for entry in map(json.loads, lines)}

    def require(self, check):
        """Fail unless the check was made, compared something and found nothing wrong."""
        report = self.reports.get(check)
        if report is None:
            pytest.fail(f"{check} was not reported by a job with {self}")
        if report["complaints"]:
            pytest.fail("\n".join(report["complaints"]))
        assert report["compared"] > 0, f"{check} compared nothing"


class Job:
    """A program that runs under mpiexec."""

    def __init__(self, command, folder, limit):
        self._mark, self._limit = f"{MARK}={uuid4().hex}", limit
        self.folder, self._printed = folder / "work", (folder / "out", folder / "err")
        self.folder.mkdir()
        with self._printed[0].open("w") as out, self._printed[1].open("w") as err:
            self.process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def _environment(self):
        path = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {
            **os.environ,
            **SETTINGS,
            "PYTHONPATH": os.pathsep.join(path),
            "PYTHONDONTWRITEBYTECODE": "1",
            **dict([self._mark.split("=")]),
        }

    def printed(self):
        """What the job wrote so far: stdout and stderr."""
        return [path.read_text(errors="replace") for path in self._printed]

    def wait_for(self, text):
        """Go on when the program has printed this."""
        end = time.monotonic() + self._limit
        while text not in self.printed()[0]:
            if time.monotonic() > end or self.process.poll() is not None:
                self._fail(f"the program has not printed {text!r}")
            time.sleep(0.05)

    def finish(self):
        """The run, if it ends within the limit, with all its processes, and leaves no file."""
        try:
            code = self.process.wait(self._limit)
        except subprocess.TimeoutExpired:
            self._fail(f"the program did not end in {self._limit} s")
        if alive := self.alive(GRACE):
            names = [_read(pid, "cmdline").replace(b"\0", b" ").decode() for pid in alive]
            self._fail(f"processes are left: {names}")
        if left := sorted(str(path) for path in self.folder.rglob("*")):
            self._fail(f"files are left: {left}")
        return Run(code, *self.printed())

    def end(self):
        """Kill whatever is left of the job, and remove what MPI then leaves in memory."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for _ in range(100):  # a process that is being killed may just have started another
            for pid in (alive := self.alive()):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not alive:
                break
            time.sleep(0.05)
        self.process.wait()
        for line in self.printed()[0].splitlines():
            if line.startswith(SHARED):
                Path(line.removeprefix(SHARED)).unlink(missing_ok=True)

    def alive(self, grace=0):
        """The processes of the job that are still there after a while, without zombies."""
        end = time.monotonic() + grace
        while alive := _marked(self._mark.encode()):
            if time.monotonic() >= end:
                break
            time.sleep(0.05)
        return alive

    def _fail(self, reason):
        self.end()
        out, err = self.printed()
        pytest.fail(f"{reason}; stdout:\n{out[-6000:]}\nstderr:\n{err[-6000:]}")


def _marked(mark):
    """The ids of processes with this in their environment, where the system can tell."""
    found = [int(path.name) for path in PROCESSES.glob("[0-9]*")]
    return [pid for pid in found if mark in _read(pid, "environ").split(b"\0")]


def _read(pid, name):
    try:
        return (PROCESSES / str(pid) / name).read_bytes()
    except OSError:  # it is gone, or somebody else's
        return b""


@contextmanager
def started(name, ranks, folder, *arguments, limit=LIMIT):
    """A program under mpiexec while the block lasts; afterwards nothing of it is left."""
    mpiexec = Path(sys.executable).with_name("mpiexec")
    command = [mpiexec, "-n", str(ranks), sys.executable, program(name), *arguments]
    job = Job(list(map(str, command)), folder, limit)
    try:
        yield job
    finally:
        job.end()


def launch(name, ranks, folder, *arguments, limit=LIMIT):
    """A program from beginning to end."""
    with started(name, ranks, folder, *arguments, limit=limit) as job:
        return job.finish()


def each_once(name, tmp_path_factory):
    """A function that gives the run of a program with so many ranks, started when needed.

    What went wrong with a launch is remembered as well: what hangs, hangs once.
    """

    @cache
    def outcome(ranks):
        try:
            return launch(name, ranks, tmp_path_factory.mktemp(name))
        except pytest.fail.Exception as failure:
            return str(failure)

    def run(ranks):
        made = outcome(ranks)
        return made if isinstance(made, Run) else pytest.fail(made)

    return run


def run_checks(checks):
    """Within a program: carry out all checks for this number of ranks, and report them."""
    from mpi4py import MPI  # noqa: PLC0415 - it starts MPI

    faulthandler.dump_traceback_later(LIMIT - 10)
    comm = MPI.COMM_WORLD
    for name, (check, sizes) in checks.items():
        if comm.size in sizes:
            own = comm.Dup()  # checks do not meet each other's messages
            outcomes = own.gather(_outcome(check, own))
            own.Free()
            if comm.rank == 0:
                print(json.dumps(_report(name, outcomes)), flush=True)  # noqa: T201
    faulthandler.cancel_dump_traceback_later()


def raised(call):
    """What a call raises."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is looked at
        return error
    return None


def _outcome(check, comm):
    """How many things a check compared on this rank, and what is wrong."""
    compared, complaints = 0, []
    try:
        for fine, what in check(comm):
            compared += 1
            if not fine:
                complaints.append(f"rank {comm.rank}: {what}")
    except Exception:  # noqa: BLE001 - the other ranks may wait for ever: say it now
        complaints.append(f"rank {comm.rank}: {traceback.format_exc()}")
        print(complaints[-1], file=sys.stderr, flush=True)  # noqa: T201
    return compared, complaints


def _report(name, outcomes):
    complaints = [text for _, texts in outcomes for text in texts]
    compared = min(count for count, _ in outcomes)
    return {"check": name, "compared": compared, "complaints": complaints[:20]}
