"""Read so many mutants of some kinds: ``read_mutants.py COUNT SEED MEMORY KIND...``.

It ends with status 0 and how many of each were read and refused, or at the first that is
neither, whose text is left in the file ``mutant``.
"""

import io
import json
import os
import random
import resource
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import mutants

import graycube as gc
from graycube.advice import Workload
from graycube.cli import main
from graycube.cost.certificate import parsed_certificate
from graycube.papers.paper import read_paper
from graycube.planning import Plan
from graycube.schedule import dump, load
from graycube.texts import visible

LIMIT = 40  # seconds of computing for one file: proofs give up after some ten
LAYOUT = gc.Layout.mesh((8, 6), (4, 2), code="gray", ownership=False)
FILE = Path("mutant")


class TooSlowError(BaseException):
    """A file keeps its reader busy."""


def read_plan(text):
    FILE.write_text(text, "utf-8", errors="surrogatepass")
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["verify", str(FILE)])
    shown = out.getvalue() + err.getvalue()
    assert shown == visible(shown), "it is not shown in plain letters"
    assert max(map(len, shown.split("\n"))) < 2500
    plan = gc.load_plan(FILE)
    assert status == (not plan.verify())
    assert sum("nothing is wrong" in line for line in shown.split("\n")) == (status == 0)
    again = Plan.from_text(mutants.plan_text(plan.schedule, plan.machine), "it")
    assert again == plan
    assert repr(plan).isprintable()


def read_schedule(text):
    made = load(text)
    assert dump(load(dump(made))) == dump(made)


def read_certificate(text):
    proof = parsed_certificate(text, "it")
    assert proof.cycles(100) >= 0
    assert repr(proof).isprintable()


def read_workload(text):
    assert str(Workload.parse(text).phases).isprintable()


def read_profile(text):
    Path(os.environ["GRAYCUBE_PROFILES"], "ours.toml").write_text(
        text, "utf-8", errors="surrogatepass"
    )
    assert repr(gc.Machine.profile("ours")).isprintable()


def read_claims(text):
    FILE.write_text(text, "utf-8", errors="surrogatepass")
    for claim in read_paper(FILE).claims:
        assert claim.name


def read_layout(text):
    layout = gc.Layout.parse(text)
    assert gc.Layout.parse(str(layout)) == layout


def read_array(content):
    FILE.write_bytes(content)
    a = gc.CubeArray.load(FILE, LAYOUT)
    a.save("again.npy")
    assert gc.CubeArray.load("again.npy", LAYOUT).blocks.tobytes() == a.blocks.tobytes()


READERS = {
    "plan": (mutants.plans, read_plan),
    "schedule": (mutants.written_schedules, read_schedule),
    "certificate": (mutants.certificates, read_certificate),
    "workload": (lambda: [mutants.WORKLOAD], read_workload),
    "profile": (lambda: [mutants.PROFILE], read_profile),
    "claims": (mutants.claims, read_claims),
    "layout": (mutants.printed_layouts, read_layout),
    "array": (mutants.arrays, read_array),
}


def run(kind, count, seed, memory):
    make, read = READERS[kind]
    valid, rng = make(), random.Random(f"{kind} {seed}")  # noqa: S311 - the same every time
    change = mutants.mutant_of_bytes if kind == "array" else mutants.mutant
    for content in valid:
        read(content)
    idle = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (idle + memory, resource.RLIM_INFINITY))
    signal.signal(signal.SIGPROF, too_slow)
    told = {"read": 0, "refused": 0}
    for _ in range(count):
        content = change(valid, rng)
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        try:
            read(content)
            told["read"] += 1
        except gc.GraycubeError as error:
            told["refused"] += 1
            require_a_line(str(error))
        except BaseException:
            signal.setitimer(signal.ITIMER_PROF, 0)
            Path("mutant").write_bytes(
                content
                if isinstance(content, bytes)
                else content.encode("utf-8", "surrogatepass")
            )
            sys.stderr.write(f"mutant: {ascii(content)[:3000]}\n")
            raise
        signal.setitimer(signal.ITIMER_PROF, 0)
    return told


def require_a_line(text):
    assert text.isprintable()
    assert len(text) < 1600


def too_slow(*_):
    raise TooSlowError


if __name__ == "__main__":
    count, seed, memory, *kinds = sys.argv[1:]
    os.environ["GRAYCUBE_PROFILES"] = str(Path.cwd())
    told = {kind: run(kind, int(count), seed, int(memory)) for kind in kinds}
    sys.stdout.write(json.dumps(told))
