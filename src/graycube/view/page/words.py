"""What the page says of plans in words: the heading, who wins, and what to bear in mind."""

from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Any

from graycube.markup import Markup, element, joined
from graycube.planning.explain import NO_COSTS
from graycube.texts import counted


def heading(scenes: Sequence[Mapping[str, Any]]) -> Markup:
    """The task, and the figures of its plan or which of two is cheaper."""
    shown = scenes[0]
    source, target = (element("code", shown[name]) for name in ("source", "target"))
    title = element("h1", "From ", source, " to ", target)
    machines = " or ".join(dict.fromkeys(s["machine"] for s in scenes))
    lead = element("p", f"{shown['moved']}; {machines}", class_="lead")
    if len(scenes) > 1:
        return joined([title, lead, element("p", _winner(scenes), class_="versus")])
    figures = [
        ("algorithm", shown["algorithm"]),
        ("price", _seconds(shown["seconds"])),
        ("lower bound", _seconds(shown["bound"])),
        ("price over bound", _gap(shown)),
        ("rounds", shown["rounds"]),
        ("cycles", shown["cycles"]),
    ]
    entries = (element("div", element("dt", name), element("dd", x)) for name, x in figures)
    return joined([title, lead, element("dl", *entries, class_="figures")])


def _seconds(seconds: float) -> str:
    """A time for people.

    >>> _seconds(0.0), _seconds(36.0), _seconds(3.096e-05)
    ('0 s', '36 s', '30.96 µs')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or seconds == 0:
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds / 1e-9:.4g} ns"


def _gap(shown: Mapping[str, Any]) -> str:
    if shown["relabel"] is not None:
        return "no bound"
    if shown["bound"]:
        ratio = shown["seconds"] / shown["bound"]
        text = f"{ratio:.3g}"
        return text if text != "1" or isclose(ratio, 1.0) else "just above 1"
    return "1" if shown["seconds"] == 0 else "no bound"


def price_line(shown: Mapping[str, Any]) -> str:
    """What a plan costs, in a line."""
    return (
        f"{_seconds(shown['seconds'])}; {counted(shown['rounds'], 'round')}, "
        f"{counted(shown['cycles'], 'cycle')}, {shown['bytes']} link bytes"
    )


def _winner(scenes: Sequence[Mapping[str, Any]]) -> str:
    (a, one), (b, other) = (
        (f"{letter} ({shown['algorithm']})", shown["seconds"])
        for letter, shown in zip("AB", scenes, strict=True)
    )
    if isclose(one, other):
        return f"{a} and {b} cost the same: {_seconds(one)}."
    (winner, less), (loser, more) = sorted([(a, one), (b, other)], key=lambda pair: pair[1])
    ratio = f"{more / less:.4g}" if less else ""
    times = {"": "", "1": ", nearly the same"}.get(ratio, f", {ratio} times as fast")
    return f"{winner} wins: {_seconds(less)} against {_seconds(more)} of {loser}{times}."


def remarks(shown: Mapping[str, Any]) -> Iterator[str]:
    """What a reader has to know about the drawing."""
    if shown["note"]:
        yield shown["note"]
    if not shown["priced"]:
        yield NO_COSTS
    if shown["relabel"] is not None:
        moved = "After the moves" if shown["rounds"] else "Nothing crosses a link:"
        yield f"{moved} the nodes get new numbers (old → new)."
        yield "The lower bound is for schedules that leave the ranks as they are."
    drawn = shown["drawn"]["cycles"]
    if drawn not in (0, shown["cycles"]) and not shown["note"]:
        yield (
            f"What is drawn takes {counted(drawn, 'cycle')}; the price counts "
            f"{shown['cycles']}, as many as the longest messages of all rounds have elements."
        )
    empty = len(shown["drawn"]["rounds"]) - sum(map(bool, shown["drawn"]["seconds"]))
    priced = shown["seconds"] > 0
    if priced and empty and not shown["note"]:
        yield f"In {counted(empty, 'round')} nothing crosses a link, which costs nothing."
