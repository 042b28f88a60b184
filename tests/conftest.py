"""Hypothesis runs the same cases every time, in `make sweep` many more;
HYPOTHESIS_PROFILE=explore looks for new ones.

Profiles that the user saved, and plans that were kept, are out of sight, in this process and in
those that it starts.
"""

import gc
import os
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

ALWAYS = {"deadline": None, "print_blob": True}
settings.register_profile("fixed", max_examples=30, derandomize=True, **ALWAYS)
settings.register_profile("sweep", max_examples=400, derandomize=True, **ALWAYS)
settings.register_profile("explore", max_examples=2000, **ALWAYS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

# These have no tests and no examples.
collect_ignore_glob = [
    "common/*",
    "fuzz/*mutants.py",
    "mpi/*",
    "faults.py",
]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """No test has examples in its docstrings: nobody need look for them."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


@pytest.fixture(autouse=True, scope="session")
def plans_keep_to_their_schema():
    """Every plan that this process writes, whatever is tested."""
    from schemas import checking  # noqa: PLC0415 - the settings above come first

    written = sys.modules["graycube.planning.plan"]
    patch = pytest.MonkeyPatch()
    patch.setattr(written, "plan_text", checking(written.plan_text))
    yield
    patch.undo()


EARLY = (
    *("_mpi", "/test_bind", "/test_windows", "/test_lengths", "/test_cube.", "page_browser"),
    *("numpys_own", "test_butterflies", "/test_plan.", "examples/", "test_claims.", "cli/"),
    *("/test_soundness", "/test_all_port", "/test_any_to_any", "/test_search.", "/test_exact"),
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Each of several workers begins elsewhere: what one has compiled, the others find."""
    config = session.config
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args_source is not config.ArgsSource.TESTPATHS:
        return
    here = Path(__file__).parent
    tests = [str(path) for path in sorted(here.glob("*/")) if path.name[0] not in "._"]
    parts = [arg for arg in config.args if arg != here.name] + tests
    parts += map(str, sorted(here.glob("test_*.py")))
    first = len(parts) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    config.args = parts[first:] + parts[:first]


def pytest_collection_modifyitems(items):
    """Files that take long come early, and each between others: ranks and browsers wait."""
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    early, late = [], []
    for path, some in sorted(files.items()):
        (early if any(part in str(path) for part in EARLY) else late).append(some)
    between = len(late) // (2 * len(early) + 1)
    order = []
    for k, some in enumerate(early):
        order += [some, *late[k * between : (k + 1) * between]]
    items[:] = [item for some in (*order, *late[len(early) * between :]) for item in some]


def pytest_collection_finish():
    """What was collected stays: the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


def pytest_xdist_auto_num_workers():
    """One more than processors: some tests wait for ranks and browsers."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config):
    # What a shell starts in the background ignores interrupts, and so does all that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Ranks that wait sleep, and leave the processors to those that compute.
    os.environ.setdefault("MPIR_CVAR_ENABLE_HEAVY_YIELD", "1")
    folder = TemporaryDirectory(prefix="graycube-profiles-")
    config.add_cleanup(folder.cleanup)
    os.environ["GRAYCUBE_PROFILES"] = folder.name
    os.environ["GRAYCUBE_CACHE"] = str(Path(folder.name) / "kept")
