"""What the tests of claims share: a paper, and computations that are made to come out wrong."""

import importlib
import os
import re
import sys
from contextlib import contextmanager
from cProfile import Profile
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import graycube as gc
from graycube.papers import Claim, Outcome, read_paper, reproduce
from graycube.papers.run import SHOWN, function_of, judged

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "src" / "graycube" / "papers"


@cache
def paper_of(folder):
    return read_paper(PAPERS / folder / "claims.toml")


class QuickRun(NamedTuple):
    """A claim computed for its quick sizes: what it called, and what it gave to compare."""

    outcome: Outcome
    called: set
    compared: list
    """Positional arguments, sizes, and the case that these made."""

    @property
    def compared_all(self):
        """Whether all its cases are such comparisons, in their order."""
        cases = tuple(case for *_, case in self.compared)
        counts = self.outcome.tried, self.outcome.exceptions
        told = len(cases), sum(not case.holds for case in cases)
        return self.outcome.cases == cases[:SHOWN] and counts == told

    def calls(self, thing):
        """Whether a function was called, an algorithm emitted, or what a class or table has."""
        if isinstance(thing, ModuleType):
            thing = thing.ALGORITHM.emit
        if isinstance(thing, tuple):
            thing = type(thing[0])
        parts = vars(thing).values() if isinstance(thing, type) else [thing]
        return any(code_of(part) in self.called for part in parts)


@cache
def quick_run(folder, key):
    """The one run of a claim as it is."""
    paper = paper_of(folder)
    (claim,) = (claim for claim in paper.claims if claim.key == key)
    function_of(paper, claim.check)
    see_through(paper.folder)
    compared, compare = [], Claim.compare

    def noted(claim, ours, *least, **sizes):
        case = compare(claim, ours, *least, **sizes)
        compared.append(((ours, *least), sizes, case))
        return case

    with pytest.MonkeyPatch.context() as patch, recorded() as called:
        patch.setattr(Claim, "compare", noted)
        outcome = reproduce(paper, claim, quick=True)
    return QuickRun(outcome, called, compared)


RECORDING = []  # profiles and what they found, the innermost last


@contextmanager
def recorded():
    """A set of the code of all Python functions that are called."""
    profile, called = Profile(subcalls=False, builtins=False), set()
    for outer, _ in RECORDING[-1:]:
        outer.disable()
    RECORDING.append((profile, called))
    profile.enable()
    try:
        yield called
    finally:
        profile.disable()
        RECORDING.pop()
        called.update(entry.code for entry in profile.getstats())
        for outer, _ in RECORDING[-1:]:
            outer.enable()


class SeenThrough:
    """A function that keeps what it returned, and what it called to find it."""

    def __init__(self, function):
        self.function = function.__wrapped__
        self.kept = {}

    def __call__(self, *args, **named):
        key = args, frozenset(named.items())
        if key not in self.kept:
            with recorded() as called:
                found = self.function(*args, **named)
            self.kept[key] = found, called
        found, called = self.kept[key]
        for _, outer in RECORDING[-1:]:
            outer.update(called)
        return found


def see_through(folder):
    """Whatever keeps results in a paper's folder does not hide what it called.

    It is found by its name when it is called: what a module took hold of when it was imported
    would answer from what other tests computed.
    """
    proxies, inside = {}, str(folder)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file is not None and os.path.dirname(file) == inside:  # noqa: PTH120 - thousands
            for name, value in list(vars(module).items()):
                if not isinstance(value, ModuleType) and hasattr(value, "cache_clear"):
                    proxy = proxies.setdefault(id(value), SeenThrough(value))
                    setattr(module, name, proxy)


def code_of(thing):
    """The code of a function, under what it is wrapped in; None of anything else."""
    thing = getattr(thing, "fget", getattr(thing, "__func__", thing))
    while hasattr(thing, "__wrapped__"):
        thing = thing.__wrapped__
    return getattr(thing, "__code__", None)


def thing_of(name):
    """What a dotted name is; of a module and a function of the same name, the function."""
    owner, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(owner), last)
    except ImportError:
        return getattr(thing_of(owner), last)


def module_of(paper, name):
    """A module of the paper's package."""
    return importlib.import_module(f"graycube.papers.{paper.folder.name}.{name}")


def untitled_errata(paper):
    """The errata that claims name and the pages lack, and the other way round."""
    pages = [file.read_text(encoding="utf-8") for file in (ROOT / "docs").glob("errata*.md")]
    entries = {
        title for page in pages for title in re.findall(r"^## (.*)$", page, re.MULTILINE)
    }
    ours = {title for title in entries if title.startswith(f"{paper.key},")}
    titles = {claim.correction.erratum for claim in paper.claims if claim.correction}
    return titles - ours, ours - titles


def drawn(paper, claim):
    """The claim's drawing as a figure."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - only where it is installed

    figure = Figure()
    function_of(paper, claim.draw)(figure, claim)
    return figure


def everything(value):
    """A function that gives this for everything."""
    return lambda *_, **__: value


def with_another_formula(paper, claim, *, anew):
    """What becomes of the claim if its formula is one less where it is a limit, or one more.

    Its figures are computed anew, or are those of the quick run: no formula makes them.
    """
    shift = "-" if claim.relation == "<=" else "+"
    changed = replace(claim, formula=f"({claim.formula}) {shift} 1")
    if claim.correction:
        formula = f"({claim.correction.formula}) {shift} 1"
        changed = replace(changed, correction=replace(claim.correction, formula=formula))
    run = quick_run(paper.folder.name, claim.key)
    if anew or not run.compared_all:
        return reproduce(paper, changed, quick=True)
    changed = changed.quickly()
    return judged(changed, (changed.compare(*ours, **sizes) for ours, sizes, _ in run.compared))


def with_another_figure(paper, claim, row, column, figure):
    """What becomes of the claim if the paper had printed another figure there."""
    rows = [list(entries) for entries in claim.figures]
    assert rows[row][column] != figure
    rows[row][column] = figure
    return reproduce(paper, replace(claim, figures=tuple(map(tuple, rows))), quick=True)


def with_another_function(paper, claim, name, wrong, monkeypatch):
    """What becomes of the claim if a function of the paper's folder is another one."""
    module, _, function = name.partition(":")
    monkeypatch.setattr(module_of(paper, module), function, wrong)
    return reproduce(paper, claim, quick=True)


def with_another_library(paper, claim, name, wrong, monkeypatch):
    """What becomes of the claim if the paper's modules find another function in the library."""
    package, _, function = name.partition(":")
    right = getattr(importlib.import_module(f"graycube.{package}"), function)
    function_of(paper, claim.check)
    getattr(gc, function, None)  # public names are there once they have been used
    of_paper = f"graycube.papers.{paper.folder.name}."
    for key, module in list(sys.modules.items()):
        user = key == "graycube" or key.startswith(of_paper)
        if user and vars(module).get(function) is right:
            monkeypatch.setattr(module, function, wrong)
    return reproduce(paper, claim, quick=True)
