"""Statements that the feedback shows (level 4) put in place of those that it names."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from recodeh.eval.researcher.phrases import Place, Relation
from recodeh.eval.researcher.syntax import Region, Unparsable, blocks, parse, render, statements

_FIELDS = {"body": "body", "else part": "orelse", "final part": "finalbody"}
_HEADED = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.FunctionDef)


@dataclass(frozen=True)
class Correction:
    """Code and where it belongs."""

    place: Place
    code: str


def corrected(code: str, corrections: Iterable[Correction]) -> str:
    """`code` with every correction that can be understood put where it belongs."""
    region = parse(code)
    body = list(region.body)
    at_line = {statement.lineno: statement for statement in statements(body)}
    filled: Counter[Place] = Counter()
    for correction in corrections:
        new, place = _statements(correction.code), correction.place
        if new is None:
            continue
        if place.relation is Relation.WHOLE:
            body = new
        elif place.relation is Relation.TOP:
            _insert(body, filled[place], new)
        elif (statement := at_line.get(place.line)) is not None:
            _place(body, statement, place, new, filled[place])
            if place.relation is Relation.AT and new:
                at_line[place.line] = new[0]
        filled[place] += len(new)
    return render(Region(body or [ast.Pass()], region.indent))


def _place(
    body: list[ast.stmt], statement: ast.stmt, place: Place, new: list[ast.stmt], filled: int
) -> None:
    """Put `new` at, behind or inside a statement, after the `filled` ones put there before."""
    if place.relation is Relation.INSIDE:
        _insert(_block(statement, place.block), filled, new)
        return
    home, at = _home(body, statement)
    if place.relation is Relation.AFTER:
        _insert(home, at + 1 + filled, new)
    elif len(new) == 1 and _is_header(new[0], statement):
        vars(new[0]).update({name: getattr(statement, name) for name in _kept(statement)})
        home[at] = new[0]
    else:
        home[at : at + 1] = new or [ast.Pass()]


def _insert(block: list[ast.stmt], at: int, new: list[ast.stmt]) -> None:
    block[at:at] = new


def _is_header(new: ast.stmt, old: ast.stmt) -> bool:
    """The correction shows the first line only, and the statements below it stay."""
    shown = getattr(new, "body", None)
    return (
        isinstance(new, _HEADED)
        and type(new) is type(old)
        and isinstance(shown, list)
        and all(isinstance(node, ast.Pass) for node in shown)
    )


def _kept(statement: ast.stmt) -> list[str]:
    return [field for field in ("body", "orelse") if hasattr(statement, field)]


def _block(statement: ast.stmt, name: str) -> list[ast.stmt]:
    for block in blocks(statement):
        if block.name == name:
            return block.body
    fresh: list[ast.stmt] = []
    field = _FIELDS.get(name, "body")
    if hasattr(statement, field):
        setattr(statement, field, fresh)
    return fresh


def _home(body: list[ast.stmt], statement: ast.stmt) -> tuple[list[ast.stmt], int]:
    """The block that a statement is in, and its place there; past the end where it is in none."""
    for block in _all_blocks(body):
        for at, node in enumerate(block):
            if node is statement:
                return block, at
    return body, len(body)


def _all_blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    yield body
    for statement in statements(body):
        yield from (block.body for block in blocks(statement))


def _statements(code: str) -> list[ast.stmt] | None:
    """The statements of a correction; a first line alone gets an empty block; else None."""
    try:
        return parse(code).body
    except Unparsable:
        pass
    try:
        return parse(f"{code}\n    pass").body
    except Unparsable:
        return None
