"""Texts that come from outside, made fit to be shown.

Rules. A line that is shown is of bounded length, and has nothing in it that moves the cursor,
changes the order of letters or cannot be seen: such characters are written as Python does in
literals. A *name* is refused unless it is such a line already, in which nothing is blank but
single spaces: else it could push what follows it to another line of a terminal.
"""

import re
import unicodedata

LONGEST_LINE = 500  # characters
LONGEST_NAME = 200
MOST_BITS = 256  # of numbers that are written out
_NO_BREAK = "\N{NO-BREAK SPACE}"
_BLANK = re.compile(
    "  |[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]"
    "|[\U000e0100-\U000e01ef]"
)
_LEFTWARD = {"R", "AL", "AN"}  # letters of scripts that run to the left


def counted(count: int, thing: str) -> str:
    """So many of something.

    >>> counted(1, "node"), counted(64, "node"), counted(2, "corollary"), counted(0, "array")
    ('1 node', '64 nodes', '2 corollaries', '0 arrays')
    """
    several = re.sub("(?<=[^aeiou])y$", "ie", thing) + "s"
    return f"{count} {thing if count == 1 else several}"


def in_digits(number: object) -> str:
    """A number, or how long it is: Python writes no integer of more than 4300 digits.

    >>> in_digits(12), in_digits(0.5), in_digits(-(10**5000))
    ('12', '0.5', 'a number of 16610 bits')
    """
    if isinstance(number, int) and number.bit_length() > MOST_BITS:
        return f"a number of {number.bit_length()} bits"
    return str(number)


def as_given(value: object, most: int = 60) -> str:
    """A value as programs write it, cut off where it gets long; or what it is, if it is huge.

    >>> as_given("gb3"), as_given(None), as_given(10**5000), as_given([10**5000])
    ("'gb3'", 'None', 'a number of 16610 bits', 'a list of huge numbers')
    """
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return in_digits(value)
    try:
        return repr(value)[:most]
    except ValueError:  # Python writes no such number
        return f"a {type(value).__name__} of huge numbers"


def shortened(text: object, most: int) -> str:
    """A text of at most so many characters, without its middle if it is longer.

    >>> shortened("0123456789", 10), shortened("0123456789", 9)
    ('0123456789', '0123...89')
    """
    whole = str(text)
    if len(whole) <= most:
        return whole
    tail = (most - 3) // 3
    return f"{whole[: most - 3 - tail]}...{whole[len(whole) - tail :]}"


def visible(text: object) -> str:
    r"""A text whose lines are left as they are, with all else that cannot be seen written out.

    >>> print(visible("one\x1b[8m\ntwo\u202e"))
    one\x1b[8m
    two\u202e
    """
    lines = str(text).split("\n")
    return "\n".join(_NO_BREAK.join(map(_written_out, line.split(_NO_BREAK))) for line in lines)


def one_line(text: object) -> str:
    r"""A text as a line of bounded length; what such a line says is left as it is.

    >>> one_line("a name\nnothing is wrong")
    'a name\\nnothing is wrong'
    >>> len(one_line("x" * 100_000))
    500
    """
    return shortened(_written_out(shortened(text, LONGEST_LINE)), LONGEST_LINE)


def is_name(text: str) -> bool:
    r"""Whether a text can stand in a line as it is.

    >>> is_name("gb3"), is_name("gb3\n"), is_name("gb3  right"), is_name("x" * 1000)
    (True, False, False, False)
    """
    if len(text) > LONGEST_NAME or not text.isprintable() or _BLANK.search(text):
        return False
    return not any(unicodedata.bidirectional(c) in _LEFTWARD for c in text)


def _written_out(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
