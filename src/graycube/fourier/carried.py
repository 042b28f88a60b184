"""The legs of a transform, and how ranks carry them out.

Rules.

1. In front of a leg that reads the blocks of others there is a crossing, with a handover.
2. There the ranks ``cross``, which also tells whether all do the same: by memory that is what
   their meeting says, each time. By messages they are asked when they begin, without waiting,
   and have to answer before the first letter leaves.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from graycube.cost import exchanged_dims
from graycube.errors import InvalidValueError
from graycube.fourier.along import KEPT, PassStep, along
from graycube.fourier.engine import by_fftw, scaled
from graycube.fourier.fftw import Effort
from graycube.fourier.legs import AnyLeg, Blocks, Call, CrossingLeg, Handover, LineLeg
from graycube.fourier.trading import moving_legs
from graycube.layout import Layout, Ownership
from graycube.layout.placement import Placement
from graycube.run import no_way_back
from graycube.run.agreement import Facts, Reduction, Told, different, digest_of
from graycube.run.fetch import Fetch, fetch, fetch_by_index
from graycube.run.mpi import Comm, Private, private
from graycube.run.post import post
from graycube.run.windows import Windows, windows

Words = tuple[int, int]
"""The digest of what a rank does."""


class ByMemory:
    """Blocks are written where all ranks see them.

    >>> ByMemory.__mro__[-1].__name__
    'object'
    """

    def __init__(self, shared: Windows) -> None:
        self._shared = shared

    @property
    def state(self) -> tuple[int, int]:
        """How often the buffers grew, and whose turn it is."""
        return self._shared.grown, self._shared.turn

    def begin(self, words: Words) -> None:
        """Nothing: they meet."""

    def agreed(self, words: Words) -> bool:
        """What the ranks say in a meeting."""
        return self._shared.meet((0, *words))

    def crossing(self, leg: CrossingLeg, made: Blocks, number: int) -> Handover:
        """Into the buffer whose turn it will be, and out of all of it."""
        shared = self._shared
        buffer = shared.buffers[shared.turn + number & 1]
        own, seen = leg.among(buffer, made, shared.comm.size)
        return Handover(own, leg, seen)

    def cross(self, _handover: Handover, _number: int, words: Words) -> bool:
        """Meet, and tell whether all ranks do the same; collective."""
        return self.agreed(words)


class ByMessages:
    """Blocks are sent as letters.

    >>> ByMessages.__mro__[-1].__name__
    'object'
    """

    def __init__(self, comm: Comm, nbytes: int) -> None:
        self._known, self._post = private(comm), post(comm)
        self._post.reserve(nbytes)
        self._shared = windows(comm)  # there may be some, but no room for blocks
        self._asked: Reduction | None = None

    @property
    def state(self) -> tuple[int, int]:
        """How often the buffers grew."""
        return self._post.grown, 0

    def begin(self, words: Words) -> None:
        """Ask whether all ranks do the same."""
        if self._shared is None:
            self._asked = Reduction(self._known, words)

    def agreed(self, words: Words) -> bool:
        """Wait for the answer."""
        if self._shared is not None:
            return self._shared.meet((0, *words))
        return self._asked is None or self._asked.alike()

    def crossing(self, leg: CrossingLeg, made: Blocks, _number: int) -> Handover:
        """As letters."""
        return leg.posted(self._post, made)

    def cross(self, handover: Handover, number: int, words: Words) -> bool:
        """Send them, if all ranks do the same."""
        if number == 0 and not self.agreed(words):
            return False
        if handover.send is not None:
            handover.send()
        return True


class Alone:
    """There is nobody to bring anything to: all nodes are here, and have one block.

    >>> Alone().agreed((0, 0))
    True
    """

    state = 0, 0

    def begin(self, words: Words) -> None:
        """Nothing."""

    def agreed(self, _words: Words) -> bool:
        """With itself."""
        return True

    def crossing(self, leg: CrossingLeg, _made: Blocks, _number: int) -> Handover:
        """There is none."""
        raise AssertionError(leg)

    def cross(self, _handover: Handover, _number: int, _words: Words) -> bool:
        """There is none."""
        raise AssertionError


_NOBODY: Any = None
HERE = Private(_NOBODY)
"""What is remembered in one process."""
Carrier = ByMemory | ByMessages | Alone
"""One way to bring blocks to other nodes.

Its ``state`` changes whenever crossings have to be made anew. One begins by saying what the
rank is about to do; crossings are numbered.
"""


@lru_cache(maxsize=2 * KEPT)
def complex_legs(  # noqa: PLR0913
    layout: Layout,
    axes: tuple[int, ...],
    dtype: str,
    nodes: range,
    *,
    inverse: bool,
    scaling: int,
) -> tuple[LineLeg, ...] | None:
    """The transforms along some axes, those in memory first; None where nodes need copies.

    >>> layout = Layout.mesh((8, 8), (4, 1), code="gray")
    >>> legs = complex_legs(layout, (0, 1), "complex128", range(1), inverse=False, scaling=0)
    >>> [([step.group.axis for step in leg.steps], leg.crosses is leg) for leg in legs]
    [([1], False), ([0], True)]
    """
    legs, steps = list[LineLeg](), list[PassStep]()
    fetched: Fetch | None = None
    waiting = [*axes]

    def leg() -> LineLeg:
        made = tuple(steps)
        return LineLeg(layout, np.dtype(dtype), made, fetched, inverse, scaling)

    while waiting:
        axis = min(waiting, key=lambda k: len(exchanged_dims(layout, k)))
        waiting.remove(axis)
        later = tuple(waiting)
        done = along(layout, axis, dtype, nodes=nodes, inverse=inverse, later=later)
        for step in done.steps:
            if step.group.copied:
                return None
            if step.before != step.group.place:
                move = step.group.place @ step.before.inverse()
                coming = fetch(move, layout.n, nodes.start)
                if steps or fetched is not None or coming.crosses:
                    legs.append(leg())
                fetched, steps = coming, []
            steps.append(step)
        layout = done.result
    return (*legs, leg())


def relaid_legs(
    layout: Placement, target: Placement, dtype: np.dtype[Any], nodes: range, *, first: bool
) -> tuple[AnyLeg, ...] | None:
    """Everything straight to where it belongs; at ``first`` it is put where others see it.

    None between layouts of different kinds.

    >>> layout, target = Layout.cyclic(4, 1), Layout.consecutive(4, 1)
    >>> legs = relaid_legs(layout, target, np.dtype(int), range(1), first=True)
    >>> [leg.crosses is leg for leg in legs]
    [False, True]
    """
    if isinstance(layout, Ownership) and isinstance(target, Ownership):
        return moving_legs(layout, target, dtype, nodes, first=first)
    if not (isinstance(layout, Layout) and isinstance(target, Layout)):
        return None
    if (layout.axes, layout.copies) == (target.axes, target.copies):
        found = fetch(target.map @ layout.map.inverse(), layout.n, nodes.start)
    else:
        found = fetch_by_index(layout, target, nodes.start)
    leg = LineLeg(target, dtype, (), found)
    return (LineLeg(layout, dtype, ()), leg) if first and found.crosses else (leg,)


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """What is called after a crossing; before the first one there is none."""

    cross: Callable[[Words], bool] | None
    calls: tuple[Call, ...]


_Begin = Callable[[Blocks], "Iterator[Call]"]
"""What the first leg calls, if it reads that source."""


class Legs:
    """Legs on one rank, into one array, ready to run.

    They always read the same ``source``, or what each run is made :meth:`ready` for. FFTW plans
    them with some ``effort``, if there is one, and then all is multiplied by a ``factor``.

    >>> def program(legs, carrier, known, source, target):  # on all ranks, once they are agreed
    ...     Legs(legs, carrier, known, target, {"operation": "a test"}, source).run()
    """

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        legs: Sequence[AnyLeg],
        carrier: Carrier,
        known: Private,
        target: Blocks,
        facts: Facts,
        source: Blocks | None = None,
        *,
        effort: Effort | None = None,
        factor: float = 1,
    ) -> None:
        self._effort, self._factor = effort, factor
        self._legs, self._carrier, self._source, self._target = legs, carrier, source, target
        self._known, self._facts = known, facts
        self._words = facts.digest if isinstance(facts, Told) else digest_of(facts)
        self._asks = source is None or any(leg.crosses is not None for leg in legs)
        self._made: dict[tuple[int, int], tuple[_Begin, list[_Stretch]]] = {}

    def run(self, ready: "Sequence[_Stretch] | None" = None) -> None:
        """Carry the legs out on what is in the source now; collective.

        Where nothing crosses, ranks agree only if the source may be another one each time.
        """
        if self._known is not HERE and not self._known.comm:  # a freed one is false
            raise InvalidValueError(
                "the communicator of this transform was freed",
                "the memory of the transform went with it",
                "make the array on a communicator that stays",
            )
        with no_way_back(lambda: "a transform"):
            alike = self._alike(self.prepared()[1] if ready is None else ready)
        if not alike:
            raise different(self._known.comm, self._facts)

    def ready(self, source: Blocks) -> "Sequence[_Stretch]":
        """What is to be done to read another source."""
        begin, (first, *others) = self.prepared()
        return [_Stretch(None, (*begin(source), *first.calls)), *others]

    def _alike(self, stretches: "Sequence[_Stretch]") -> bool:
        """Carry the legs out, as long as all ranks do the same."""
        carrier, words = self._carrier, self._words
        if self._asks:
            carrier.begin(words)
        if self._asks and len(stretches) == 1 and not carrier.agreed(words):
            return False
        for stretch in stretches:
            if stretch.cross is not None and not stretch.cross(words):
                return False
            for call in stretch.calls:
                call()
        return True

    def prepared(self) -> tuple[_Begin, list[_Stretch]]:
        """What is made already; with new buffers, what was made for others is of no use."""
        state = self._carrier.state
        if state not in self._made:
            if any(grown != state[0] for grown, _ in self._made):
                self._made = {}
            with by_fftw(self._effort):
                self._made[state] = self._for_buffers()
        return self._made[state]

    def _for_buffers(self) -> tuple[_Begin, list[_Stretch]]:
        """The stretches for the buffers that there are, the first one without its beginning."""
        target, payload = self._target, self._target.shape[2:]
        cross: Callable[[Words], bool] | None = None
        begin: _Begin | None = None
        found, calls = list[_Stretch](), list[Call]()
        block, reading = target, self._legs[0]
        for k, after in enumerate((*self._legs[1:], None)):
            made = target
            if after is not None or not target.flags.c_contiguous:
                made = self._between(k & 1, (1, self._legs[k].rows, *payload), reading)
            crossing: Handover | None = None
            if after is not None and after.crosses is not None:
                crossing = self._carrier.crossing(after.crosses, made, len(found))
                made = made if crossing.made is None else crossing.made
            if begin is None:
                begin = partial(first_calls, reading, target, made)
                calls += () if self._source is None else begin(self._source)
            else:
                calls += reading.calls(block, made)
            calls += reading.then(made)
            if crossing is None:
                block, reading = made, after or reading
                continue
            if crossing.pack is not None:
                calls.append(crossing.pack(made))
            found.append(_Stretch(cross, tuple(calls)))
            cross = partial(self._carrier.cross, crossing, len(found) - 1)
            calls = []
            block, reading = crossing.seen, crossing.leg
        if block is not target:
            calls.append(partial(np.copyto, target, block))
        scaling = scaled(target, self._factor)
        calls += () if scaling is None else (scaling,)
        found.append(_Stretch(cross, tuple(calls)))
        if begin is None:
            raise AssertionError(self._legs)
        return begin, found

    def _between(self, number: int, shape: tuple[int, ...], leg: AnyLeg) -> Blocks:
        """What a leg writes for the next one: transforms share it, for they never overlap."""
        key = number, shape, leg.dtype
        return self._known.remembered(key, lambda: np.empty(shape, leg.dtype), 4, "between")


def first_calls(first: AnyLeg, target: Blocks, made: Blocks, source: Blocks) -> Iterator[Call]:
    """What the first leg calls; it cannot always work on an array of the caller as it is.

    >>> leg, made = LineLeg(Layout.nodes(0), np.dtype(float), ()), np.empty((1, 1))
    >>> [len([*first_calls(leg, made, made, x)]) for x in (np.ones((1, 1)), made)]
    [1, 2]
    """
    permuted = isinstance(first, LineLeg) and first.fetched is not None
    block = source
    if (
        not source.flags.c_contiguous
        or np.may_share_memory(source, target)
        or (permuted and source.dtype != first.dtype)
    ):
        block = np.empty(source.shape, first.dtype if permuted else source.dtype)
        yield partial(np.copyto, block, source)
    yield from first.calls(block, made)


def carrier(comm: Comm, legs: Sequence[AnyLeg], payload: int) -> Carrier | None:
    """How legs are carried out, where ranks are agreed about them; collective.

    None where letters cannot bring what they read: that is not on a map of addresses.

    >>> def program(comm, legs):  # on all ranks
    ...     return carrier(comm, legs, payload=1)
    """
    shared = windows(comm)
    if shared is not None and shared.reserve(room(legs, comm.size, payload)):
        return ByMemory(shared)
    if not all(leg.crosses.by_post for leg in legs if leg.crosses is not None):
        return None
    return ByMessages(comm, room(legs, 1, payload))


def room(legs: Sequence[AnyLeg], ranks: int, payload: int) -> int:
    """The bytes of a buffer that legs exchange through.

    >>> layout, target = Layout.cyclic(4, 1), Layout.consecutive(4, 1)
    >>> legs = relaid_legs(layout, target, np.dtype(complex), range(1), first=True)
    >>> room(legs, ranks=2, payload=3)
    768
    """
    crossings = (leg.crosses for leg in legs if leg.crosses is not None)
    return payload * max((leg.room(ranks) for leg in crossings), default=0)
