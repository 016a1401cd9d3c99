"""Changes with their cost, and how the plainest of them are worded."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from recodeh.eval.researcher.phrases import Change, Kind
from recodeh.eval.researcher.words import COMPARISONS, quote, value


@dataclass(frozen=True)
class Role:
    """What an expression is for; it decides what a difference is called."""

    name: str = "value"
    """`value`, `index`, `function`, `target` or `keyword`."""
    keyword: str = ""


@dataclass(frozen=True)
class Script:
    """Changes and what they cost together."""

    cost: float = 0.0
    changes: tuple[Change, ...] = ()

    def __add__(self, other: "Script") -> "Script":
        return Script(self.cost + other.cost, self.changes + other.changes)


VALUE, INDEX, FUNCTION = Role(), Role("index"), Role("function")
SAME = Script()
LEAST = 1
_HEAVIER = {  # a slip on one node is likelier than two of these that add up to the same
    Kind.TERM_MISSING,
    Kind.TERM_EXTRA,
    Kind.CALL_MISSING,
    Kind.CALL_EXTRA,
    Kind.CONDITION_MISSING,
    Kind.CONDITION_EXTRA,
    Kind.ARGUMENT_MISSING,
    Kind.ARGUMENT_EXTRA,
}
_KINDS = {
    "index": Kind.INDEX,
    "function": Kind.FUNCTION,
    "target": Kind.TARGET,
    "keyword": Kind.KEYWORD,
}


def attribute(found: ast.Attribute, wanted: ast.Attribute, role: Role) -> Change:
    """Another attribute of the same value; of a called one it is another function."""
    kind = Kind.FUNCTION if role.name == "function" else Kind.ATTRIBUTE
    return Change(kind, found=quote(found.attr), wanted=quote(wanted.attr))


def instead(kind: Kind, found: ast.AST, wanted: ast.AST, role: Role) -> Change:
    """`wanted` in place of `found`, under the name that its role gives it before its kind."""
    kind = _KINDS.get(role.name, kind)
    by = f"`{role.keyword}`" if kind is Kind.KEYWORD else ""
    return Change(kind, found=quote(found), wanted=value(wanted), by=by)


def replaced(found: ast.AST, wanted: ast.AST, role: Role, cost: float) -> Script:
    """The whole expression written anew."""
    return Script(cost, (instead(Kind.EXPRESSION, found, wanted, role),))


def tested(found: ast.cmpop, wanted: ast.cmpop) -> Script:
    """One comparison in place of another."""
    if type(found) is type(wanted):
        return SAME
    words = COMPARISONS[type(found)], COMPARISONS[type(wanted)]
    return one(Change(Kind.COMPARISON, found=words[0], wanted=words[1]))


def one(change: Change, weight: int = 1) -> Script:
    """A script of one change; the more expressions it concerns, the more it weighs."""
    cost = LEAST + (change.kind in _HEAVIER) / 4
    return Script(cost + (weight - 1) / 8, (change,))


def added(scripts: Iterable[Script]) -> Script:
    """All changes of several scripts."""
    total = SAME
    for script in scripts:
        total += script
    return total
