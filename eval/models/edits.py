"""Code → every small edit of it that a careless coder might make, or think of making.

An edit replaces one node. The tables are symmetric: when an edit leads from one code to another,
an edit leads back.
"""

import ast
import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from recodeh.eval.models.spots import Path, Spot, overlap, put, shell, spots
from recodeh.eval.researcher.canonical import constant
from recodeh.eval.researcher.difference import header_changes
from recodeh.eval.researcher.phrases import Change
from recodeh.eval.researcher.syntax import Region, parse, render

_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add, ast.Div),
    ast.Mult: (ast.Div, ast.Add, ast.Pow),
    ast.Div: (ast.Mult, ast.Sub, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mod),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.GtE, ast.Gt, ast.LtE),
    ast.LtE: (ast.Gt, ast.GtE, ast.Lt),
    ast.Gt: (ast.LtE, ast.Lt, ast.GtE),
    ast.GtE: (ast.Lt, ast.LtE, ast.Gt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_FUNCTIONS = (
    ("max", "min"),
    ("maximum", "minimum"),
    ("argmax", "argmin"),
    ("nanmax", "nanmin"),
    ("sum", "mean", "prod"),
    ("std", "var"),
    ("cumsum", "cumprod"),
    ("any", "all"),
    ("floor", "ceil"),
    ("sin", "cos"),
    ("exp", "log"),
    ("exp2", "log2"),
    ("log1p", "expm1"),
    ("sqrt", "square"),
    ("zeros", "ones"),
    ("zeros_like", "ones_like"),
    ("vstack", "hstack"),
    ("ppf", "cdf", "pdf"),
    ("append", "extend"),
    ("keys", "values"),
    ("argsort", "sort"),
    ("inner", "outer"),
    ("floor_divide", "divide"),
)
_CONFUSED = {
    name: tuple(other for other in group if other != name) for group in _FUNCTIONS for name in group
}
_REDUCTIONS = {"sum", "mean", "prod", "std", "var", "max", "min", "cumsum", "cumprod", "any", "all"}
_KEYWORDS: dict[str, tuple[int, ...]] = {"axis": (0, 1), "ddof": (1,)}
_UNORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)


@dataclass(frozen=True, eq=False)
class Edit:
    """One node of a code replaced by another."""

    path: Path
    line: int
    """First line of the statement that the edit is in; it is the only edited one."""
    change: Change
    """What a researcher would say is wrong if the edited code were right."""
    replacement: ast.AST

    @property
    def text(self) -> str:
        """The same for the same edit of the same code, and for no other."""
        return f"{self.path} {ast.dump(self.replacement)}"


@lru_cache(maxsize=64)
def edits(code: str) -> tuple[Edit, ...]:
    """All single edits of `code`; raises Unparsable for what is not Python."""
    body = parse(code).body
    names = _variables(body)
    return tuple(
        edit
        for spot in spots(body)
        for replacement in _replacements(spot, names)
        if (edit := edit_at(spot, replacement)) is not None
    )


def edits_at(code: str, line: int) -> Iterator[Edit]:
    """The edits of one statement alone."""
    body = parse(code).body
    names = _variables(body)
    for spot in spots(body):
        if spot.statement.lineno == line:
            made = (edit_at(spot, replacement) for replacement in _replacements(spot, names))
            yield from (edit for edit in made if edit is not None)


def edit_at(spot: Spot, replacement: ast.AST) -> Edit | None:
    """The edit that puts `replacement` at `spot`; None when nothing or too much would change."""
    bare = shell(spot.statement)
    edited = put(copy.deepcopy(bare), spot.path[spot.depth :], replacement)
    changes = header_changes(bare, edited) if isinstance(edited, ast.stmt) else None
    if changes is None or len(changes) != 1:
        return None
    return Edit(spot.path, spot.statement.lineno, changes[0], replacement)


def apply(code: str, chosen: Iterable[Edit]) -> str:
    """`code` with the edits made, in order; one whose place an earlier one took is left out."""
    region = parse(code)
    root: ast.AST = ast.Module(body=copy.deepcopy(region.body), type_ignores=[])
    taken: list[Path] = []
    for edit in chosen:
        if not any(overlap(edit.path, path) for path in taken):
            root = put(root, edit.path, copy.deepcopy(edit.replacement))
            taken.append(edit.path)
    body = root.body if isinstance(root, ast.Module) else []
    return render(Region(body, region.indent))


def _replacements(spot: Spot, names: tuple[str, ...]) -> Iterator[ast.AST]:
    """What may stand in place of a node."""
    match spot.node:
        case ast.AugAssign(op=op):
            yield from (_with(spot.node, op=other()) for other in _OPERATORS.get(type(op), ()))
        case ast.BinOp():
            yield from _operations(spot.node)
        case ast.Compare(ops=[op]):
            yield from (_with(spot.node, ops=[other()]) for other in _COMPARISONS[type(op)])
        case ast.BoolOp(op=op):
            yield _with(spot.node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=inner) if constant(inner) is None:
            yield inner
        case ast.Call():
            yield from _calls(spot.node)
        case ast.Constant(value=value):
            yield from (ast.Constant(other) for other in _constants(value))
    yield from _references(spot, names)
    yield from _wrapped(spot)


def _operations(node: ast.BinOp) -> Iterator[ast.AST]:
    for other in _OPERATORS.get(type(node.op), ()):
        yield _with(node, op=other())
    if isinstance(node.op, _UNORDERED):
        yield _with(node, left=node.right, right=node.left)


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    for at in range(len(node.args) - 1):
        pair = node.args[at : at + 2]
        if not any(isinstance(argument, ast.Starred) for argument in pair):
            yield _with(node, args=[*node.args[:at], *pair[::-1], *node.args[at + 2 :]])
    given = {keyword.arg for keyword in node.keywords}
    for name in given & set(_KEYWORDS):
        rest = [keyword for keyword in node.keywords if keyword.arg != name]
        yield _with(node, keywords=rest)
    if callee(node) in _REDUCTIONS:
        for name in [name for name in _KEYWORDS if name not in given]:
            for value in (
                _KEYWORDS[name] if name == "axis" or callee(node) in ("std", "var") else ()
            ):
                keyword = ast.keyword(arg=name, value=ast.Constant(value))
                yield _with(node, keywords=[*node.keywords, keyword])


def _references(spot: Spot, names: tuple[str, ...]) -> Iterator[ast.AST]:
    match spot.node:
        case ast.Attribute(attr=name):
            yield from (_with(spot.node, attr=other) for other in _CONFUSED.get(name, ()))
        case ast.Name(id=name, ctx=ast.Load()) if spot.field == "func":
            yield from (_with(spot.node, id=other) for other in _CONFUSED.get(name, ()))
        case ast.Name(id=name, ctx=ast.Load()) if name in names and len(names) > 1:
            at = names.index(name)
            for other in {names[at - 1], names[(at + 1) % len(names)]} - {name}:
                yield _with(spot.node, id=other)


def _wrapped(spot: Spot) -> Iterator[ast.AST]:
    """A sign or a negation where one may have been forgotten."""
    node = spot.node
    if not isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript):
        return
    argument = isinstance(spot.parent, ast.Call) and spot.field == "args"
    if argument or (isinstance(spot.parent, ast.BinOp) and spot.field == "left"):
        yield ast.UnaryOp(op=ast.USub(), operand=node)
    tested = isinstance(spot.parent, ast.If | ast.While | ast.IfExp) and spot.field == "test"
    if tested or isinstance(spot.parent, ast.BoolOp):
        yield ast.UnaryOp(op=ast.Not(), operand=node)


def _constants(value: object) -> tuple[float, ...]:
    match value:
        case bool():
            return (not value,)
        case int():
            return (value + 1, value - 1)
        case float() if value in (0.0, 1.0):
            return (1.0 - value, 2.0)
        case float() if value == 2.0:
            return (1.0, 4.0)
        case float():
            exact = Decimal(repr(value))
            return (float(exact * 2), float(exact / 2))
    return ()


def callee(node: ast.Call) -> str:
    """The last part of the name of what is called."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _variables(body: list[ast.stmt]) -> tuple[str, ...]:
    """The names of values, in alphabetical order: neither called nor opened like a module."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    called = {node.func.id for node in nodes if _is_named_call(node)}  # type: ignore[attr-defined]
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return tuple(sorted(used - called - (_opened(nodes) - bound) - {"self", "cls"}))


def _is_named_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _opened(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that stand in front of a called attribute, as modules do."""
    return {
        node.func.value.id
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
    }


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    vars(changed).update(fields)
    return changed
