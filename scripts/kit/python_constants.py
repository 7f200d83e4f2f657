"""Values that a test writes out: literals, and what the standard library makes of literals.

Pure functions of a trusted syntax tree; nothing is imported or run on its word.
"""

from __future__ import annotations

import ast
import datetime
import decimal
import fractions
import operator
from collections.abc import Callable, Mapping
from typing import Any


class NotConstant(Exception):
    """The expression is computed."""


CALLS: Mapping[str, Callable[..., Any]] = {
    "set": set,
    "frozenset": frozenset,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "float": float,
    "bytes": bytes,
    "bytearray": bytearray,
    **dict.fromkeys(("Decimal", "decimal.Decimal"), decimal.Decimal),
    **dict.fromkeys(("Fraction", "fractions.Fraction"), fractions.Fraction),
    **{f"{m}{n}": getattr(datetime, n) for m in ("", "datetime.") for n in ("date", "time", "timedelta")},
    **dict.fromkeys(("datetime.datetime",), datetime.datetime),
}
BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}


def constant(node: ast.expr) -> Any:
    """The value; raises NotConstant."""
    try:
        return _value(node)
    except (ArithmeticError, TypeError, ValueError, AttributeError) as error:
        raise NotConstant(str(error)) from error


def is_constant(node: ast.expr) -> bool:
    try:
        constant(node)
    except NotConstant:
        return False
    return True


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value) if value is not ...:
            return value
        case ast.List(elts=elements):
            return [_value(one) for one in elements]
        case ast.Tuple(elts=elements):
            return tuple(_value(one) for one in elements)
        case ast.Set(elts=elements):
            return {_value(one) for one in elements}
        case ast.Dict(keys=keys, values=values) if all(keys):
            return {_value(key): _value(value) for key, value in zip(keys, values, strict=True) if key}
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            return UNARY[type(op)](_value(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return BINARY[type(op)](_value(left), _value(right))
        case ast.Call(func=ast.Name() | ast.Attribute() as called) if ast.unparse(called) in CALLS:
            named = {word.arg: _value(word.value) for word in node.keywords if word.arg}
            if len(named) == len(node.keywords):
                return CALLS[ast.unparse(called)](*(_value(one) for one in node.args), **named)
    raise NotConstant(ast.unparse(node))
