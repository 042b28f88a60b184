"""All moves of a plan as a table, for NumPy and for other programs.

Rules. A row is one element on one link. Nodes have the numbers that users know, and rows are
in the order of time. A plan with more of them than ``MAX_ROWS`` is refused at once.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.planning import Plan

MAX_ROWS = 1 << 20
COLUMNS = ("round", "cycle", "node", "partner", "dimension", "element")


def table(plan: Plan) -> NDArray[Any]:
    """Every crossing of a link by an element, as a structured array.

    In ``cycle``, ``node`` sends ``element`` to ``partner``. Element e is the one that node
    ``e // block`` holds at position ``e % block`` at first.

    >>> import graycube as gc
    >>> plan = gc.plan(gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2), 2, machine="ipsc1")
    >>> rows = gc.view.table(plan)
    >>> rows.dtype.names
    ('round', 'cycle', 'node', 'partner', 'dimension', 'element')
    >>> rows[["node", "partner", "element"]].tolist()
    [(2, 3, 4), (3, 2, 6), (2, 3, 5), (3, 2, 7)]
    """
    require_plan(plan, "a table shows a Plan")
    if plan.traffic.crossings > MAX_ROWS:
        raise InvalidValueError(
            f"the plan has {plan.traffic.crossings} moves: elements that cross links",
            f"a table has at most {MAX_ROWS}",
            "plan the same with a smaller block; --trace sums large plans up",
        )
    moves = plan.moves()
    back, block = plan.machine.numbers.inverse(), plan.task.block
    node, place = np.divmod(moves.element, block)
    rows = np.empty(len(moves), [(name, np.int64) for name in COLUMNS])
    for name in ("round", "cycle", "dimension"):
        rows[name] = getattr(moves, name)
    rows["node"] = back(moves.node.astype(np.int64))
    rows["partner"] = back(moves.partner.astype(np.int64))
    rows["element"] = back(node) * block + place
    return rows[np.argsort(rows["cycle"], kind="stable")]


def csv(plan: Plan) -> str:
    """The same as comma-separated values, with a line of names.

    >>> import graycube as gc
    >>> plan = gc.plan(gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2), 1, machine="ipsc1")
    >>> print(gc.view.csv(plan), end="")
    round,cycle,node,partner,dimension,element
    0,0,2,3,0,2
    0,0,3,2,0,3
    """
    rows = (",".join(map(str, row)) for row in table(plan).tolist())
    return "\n".join([",".join(COLUMNS), *rows, ""])


def require_plan(plan: object, what: str) -> None:
    """Refuse what is no plan.

    >>> require_plan(5, "a trace shows a Plan")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: got a int: a trace shows a Plan; make one with
    graycube.plan
    """
    if not isinstance(plan, Plan):
        raise InvalidTypeError(
            f"got a {type(plan).__name__}", what, "make one with graycube.plan"
        )
