"""Formulas as the papers print them, in Python's notation, evaluated exactly.

Rules. A formula is arithmetic on named integers: numbers, names, ``+ - * / // % **``,
comparisons, ``and``/``or``/``not``, ``x if c else y``, and the functions of :data:`FUNCTIONS`.
Division is exact, in fractions. Nothing else is understood, so a formula from a file cannot do
anything but count.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, comb, floor

from graycube.errors import InvalidValueError

Number = int | Fraction | float

FUNCTIONS: dict[str, Callable[..., Number]] = {
    "abs": abs,
    "ceil": ceil,
    "comb": comb,
    "floor": floor,
    "max": max,
    "min": min,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b if isinstance(a + b, float) else Fraction(a) / Fraction(b),
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SIGNS: dict[type[ast.unaryop], Callable[[Number], Number]] = {
    ast.USub: lambda x: -x,
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
    with + - * / // % **, comparisons, "if" and abs, ceil, comb, floor, max, min; mend it
    """
    try:
        value = _value(ast.parse(formula, mode="eval").body, values)
    except (SyntaxError, KeyError, TypeError, ArithmeticError) as error:
        functions = ", ".join(FUNCTIONS)
        raise InvalidValueError(
            f"the formula is {formula!r}",
            f'it may only count, with + - * / // % **, comparisons, "if" and {functions}',
            "mend it",
        ) from error
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def _value(node: ast.expr, values: Mapping[str, Number]) -> Number:  # noqa: PLR0911
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return values[name]
        case ast.BinOp(left=left, op=op, right=right):
            return _ARITHMETIC[type(op)](_value(left, values), _value(right, values))
        case ast.UnaryOp(op=sign, operand=operand):
            return _SIGNS[type(sign)](_value(operand, values))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _COMPARISONS[type(op)](_value(left, values), _value(right, values))
        case ast.BoolOp(op=joint, values=parts):
            return (all if isinstance(joint, ast.And) else any)(
                _value(p, values) for p in parts
            )
        case ast.IfExp(test=test, body=body, orelse=other):
            return _value(body if _value(test, values) else other, values)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return FUNCTIONS[name](*(_value(arg, values) for arg in args))
    raise TypeError(ast.dump(node))
