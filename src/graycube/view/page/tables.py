"""The tables below the drawing: prices, bounds, rounds, and what is proved."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graycube.markup import Markup, element


def tables(scenes: Sequence[Mapping[str, Any]]) -> Iterator[Markup]:
    """The tables; plans on one machine have theirs in common."""
    letters = [f"{letter}: " for letter in "AB"] if len(scenes) > 1 else [""]
    for letter, shown in zip(letters, scenes, strict=True):
        if shown["drawn"]["traffic"] is not None:
            yield _fact(f"{letter}Rounds", _traffic_table(shown["drawn"]["traffic"]), "traffic")
    if scenes[0]["machine_key"] == scenes[-1]["machine_key"]:
        rows = _merged([shown["candidates"] for shown in scenes])
        yield _fact("Prices", _candidate_table(rows), "candidates")
        yield _fact("Lower bounds", _bound_table(scenes[0]), "bounds")
    else:
        for letter, shown in zip(letters, scenes, strict=True):
            rows = shown["candidates"]
            yield _fact(f"{letter}Prices", _candidate_table(rows), "candidates")
            yield _fact(f"{letter}Lower bounds", _bound_table(shown), "bounds")
    for letter, shown in zip(letters, scenes, strict=True):
        yield _fact(f"{letter}What is proved", element("pre", shown["report"]), "proof")


def _merged(tables: Sequence[Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    """One table of the candidates of plans on one machine, with remarks for each plan."""
    if len(tables) == 1:
        return list(tables[0])
    both: list[Mapping[str, Any]] = []
    for row in dict.fromkeys(row["name"] for table in tables for row in table):
        found = [next((r for r in table if r["name"] == row), None) for table in tables]
        known = [(letter, r) for letter, r in zip("AB", found, strict=True) if r is not None]
        marks = [f"{letter}: {r['remark']}" for letter, r in known]
        same = {r["remark"] for _, r in known}
        remark = same.pop() if len(same) == 1 else "; ".join(marks)
        chosen = any(r["chosen"] for _, r in known)
        both.append({**known[0][1], "remark": remark, "chosen": chosen})
    return both


def _fact(title: str, content: Markup, kind: str) -> Markup:
    body = element("div", content, class_="table")
    return element("section", element("h2", title), body, class_=f"fact {kind}")


def _candidate_table(rows: Sequence[Mapping[str, Any]]) -> Markup:
    order = sorted(rows, key=lambda row: (row["seconds"] is None, row["seconds"] or 0.0))
    body = [_priced(row) if row["seconds"] is not None else _left_out(row) for row in order]
    heads = ("candidate", "rounds", "cycles", "link bytes", "seconds", "compared", "from")
    return _table(heads, body, range(1, 5))


def _priced(row: Mapping[str, Any]) -> Markup:
    counts = (row["rounds"], row["cycles"], row["bytes"], f"{row['seconds']:.4g}")
    return element(
        "tr",
        element("td", row["name"]),
        *map(_figure_cell, counts),
        element("td", row["remark"], class_="wide"),
        element("td", row["paper"]),
        class_="chosen" if row["chosen"] else "other",
    )


def _left_out(row: Mapping[str, Any]) -> Markup:
    return element(
        "tr",
        element("td", row["name"]),
        element("td", f"left out: {row['remark']}", colspan=5),
        element("td", row["paper"]),
        class_="left",
    )


def _bound_table(shown: Mapping[str, Any]) -> Markup:
    best = max(bound["seconds"] for bound in shown["bounds"])
    body = []
    for bound in shown["bounds"]:
        cells = [
            element("td", bound["name"]),
            _figure_cell(f"{bound['seconds']:.4g}"),
            element("td", bound["citation"], class_="wide"),
        ]
        body.append(
            element("tr", *cells, class_="chosen" if bound["seconds"] == best else "other")
        )
    return _table(("bound", "seconds", "because of"), body, (1,))


def _traffic_table(rounds: Sequence[Mapping[str, Any]]) -> Markup:
    """Rounds that are alike in one row, with a bar for their longest message."""
    most = max((row["longest"] for row in rounds), default=1)
    body, first = [], 0
    for row in rounds:
        last = first + row["times"] - 1
        counts = (row[name] for name in ("longest", "links", "crossings", "busiest"))
        bar = element("i", style=f"width:{max(1.0, 100 * row['longest'] / most):.1f}%")
        cells = [
            element("td", first if last == first else f"{first} to {last}"),
            *(_figure_cell(f"{count:.12g}") for count in counts),
            element("td", bar, class_="bar-cell"),
        ]
        body.append(element("tr", *cells))
        first = last + 1
    heads = ("round", "longest message", "links in use", "crossings", "links of a node", "")
    return _table(heads, body, range(1, 5))


def _table(heads: Sequence[str], body: Sequence[Markup], figures: Sequence[int]) -> Markup:
    names = (
        element("th", head, scope="col", class_="figure-cell" if k in figures else "")
        for k, head in enumerate(heads)
    )
    return element("table", element("thead", element("tr", *names)), element("tbody", *body))


def _figure_cell(content: object) -> Markup:
    return element("td", content, class_="figure-cell")
