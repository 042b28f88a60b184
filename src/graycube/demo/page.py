"""The demo as a page of its own: texts, output, code and pictures, and the way on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from graycube import markup
from graycube.markup import Markup, element, joined

_STYLE = files(__package__).joinpath("page.css")
_CAPTIONS = {
    "where": "The node of each block: thick lines where neighbours are far apart.",
    "solve": "The vorticity at the start, half way, and at the end.",
}
_PURPOSE = (
    "Arrays spread over many processes that know where every element is. Write stencils and "
    "FFTs once; run them in one process, over MPI, or on JAX devices. All that follows was "
    "computed on this machine, in one process, just now."
)
_YOURS = """import graycube as gc
from mpi4py import MPI

comm = MPI.COMM_WORLD                            # mpiexec -n 16, or any power of two of ranks
nodes = gc.node_mesh(comm.size, 2)
layout = gc.Layout.mesh((4096, 4096), nodes, code="gray")
u = gc.CubeArray.from_function(lambda i, j: 1.0 * (i == j), layout, comm)

near = u.halo()                                  # once: who needs what from whom
for _ in range(100):                             # many times: stencils
    near.update(u)
    u = u + 0.1 * (near[1, 0] + near[-1, 0] + near[0, 1] + near[0, -1] - 4 * u)
spectrum = gc.fft2(u)                            # transforms, where the data are

rows = gc.Layout.mesh((4096, 4096), (comm.size, 1))  # another library wants whole rows
v = u.relayout(rows)                             # planned, and done"""
_NEXT = (
    ("graycube plan gray binary --dims 6 --block 64KiB --ports 1", "a plan, priced"),
    ("graycube calibrate our-laptop --ranks 4", "your machine, measured for the planner"),
    ("graycube advise program.toml", "which layout each phase of your program should use"),
    ("graycube reproduce", "every claim of the four papers, computed again"),
)


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the demo, as text.

    >>> Chapter("where", "Where everything is", "On 64 nodes ...", "code", "output").key
    'where'
    """

    key: str
    title: str
    text: str
    code: str
    output: str
    card: str = ""


def document(chapters: Sequence[Chapter], pictures: Mapping[str, Sequence[str]]) -> str:
    """The page; ``pictures`` has the files of what was drawn, by chapter.

    >>> page = document([Chapter("a", "Where", "On <64> nodes.", "x", "y")], {})
    >>> "On &lt;64&gt; nodes." in page
    True
    """
    numbered = enumerate(chapters, start=1)
    return markup.document(
        "graycube: the demo",
        _STYLE.read_text(encoding="utf-8"),
        element("h1", "graycube"),
        element("p", _PURPOSE, class_="purpose"),
        *(_section(k, chapter, pictures) for k, chapter in numbered),
        *_way_on(),
    )


def _section(number: int, chapter: Chapter, pictures: Mapping[str, Sequence[str]]) -> Markup:
    return element(
        "section",
        element("h2", f"{number}. {chapter.title}"),
        element("p", *_words(chapter.text)),
        *_picture(chapter.key, pictures.get(chapter.key, ())),
        *_output(chapter),
        element("details", element("summary", "the code"), element("pre", chapter.code)),
        id=chapter.key,
    )


def _output(chapter: Chapter) -> Iterator[Markup]:
    """What was printed; where there are tables that fit any screen, it is folded below them."""
    printed = element("pre", chapter.output, tabindex="0")
    if not chapter.card:
        yield printed
        return
    yield element("div", Markup(chapter.card), class_="card")
    yield element("details", element("summary", "as it is printed"), printed)


def _words(text: str) -> Iterator[object]:
    """A text whose `quoted words` are code."""
    for k, part in enumerate(text.split("`")):
        yield element("code", part) if k % 2 else part


def _picture(key: str, drawn: Sequence[str]) -> Iterator[Markup]:
    if not drawn:
        return
    if drawn[0].endswith(".html"):
        link = element("a", "a smaller conversion, on 16 nodes", href=drawn[0])
        yield element("p", "Watch one move: ", link, ", side by side with the simplest way.")
        return
    images = (element("img", src=file, alt=_CAPTIONS[key]) for file in drawn)
    yield element("figure", *images, element("figcaption", _CAPTIONS[key]))


def _way_on() -> Iterator[Markup]:
    yield element("h2", "In your own code")
    yield element("pre", _YOURS)
    yield element("h2", "On the command line")
    terms = (
        (element("dt", element("code", line)), element("dd", what)) for line, what in _NEXT
    )
    yield element("dl", joined(part for term in terms for part in term))
