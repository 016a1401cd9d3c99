"""Code → the places in it where a small edit can be made, and how one is made there.

What is raised, asserted, imported, annotated or printed into text is left alone: a change there is
no change of what the code computes.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

Path = tuple[tuple[str, int], ...]
"""From the module down to a node: field, and index in it (-1 where the field is one node)."""

_UNTOUCHED = (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)
_UNTOUCHED_FIELDS = ("annotation", "returns", "decorator_list", "type_params", "args")


@dataclass(frozen=True)
class Spot:
    """A node with its way down from the module, and the statement that it is in."""

    node: ast.AST
    parent: ast.AST
    field: str
    path: Path
    statement: ast.stmt
    depth: int
    """How many steps of the path lead to the statement."""


def spots(body: list[ast.stmt]) -> Iterator[Spot]:
    """Every expression that an edit may touch, and every update in place, in source order."""
    for index, statement in enumerate(body):
        yield from _spots_of(statement, (("body", index),))


def _spots_of(statement: ast.stmt, path: Path) -> Iterator[Spot]:
    if isinstance(statement, _UNTOUCHED):
        return
    if isinstance(statement, ast.AugAssign):
        yield Spot(statement, statement, "", path, statement, len(path))
    for child, parent, field, way in _children(statement, path):
        if isinstance(child, ast.stmt):
            yield from _spots_of(child, way)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            for index, inner in enumerate(child.body):
                yield from _spots_of(inner, (*way, ("body", index)))
        else:
            yield from _below(Spot(child, parent, field, way, statement, len(path)))


def _below(spot: Spot) -> Iterator[Spot]:
    if isinstance(spot.node, ast.JoinedStr):
        return
    if isinstance(spot.node, ast.expr):
        yield spot
    for child, parent, field, way in _children(spot.node, spot.path):
        yield from _below(Spot(child, parent, field, way, spot.statement, spot.depth))


def _children(node: ast.AST, path: Path) -> Iterator[tuple[ast.AST, ast.AST, str, Path]]:
    for field, part in ast.iter_fields(node):
        if field in _UNTOUCHED_FIELDS and not isinstance(node, ast.Call):
            continue
        if isinstance(part, ast.AST):
            yield part, node, field, (*path, (field, -1))
        elif isinstance(part, list):
            for index, child in enumerate(part):
                if isinstance(child, ast.AST):
                    yield child, node, field, (*path, (field, index))


def shell(statement: ast.stmt) -> ast.stmt:
    """A statement without the statements inside it."""
    bare = copy.copy(statement)
    blocks = ("body", "orelse", "finalbody", "handlers", "cases")
    vars(shell).update(
        {name: [] for name in blocks if isinstance(getattr(shell, name, None), list)}
    )
    return bare


def put(root: ast.AST, path: Path, replacement: ast.AST) -> ast.AST:
    """`root` with `replacement` at the end of `path`; `root` itself is changed."""
    if not path:
        return replacement
    node: ast.AST = root
    for field, index in path[:-1]:
        part = getattr(node, field)
        node = part if index < 0 else part[index]
    field, index = path[-1]
    if index < 0:
        setattr(node, field, replacement)
    else:
        getattr(node, field)[index] = replacement
    return root


def overlap(first: Path, second: Path) -> bool:
    """Whether one of two paths leads through the node of the other."""
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]
