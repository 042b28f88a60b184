"""The memories of a cube, element by element: what node programs do, and what crosses links.

Rules. Nothing of graycube is used here, so that what comes out is a witness of its own. An
address is (slot || node), the n low bits are the node. ``place[e]`` is the address of element
e. An element crosses when it is told to, one dimension at a time; a clash is a link that
carries two elements in a cycle, or an element that leaves before its last pair is complete.
"""

import numpy as np

from graycube.papers.codes import Ints

Cycle = Ints | int


def reflected(i: Ints) -> Ints:
    """The binary-reflected Gray code, by the exclusive-or of neighbouring bits."""
    return i ^ i >> 1


def coded(kind: str, encoding: str, p: int, n: int) -> Ints:
    """The address of every element in one of the eight allocations of Table 1."""
    index = np.arange(1 << p)
    low_bits = n if kind == "cyclic" else p - n
    if encoding == "Gray":
        index = reflected(index)
    high, low = index >> low_bits, index & ((1 << low_bits) - 1)
    slot, node = (high, low) if kind == "cyclic" else (low, high)
    if encoding.endswith("|| Gray"):
        node = reflected(node)
    if encoding == "Gray || Gray":
        slot = reflected(slot)
    return slot << n | node


def logic(name: str, index: Ints) -> Ints:
    """A logic bit of every index: "b3", "g2" for b3 ^ b2, "~b0" for the complement."""
    bit = int(name.lstrip("~")[1:])
    word = reflected(index) if "g" in name else index
    return word >> bit & 1 ^ ("~" in name)


class Cube:
    """Where every element is, since when, and which links were used.

    ``apart`` has the stages whose pairs were not on one node, ``crossed`` every stage with the
    dimensions that were crossed since the one before it, and ``tables`` what the nodes held on
    the way, by name.
    """

    def __init__(self, n: int, place: Ints) -> None:
        self.n, self.place = n, place.copy()
        self.index = np.arange(len(place))
        self.ready = np.zeros(len(place), dtype=np.int64)
        self.apart: list[int] = []
        self.crossed: list[tuple[int, set[int]]] = []
        self.tables: dict[str, Ints] = {}
        self.early = 0
        self._moves: list[tuple[Ints, Ints, Ints, Ints]] = []
        self._since: set[int] = set()
        self._homes = self.place & ((1 << n) - 1)

    def bit(self, j: int) -> Ints:
        """Address bit j of every element."""
        return self.place >> j & 1

    def local(self, where: Ints, flip: int) -> None:
        """Move some elements within their nodes."""
        self.place ^= np.where(where, flip, 0)
        if len(np.unique(self.place)) < len(self.place):
            raise ValueError("two elements are in one slot")

    def cross(self, where: Ints, flip: int, cycle: Cycle) -> None:
        """Move some elements over the one dimension among the flipped bits, in their cycles."""
        chosen, cycle = np.flatnonzero(where), np.broadcast_to(cycle, self.index.shape)
        dimension = (flip & ((1 << self.n) - 1)).bit_length() - 1
        node = self.place[chosen] & ((1 << self.n) - 1)
        self._moves.append((cycle[chosen], node, np.full(len(chosen), dimension), chosen))
        self._since.add(dimension)
        self.early += int((cycle < self.ready)[chosen].sum())
        self.ready[chosen] = cycle[chosen] + 1
        self.local(where, flip)

    def exchange(self, slot: int, dimension: int, cycle: Cycle) -> None:
        """A slot bit and a dimension trade places."""
        where = self.bit(slot) ^ self.bit(dimension)
        self.cross(where, 1 << slot | 1 << dimension, cycle)

    def stages(self, bits: range) -> None:
        """The butterflies of these index bits, from the top."""
        for bit in reversed(bits):
            self.stage(bit)

    def stage(self, bit: int) -> None:
        """The butterflies of an index bit: pairs that are not on one node are on record."""
        partner = self.index ^ 1 << bit
        node = self.place & ((1 << self.n) - 1)
        self.ready = np.maximum(self.ready, self.ready[partner])
        self.crossed.append((bit, self._since))
        self._since = set()
        if (node != node[partner]).any():
            self.apart.append(bit)

    @property
    def moves(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Cycle, node, dimension and element of all that crossed."""
        nothing = (self.index[:0],) * 4
        columns = zip(nothing, *self._moves, strict=True)
        cycle, node, dimension, element = (np.concatenate(column) for column in columns)
        return cycle, node, dimension, element

    @property
    def cycles(self) -> int:
        """Element transfers in sequence."""
        return int(self.moves[0].max(initial=-1)) + 1

    @property
    def clashes(self) -> int:
        """How often a link carries an element too many, or an element leaves too early."""
        cycle, node, dimension, _ = self.moves
        links = (cycle * self.n + dimension << self.n) + node
        return len(links) - len(np.unique(links)) + self.early

    @property
    def sound(self) -> bool:
        """Whether all pairs met, and nothing clashed."""
        return not self.apart and not self.clashes

    def checked(self, output: str = "", lowest: int = 0) -> int:
        """The cycles of a sound run, whose dimensions end with this code of index bits."""
        if not self.sound or (output and not self.ends(output, lowest)):
            raise ValueError(f"the run is wrong, output in {output or 'any'} code")
        return self.cycles

    def use(self) -> Ints:
        """How many nodes send over each dimension in each cycle."""
        cycle, _, dimension, _ = self.moves
        table = np.zeros((self.n, self.cycles), dtype=np.int64)
        np.add.at(table, (dimension, cycle), 1)
        return table

    def nodes_before(self, cycle: int) -> Ints:
        """The node of every element before a cycle."""
        at, _, dimension, element = self.moves
        nodes, past = self._homes.copy(), at < cycle
        np.bitwise_xor.at(nodes, element[past], 1 << dimension[past])
        return nodes

    def table(self) -> Ints:
        """The index in every slot (row) of every node (column); -1 where there is none."""
        held = np.full(1 << int(self.place.max()).bit_length(), -1)
        held[self.place] = self.index
        return held.reshape(-1, 1 << self.n)

    def keep(self, name: str) -> None:
        """Keep what is where now."""
        self.tables[name] = self.table()

    def holds(self, field: list[str]) -> bool:
        """Whether the lowest address bits are these logic bits."""
        bits = enumerate(field)
        return all(np.array_equal(self.bit(j), logic(name, self.index)) for j, name in bits)

    def ends(self, output: str, lowest: int) -> bool:
        """Whether the dimensions hold this code of the index bits from ``lowest`` up."""
        return self.holds(code_field(output, lowest, self.n))


def code_field(output: str, lowest: int, count: int) -> list[str]:
    """The logic bits of a code of some index bits, the lowest first."""
    top = lowest + count - 1
    letters = ["g" if output == "gray" and b < top else "b" for b in range(lowest, top + 1)]
    return [f"{letter}{bit}" for bit, letter in enumerate(letters, lowest)]
