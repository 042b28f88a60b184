"""Pages that are made from the code: the papers' claims, the verbs, what NumPy's functions do.

They are written into the folders ``papers`` and ``generated`` beside this file whenever the
site is built, so that they cannot tell anything but what the code does.
"""

import inspect
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from textwrap import fill

import click
import numpy as np

from graycube.array.functions import TABLE, Kind
from graycube.cli.main import verbs
from graycube.papers import Claim, Paper, papers

HERE = Path(__file__).parent
_SIGNS = {
    "holds": "\N{CHECK MARK}",
    "holds with a correction": "\N{ALMOST EQUAL TO}",
    "not reached": "\N{WHITE CIRCLE}",
    "fails": "\N{BALLOT X}",
}
_WIDTH = 80
_SPACES = {"numpy": np, "numpy.linalg": np.linalg, "numpy.fft": np.fft}


def write() -> None:
    """Write all of them."""
    for folder in ("papers", "generated"):
        (HERE / folder).mkdir(exist_ok=True)
    for paper in papers():
        _put(HERE / "papers" / f"{paper.key.lower()}.md", "\n".join(_page(paper)))
    _put(HERE / "generated" / "help.md", "\n".join(_help()))
    _put(HERE / "generated" / "numpy.md", "\n".join(_numpy()))


def _put(path: Path, text: str) -> None:
    """Write what is new only, so that the site is not built anew for nothing."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _page(paper: Paper) -> Iterator[str]:
    yield f"# {paper.key}: {paper.title}\n"
    yield f"{paper.authors}, {paper.report}, {paper.year}.\n"
    counted = ", ".join(f"{n} {kind}{'s' * (n > 1)}" for kind, n in paper.numbered.items() if n)
    yield fill(
        f"It numbers {counted}; each has an entry below, and so have claims of the text. "
        f"`graycube reproduce {paper.key}` computes all of them again.",
        _WIDTH,
    )
    yield ""
    for claim in paper.claims:
        yield from _entry(claim)


def _entry(claim: Claim) -> Iterator[str]:
    yield f"## {claim.name}\n"
    yield f"{_SIGNS[claim.verdict]} *{claim.verdict}*, {claim.where}\n"
    yield f"{_escaped(claim.statement)}\n"
    if claim.formula:
        yield f"Formula: `{claim.formula}`\n"
    if claim.correction:
        formula = f" `{claim.correction.formula}`" if claim.correction.formula else ""
        right = _escaped(claim.correction.statement)
        word = "Reached" if claim.verdict == "not reached" else "Right"
        yield f"{word} is: {right}{formula} (see [the errata](../errata.md))\n"
    if claim.remark:
        yield f"{_escaped(claim.remark)}\n"
    if claim.code:
        yield f"Code: {', '.join(map(_link, claim.code))}\n"
    yield f"Computed by `{claim.check}`{_sizes(claim)}.\n"


def _sizes(claim: Claim) -> str:
    return f", for {claim.spans}" if claim.spans else ""


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
    """Every function of NumPy's that asks an array what to do, and what it does."""
    yield "# NumPy's functions on a CubeArray\n"
    yield fill(
        "What NumPy's functions do with a CubeArray, from the table by which graycube carries "
        "them out. [The guide](../arrays.md) has examples.",
        _WIDTH,
    )
    ufuncs = [f for f in vars(np).values() if isinstance(f, np.ufunc)]
    single = sum(f.nout == 1 and f.signature is None for f in set(ufuncs))
    yield f"\nAll {single} ufuncs with one result work element by element, as `np.exp`.\n"
    found = {
        f"{space}.{name}": getattr(module, name)
        for space, module in _SPACES.items()
        for name in sorted(module.__all__)
        if hasattr(getattr(module, name), "_implementation")
    }
    for kind in Kind:
        names = [n for n, f in found.items() if f in TABLE and TABLE[f].kind is kind]
        yield from _names(kind.value, names)
    rest = [n for n, f in found.items() if f not in TABLE]
    yield from _names("raises, and names `to_numpy()`", rest)


def _names(what: str, names: Sequence[str]) -> Iterator[str]:
    yield f"## {what[0].upper()}{what[1:]}\n"
    yield fill(", ".join(f"`{n.replace('numpy', 'np', 1)}`" for n in names) + ".", _WIDTH)
    yield ""
