"""Expressions that wrap others: in a sign, a negation, a term, a condition, a call or an index."""

import ast
from collections.abc import Iterator, Sequence

from recodeh.eval.researcher.phrases import Change, Kind
from recodeh.eval.researcher.words import OPERATIONS, listed, quote, value

_WITH, _WITHOUT = "put a minus sign", "leave out the minus sign"
NEGATED, _PLAIN = "negated", "left without negation"


def wrappings(node: ast.AST, *, missing: bool) -> Iterator[tuple[ast.AST, Change]]:
    """The parts that a node wraps, each with the change that puts on or takes off the wrapping."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            yield inner, Change(Kind.SIGN, of=quote(inner), wanted=_WITH if missing else _WITHOUT)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            word = NEGATED if missing else _PLAIN
            yield inner, Change(Kind.NEGATION, of=quote(inner), wanted=word)
        case ast.BinOp(left=left, right=right):
            yield left, _term(node, left, right, missing=missing)
            yield right, _term(node, right, left, missing=missing)
        case ast.BoolOp(values=[first, second]):
            for inner, other in ((first, second), (second, first)):
                yield inner, _condition(other, missing=missing)
        case ast.Call(func=function, args=args):
            for inner in args[:3]:
                yield inner, _call(quote(function), args, missing=missing)
            if isinstance(function, ast.Attribute):
                name = f"`.{function.attr}`"
                yield function.value, _call(name, [function.value, *args], missing=missing)
        case ast.Subscript(value=inner, slice=index):
            words = ("no index", quote(index)) if missing else (quote(index), "no index")
            yield inner, Change(Kind.INDEX, found=words[0], wanted=words[1])


def _term(node: ast.BinOp, inner: ast.expr, other: ast.expr, *, missing: bool) -> Change:
    operation = OPERATIONS[type(node.op)]
    if not missing:
        return Change(Kind.TERM_EXTRA, found=value(other), by=operation)
    by = operation if inner is node.left else f"{operation} from the left"
    return Change(Kind.TERM_MISSING, of=quote(inner), wanted=value(other), by=by)


def _condition(other: ast.expr, *, missing: bool) -> Change:
    if missing:
        return Change(Kind.CONDITION_MISSING, wanted=condition_on(other))
    return Change(Kind.CONDITION_EXTRA, found=condition_on(other))


def _call(name: str, values: Sequence[ast.expr], *, missing: bool) -> Change:
    of = listed(map(quote, values))
    if missing:
        return Change(Kind.CALL_MISSING, wanted=name, of=of)
    return Change(Kind.CALL_EXTRA, found=name, of=of)


def condition_on(node: ast.expr) -> str:
    """One of several conditions, in words."""
    text = value(node)
    return f"one on {text}" if text.startswith("`") else f"one made as {text}"
