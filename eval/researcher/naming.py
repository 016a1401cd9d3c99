"""A reference told in the answer's own names: a local name may be called anything."""

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from recodeh.eval.researcher.alignment import align

_SURE = 0.5
Votes = Counter[tuple[str, str]]


def in_names_of(found: list[ast.stmt], wanted: list[ast.stmt]) -> list[ast.stmt]:
    """`wanted` with its local names changed to those that `found` gives to the same things.

    Only a name that the answer never uses gives way, and only to one that the reference never
    uses; which one is put to the vote among the places where they stand for each other.
    """
    mine, theirs = _names(found), _names(wanted)
    ours, others = _bound(found) - theirs, _bound(wanted) - mine
    if not ours or not others:
        return wanted
    blank = _renamed(found, dict.fromkeys(ours, "_")), _renamed(wanted, dict.fromkeys(others, "_"))
    votes = Votes(
        (mine, theirs)
        for mine, theirs in _counterparts(found, wanted, *blank)
        if mine in ours and theirs in others
    )
    return _renamed(wanted, _elected(votes))


def _elected(votes: Votes) -> dict[str, str]:
    names: dict[str, str] = {}
    for (mine, theirs), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])):
        if theirs not in names and mine not in names.values():
            names[theirs] = mine
    return names


def _counterparts(
    found: Sequence[ast.stmt],
    wanted: Sequence[ast.stmt],
    blank_found: Sequence[ast.stmt],
    blank_wanted: Sequence[ast.stmt],
) -> Iterator[tuple[str, str]]:
    """Pairs of names that stand at the same place of statements that stand for each other."""
    originals = {id(b): a for a, b in zip(found, blank_found, strict=True)}
    originals |= {id(b): a for a, b in zip(wanted, blank_wanted, strict=True)}
    for pair in align(blank_found, blank_wanted):
        if pair.found is not None and pair.wanted is not None and pair.likeness >= _SURE:
            yield from _parallel(originals[id(pair.found)], originals[id(pair.wanted)])


def _parallel(mine: object, theirs: object) -> Iterator[tuple[str, str]]:
    if isinstance(mine, list) and isinstance(theirs, list):
        for parts in zip(mine, theirs, strict=False):
            yield from _parallel(*parts)
    elif isinstance(mine, ast.AST) and type(mine) is type(theirs):
        yield from zip(_own_names(mine), _own_names(theirs), strict=False)
        for field in mine._fields:
            yield from _parallel(getattr(mine, field, None), getattr(theirs, field, None))


def _own_names(node: object) -> list[str]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return [name]
        case ast.FunctionDef(name=name) | ast.ExceptHandler(name=str() as name):
            return [name]
    return []


def _names(body: Sequence[ast.stmt]) -> set[str]:
    return {name for node in body for part in ast.walk(node) for name in _own_names(part)}


def _bound(body: Sequence[ast.stmt]) -> set[str]:
    return {
        name
        for node in body
        for part in ast.walk(node)
        if not (isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
        for name in _own_names(part)
    }


def _renamed(body: list[ast.stmt], names: Mapping[str, str]) -> list[ast.stmt]:
    if not names:
        return body
    renaming = _Renaming(names)
    return [renaming.visit(node) for node in copy.deepcopy(body)]


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self._names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name is not None:
            node.name = self._names.get(node.name, node.name)
        return self.generic_visit(node)
