"""What a paper claims, as data, and how a computed figure is held against it.

Rules. A claim says what the paper says, where, and for which sizes it is tried. A *correction*
says what is true instead, and under which words the errata tell it. Where the paper's figure is
better than ours and nothing shows that there is no such schedule, the case is *open*, and the
correction says what ours take. The computation is a function of the paper's folder,
``module:function``, which takes the claim and yields its cases.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from math import isclose
from typing import Any

from graycube.errors import InvalidValueError
from graycube.papers.formula import Number, evaluate

KINDS = ("theorem", "lemma", "corollary", "definition", "table", "figure", "text")
HOLDS, CORRECTED, NOT_REACHED, FAILS = VERDICTS = (
    *("holds", "holds with a correction", "not reached", "fails"),
)


def _equal(ours: Number, paper: Number) -> bool:
    """Exactly, but for floating-point numbers."""
    if isinstance(ours, float) or isinstance(paper, float):
        return isclose(ours, paper, rel_tol=1e-9)
    return ours == paper


_RELATIONS: dict[str, Callable[[Number, Number], bool]] = {
    "==": _equal,
    "<=": lambda ours, paper: ours <= paper,
    ">=": lambda ours, paper: ours >= paper,
}
_LONGEST_SPAN = 1 << 16

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One trial of a claim: what the paper says, what came out, and whether they agree.

    ``corrected`` is whether what came out agrees with the correction, where there is one, and
    ``open`` whether the paper's figure is better and no bound is above it.

    >>> Case("n = 3", paper="8", ours="8", holds=True).corrected is None
    True
    """

    where: str
    paper: str
    ours: str
    holds: bool
    corrected: bool | None = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class Correction:
    """What is true instead, or what is reached; ``erratum`` is the title of its entry.

    ``exceptions`` is how many cases contradict the print, and ``quick`` how many of the quick
    sizes: so a misquoted print is found. ``relation`` is that of the claim unless it is given.

    >>> Correction("n + 1 cycles", erratum="TR-20-91, Theorem 8", formula="n + 1").figures
    ()
    """

    statement: str
    erratum: str
    formula: str = ""
    figures: tuple[Row, ...] = ()
    relation: str = ""
    exceptions: int = 0
    quick: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a paper that a computation can contradict.

    ``formula`` is in Python's notation; ``relation`` says how our figure must stand to it.
    ``figures`` are the rows of a printed table. ``sizes`` are spans: "2..8", or "1 4 16";
    those are tried for which the formula ``only`` is true.
    ``code`` are the names of the library that the computation calls, with all algorithms.
    ``slack`` is how far all figures stay from a limit; without it some figure reaches it.

    >>> claim = Claim("lemma", "2", "3.1", "S is two n", "counts:s", formula="2 * n",
    ...               sizes={"n": "1..3"})
    >>> claim.compare(3, n=2)
    Case(where='n = 2', paper='4', ours='3', holds=False, corrected=None, open=False)
    """

    kind: str
    number: str
    where: str
    statement: str
    check: str
    verdict: str = HOLDS
    formula: str = ""
    relation: str = "=="
    slack: str = "0"
    sizes: Mapping[str, str] = field(default_factory=dict)
    quick: Mapping[str, str] = field(default_factory=dict)
    only: str = ""
    figures: tuple[Row, ...] = ()
    code: tuple[str, ...] = ()
    draw: str = ""
    remark: str = ""
    correction: Correction | None = None

    def __post_init__(self) -> None:
        known = {"kind": KINDS, "verdict": VERDICTS, "relation": tuple(_RELATIONS)}
        for name, values in known.items():
            if getattr(self, name) not in values:
                raise self._wrong(f"{name} {getattr(self, name)!r}", f"one of {values}")
        for function in filter(None, (self.check, self.draw)):
            if function.count(":") != 1:
                raise self._wrong(f"function {function!r}", "'module:function'")
        if not self.number.strip():
            raise self._wrong(f"number {self.number!r}", "the paper's, or section and letter")
        for text in (*self.sizes.values(), *self.quick.values()):
            next(span(text))
        if set(self.quick) - set(self.sizes):
            raise self._wrong(f"quick sizes {sorted(self.quick)}", "some of its sizes")
        if (self.verdict in {CORRECTED, NOT_REACHED}) != (self.correction is not None):
            raise self._wrong(f"verdict {self.verdict!r}", "the one that a correction needs")

    def _wrong(self, has: str, needs: str) -> InvalidValueError:
        return InvalidValueError(
            f"{self.name} has the {has}", f"it needs {needs}", "mend the claim"
        )

    @property
    def name(self) -> str:
        """Kind and number, as people write them.

        >>> Claim("table", "4", "7", "cycles", "table4:rows").name
        'Table 4'
        """
        return f"{self.kind.capitalize()} {self.number}"

    @property
    def key(self) -> str:
        """Kind and number as one word.

        >>> Claim("text", "8.2 a", "8.2", "cycles", "section8:rows").key
        'text-8.2-a'
        """
        return f"{self.kind}-{self.number}".replace(" ", "-").lower()

    @property
    def spans(self) -> str:
        """The sizes as people write them.

        >>> claim = Claim("lemma", "1", "2", "", "a:b", sizes={"n": "1..9", "j": "0 1"})
        >>> replace(claim, only="j < n").spans
        'n = 1..9, j = 0 1, only where j < n'
        """
        spans = [f"{name} = {text}" for name, text in self.sizes.items()]
        return ", ".join([*spans, *([f"only where {self.only}"] if self.only else [])])

    def quickly(self) -> "Claim":
        """The same claim for its quick sizes only.

        >>> claim = Claim("lemma", "1", "2", "", "a:b", sizes={"n": "1..9"}, quick={"n": "1"})
        >>> claim.quickly().sizes
        {'n': '1'}
        """
        wrong = self.correction
        if wrong is not None:
            wrong = replace(wrong, exceptions=wrong.quick)
        return replace(self, sizes={**self.sizes, **self.quick}, correction=wrong)

    def cases(self) -> Iterator[dict[str, int]]:
        """The sizes to try, in every combination that ``only`` allows.

        >>> claim = Claim("lemma", "1", "2", "", "a:b", sizes={"n": "1..2", "j": "0 1"})
        >>> list(replace(claim, only="j < n").cases())
        [{'n': 1, 'j': 0}, {'n': 2, 'j': 0}, {'n': 2, 'j': 1}]
        """
        for values in product(*map(span, self.sizes.values())):
            sizes = dict(zip(self.sizes, values, strict=True))
            if not self.only or evaluate(self.only, sizes):
                yield sizes

    def compare(self, ours: Number, least: Number | None = None, /, **sizes: int) -> Case:
        """The formula against one figure, and the ``least`` that a bound allows.

        >>> claim = Claim("lemma", "1", "2", "", "a:b", formula="n", relation=">=")
        >>> claim.compare(5, n=4).paper
        '>= 4'
        """
        paper = evaluate(self.formula, sizes)
        related = _RELATIONS[self.relation]
        sign = "" if self.relation == "==" else f"{self.relation} "
        corrected = None
        if self.correction is not None and self.correction.formula:
            right = _RELATIONS[self.correction.relation or self.relation]
            corrected = bool(right(ours, evaluate(self.correction.formula, sizes)))
        holds = bool(related(ours, paper))
        is_open = least is not None and not holds and bool(least <= paper < ours)
        return Case(at(sizes), f"{sign}{paper}", str(ours), holds, corrected, is_open)


def span(text: str) -> Iterator[int]:
    """The numbers of a span.

    >>> list(span("2..5")), list(span("1 4 16"))
    ([2, 3, 4, 5], [1, 4, 16])
    """
    first, dots, last = text.partition("..")
    try:
        numbers = range(int(first), int(last) + 1) if dots else [int(x) for x in text.split()]
        length = len(numbers)
    except (ValueError, OverflowError):
        length = 0
    if not 0 < length <= _LONGEST_SPAN:
        raise InvalidValueError(
            f"the span is {text!r}",
            f"it has 1 to {_LONGEST_SPAN} whole numbers",
            "write it like '2..8' or '1 4 16'",
        )
    yield from numbers


def at(sizes: Mapping[str, int]) -> str:
    """The sizes of a case as people write them.

    >>> at({"n": 3, "K": 8})
    'n = 3, K = 8'
    """
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())
