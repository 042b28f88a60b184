"""Programs under mpiexec, with a watchdog.

:func:`started` starts a program and sees that it ends, that no process of it is left, and that
its working directory is as empty as before. What a process starts inherits its environment, so
a mark there finds all processes of a job, whatever session they are in. A :class:`Launch` has
the checks of ``mpi_checks`` in it, and :meth:`Run.require` makes tests of their reports.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest
from mpi_checks import HERE, LIMIT, MESSAGES, SHARED, checks_of, limit_of

PROCESSES = Path("/proc")
MARK = "GRAYCUBE_TEST_JOB"
GRACE = 20  # seconds in which the processes of a job that is over have to go
SETTINGS = {  # more ranks than cores, also with Open MPI and for root
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",  # ranks that wait sleep, and leave the processors to
    "OMPI_MCA_mpi_yield_when_idle": "1",  # those that have something to do
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl": "^ofi",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


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
        path = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
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

    def finish(self, within=None):
        """The run, if it ends within the limit, with all its processes, and leaves no file."""
        limit = within or self._limit
        try:
            code = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self._fail(f"the program did not end in {limit} s")
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
def started(path, ranks, folder, *arguments, limit=LIMIT, through=()):
    """A program under mpiexec while the block lasts; afterwards nothing of it is left.

    Python runs it ``through`` a module, if one is given: ``("-m", "mpi4py")``.
    """
    mpiexec = Path(sys.executable).with_name("mpiexec")
    command = [mpiexec, "-n", str(ranks), sys.executable, *through, path, *arguments]
    job = Job(list(map(str, command)), folder, limit)
    try:
        yield job
    finally:
        job.end()


def launch(path, ranks, folder, *arguments, limit=LIMIT):
    """A program from beginning to end."""
    with started(path, ranks, folder, *arguments, limit=limit) as job:
        return job.finish()


@dataclass(frozen=True)
class Launch:
    """Checks of some programs, made by so many ranks in one job.

    With ``messages`` the ranks share no memory. `make test` leaves some launches to
    `make check` or `make sweep`.
    """

    ranks: int
    programs: tuple[str, ...]
    long: bool = False
    sweep: bool = False
    messages: bool = False

    def __str__(self):
        return f"{self.ranks} ranks{', messages' * self.messages}"

    @property
    def arguments(self):
        """What ``mpi_checks`` is told."""
        return (*[MESSAGES] * self.messages, *self.programs)

    def param(self, *check):
        """The launch, or one of its checks, as a case of a test."""
        marks = [pytest.mark.long] * self.long + [pytest.mark.sweep] * self.sweep
        return pytest.param(self, *check, id=", ".join([*check, str(self)]), marks=marks)


class OverMPI:
    """The tests of some launches: a subclass in a file of tests says which.

    Each launch is started when the first test needs it. What went wrong with one is remembered
    as well: what hangs, hangs once.
    """

    launches = ()

    def pytest_generate_tests(self, metafunc):
        """A test for each launch, or for each check of each."""
        cases = (
            (launch, check)
            for launch in self.launches
            for check in checks_of(launch.programs, launch.ranks)
        )
        if "check" in metafunc.fixturenames:
            params = [launch.param(check) for launch, check in cases]
            metafunc.parametrize(("launch", "check"), params)
        else:
            metafunc.parametrize("launch", [launch.param() for launch in self.launches])

    @pytest.fixture(scope="class")
    @classmethod
    def ran(cls, tmp_path_factory):
        """A function that gives the run of a launch."""

        @cache
        def outcome(launch):
            folder = tmp_path_factory.mktemp("job")
            try:
                checks = HERE / "mpi_checks.py"
                limit = limit_of(launch.ranks)
                arguments = launch.arguments
                with started(checks, launch.ranks, folder, *arguments, limit=limit) as job:
                    return job.finish()
            except pytest.fail.Exception as failure:
                return str(failure)

        def run(launch):
            made = outcome(launch)
            return made if isinstance(made, Run) else pytest.fail(made)

        return run

    def test_as_in_one_process(self, launch, check, ran):
        ran(launch).require(check)

    def test_the_job_ends_well_and_says_nothing(self, launch, ran):
        run = ran(launch)
        assert (run.returncode, run.stderr) == (0, ""), run
