"""The tables below the drawing: prices, bounds, rounds, and what is proved."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graycube.markup import Markup, element, joined
from graycube.show import Bar, Table
from graycube.show.html import Look, table_of
from graycube.texts import counted

_LOOK = Look("class_", {"r": "figure-cell", "strong": "chosen", "soft": "left"})


def tables(scenes: Sequence[Mapping[str, Any]]) -> Iterator[Markup]:
    """The tables; plans on one machine have theirs in common."""
    letters = ["A: ", "B: "] if len(scenes) > 1 else [""]
    named = list(zip(letters, scenes, strict=True))
    for letter, shown in named:
        if shown["drawn"]["traffic"] is not None:
            yield _fact(f"{letter}Rounds", _rounds(shown), "traffic")
    priced = [(letter, shown, shown["candidates"]) for letter, shown in named]
    if scenes[0]["machine_key"] == scenes[-1]["machine_key"]:
        priced = [("", scenes[0], _merged([shown["candidates"] for shown in scenes]))]
    for letter, shown, rows in priced:
        yield _fact(f"{letter}Prices", _prices(rows), "candidates")
        yield _fact(f"{letter}Lower bounds", _bounds(shown), "bounds")
    for letter, shown in named:
        yield _fact(f"{letter}What is proved", element("pre", shown["report"]), "proof")


def _merged(tables: Sequence[Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    """One table of the candidates of plans on one machine, with remarks for each plan.

    A plan from a file may be another schedule by the name of a candidate: that is another row.
    """
    alike: dict[tuple[object, ...], list[tuple[str, Mapping[str, Any]]]] = {}
    for letter, table in zip("AB", tables, strict=False):
        for row in table:
            figures = tuple(x for name, x in row.items() if name not in {"remark", "chosen"})
            alike.setdefault(figures, []).append((letter, row))
    both: list[Mapping[str, Any]] = []
    for found in alike.values():
        said = {row["remark"] for _, row in found}
        marks = [f"{letter}: {row['remark']}" for letter, row in found]
        shared = len(found) == len(tables) and len(said) == 1
        remark = said.pop() if shared else "; ".join(marks)
        chosen = any(row["chosen"] for _, row in found)
        both.append({**found[0][1], "remark": remark, "chosen": chosen})
    return both


def _fact(title: str, content: Table | Markup, kind: str) -> Markup:
    inner = table_of(content, _LOOK) if isinstance(content, Table) else content
    body = element("div", inner, class_="table")
    return element("section", element("h2", title), body, class_=f"fact {kind}")


def _prices(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """The candidates, the cheapest first; those that do not apply are folded away."""
    priced = sorted((r for r in rows if r["seconds"] is not None), key=lambda r: r["seconds"])
    body, marks = list[Sequence[object]](), dict[int, str]()
    for k, row in enumerate(priced):
        marks |= {k: "strong"} if row["chosen"] else {}
        counts = (str(row[name]) for name in ("rounds", "cycles", "bytes"))
        body.append(
            (row["name"], *counts, f"{row['seconds']:.4g}", row["remark"], row["paper"])
        )
    heads = ("candidate", "rounds", "cycles", "link bytes", "seconds", "compared", "from")
    table = table_of(Table(heads, body, "lrrrrll", marks), _LOOK)
    others = [r for r in rows if r["seconds"] is None]
    if not others:
        return table
    reasons = [(r["name"], f"left out: {r['remark']}", r["paper"]) for r in others]
    soft = Table((), reasons, "lll", dict.fromkeys(range(len(others)), "soft"))
    do = "does" if len(others) == 1 else "do"
    summary = element("summary", f"{counted(len(others), 'algorithm')} {do} not apply")
    return joined([table, element("details", summary, table_of(soft, _LOOK))])


def _bounds(shown: Mapping[str, Any]) -> Table:
    every = shown["bounds"]
    best = max(bound["seconds"] for bound in every)
    rows = [(bound["name"], f"{bound['seconds']:.4g}", bound["citation"]) for bound in every]
    marks = {k: "strong" for k, bound in enumerate(every) if bound["seconds"] == best}
    return Table(("bound", "seconds", "because of"), rows, "lrl", marks)


def _rounds(shown: Mapping[str, Any]) -> Table:
    """Rounds that are alike in one row, with a bar for their longest message.

    Their traffic is counted on the links of a cube, which trees and tori do not have.
    """
    rounds, columns = shown["drawn"]["traffic"], {"longest": "longest message"}
    if not shown["tree"] and not shown["sides"]:
        columns |= {"links": "links in use", "crossings": "crossings"}
    most = max((row["longest"] for row in rounds), default=1)
    rows, first = list[Sequence[object]](), 0
    for row in rounds:
        last = first + row["times"] - 1
        counts = (_count(row[name]) for name in columns)
        named = str(first) if last == first else f"{first} to {last}"
        share = Bar(max(0.01, row["longest"] / most))
        rows.append((named, *counts, share))
        first = last + 1
    return Table(("round", *columns.values(), ""), rows, f"l{'r' * len(columns)}l")


def _count(count: float) -> str:
    """Rounds that are alike but for their links have a mean, which may be a fraction."""
    return f"{count:.12g}" if count % 1 == 0 else f"{count:.1f} on average"
