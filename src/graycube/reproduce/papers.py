"""The papers' folders: ``<folder>/<key>/claims.toml``, read and checked whole.

Rules. ``[paper]`` says which paper it is, and ``[paper.numbered]`` how many theorems, lemmas
and so on it numbers; every one of them must have a claim. The folders lie in the package where
it was installed, and beside ``src`` in a checkout.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graycube.errors import GraycubeError, InvalidValueError
from graycube.reproduce.claims import KINDS, Claim, Correction

_HERE = Path(__file__).parent
_FOLDERS = (_HERE.parent / "papers", _HERE.parents[2] / "papers")
_LISTS = ("figures", "code")


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
        covered = {
            claim.name.split()[0] + " " + claim.number.split()[0] for claim in self.claims
        }
        for kind, count in self.numbered.items():
            names = (f"{kind.capitalize()} {k}" for k in range(1, count + 1))
            yield from (name for name in names if name not in covered)


def papers(folder: Path | None = None) -> tuple[Paper, ...]:
    """All papers with claims, in the order of their keys.

    >>> [paper.key for paper in papers()]
    ['CAM-87-02', 'TR-20-91', 'TR-20-92', 'TR-764']
    """
    places = _FOLDERS if folder is None else (folder,)
    found = next((files for place in places if (files := _files(place))), [])
    if not found:
        raise InvalidValueError(
            f"no claims in {', or '.join(map(str, places))}",
            "the papers' folders hold a claims.toml each",
            "run in a checkout of graycube, or name the folder of papers",
        )
    return tuple(map(read_paper, found))


def _files(place: Path) -> list[Path]:
    return sorted(place.glob("*/claims.toml"))


def read_paper(path: Path) -> Paper:
    """One paper from its ``claims.toml``.

    >>> read_paper(papers()[0].folder / "claims.toml").year
    1987
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        about = content.pop("paper")
        numbered = about.pop("numbered")
        claims = tuple(_claim(entry) for entry in content.pop("claim"))
        paper = Paper(folder=path.parent, numbered=numbered, claims=claims, **about)
        left = [*content, *(set(numbered) - set(KINDS))]
        keys = [claim.key for claim in claims]
        left += sorted({key for key in keys if keys.count(key) > 1})
    except (KeyError, TypeError, tomllib.TOMLDecodeError, GraycubeError) as error:
        raise _wrong(path, str(error)) from error
    if left:
        raise _wrong(path, f"unknown, or there twice: {', '.join(left)}")
    return paper


def _claim(entry: dict[str, Any]) -> Claim:
    correction = entry.pop("correction", None)
    made = None if correction is None else Correction(**_with_tuples(correction))
    return Claim(correction=made, **_with_tuples(entry))


def _with_tuples(entry: dict[str, Any]) -> dict[str, Any]:
    lists = {name: entry[name] for name in _LISTS if name in entry}
    tuples = {
        name: tuple(tuple(x) if isinstance(x, list) else x for x in rows)
        for name, rows in lists.items()
    }
    return {**entry, **tuples}


def _wrong(path: Path, why: str) -> InvalidValueError:
    return InvalidValueError(
        f"{path} is wrong", why, "compare it with the claims of other papers"
    )
