"""The reference → a wrong first answer: one to three seeded mistakes, each in its own statement.

This is the only module of the mutant that sees a reference.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence

from recodeh.eval.models.edits import Edit, apply, edit_at, edits, edits_at
from recodeh.eval.models.spots import Spot, spots
from recodeh.eval.researcher.canonical import constant, key
from recodeh.eval.researcher.phrases import Change, Kind
from recodeh.eval.researcher.syntax import Region, parse, render, statements

_STRONG = {  # the other comparisons differ from these at the boundary alone
    "less than": ("at least", "greater than"),
    "at most": ("greater than", "at least"),
    "greater than": ("at most", "less than"),
    "at least": ("less than", "at most"),
}
_MOST = 3
_TINY = 1e-3
_TOLERANCES = {"rtol", "atol", "tol", "eps", "epsilon", "equal_nan"}
_EVEN = ("cos", "cosh", "abs", "absolute", "fabs", "square", "norm")
_REPORTING = ("print", "warn", "warning", "info", "debug", "error", "log")
_LOSSES = (Kind.TERM_EXTRA, Kind.CALL_EXTRA, Kind.EXTRA)
_SURE = (Kind.COMPARISON, Kind.NEGATION)


def mistaken(code: str, seed: str) -> str:
    """A wrong variant of `code`, the same for the same seed; never the code itself.

    Raises Unparsable when `code` is not Python.
    """
    region = parse(code)
    plain = render(region)
    chosen = _chosen(plain, seed)
    if not chosen:
        return render(Region([ast.Pass()], region.indent))
    return _tidy(apply(plain, chosen))


def _chosen(code: str, seed: str) -> list[Edit]:
    """Mistakes of different kinds as far as there are, each in a statement of its own."""
    wanted = 1 + int(_draw(seed, "how many")[:8], 16) % _MOST
    groups = _by_kind(mistakes(code), seed)
    chosen: list[Edit] = []
    while groups and len(chosen) < wanted:
        group = groups.pop(0)
        taken = {edit.line for edit in chosen}
        fitting = (edit for edit in group if edit.line not in taken)
        edit = next((edit for edit in fitting if _can_be_undone(code, edit)), None)
        if edit is not None:
            chosen.append(edit)
            groups.append(group)
    return chosen


def _by_kind(found: Iterable[Edit], seed: str) -> list[list[Edit]]:
    """The edits by kind, all losses being one, kinds and edits in the order of the seed."""
    groups: dict[str, list[Edit]] = {}
    for edit in sorted(found, key=lambda edit: _draw(seed, edit.text)):
        loss = edit.change.kind in _LOSSES
        groups.setdefault("loss" if loss else edit.change.kind, []).append(edit)
    return [groups[name] for name in sorted(groups, key=lambda name: _draw(seed, name))]


def mistakes(code: str) -> Iterator[Edit]:
    """The edits of `code` that seem to change what it computes, and that can be undone."""
    body = parse(code).body
    by_path = {spot.path: spot for spot in spots(body)}
    guards = {node.lineno for node in statements(body) if _is_guard(node)}
    for edit in edits(code):
        if _shows(edit, by_path.get(edit.path), guards):
            yield edit
    for spot in by_path.values():
        if spot.statement.lineno not in guards and not _is_tiny(spot.node):
            yield from _losses(spot)
    yield from _gaps(body)


def _shows(edit: Edit, spot: Spot | None, guards: set[int]) -> bool:
    """Whether a test may well notice the edit, as far as the code alone tells."""
    change = edit.change
    if edit.line in guards and change.kind not in _SURE:
        return False
    if change.kind is Kind.COMPARISON and change.wanted in _STRONG:
        return change.found in _STRONG[change.wanted]
    if spot is None or change.by.strip("`") in _TOLERANCES:
        return False
    if change.kind is Kind.SIGN and _is_under_even(spot.parent):
        return False
    return not _is_tiny(spot.node) and not _is_report(spot.statement)


def _is_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and all(isinstance(inner, ast.Raise) for inner in node.body)


def _is_tiny(node: ast.AST) -> bool:
    """A constant that only keeps a division or a logarithm safe, or an operation with one."""
    parts = [node.left, node.right] if isinstance(node, ast.BinOp) else [node]
    values = [found.value for part in parts if (found := constant(part)) is not None]
    return any(isinstance(value, float) and 0 < abs(value) < _TINY for value in values)


def _is_under_even(parent: ast.AST) -> bool:
    """Whether the node is the argument of an even function, where its sign changes nothing."""
    match parent:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[_]):
            return name in _EVEN
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=int(power))):
            return power % 2 == 0
    return False


def _is_report(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name in _REPORTING
    return False


def _can_be_undone(code: str, edit: Edit) -> bool:
    """Whether a single edit leads back; what is left out is given back by words or code alone."""
    if edit.change.kind in _LOSSES:
        return True
    plain, wrong = key(parse(code).body), apply(code, [edit])
    return key(parse(wrong).body) != plain and any(
        key(parse(apply(wrong, [back])).body) == plain for back in edits_at(wrong, edit.line)
    )


def _losses(spot: Spot) -> Iterator[Edit]:
    """A forgotten term, and a forgotten call."""
    match spot.node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            kept = [left]
        case ast.Call(args=[inner], keywords=[]) if not isinstance(inner, ast.Starred):
            kept = [inner]
        case _:
            kept = []
    for inner in kept:
        edit = edit_at(spot, inner)
        if edit is not None and edit.change.kind in _LOSSES:
            yield edit


def _gaps(body: Sequence[ast.stmt]) -> Iterator[Edit]:
    """A forgotten statement, where no name is left undefined by it."""
    bound: set[str] = set()
    for spot in _statement_spots(body):
        node = spot.statement
        if _may_go(node, bound):
            yield Edit(spot.path, node.lineno, Change(Kind.EXTRA), ast.Pass())
        bound |= _stored(node)


def _may_go(node: ast.stmt, bound: set[str]) -> bool:
    match node:
        case ast.AugAssign():
            return True
        case ast.Assign():
            return _stored(node) <= bound
        case ast.Expr(value=ast.Call()):
            return not _is_report(node)
    return False


def _stored(node: ast.stmt) -> set[str]:
    parts = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in parts if isinstance(part.ctx, ast.Store)}


def _statement_spots(body: Sequence[ast.stmt]) -> Iterator[Spot]:
    """The statements of the region with the ways to them; what is inside others is left alone."""
    for index, node in enumerate(body):
        yield Spot(node, node, "", (("body", index),), node, 1)


def _tidy(code: str) -> str:
    """The code without a `pass` where another statement keeps the block open."""
    region = parse(code)
    return render(Region(_without_pass(region.body), region.indent))


def _without_pass(body: list[ast.stmt]) -> list[ast.stmt]:
    rest = [node for node in body if not isinstance(node, ast.Pass)]
    for node in rest:
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(node, field, None)
            if isinstance(inner, list) and inner and isinstance(node, ast.stmt):
                setattr(node, field, _without_pass(inner))
    return rest or [ast.Pass()]


def _draw(seed: str, text: str) -> str:
    return hashlib.sha256(f"{seed}\n{text}".encode()).hexdigest()
