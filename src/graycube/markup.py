"""HTML for people: tables, documents and what notebooks show, with every text escaped.

Rules. Every text is escaped, once, and what cannot be seen is written out; what is a
:class:`Markup` already is left as it is. Nothing here knows what it shows.
"""

from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape

from graycube.texts import shortened, visible

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


def table(
    head: Sequence[object], rows: Iterable[Sequence[object]], caption: str = ""
) -> Markup:
    """A table with a line of column names.

    >>> table(["n", "cycles"], [[3, 8]])
    '<table><thead><tr><th>n</th><th>cycles</th></tr></thead><tbody><tr><td>3</td><td>8</td></tr></tbody></table>'
    """
    names = element("thead", _row("th", head))
    body = element("tbody", *(_row("td", row) for row in rows))
    title = (element("caption", caption),) if caption else ()
    return element("table", *title, names, body)


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


# Notebooks have no style sheet of ours and a light or a dark theme, so what follows is styled
# in place, with the colours of the theme and what is translucent over them.
_RULE = "1px solid rgba(128,128,128,.5)"
_LONGEST_LINE, _LONGEST_CELL = 400, 200  # characters
_SIDES = {"l": "left", "r": "right;white-space:nowrap"}


def card(title: object, *lines: object) -> Markup:
    """A thing in a notebook: a bold line, and what there is to say about it.

    Lines that are empty are left out, and long texts shortened.

    >>> card("a < b", "so")
    '<div style="line-height:1.5;overflow-x:auto"><div><b>a &lt; b</b></div><div>so</div></div>'
    """
    first = element("div", element("b", _within(title, _LONGEST_LINE)))
    rest = (element("div", _within(line, _LONGEST_LINE)) for line in lines if line != "")
    return element("div", first, *rest, style="line-height:1.5;overflow-x:auto")


@singledispatch
def card_of(thing: object) -> Markup:
    """What a notebook shows of a thing; each layer's ``html`` registers its classes.

    >>> card_of(7)
    '<div style="line-height:1.5;overflow-x:auto"><div><b>7</b></div></div>'
    """
    return card(repr(thing))


class Shown:
    """A base for classes that notebooks show by :func:`card_of`.

    >>> class Seven(Shown): ...
    >>> Seven()._repr_html_().startswith("<div")
    True
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return card_of(self)


def figures(
    head: Sequence[object],
    rows: Iterable[Sequence[object]],
    sides: str,
    strong: Sequence[int] = (),
) -> Markup:
    """A table in a notebook: ``sides`` has l or r for each column, ``strong`` bold rows.

    Long texts are shortened; how many rows there are is up to the caller, see :func:`shown`.

    >>> figures(["n"], [[3]], "r").count("text-align:right")
    2
    """
    cell = [f"text-align:{_SIDES[side]};padding:.1em .6em" for side in sides]
    ruled = [f"{style};border-bottom:{_RULE}" for style in cell]
    lines = (
        _styled("td", row, cell, "font-weight:bold" if k in strong else "")
        for k, row in enumerate(rows)
    )
    above = (element("thead", _styled("th", head, ruled)),) if head else ()
    body = element("tbody", *lines)
    return element("table", *above, body, style="border-collapse:collapse;margin:.3em 0")


def folded(summary: object, *content: object) -> Markup:
    """What is seen after a click on the summary.

    >>> folded("more", "less")
    '<details><summary>more</summary>less</details>'
    """
    return element("details", element("summary", summary), *content)


def shown(count: int, most: int) -> list[int | None]:
    """Positions 0..count - 1, or the first and last of them with ``None`` for the gap.

    >>> shown(5, 8), shown(100, 8)
    ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4, None, 98, 99])
    """
    most = max(most, 3)  # the first, the gap, the last
    if count <= most:
        return list(range(count))
    tail = max(1, most // 4)
    return [*range(most - 1 - tail), None, *range(count - tail, count)]


def _styled(
    tag: str, cells: Sequence[object], styles: Sequence[str], whole: str = ""
) -> Markup:
    every = zip(cells, styles, strict=True)
    pieces = (element(tag, _within(c, _LONGEST_CELL), style=s) for c, s in every)
    return element("tr", *pieces, **({"style": whole} if whole else {}))


def _within(content: object, most: int) -> object:
    return content if isinstance(content, Markup) else shortened(content, most)
