"""HTML for people: elements, tables and documents, with every text escaped.

Rules. Every text is escaped, once, and what cannot be seen is written out; what is a
:class:`Markup` already is left as it is. Nothing here knows what it shows.
"""

from collections.abc import Iterable, Sequence
from html import escape

from graycube.texts import visible

_EMPTY = ("br", "hr", "img", "meta")


class Markup(str):
    """A text that is HTML already.

    >>> element("b", Markup("<i>x</i>"), "<y>")
    '<b><i>x</i>&lt;y&gt;</b>'
    """

    __slots__ = ()


def element(tag: str, *content: object, **attributes: object) -> Markup:
    """An element with its content in order; ``class_`` is the attribute ``class``.

    >>> element("td", 3, class_="number")
    '<td class="number">3</td>'
    """
    named = ((name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items())
    opened = "".join(f' {name}="{escape(visible(value))}"' for name, value in named)
    if tag in _EMPTY:
        return Markup(f"<{tag}{opened}>")
    return Markup(f"<{tag}{opened}>{joined(content)}</{tag}>")


def joined(content: Iterable[object], between: str = "") -> Markup:
    """All of it, one after the other.

    >>> joined(["a < b", element("br")])
    'a &lt; b<br>'
    """
    pieces = (part if isinstance(part, Markup) else escape(visible(part)) for part in content)
    return Markup(between.join(pieces))


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> Markup:
    """A table with a line of column names.

    >>> table(["n", "cycles"], [[3, 8]])
    '<table><thead><tr><th>n</th><th>cycles</th></tr></thead><tbody><tr><td>3</td><td>8</td></tr></tbody></table>'
    """
    names = element("thead", _row("th", head))
    body = element("tbody", *(_row("td", row) for row in rows))
    return element("table", names, body)


def document(title: str, style: str, *content: object) -> str:
    """A page that needs nothing beside it, with its style sheet.

    >>> page = document("Prices", "p { margin: 0 }", element("p", "1 < 2"))
    >>> "<main><p>1 &lt; 2</p></main>" in page
    True
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(style)),
    )
    body = element("body", element("main", *content))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _row(tag: str, cells: Sequence[object]) -> Markup:
    return element("tr", *(element(tag, cell) for cell in cells))
