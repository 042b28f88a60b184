"""Advice: which layout each phase of a program should use, and when converting pays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import isfinite
from types import NoneType

from graycube.advice.explain import sheet_of
from graycube.advice.homes import Place, homes, transposed
from graycube.advice.known import Known
from graycube.advice.paths import Trace
from graycube.advice.phases import Phase, Transpose, checked, require_phases, single_phases
from graycube.advice.prices import Methods
from graycube.advice.search import Found, Search
from graycube.advice.vary import Variation, strategy, vary
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import require_int, require_ints
from graycube.layout import Layout, Ownership
from graycube.layout.in_bits import in_bits
from graycube.machine import Machine, require_machine
from graycube.show import Shown, text

MAX_LENGTH = 1 << 62
"""Most elements along an axis."""


@dataclass(frozen=True)
class Advice(Shown):
    """The cheapest sequence of layouts for a program; :func:`advise` makes one.

    ``cost`` is in seconds, and ``steps`` says how it comes about. No sequence costs less than
    ``lower_bound``, through whatever layouts phases leave data in: where it is less than the
    cost, not all of them were followed.

    >>> from graycube.advice import FFT, Stencil
    >>> machine = Machine(dims=4, startup=1e-3, per_byte=1e-6)
    >>> advice = advise([FFT(), Stencil()], machine=machine, size=(64, 64))
    >>> advice
    <Advice for 64 x 64 on 16 nodes: 0.02792 s>
    """

    machine: Machine
    size: tuple[int, ...]
    itemsize: int
    returns: bool
    cost: float
    steps: Trace
    search: Search
    starts: tuple[int, ...]
    lower_bound: float

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.size))
        return f"<Advice for {shape} on {1 << self.machine.dims} nodes: {self.cost:.4g} s>"

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the program."""
        return tuple(self.search.phases)

    @property
    def places(self) -> tuple[Place, ...]:
        """The layouts that were considered, the usual ones first."""
        return tuple(self.search.known.places)

    @cached_property
    def alternatives(self) -> tuple[tuple[str, float], ...]:
        """Names of the usual layouts, and what it costs to start there and never convert."""
        names = [str(self.places[i]) for i in self.starts]
        costs = [way.cost for way in self.staying]
        return tuple(sorted(zip(names, costs, strict=True), key=lambda way: way[1]))

    @cached_property
    def staying(self) -> tuple[Found, ...]:
        """The cheapest sequences without conversions, from each of the starts."""
        return tuple(self.search.staying(self.starts, returns=self.returns))

    @property
    def strategy(self) -> str:
        """In which of the usual layouts each kind of phase is done, in a few words."""
        return strategy(self.search, self.steps)

    def explain(self) -> str:
        """The steps with their layouts and prices, the alternatives, and what follows.

        >>> from graycube.advice import FFT, Loop, Stencil
        >>> machine = Machine(dims=4, startup=1e-3, per_byte=1e-6)
        >>> steps = Loop([Stencil()], times=50, name="steps")
        >>> advice = advise([FFT(), steps, FFT()], machine=machine, size=(64, 64))
        >>> print(advice.explain())  # doctest: +ELLIPSIS
        64 x 64 elements of 16 bytes on 16 nodes; 1 port, store-and-forward
        ...
        """
        return text(self._sheet())

    _sheet = sheet_of

    def vary(self, **times: Iterable[int]) -> Variation:
        """The advice for other numbers of one or two named loops.

        >>> from graycube.advice import FFT, Loop, Stencil
        >>> machine = Machine(dims=4, startup=1e-3, per_byte=1e-6)
        >>> steps = Loop([Stencil()], times=10, name="steps")
        >>> advice = advise([FFT(), steps], machine=machine, size=(64, 64))
        >>> len(advice.vary(steps=range(1, 20)).costs)
        19
        """
        return vary(self.search, self.starts, times, returns=self.returns)


def advise(  # noqa: PLR0913
    phases: Phase | Sequence[Phase],
    *,
    machine: Machine | str,
    size: int | Sequence[int],
    itemsize: int = 16,
    layouts: Mapping[str, Layout] | None = None,
    start: str | None = None,
    returns: bool = False,
    methods: Methods | None = None,
) -> Advice:
    """Which layout each phase of a program should use, on an array of some size.

    ``layouts`` are the choices, by name: the usual ones by default, see
    :func:`graycube.advice.homes`. ``start`` names the one that the data are in at first,
    otherwise any will do; with ``returns`` they must end where they started. ``methods``
    restricts how phases are done. The machine may be the name of a profile where ``layouts``
    say how many nodes there are.

    >>> from graycube.advice import FFT, Stencil
    >>> machine = Machine.profile("ipsc2", dims=4)
    >>> advise([FFT(), Stencil()], machine=machine, size=(64, 64))
    <Advice for 64 x 64 on 16 nodes: 0.01185 s>
    """
    given = require_phases(phases)
    # homes leave the order in memory open, so what is scattered there is not priced
    machine = replace(_machine(machine, layouts), per_row=0.0)
    shape = require_ints((size,) if isinstance(size, int) else size, "size")
    itemsize = require_int(itemsize, "itemsize", least=1)
    if not shape:
        raise InvalidValueError(
            "the size has 0 axes", "it needs at least one", "pass its length"
        )
    if any(length > MAX_LENGTH for length in shape):
        raise InvalidValueError(
            f"the size is {str(shape)[:60]}",
            f"along an axis it must be at most {MAX_LENGTH}",
            "use shorter axes",
        )
    for value, kinds, what in (
        (layouts, (Mapping, NoneType), "layouts are a mapping of names"),
        (returns, (bool,), "returns is True or False"),
        (methods, (Methods, NoneType), "methods are Methods(...)"),
    ):
        if not isinstance(value, kinds):
            raise InvalidTypeError(
                f"got {value!r:.60}", what, "see the arguments in help(graycube.advise)"
            )
    phases = checked(given, shape)
    first = _choices(shape, machine, layouts)
    every = _with_transposes(first, phases)
    known = Known(every, itemsize, machine, methods or Methods())
    names = [start] if isinstance(start, str) else []
    asked = [place for place in first if start is None or place.name in names]
    starts = tuple(dict.fromkeys(known.numbers[place.key] for place in asked))
    if not starts:
        raise InvalidValueError(
            f"the start is {start!r:.60}",
            f"the layouts are {', '.join(repr(str(place)) for place in first)}",
            "name one of them",
        )
    search = Search(phases, known)
    found = search.cheapest(starts, {}, returns=returns)
    if not isfinite(found.cost):
        asked_for = ", ".join(map(str, phases))
        if returns and isfinite(search.cheapest(starts, {}, returns=False).cost):
            raise InvalidValueError(
                f"nothing that does {asked_for}"[:200] + " can end where it started",
                "with returns=True the array must have the same axes again",
                "add the transpose that turns them back, or leave returns out",
            )
        raise InvalidValueError(
            f"no sequence of layouts does {asked_for}"[:200],
            f"none of the {len(every)} layouts can do all of them",
            "offer other layouts, or methods",
        )
    rest = found.cost, found.steps, search, starts, found.lower_bound
    return Advice(machine, shape, itemsize, returns, *rest)


def _machine(machine: object, layouts: object) -> Machine:
    """The machine, or the profile of that name for the nodes of the layouts."""
    if isinstance(machine, str) and isinstance(layouts, Mapping):
        for layout in layouts.values():
            if isinstance(layout, Layout | Ownership):
                dims = in_bits(layout, "advice").n
                return require_machine(machine, dims)
    if not isinstance(machine, Machine):
        raise InvalidTypeError(
            f"the machine is {machine!r:.60}",
            "it must be a Machine, or the name of a profile where layouts are given",
            "use Machine.profile(name, dims=...)",
        )
    return machine


def _choices(
    shape: tuple[int, ...], machine: Machine, layouts: Mapping[str, Layout] | None
) -> list[Place]:
    """The layouts to start from, checked."""
    if layouts is None:
        found = list(homes(shape, machine.dims))
        if not found:
            raise InvalidValueError(
                f"an array of {' x '.join(map(str, shape))} on {1 << machine.dims} nodes",
                "lengths must be multiples of the numbers of nodes along them",
                "use fewer nodes, or other lengths",
            )
        return found
    found = [Place(in_bits(layout, "advice"), str(name)) for name, layout in layouts.items()]
    for name, layout in ((place.name, place.layout) for place in found):
        if (layout.shape, layout.n) != (shape, machine.dims):
            raise InvalidValueError(
                f"{name!r:.40} has shape {layout.shape} on 2^{layout.n} nodes",
                f"the array has {shape}, and the machine 2^{machine.dims}",
                "offer layouts of that array on that machine",
            )
    if not layouts:
        raise InvalidValueError(
            "layouts is empty",
            "advice is about one layout at least",
            'pass layouts={"name": layout}, or leave layouts out',
        )
    return found


def _with_transposes(first: Sequence[Place], phases: Sequence[Phase]) -> list[Place]:
    """The choices, and the same for the shapes that transposes lead to."""
    orders = {phase.axes for phase in single_phases(phases) if isinstance(phase, Transpose)}
    every = list(first)
    known = {place.key for place in every}
    for place in chain(every):  # which grows
        for axes in orders:
            seen = Place(transposed(place.layout, axes), f"{place}, transposed")
            if seen.key not in known:
                known.add(seen.key)
                every.append(seen)
    return every
