"""An instruction in words (level 3) → the edits that carry it out at the line it names."""

import ast
from collections.abc import Iterator

from recodeh.eval.models.edits import Edit, callee, edit_at
from recodeh.eval.models.spots import Spot, spots
from recodeh.eval.researcher.phrases import Change, Kind
from recodeh.eval.researcher.syntax import Unparsable, parse
from recodeh.eval.researcher.words import OPERATIONS

_BY_NAME = {word: operator for operator, word in OPERATIONS.items()}
_FROM_LEFT = " from the left"


def obeyed(code: str, line: int, change: Change) -> tuple[Edit, ...]:
    """The edits of the statement at `line` that do what `change` asks for, in source order."""
    made = (
        edit_at(spot, replacement)
        for spot in spots(parse(code).body)
        if spot.statement.lineno == line
        for replacement in _replacements(spot, change)
    )
    return tuple(edit for edit in made if edit is not None)


def _replacements(spot: Spot, change: Change) -> Iterator[ast.AST]:
    node = spot.node
    match change.kind:
        case Kind.TERM_MISSING if _is(node, change.of):
            yield from _combined(node, change)
        case Kind.CALL_MISSING if _is(node, change.of):
            yield from _called(node, change.wanted)
        case Kind.KEYWORD_MISSING if isinstance(node, ast.Call) and _is(node.func, change.of):
            yield from _passed(node, change)
        case Kind.ATTRIBUTE | Kind.FUNCTION if isinstance(node, ast.Attribute):
            if f"`{node.attr}`" == change.found and (name := _name(change.wanted)):
                yield ast.Attribute(value=node.value, attr=name, ctx=node.ctx)
        case (
            Kind.EXPRESSION | Kind.CONSTANT | Kind.INDEX | Kind.KEYWORD | Kind.NAME | Kind.FUNCTION
        ):
            if _is(node, change.found) and (wanted := _expression(change.wanted)):
                yield wanted


def _combined(node: ast.AST, change: Change) -> Iterator[ast.AST]:
    operator = _BY_NAME.get(change.by.removesuffix(_FROM_LEFT))
    term = _expression(change.wanted)
    if operator is None or term is None or not isinstance(node, ast.expr):
        return
    sides = (term, node) if change.by.endswith(_FROM_LEFT) else (node, term)
    yield ast.BinOp(left=sides[0], op=operator(), right=sides[1])


def _called(node: ast.AST, function: str) -> Iterator[ast.AST]:
    if not isinstance(node, ast.expr):
        return
    if function.startswith("`."):
        method = ast.Attribute(value=node, attr=function.strip("`."), ctx=ast.Load())
        yield ast.Call(func=method, args=[], keywords=[])
    elif (called := _expression(function)) is not None:
        yield ast.Call(func=called, args=[node], keywords=[])


def _passed(node: ast.Call, change: Change) -> Iterator[ast.AST]:
    name, value = _name(change.by), _expression(change.wanted)
    if name and value is not None and callee(node):
        keyword = ast.keyword(arg=name, value=value)
        yield ast.Call(func=node.func, args=node.args, keywords=[*node.keywords, keyword])


def _is(node: ast.AST, quoted: str) -> bool:
    stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
    return isinstance(node, ast.expr) and not stored and f"`{ast.unparse(node)}`" == quoted


def _name(quoted: str) -> str:
    text = quoted.strip("`")
    return text if text.isidentifier() else ""


def _expression(quoted: str) -> ast.expr | None:
    """The expression between two backticks; None for a description in words."""
    if not (quoted.startswith("`") and quoted.endswith("`")):
        return None
    try:
        body = parse(quoted.strip("`")).body
    except Unparsable:
        return None
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
