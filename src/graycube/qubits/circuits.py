"""Gates in a row, looked at ahead: which qubits are brought into the nodes, and when."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby

from graycube.errors import InvalidValueError
from graycube.gf2 import is_power_of_two
from graycube.layout import Layout
from graycube.layout.layout import require_cube
from graycube.qubits.gates import Operation, operations
from graycube.qubits.homes import home, moving, seat
from graycube.qubits.joined import Step, product
from graycube.show import Sheet, Shown, text
from graycube.texts import counted


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """The layout from here on, and the share of the amplitudes that go to other nodes for it.

    That is None where nothing is to be done: some gates only gave amplitudes other indices.
    """

    layout: Layout
    share: float | None = None
    gates: int = 0
    """So many only gave amplitudes other indices."""


@dataclass(frozen=True, eq=False)
class Circuit(Shown):
    """Gates with a layout for each: what is left to do is to carry them out.

    >>> ghz = plan([("h", 2), ("cx", 2, 1), ("cx", 1, 0)], Layout.consecutive(3, 1))
    >>> ghz.sent  # of the block of a node, on average
    0.5
    """

    layout: Layout
    """That of the state in the beginning."""
    gates: int
    """How many there are."""
    steps: tuple[Step | Whereabouts, ...] = field(repr=False)
    """What is computed, and where the state is meanwhile."""

    @property
    def end(self) -> Layout:
        """The layout in which the gates leave the state."""
        places = (step.layout for step in reversed(self.steps) if isinstance(step, Whereabouts))
        return next(places, self.layout)

    @property
    def sent(self) -> float:
        """How often an amplitude crosses from node to node, on average."""
        return sum(self._shares(), 0.0)

    def _shares(self) -> list[float]:
        """The share of each exchange between nodes."""
        return [
            step.share for step in self.steps if isinstance(step, Whereabouts) and step.share
        ]

    def _sheet(self) -> Sheet:
        moves = [step for step in self.steps if isinstance(step, Whereabouts)]
        named, passes = sum(step.gates for step in moves), len(self.steps) - len(moves)
        return Sheet(
            "Circuit",
            f"gates: {self.gates}, on {self.layout.p} qubits",
            f"from {self.layout} to {self.end}",
            f"gates computed: {self.gates - named}, in {passes} pass{'es' * (passes != 1)}; "
            f"gates that only change the layout: {named}",
            f"exchanges between nodes: {len(self._shares())}; "
            f"crossings of an amplitude: {self.sent:.3g} on average",
        )

    def explain(self) -> str:
        """How many gates there are, what they cost, and where they leave the state.

        >>> print(plan([("h", 1), ("x", 1)], Layout.consecutive(2, 1)).explain())
        gates: 2, on 2 qubits
        from (b0 || b1) to (~b1 || b0)
        gates computed: 1, in 1 pass; gates that only change the layout: 1
        exchanges between nodes: 1; crossings of an amplitude: 0.5 on average
        """
        return text(self._sheet())


def plan(gates: Iterable[object], layout: Layout) -> Circuit:
    """Gates for a state in this layout, each a name or a matrix followed by its qubits.

    >>> swapped = plan([("swap", 0, 2)], Layout.consecutive(3, 1))
    >>> swapped.sent, str(swapped.end)
    (0.0, '(b1 b2 || b0)')
    """
    start = require_state(layout)
    listed = operations(gates, start.p)
    pairs = [(step, step.index_map(start.p)) for step in listed]
    ahead = _Ahead([step.mixing if move is None else () for step, move in pairs])
    now, steps = start, list[Step | Whereabouts]()
    for only_moved, row in groupby(enumerate(pairs), lambda entry: entry[1][1] is not None):
        if only_moved:  # index i has what index moved(i) gets: the same place
            moves = [move for _, (_, move) in row if move is not None]
            moved = reduce(lambda first, then: then @ first, moves)
            now = now @ moved.inverse()
            steps.append(Whereabouts(now, gates=len(moves)))
            continue
        for k, (step, _) in row:
            if not _ready(now, step):
                target = home(now, _near(now, step, ahead.next_ones(k + 1)))
                steps.append(Whereabouts(target, moving(now, target)))
                now = target
            last = steps[-1] if steps else None
            both = product(last, step) if isinstance(last, Step) else None
            if both is not None and _ready(now, both):
                steps[-1] = both
            else:
                steps.append(step)
    return Circuit(start, len(listed), tuple(steps))


def require_state(layout: object) -> Layout:
    """The layout, if it can be one of a state.

    >>> print(require_state(Layout.consecutive(3, 1)))
    (b1 b0 || b2)
    """
    found = require_cube(layout, "a state of qubits")
    if len(found.shape) != 1 or not is_power_of_two(found.size) or found.copies:
        copies = f" in {1 << found.copies} copies" if found.copies else ""
        raise InvalidValueError(
            f"the layout has shape {found.shape}{copies}",
            "a state of p qubits has one axis of 2^p amplitudes, and no copies",
            "use Layout.consecutive(p, n), or any other of that shape",
        )
    return found


def _ready(layout: Layout, step: Step) -> bool:
    """Whether a gate can be done where the state is."""
    if not all(seat(layout, q).is_plain for q in step.mixing):
        return False
    values = [seat(layout, q).slot for q in step.keeping]
    return not step.mixing or all(value & value - 1 == 0 for value in values)


def _near(layout: Layout, step: Operation, next_ones: Sequence[int]) -> list[int]:
    """As many qubits as a node has bits of slots: those of a gate, and those mixed next."""
    room = layout.p - layout.n
    found = dict.fromkeys(step.mixing)
    if len(found) > room:
        raise InvalidValueError(
            f"a gate mixes {counted(len(found), 'qubit')}",
            f"a node has room for {room} of {layout.p}",
            "use fewer nodes, or gates on fewer qubits",
        )
    found.update(dict.fromkeys((*next_ones, *_usual(layout))))
    return [*found][:room]


class _Ahead:
    """Which qubits gates mix, asked from the first gate to the last.

    >>> _Ahead([(0, 1), (2,), (1,)]).next_ones(1)
    [2, 1]
    """

    def __init__(self, mixed: Sequence[Sequence[int]]) -> None:
        self._turns: dict[int, list[tuple[int, int]]] = {}  # of each qubit, the next one last
        for k in reversed(range(len(mixed))):
            for place, qubit in enumerate(mixed[k]):
                self._turns.setdefault(qubit, []).append((k, place))

    def next_ones(self, first: int) -> list[int]:
        """The qubits that gates from this one on mix, the next one first."""
        for qubit, turns in [*self._turns.items()]:
            while turns and turns[-1][0] < first:
                turns.pop()
            if not turns:
                del self._turns[qubit]
        return sorted(self._turns, key=lambda qubit: self._turns[qubit][-1])


def _usual(layout: Layout) -> list[int]:
    """All qubits, those first that no node knows of."""
    rows = layout.map.matrix.rows[: layout.n]
    return sorted(range(layout.p), key=lambda q: any(row >> q & 1 for row in rows))
