"""The papers' folders: ``<folder>/<name>/claims.toml``, read and checked whole.

Rules. ``[paper]`` says which paper it is, and ``[paper.numbered]`` how many theorems, lemmas
and so on it numbers; every one of them must have a claim. The folders of our papers are the
packages beside this file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_origin

from graycube.errors import InvalidValueError
from graycube.papers.claims import KINDS, Claim, Correction
from graycube.parsing import parsed_toml
from graycube.whole_files import read_text

OURS = Path(__file__).parent
_LISTS = ("figures", "code")
MAX_TEXT = 1 << 20  # bytes of a file
MAX_LINE = 1 << 13  # characters


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper and its claims; ``numbered`` counts what it numbers, by kind.

    >>> paper = Paper("TR-1", "T", "A", "R", 1990, Path(), {"lemma": 2}, ())
    >>> list(paper.missing())
    ['Lemma 1', 'Lemma 2']
    """

    key: str
    title: str
    authors: str
    report: str
    year: int
    folder: Path
    numbered: Mapping[str, int]
    claims: tuple[Claim, ...]

    def missing(self) -> Iterator[str]:
        """What the paper numbers and no claim covers.

        >>> paper = Paper("TR-1", "T", "A", "R", 1990, Path(), {}, ())
        >>> list(paper.missing())
        []
        """
        covered = {" ".join(claim.name.split()[:2]) for claim in self.claims}
        for kind, count in self.numbered.items():
            names = (f"{kind.capitalize()} {k}" for k in range(1, count + 1))
            yield from (name for name in names if name not in covered)


def papers(folder: Path | None = None) -> tuple[Paper, ...]:
    """All papers with claims, in the order of their keys.

    >>> [paper.key for paper in papers()]
    ['CAM-87-02', 'TR-20-91', 'TR-20-92', 'TR-764']
    """
    place = OURS if folder is None else folder
    found = sorted(place.glob("*/claims.toml"))
    if not found:
        raise InvalidValueError(
            f"no claims in {place}",
            "the papers' folders hold a claims.toml each",
            "name the folder that holds these folders",
        )
    return tuple(map(read_paper, found))


def read_paper(path: Path) -> Paper:
    """One paper from its ``claims.toml``.

    >>> read_paper(papers()[0].folder / "claims.toml").year
    1987
    """
    refuse = partial(_wrong, path)
    content = parsed_toml(read_text(path, MAX_TEXT, refuse), MAX_LINE, refuse)
    try:
        about = content.pop("paper")
        numbered = about.pop("numbered")
        claims = tuple(_claim(entry) for entry in content.pop("claim"))
        _require_types(Paper, {**about, "numbered": numbered})
        paper = Paper(folder=path.parent, numbered=numbered, claims=claims, **about)
        left = [*content, *(set(numbered) - set(KINDS))]
        keys = [claim.key for claim in claims]
        left += sorted({key for key in keys if keys.count(key) > 1})
    except KeyError as error:
        raise _wrong(path, f"there is no {error}") from error
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise _wrong(path, str(error)) from error
    if left:
        raise _wrong(path, f"unknown, or there twice: {', '.join(left)}")
    return paper


def _claim(entry: dict[str, Any]) -> Claim:
    correction = entry.pop("correction", None)
    if correction is not None:
        correction = Correction(**_with_tuples(Correction, correction))
    return Claim(correction=correction, **_with_tuples(Claim, entry))


def _with_tuples(made: type, entry: dict[str, Any]) -> dict[str, Any]:
    _require_types(made, entry)
    for name in entry.keys() & set(_LISTS):
        entry[name] = tuple(tuple(x) if isinstance(x, list) else x for x in entry[name])
    return entry


def _require_types(made: type, entry: dict[str, Any]) -> None:
    """What a file has must be of the types that are declared, as far as a file has them."""
    for known in fields(made):
        value = entry.get(known.name)
        if value is not None and not _fits(value, known.type):
            raise TypeError(f"{known.name} is {value!r}")


def _fits(value: object, declared: object) -> bool:
    kind, of = get_origin(declared) or declared, get_args(declared)
    if kind is Mapping:
        return isinstance(value, dict) and all(_fits(one, of[1]) for one in value.values())
    if kind is tuple:
        return isinstance(value, list) and all(_fits(one, of[0]) for one in value)
    return declared is Any or type(value) is kind


def _wrong(path: Path, why: str) -> InvalidValueError:
    return InvalidValueError(
        f"{path} is wrong", why, "compare it with the claims of other papers"
    )
