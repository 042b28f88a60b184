"""JSON and TOML of anybody, read within bounds.

Rules. A text is refused unless its numbers are finite and no key is given twice. How many
entries it may have, how deep they may be nested, and how long a line of TOML may be is limited,
so that time and memory stay small whatever the text says. What is wrong is raised as the
reader's own error: ``refuse(why)``.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from math import isfinite
from typing import Any

from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.texts import LONGEST_NAME, as_given, is_name, shortened

MAX_ENTRIES = 1 << 21
"""Most values of a JSON text, inner ones too; an object counts as two, for its memory."""
MAX_DEPTH = 50
"""Most lists and objects of a JSON text, one within the other."""

Refuse = Callable[[str], GraycubeError]
_NO_BRACKETS = bytes(set(range(256)) - set(b'[]{}"'))


def parsed_json(text: str, refuse: Refuse) -> object:
    """The value of a JSON text.

    >>> from graycube.errors import InvalidValueError
    >>> def refuse(why):
    ...     return InvalidValueError("the text is refused", why, "mend it")
    >>> parsed_json('{"a": [1, 2.5, "b"]}', refuse)
    {'a': [1, 2.5, 'b']}
    >>> parsed_json('{"a": 1, "a": 2}', refuse)
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the text is refused: no JSON (the key 'a' is given
    twice); mend it
    """
    if sum(map(text.count, ",[{{")) > MAX_ENTRIES:
        raise refuse(f"it has more than {MAX_ENTRIES} entries")
    try:
        content = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_float=_finite,
            parse_constant=_finite,
        )
    except (ValueError, RecursionError) as error:  # too long a number is a ValueError
        raise refuse(f"no JSON ({error})") from None
    if _is_deep(text):
        raise refuse(f"its lists and objects are more than {MAX_DEPTH} deep")
    return content


def parsed_toml(text: str, longest_line: int, refuse: Refuse) -> dict[str, Any]:
    """The tables of a TOML text; the time to read a dotted key grows with its square.

    >>> parsed_toml("a.b = 1", 80, lambda why: ValueError(why))
    {'a': {'b': 1}}
    """
    if any(len(line) > longest_line for line in text.split("\n")):
        raise refuse(f"a line has more than {longest_line} characters")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise refuse(f"no TOML ({error})") from None


def require_line(value: object, what: str) -> str:
    r"""The value, if it is a text that can stand in a line as it is, such as a name.

    >>> require_line("gb1: right\n", "the algorithm")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the algorithm is 'gb1: right\n': it must be a line of up
    to 200 characters that can be seen; choose a plain name
    """
    if not isinstance(value, str):
        raise InvalidTypeError(f"{what} is {as_given(value)}", "it is a name", "pass a str")
    if not is_name(value):
        raise InvalidValueError(
            f"{what} is {shortened(value, 60)!r}",
            f"it must be a line of up to {LONGEST_NAME} characters that can be seen",
            "choose a plain name",
        )
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) != len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {twice[:40]!r} is given twice")
    return entries


def _finite(written: str) -> float:
    value = float(written)
    if not isfinite(value):
        raise ValueError(f"{written[:40]} is no number")
    return value


def _is_deep(text: str) -> bool:
    """Whether brackets are left when the innermost are taken away, so many times."""
    plain = text.replace("\\\\", "").replace('\\"', "").encode("utf-8", "surrogatepass")
    left = re.sub(rb'"[^"]*"', b"", plain.translate(None, _NO_BRACKETS))
    for _ in range(MAX_DEPTH):
        left = left.replace(b"[]", b"").replace(b"{}", b"")
    return bool(left)
