"""What an order of ranks says of itself: the orders that were looked at, and what is gained."""

from typing import TYPE_CHECKING

from graycube.mapping.digits import is_crossbar
from graycube.mapping.hosts import counted_up
from graycube.mapping.improve import CLOSE
from graycube.mapping.loads import load_of
from graycube.mapping.search import as_little
from graycube.show import Sheet, Table

if TYPE_CHECKING:
    from graycube.mapping.placed import Considered, RankOrder

SHOWN = 6
"""So many orders are shown beside ranks as they are, Gray code and the user's."""


def sheet_of(found: "RankOrder") -> Sheet:
    """The table of orders, the best first, and a sentence.

    >>> from graycube.machine import Machine
    >>> from graycube.mapping import Pattern, place
    >>> ring = place(Pattern.mesh((4,), neighbours=1.0), Machine.torus((2, 2), per_byte=1e-9))
    >>> sheet_of(ring).pieces[-1][:40]
    'The busiest link has 0.5 of the work tha'
    """
    title = f"{found.pattern!r}".strip("<>")
    if reason := _why_any(found):
        return Sheet(title, f"{reason}: every order is as good.")
    names = {"as they are", "gray", *found.also}
    first = [one for one in found.candidates if one.name in names]
    others = sorted(
        (one for one in found.candidates if one not in first), key=lambda one: one.load
    )
    seen = [*first, *others[:SHOWN]]
    rows = [
        (one.name, f"{one.load.busiest:.4g}", f"{one.load.total:.4g}", _remark(one, found))
        for one in seen
    ]
    marks = {k: "strong" for k, one in enumerate(seen) if one is found.chosen}
    left = len(others) - SHOWN
    more = (
        [f"{left} more {'order is' if left == 1 else 'orders are'} no better."]
        if left > 0
        else []
    )
    head = ("order", f"busiest, {found.unit}", f"all links, {found.unit}", "")
    return Sheet(title, Table(head, rows, "lrrl", marks), *more, _verdict(found))


def lost_by_slurm(found: "RankOrder", hosts: int) -> str:
    """What is lost if Slurm counts the ranks of a host up, which its file of hosts cannot mend.

    >>> import numpy as np
    >>> from graycube.machine import Machine
    >>> from graycube.mapping import Pattern, place
    >>> tree = Machine.tree((2, 2, 2), per_byte=(1e-10, 1e-10, 1e-9))
    >>> sent = np.zeros((8, 8))
    >>> sent[[0, 1, 4, 5], [2, 3, 6, 7]] = 1000.0
    >>> lost_by_slurm(place(Pattern.matrix(sent), tree), 2)[:61]
    'Slurm puts the ranks of a host on its cores in order of ranks'
    """
    order = counted_up(found.order, found.order.size // hosts).ravel()
    ends = order[found.pattern.source], order[found.pattern.target]
    load = load_of(found.machine, *ends, found.pattern.nbytes)
    if as_little(load, found.load):
        return ""
    return (
        "Slurm puts the ranks of a host on its cores in order of ranks. Then the busiest link "
        f"has {_times(load.busiest, found.load.busiest)} to do as in the order that was "
        f"found, and all links together {_times(load.total, found.load.total)}. "
        "To keep the order within hosts, renumber in the program: comm.Split(0, keys[rank])."
    )


def _remark(one: "Considered", found: "RankOrder") -> str:
    if one is found.chosen:
        return "chosen"
    if as_little(one.load, found.load):
        return "as good"
    if one.load.busiest > found.load.busiest * (1 + CLOSE):
        return f"{_ratio(one.load.busiest, found.load.busiest)} times the busiest"
    return f"{_ratio(one.load.total, found.load.total)} times the links"


def _why_any(found: "RankOrder") -> str:
    if not found.pattern.nbytes.any():
        return "Nothing is sent from node to node"
    return "All nodes are as far from each other" if is_crossbar(found.machine) else ""


def _verdict(found: "RankOrder") -> str:
    before, now, others = found.candidates[0], found.load, len(found.candidates) - 1
    few = "No other order was looked at.", "The other order that was looked at is no better."
    many = f"None of the {others} other orders that were looked at is better."
    looked = few[others] if others < len(few) else many
    if found.chosen is before:
        why = "Nothing is gained: no order is better." if found.proved else looked
        return f"{why} Leave the ranks as they are."
    best = "No order is better." if found.proved else looked
    if not now.busiest < before.load.busiest * (1 - 1e-9):
        share = f"{now.total / before.load.total:.3g}"
        return (
            "The busiest link gains nothing. All links together have "
            f"{share} of the work that they have with ranks as they are. {best}"
        )
    given = {one.name: one for one in found.candidates if one.name in found.also}
    shares = ", ".join(
        _share(now.busiest / one.load.busiest, name)
        for name, one in {"ranks as they are": before, **given}.items()
        if one is not found.chosen
    )
    return f"The busiest link has {shares}. {best}"


def _times(much: float, little: float) -> str:
    ratio = _ratio(much, little)
    return "as much" if ratio == "1" else f"{ratio} times as much"


def _ratio(much: float, little: float) -> str:
    """How many times; some links take no time at all."""
    return f"{much / little:.3g}" if little else "many"


def _share(share: float, name: str) -> str:
    if f"{share:.3g}" == "1":
        return f"as much as with {name}"
    return f"{share:.3g} of the work that it has with {name}"
