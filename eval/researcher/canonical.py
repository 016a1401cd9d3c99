"""One key per piece of code: equal keys mean the same code but for forms that cannot matter.

`a < b` equals `b > a`, `a + b` equals `b + a` for anything but sequences, `np.sum(a)` equals
`a.sum()`, `-1` is a constant, and annotations, docstrings and `pass` do not count.
"""

import ast
import re
from collections.abc import Iterable

_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_SYMMETRIC = (ast.Eq, ast.NotEq)
_SEQUENCES = (ast.List, ast.Tuple, ast.JoinedStr, ast.ListComp)
_METHODS = re.compile(
    "all|any|argmax|argmin|argsort|clip|copy|cumprod|cumsum|dot|max|mean|min|prod|ravel|reshape"
    "|round|squeeze|std|sum|trace|transpose|var"
)
_IDLE_FIELDS = ("ctx", "annotation", "returns", "type_comment", "type_params", "kind", "simple")


def key(node: object) -> str:
    """The canonical text of a node, a field's value, or a list of them."""
    if isinstance(node, list):
        return f"[{','.join(key(part) for part in node)}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if (number := constant(node)) is not None:
        return f"Constant({number.value!r})"
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _comparison(left, op, right)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult() as op, right=right):
            sides = [key(left), key(right)]
            return f"{type(op).__name__}({','.join(sides if _ordered(node) else sorted(sides))})"
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name), args=[it, *_]):
            if module in ("np", "numpy") and _METHODS.fullmatch(name):
                return key(_as_method(node, it, name))
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return key(ast.Assign(targets=[target], value=value))
    return f"{type(node).__name__}({','.join(_fields(node))})"


def constant(node: object) -> ast.Constant | None:
    """The constant that a node is, with its sign."""
    match node:
        case ast.Constant():
            return node
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return ast.copy_location(ast.Constant(-value), node)
    return None


def _as_method(node: ast.Call, array: ast.expr, name: str) -> ast.Call:
    """`np.sum(a, axis=0)` as `a.sum(axis=0)`."""
    method = ast.Attribute(value=array, attr=name, ctx=ast.Load())
    return ast.Call(func=method, args=node.args[1:], keywords=node.keywords)


def kept(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """The statements of a block that do something."""
    return [statement for statement in body if not _idle(statement)]


def _comparison(left: ast.expr, op: ast.cmpop, right: ast.expr) -> str:
    sides = [key(left), key(right)]
    if type(op) in _FLIPPED:
        return f"Compare({_FLIPPED[type(op)].__name__},{sides[1]},{sides[0]})"
    if isinstance(op, _SYMMETRIC):
        sides.sort()
    return f"Compare({type(op).__name__},{','.join(sides)})"


def _ordered(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(isinstance(side, _SEQUENCES) or _is_text(side) for side in sides)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _fields(node: ast.AST) -> Iterable[str]:
    for name, part in ast.iter_fields(node):
        if name in _IDLE_FIELDS:
            continue
        yield key(kept(part) if name in ("body", "orelse") and isinstance(part, list) else part)


def _idle(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
            return True
    return False
