"""What the tests of claims share: a paper, and computations that are made to come out wrong."""

import importlib
from dataclasses import replace
from pathlib import Path

from graycube.reproduce import read_paper, reproduce
from graycube.reproduce.run import function_of

ROOT = Path(__file__).parents[1]


def paper_of(folder):
    return read_paper(ROOT / "papers" / folder / "claims.toml")


def module_of(paper, name):
    """A module of the paper's folder, which is imported as the runner does it."""
    function_of(paper, f"{name}:__doc__")
    return importlib.import_module(name)


def untitled_errata(paper):
    """The errata that claims name and the document lacks, and the other way round."""
    text = " ".join((ROOT / "docs" / "errata.md").read_text(encoding="utf-8").split())
    titles = {claim.correction.erratum for claim in paper.claims if claim.correction}
    entries = {e.partition("**")[0] for e in text.split(f"**{paper.key}")[1:]}
    untold = {e for e in entries if not any(f"{paper.key}{e}".startswith(t) for t in titles)}
    return {title for title in titles if f"**{title}" not in text}, untold


def drawn(paper, claim):
    """The claim's drawing as a figure."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - only where it is installed

    figure = Figure()
    function_of(paper, claim.draw)(figure, claim)
    return figure


def with_another_formula(paper, claim):
    """What becomes of the claim if its formula is one less where it is a limit, or one more."""
    shift = "-" if claim.relation == "<=" else "+"
    changed = replace(claim, formula=f"({claim.formula}) {shift} 1")
    if claim.correction:
        formula = f"({claim.correction.formula}) {shift} 1"
        changed = replace(changed, correction=replace(claim.correction, formula=formula))
    return reproduce(paper, changed, quick=True)


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
