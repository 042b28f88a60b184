"""Pages that are made from the code: the papers' claims, the verbs, what NumPy's functions do.

They are written into the folders ``papers`` and ``generated`` beside this file whenever the
site is built, so that they cannot tell anything but what the code does.
"""

import importlib.util
import inspect
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from textwrap import fill

import click
import numpy as np

import graycube.fourier  # noqa: F401 - it adds its functions to the table
from graycube.array.functions import TABLE
from graycube.array.rows import Kind
from graycube.cli.main import verbs
from graycube.papers import Claim, Correction, Paper, papers
from graycube.papers.run import function_of

HERE = Path(__file__).parent
_SIGNS = {
    "holds": "\N{CHECK MARK}",
    "holds with a correction": "\N{ALMOST EQUAL TO}",
    "not reached": "\N{WHITE CIRCLE}",
    "fails": "\N{BALLOT X}",
}
_WIDTH = 80
_LONGEST = 1500  # words of a page of claims
_SPACES = {"numpy": np, "numpy.linalg": np.linalg, "numpy.fft": np.fft}


def write() -> None:
    """Write all of them."""
    for folder in ("papers", "generated"):
        (HERE / folder).mkdir(exist_ok=True)
    pages = {name: text for paper in papers() for name, text in _paper_pages(paper).items()}
    for name, text in pages.items():
        _put(HERE / "papers" / f"{name}.md", text)
    for file in (HERE / "papers").glob("*.md"):
        if file.stem not in pages:  # of claims that were divided otherwise
            file.unlink()
    _put(HERE / "generated" / "help.md", "\n".join(_help()))
    _put(HERE / "numpy.md", "\n".join(_numpy()))


def _put(path: Path, text: str) -> None:
    """Write what is new only, so that the site is not built anew for nothing."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def draw() -> None:
    """Draw what claims show, as pictures beside their pages; this needs matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        return
    from matplotlib.figure import Figure  # noqa: PLC0415 - optional, and slow to import

    (HERE / "papers" / "pictures").mkdir(parents=True, exist_ok=True)
    for paper in papers():
        for claim in (claim for claim in paper.claims if claim.draw):
            figure = Figure()
            function_of(paper, claim.draw)(figure, claim)
            figure.savefig(_picture(paper, claim), dpi=90)


def _picture(paper: Paper, claim: Claim) -> Path:
    return HERE / "papers" / "pictures" / f"{paper.key.lower()}-{claim.key}.png"


def _paper_pages(paper: Paper) -> dict[str, str]:
    """The page of a paper, and pages of its claims that are read in ten minutes each."""
    lengths = [len(" ".join(_entry(paper, claim)).split()) for claim in paper.claims]
    share = sum(lengths) / -(-sum(lengths) // _LONGEST)
    key = paper.key.lower()
    found: dict[str, list[Claim]] = {}
    for claim, before in zip(paper.claims, accumulate(lengths, initial=0), strict=False):
        found.setdefault(f"{key}-{1 + int(before / share)}", []).append(claim)
    pages = {name: "\n".join(_claims(paper, some)) for name, some in found.items()}
    return {key: "\n".join(_overview(paper, found)), **pages}


def _overview(paper: Paper, pages: dict[str, list[Claim]]) -> Iterator[str]:
    yield f"# {paper.key}: {paper.title}\n"
    yield f"{paper.authors}, {paper.report}, {paper.year}.\n"
    counted = ", ".join(_counted(kind, n) for kind, n in paper.numbered.items() if n)
    yield fill(
        f"The paper numbers {counted}. Each of them has an entry here, and so have claims of "
        f"the text: {len(paper.claims)} in all. Each entry tells what the paper says, what we "
        "found, and the command that computes it again. This command computes all of them:",
        _WIDTH,
    )
    yield f"\n```sh\ngraycube reproduce {paper.key} -o report.html\n```\n"
    yield "| what we found | claims |\n| --- | ---: |"
    for verdict, sign in _SIGNS.items():
        count = sum(claim.verdict == verdict for claim in paper.claims)
        if count:
            yield f"| {sign} {verdict} | {count} |"
    yield ""
    other = [(name, c) for name, some in pages.items() for c in some if c.verdict != "holds"]
    if other:
        yield "## What does not hold as printed\n"
    for name, claim in other:
        link = f"[{claim.name}]({name}.md#{_anchor(claim.name)})"
        told = (
            f"{_word(claim)}: {_escaped(claim.correction.statement)}"
            if claim.correction
            else ""
        )
        yield f"- {_SIGNS[claim.verdict]} {link}, {claim.where}. {told or 'It fails.'}"
    yield "\n```{toctree}\n:caption: Claims\n:maxdepth: 1\n"
    yield "\n".join(pages)
    yield "```\n"


def _counted(kind: str, number: int) -> str:
    """Some theorems, or one corollary."""
    many = f"{kind}s".replace("ys", "ies")
    return f"{number} {kind if number == 1 else many}"


def _claims(paper: Paper, claims: Sequence[Claim]) -> Iterator[str]:
    yield f"# {paper.key}: {claims[0].name} to {claims[-1].name}\n"
    yield fill(
        f"Claims of [{paper.title}]({paper.key.lower()}.md), {paper.year}. "
        "[The papers](../papers.md) says what the letters and signs mean.",
        _WIDTH,
    )
    yield ""
    for claim in claims:
        yield from _entry(paper, claim)


def _entry(paper: Paper, claim: Claim) -> Iterator[str]:
    yield f"## {claim.name}\n"
    said = f"{_escaped(claim.statement)}{_formula(claim.formula, claim.relation)}"
    yield f"**The paper says** ({claim.where}). {said}\n"
    yield f"**We found.** {_SIGNS[claim.verdict]} {_verdict(claim)}\n"
    picture = _picture(paper, claim)
    if picture.exists():
        yield f"![{claim.name}, as computed](pictures/{picture.name})\n"
    yield f"**Compute it again.** `graycube reproduce {paper.key} --claim {claim.key}`\n"
    where = f"src/graycube/papers/{paper.folder.name}"
    code = f", with {', '.join(map(_link, claim.code))}" if claim.code else ""
    yield f"Computed by `{claim.check}` in `{where}`{code}.\n"


def _verdict(claim: Claim) -> str:
    """What came out, in sentences."""
    tried = f" We tried {claim.spans}." if claim.spans else ""
    told = f"It {claim.verdict}.{tried}"
    if claim.verdict == "not reached":
        told = (
            "It is not reached: for some sizes the paper's figure is better than that of our "
            f"schedules, and no bound that we know excludes it.{tried}"
        )
    if claim.correction:
        wrong = claim.correction
        formula = _formula(wrong.formula, wrong.relation or claim.relation)
        told += f" {_word(claim)}: {_escaped(wrong.statement)}{formula}"
        told += f" [The erratum]({_erratum(wrong)}) says more."
    return f"{told} {_escaped(claim.remark)}".rstrip()


def _word(claim: Claim) -> str:
    return "What we reach" if claim.verdict == "not reached" else "Right is"


def _formula(formula: str, relation: str) -> str:
    limit = {"<=": "at most ", ">=": "at least "}.get(relation, "")
    return f" In a formula: {limit}`{formula}`." if formula else ""


def _erratum(correction: Correction) -> str:
    """The entry of a correction, on the page of errata that has it."""
    name = "errata-tr-764" if correction.erratum.startswith("TR-764") else "errata"
    return f"../{name}.md#{_anchor(correction.erratum)}"


def _anchor(heading: str) -> str:
    """What the site calls a heading in links."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _link(name: str) -> str:
    """A link to the reference, by the name under which it is documented there."""
    thing = _found(name)
    if inspect.ismodule(thing):
        return f"`{name}`"
    owner = getattr(thing, "__module__", "")
    public = ".".join(owner.split(".")[:2])
    return f"{{py:obj}}`{name} <{public}.{getattr(thing, '__qualname__', name)}>`"


def _found(name: str) -> object:
    """The object of a dotted name."""
    try:
        return import_module(name)
    except ImportError:
        owner, _, attribute = name.rpartition(".")
        return getattr(_found(owner), attribute)


def _escaped(text: str) -> str:
    """Text in which Markdown finds nothing to interpret."""
    return "".join(f"\\{letter}" if letter in "*_[]<>|$^`\\" else letter for letter in text)


def _help() -> Iterator[str]:
    yield "# What the verbs take\n"
    yield "As `graycube VERB --help` prints it.\n"
    group = click.Context(verbs, info_name="graycube", **verbs.context_settings)
    for name in verbs.list_commands(group):
        verb = verbs.get_command(group, name)
        context = click.Context(verb, info_name=name, parent=group, max_content_width=_WIDTH)
        yield f"## {name}\n\n```text\n{verb.get_help(context)}\n```\n"


def _numpy() -> Iterator[str]:
    """Every function of NumPy's that works on an array, and what it does."""
    yield "# NumPy's functions on a CubeArray\n"
    yield "*For those who look for one of NumPy's functions.*\n"
    yield fill(
        "These functions of NumPy's work on a CubeArray. All others raise an error that says "
        "what to do, and none collects the whole array. [Arrays like NumPy's](arrays.md) has "
        "examples. `docs/generate.py` writes this page, from the table that carries out the "
        "functions.",
        _WIDTH,
    )
    yield "\nAll ufuncs work element by element, as `np.exp`.\n"
    yield fill(
        "A warning of NumPy's, such as that for `np.log(u)` of zeros, names the line of your "
        "program. Each rank warns of what it has. `np.errstate` and filters of warnings mean "
        "what they always do.",
        _WIDTH,
    )
    yield ""
    found = {
        f"{space}.{name}": getattr(module, name)
        for space, module in _SPACES.items()
        for name in sorted(module.__all__)
        if hasattr(getattr(module, name), "_implementation")
    }
    for kind in Kind:
        names = [n for n, f in found.items() if f in TABLE and TABLE[f].kind is kind]
        yield f"## {kind.value[0].upper()}{kind.value[1:]}\n"
        yield fill(", ".join(f"`{n.replace('numpy', 'np', 1)}`" for n in names) + ".", _WIDTH)
        yield ""


if __name__ == "__main__":
    write()
