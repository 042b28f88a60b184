"""How many small faults do the tests notice?

    python tests/faults.py choose faults.json --count 100    # a choice, the same every time
    python tests/faults.py score faults.json    # an hour or two

Rules.

1. All faults are in one copy of the checkout at once, each behind a switch that is off, as
   ``(wrong if __import__("mutant").on(7) else right)``.
2. One run of all tests with every switch off says which tests come by which switch, also in
   the processes that they start.
3. Then each fault in turn is switched on, for the tests that come by it, and if these are
   content, for the whole files that hold them, since tests of a file may share what they look
   at. It is killed if one of them fails or hangs.

``score --root`` takes another checkout, so that two sets of tests can be compared on the same
faults; a fault whose function is not the same there is left out, and said to be.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src/graycube")
LIMIT = 1800  # seconds for the tests that come by one fault
PARTS = ["src", "tests", "docs", "tools", "examples", "benchmarks"]  # and single files
SWITCH = """
import os

ON, LOG = int(os.environ.get("MUTANT", "-1")), os.environ.get("MUTANT_LOG")
_seen = set()


def on(number):
    if LOG:
        entry = f"{number}\\t{os.environ.get('PYTEST_CURRENT_TEST', '')}\\n"
        if entry not in _seen:
            _seen.add(entry)
            with open(LOG, "a") as file:
                file.write(entry)
    return number == ON
"""
COMPARED = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
COMPUTED = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.FloorDiv: "*",
    ast.Mod: "//",
    ast.LShift: ">>",
    ast.RShift: "<<",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.BitXor: "|",
}


@dataclass(frozen=True)
class Mutant:
    """A fault: in a function of a file, what stands at some offset, and what is put there."""

    file: str
    function: str
    body: str
    offset: int
    right: str
    wrong: str


def main():
    """The command."""
    parser = argparse.ArgumentParser(description="How many small faults do the tests notice?")
    verbs = parser.add_subparsers(dest="verb", required=True)
    choosing = verbs.add_parser("choose", help="write a list of faults")
    choosing.add_argument("--count", type=int, default=100)
    choosing.add_argument("--seed", type=int, default=1)
    scoring = verbs.add_parser("score", help="see which of them the tests notice")
    scoring.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    scoring.add_argument("--jobs", type=int, default=os.cpu_count())
    scoring.add_argument(
        "--moved", nargs=2, action="append", default=[], metavar=("OLD", "NEW")
    )
    for verb in (choosing, scoring):
        verb.add_argument("list", type=Path)
    given = parser.parse_args()
    if given.verb == "choose":
        chosen = choose(given.count, random.Random(given.seed))
        given.list.write_text(json.dumps([asdict(mutant) for mutant in chosen], indent=1))
        return
    mutants = [Mutant(**entry) for entry in json.loads(given.list.read_text())]
    for old, new in given.moved:
        mutants = [Mutant(**{**asdict(m), "file": m.file.replace(old, new)}) for m in mutants]
    score(mutants, given.root.resolve(), given.jobs)


def choose(count, chance):
    """So many faults, as many of each package as there are, taking turns."""
    places = defaultdict(list)
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        file = path.relative_to(ROOT)
        places[file.relative_to(PACKAGE).parts[0]] += list(
            _faults(file, Text(path.read_text()))
        )
    for found in places.values():
        chance.shuffle(found)
    chosen = []
    while len(chosen) < count and any(places.values()):
        for found in places.values():
            if found and len(chosen) < count:
                chosen.append(found.pop())
    return chosen


class Text:
    """A module, and where its expressions stand in it."""

    def __init__(self, source):
        self.source, self.tree = source, ast.parse(source)
        self.lines = source.splitlines(keepends=True)
        self.starts = [0, *accumulate(map(len, self.lines))]

    def span(self, node):
        """Where a node begins and ends; the columns of the tree are in bytes."""
        ends = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        return [
            self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())
            for line, column in ends
        ]

    def of(self, node):
        """What a node says."""
        return self.source[slice(*self.span(node))]

    def functions(self):
        """The functions and methods, by name."""
        return _named(self.tree, "")


def _named(tree, prefix):
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _named(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield f"{prefix}{node.name}", node


def _faults(file, text):
    for name, function in text.functions():
        start, body = text.span(function)[0], text.of(function)
        for node in _inside(function):
            wrong = _wrong(node, text.of)
            if wrong is not None:
                offset = text.span(node)[0] - start
                yield Mutant(str(file), name, body, offset, text.of(node), wrong)


def _inside(node):
    """All there is in a node, but for formatted texts, patterns and types."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.JoinedStr | ast.pattern | ast.arguments):
            yield child
            yield from _inside(child)


def _wrong(node, text):
    """What to put in the place of an expression, if anything."""
    wrong = None
    match node:
        case ast.Compare(left, [op], [right]) if type(op) in COMPARED:
            wrong = f"({text(left)}) {COMPARED[type(op)]} ({text(right)})"
        case ast.BinOp(left, op, right) if type(op) in COMPUTED:
            wrong = f"({text(left)}) {COMPUTED[type(op)]} ({text(right)})"
        case ast.BoolOp(op, [left, right]):
            wrong = (
                f"({text(left)}) {'or' if isinstance(op, ast.And) else 'and'} ({text(right)})"
            )
        case ast.UnaryOp(ast.Not(), operand):
            wrong = f"bool({text(operand)})"
        case ast.IfExp(test, body, orelse):
            wrong = f"({text(orelse)}) if ({text(test)}) else ({text(body)})"
        case ast.Constant(bool(value)):
            wrong = str(not value)
        case ast.Constant(int(value)):
            wrong = str(value + 1)
    return wrong


def score(mutants, root, jobs):
    """Try each fault and say what became of it."""
    with TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder)
        for part in PARTS:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(root / part, copy / part, ignore=ignored)
        for file in filter(Path.is_file, root.iterdir()):
            shutil.copy(file, copy)
        (copy / "src/mutant.py").write_text(SWITCH)
        there = _switched(mutants, copy)
        met = _met(copy, jobs)
        with ThreadPoolExecutor(jobs) as pool:
            fates = list(pool.map(lambda k: _fate(copy, k, met[k]), there))
    for k, fate in zip(there, fates, strict=True):
        mutant = mutants[k]
        print(f"{fate}: {mutant.file} {mutant.function}: {mutant.right!r} -> {mutant.wrong!r}")
    print(f"left out, not the same function there: {len(mutants) - len(there)}")
    for fate, count in Counter(fates).items():
        print(f"{fate}: {count} of {len(there)}")


def _switched(mutants, copy):
    """Put the switches into the sources; the numbers of the faults that found their place."""
    there, edits = [], defaultdict(list)
    for k, mutant in enumerate(mutants):
        path = copy / mutant.file
        text = Text(path.read_text() if path.exists() else "")
        for name, node in text.functions():
            if (name, text.of(node)) == (mutant.function, mutant.body):
                at = text.span(node)[0] + mutant.offset
                switch = (
                    f'(({mutant.wrong}) if __import__("mutant").on({k}) else ({mutant.right}))'
                )
                edits[path].append((at, at + len(mutant.right), switch, k))
    for path, wanted in edits.items():
        source, last = path.read_text(), 1 << 60
        for start, end, switch, k in sorted(wanted, reverse=True):
            if end <= last:  # one within another is left out
                source, last = source[:start] + switch + source[end:], start
                there.append(k)
        ast.parse(source)
        path.write_text(source)
    return sorted(there)


def _pytest(copy, arguments, out, **settings):
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), **settings}
    environment["PYTHONPYCACHEPREFIX"] = str(copy / "compiled")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    options = ["-q", "-p", "no:cacheprovider", "--timeout", "120", "-m", "not sweep"]
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *arguments],
        cwd=copy,
        env=environment,
        stdout=out,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _met(copy, jobs):
    """The tests that come by each switch; those that fail without a fault are left out."""
    log, printed = copy / "met.txt", copy / "printed.txt"
    log.touch()
    arguments = ["--numprocesses", str(jobs), "--dist", "loadfile", "-rfE"]
    with printed.open("w") as out:
        code = _pytest(copy, arguments, out, MUTANT_LOG=str(log)).wait()
    if code not in {0, 1}:
        sys.exit(f"pytest ended with {code}: does its environment have all that it needs?")
    lines = [
        line.partition(" - ")[0].split(" ", 1) for line in printed.read_text().splitlines()
    ]
    failed = {rest[0] for word, *rest in lines if word in {"FAILED", "ERROR"}}
    print(f"fail without a fault, and do not count: {sorted(failed)}", flush=True)
    (copy / "left_out.txt").write_text("".join(f"--deselect={test}\n" for test in failed))
    met = defaultdict(set)
    for line in log.read_text().splitlines():
        number, _, test = line.partition("\t")
        met[int(number)].add(test.rpartition(" (")[0])
    return met


def _fate(copy, number, tests):
    """Whether a fault is killed, survives, or is met by no test."""
    tests = sorted(filter(None, tests))
    files = sorted({test.partition("::")[0] for test in tests if test.startswith("tests/")})
    if not tests:
        fate = "never met"
    elif _fails(copy, number, tests) or (files and _fails(copy, number, files)):
        fate = "killed"
    else:
        fate = "survived"
    print(number, fate, len(tests), file=sys.stderr, flush=True)
    return fate


def _fails(copy, number, tests):
    wanted = copy / f"wanted-{number}.txt"
    wanted.write_text("".join(f"{test}\n" for test in tests))
    arguments = ["-x", f"@{wanted}", f"@{copy / 'left_out.txt'}"]
    process = _pytest(copy, arguments, subprocess.DEVNULL, MUTANT=str(number))
    try:
        code = process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        code = 1
    subprocess.run(["/usr/bin/pkill", "-KILL", "-s", str(process.pid)], check=False)
    process.wait()
    if code not in {0, 1, 2}:
        print(f"{number}: pytest ended with {code}", file=sys.stderr, flush=True)
    return code != 0


if __name__ == "__main__":
    main()
