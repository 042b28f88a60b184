"""Formulas as the papers print them, in Python's notation, evaluated exactly.

Rules. A formula is arithmetic on named integers: numbers, names, ``+ - * / // % **``,
comparisons, ``and``/``or``/``not``, ``x if c else y``, and the functions of :data:`FUNCTIONS`.
Division is exact, in fractions, and so are negative powers. Nothing else is understood, and no
number grows beyond some thousand digits, so a formula from a file cannot do anything but count,
and not for long.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, comb, floor, isfinite

from graycube.errors import InvalidValueError
from graycube.texts import shortened

Number = int | Fraction | float

_LONGEST = 1000  # characters
_SHOWN = 200  # characters of it in an error
_MOST_BITS = 1 << 13  # of a number on the way; Python does not write one of twice as many
_ERRORS = (SyntaxError, KeyError, TypeError, ValueError, ArithmeticError, RecursionError)
_ROOM = 16  # the crude bound for comb is as many times too high, at most, where it matters


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(exponent, int) and not isinstance(base, float):
        exact = Fraction(base)
        bits = max(exact.numerator.bit_length(), exact.denominator.bit_length())
        _require_few_bits((bits - 1) * abs(exponent))
        return exact**exponent
    return base**exponent


def _comb(n: Number, k: Number) -> int:
    if not (isinstance(n, int) and isinstance(k, int)):
        raise TypeError(f"comb({n}, {k})")
    _require_few_bits(min(k, n - k) * n.bit_length() // _ROOM)
    return comb(n, k)


def _require_few_bits(bits: int) -> None:
    if bits > _MOST_BITS:
        raise OverflowError(f"a number of more than {_MOST_BITS} bits")


FUNCTIONS: dict[str, Callable[..., Number]] = {
    "abs": abs,
    "ceil": ceil,
    "comb": _comb,
    "floor": floor,
    "max": max,
    "min": min,
}
_OPERATIONS: dict[type[ast.AST], Callable[..., Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b if isinstance(a + b, float) else Fraction(a) / Fraction(b),
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}


def evaluate(formula: str, values: Mapping[str, Number]) -> Number:
    """The value of a formula; an integer where it is one.

    >>> evaluate("ceil((2 * K - (n - 2)) / 3) + n - 2 if K > n + 2 else n", {"n": 4, "K": 10})
    8
    >>> evaluate("K / 2", {"K": 3})
    Fraction(3, 2)
    >>> evaluate("__import__('os')", {})
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the formula is "__import__('os')": it may only count,
    with + - * / // % **, comparisons, "if" and abs, ceil, comb, floor, max, min; mend it in
    claims.toml
    """
    try:
        return _value(_parsed(formula), values)
    except _ERRORS as error:
        functions = ", ".join(FUNCTIONS)
        raise InvalidValueError(
            f"the formula is {shortened(repr(formula), _SHOWN)}",
            f'it may only count, with + - * / // % **, comparisons, "if" and {functions}',
            "mend it in claims.toml",
        ) from error


def _parsed(formula: str) -> ast.expr:
    if len(formula) > _LONGEST:  # the parser itself fails on deep nesting, and not gently
        raise ValueError(f"longer than {_LONGEST} characters")
    return ast.parse(formula.strip(), mode="eval").body


def _value(node: ast.expr, values: Mapping[str, Number]) -> Number:
    return _plain(_computed(node, values))


def _computed(node: ast.expr, values: Mapping[str, Number]) -> Number:  # noqa: PLR0911
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=op, operand=operand):
            return _OPERATIONS[type(op)](_value(operand, values))
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATIONS[type(op)](_value(left, values), _value(right, values))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _OPERATIONS[type(op)](_value(left, values), _value(right, values))
        case ast.BoolOp(op=joint, values=parts):
            return _joined(joint, parts, values)
        case ast.IfExp(test=test, body=body, orelse=other):
            return _value(body if _value(test, values) else other, values)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return FUNCTIONS[name](*(_value(arg, values) for arg in args))
    raise TypeError(ast.dump(node))


def _joined(joint: ast.boolop, parts: list[ast.expr], values: Mapping[str, Number]) -> Number:
    """The first value that decides, or the last one, as in Python."""
    for part in parts:
        value = _value(part, values)
        if bool(value) == isinstance(joint, ast.Or):
            break
    return value


def _plain(value: Number) -> Number:
    """The value, an integer where it is one; refused where it is too large or not real."""
    if isinstance(value, float):
        if not isfinite(value):
            raise OverflowError(f"{value}")
        return value
    for part in Fraction(value).as_integer_ratio():
        _require_few_bits(part.bit_length())
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value
