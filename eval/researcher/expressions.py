"""Two expressions → the smallest changes, in words, that make the first one the second.

A small tree edit: where two nodes differ, each way to bring them together (field by field, one of
them wrapped in a sign, a call, a term or a condition, or replaced as a whole) has a cost, and the
cheapest wins. Independent faults in one statement are therefore reported one by one.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from recodeh.eval.researcher.canonical import constant, key
from recodeh.eval.researcher.phrases import Change, Kind
from recodeh.eval.researcher.script import (
    FUNCTION,
    INDEX,
    LEAST,
    SAME,
    VALUE,
    Role,
    Script,
    added,
    attribute,
    instead,
    one,
    replaced,
    tested,
)
from recodeh.eval.researcher.words import JOINS, OPERATIONS, quote, size, value
from recodeh.eval.researcher.wrappings import NEGATED, condition_on, wrappings

_FLIPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}


class Expressions:
    """Compares expressions, each pair of nodes once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, Role], Script] = {}
        # The node is kept, too: its id must stay its own.
        self._facts: dict[int, tuple[ast.AST, str, int]] = {}

    def compare(self, found: ast.AST, wanted: ast.AST, role: Role = VALUE) -> Script:
        """The cheapest script that turns `found` into `wanted`."""
        if self._key(found) == self._key(wanted):
            return SAME
        pair = (id(found), id(wanted), role)
        if pair not in self._known:
            self._known[pair] = self._cheapest(found, wanted, role)
        return self._known[pair]

    def _cheapest(self, found: ast.AST, wanted: ast.AST, role: Role) -> Script:
        best = None
        # What it costs to write all of it anew.
        limit = 2 + (self._size(found) + self._size(wanted)) / 4
        for script in self._ways(found, wanted, role):
            if script.cost <= limit and (best is None or script.cost < best.cost):
                best = script
            if best is not None and best.cost <= LEAST:
                break
        return best or replaced(found, wanted, role, limit)

    def _ways(self, found: ast.AST, wanted: ast.AST, role: Role) -> Iterator[Script]:
        if _is_simple(found) and _is_simple(wanted):
            yield from self._references(found, wanted, role)
            return
        if type(found) is type(wanted):
            yield from self._alike(found, wanted, role)
        for child, change in wrappings(found, missing=False):
            yield one(change, self._beside(child, found)) + self.compare(child, wanted)
        for child, change in wrappings(wanted, missing=True):
            yield one(change, self._beside(child, wanted)) + self.compare(found, child)

    def _references(self, found: ast.AST, wanted: ast.AST, role: Role) -> Iterator[Script]:
        match found, wanted:
            case ast.Attribute(), ast.Attribute():
                inner = self.compare(found.value, wanted.value)
                if found.attr == wanted.attr:
                    yield inner
                else:
                    yield one(attribute(found, wanted, role)) + inner
        if constant(found) is None or constant(wanted) is None:
            yield one(instead(Kind.NAME, found, wanted, role))
        else:
            yield one(instead(Kind.CONSTANT, found, wanted, role))

    def _alike(self, found: ast.AST, wanted: ast.AST, role: Role) -> Iterator[Script]:
        match found, wanted:
            case ast.BinOp(), ast.BinOp():
                yield from self._operations(found, wanted)
            case ast.Compare(), ast.Compare():
                yield from self._comparisons(found, wanted)
            case ast.BoolOp(), ast.BoolOp():
                yield self._conditions(found, wanted)
            case ast.Call(), ast.Call():
                yield from self._calls(found, wanted)
            case ast.Subscript(), ast.Subscript():
                yield self.compare(found.value, wanted.value) + self.compare(
                    found.slice, wanted.slice, INDEX
                )
            case ast.IfExp(), ast.IfExp():
                yield from self._choices(found, wanted)
            case _:
                yield from self._fields(found, wanted, role)

    def _operations(self, found: ast.BinOp, wanted: ast.BinOp) -> Iterator[Script]:
        words = [OPERATIONS[type(node.op)] for node in (found, wanted)]
        change = Change(Kind.OPERATOR, found=words[0], wanted=words[1])
        yield (
            (SAME if words[0] == words[1] else one(change))
            + self.compare(found.left, wanted.left)
            + self.compare(found.right, wanted.right)
        )
        if words[0] == words[1]:
            yield (
                one(Change(Kind.OPERANDS, of=words[0]))
                + self.compare(found.left, wanted.right)
                + self.compare(found.right, wanted.left)
            )

    def _comparisons(self, found: ast.Compare, wanted: ast.Compare) -> Iterator[Script]:
        if len(found.ops) != len(wanted.ops):
            return
        ops = zip(found.ops, wanted.ops, strict=True)
        sides = [found.left, *found.comparators], [wanted.left, *wanted.comparators]
        yield added(tested(*pair) for pair in ops) + self._pairwise(*sides)
        if len(found.ops) == 1 and (flipped := _FLIPS.get(type(wanted.ops[0]))):
            turned = tested(found.ops[0], flipped())
            yield turned + self._pairwise(sides[0], sides[1][::-1])

    def _conditions(self, found: ast.BoolOp, wanted: ast.BoolOp) -> Script:
        words = [JOINS[type(node.op)] for node in (found, wanted)]
        change = Change(Kind.BOOLEAN, found=words[0], wanted=words[1])
        joined = SAME if words[0] == words[1] else one(change)
        return joined + self._listed(
            found.values,
            wanted.values,
            lambda node, _: Change(Kind.CONDITION_MISSING, wanted=condition_on(node)),
            lambda node, _: Change(Kind.CONDITION_EXTRA, found=condition_on(node)),
        )

    def _calls(self, found: ast.Call, wanted: ast.Call) -> Iterator[Script]:
        name = quote(wanted.func)
        rest = self.compare(found.func, wanted.func, FUNCTION) + self._keywords(found, wanted)
        yield rest + self._listed(
            found.args,
            wanted.args,
            lambda node, at: Change(
                Kind.ARGUMENT_MISSING, wanted=value(node), of=name, by=str(at + 1)
            ),
            lambda node, at: Change(
                Kind.ARGUMENT_EXTRA, found=value(node), of=name, by=str(at + 1)
            ),
        )
        if 2 <= len(found.args) == len(wanted.args) <= 6:
            for first, second in combinations(range(len(found.args)), 2):
                swapped = list(found.args)
                swapped[first], swapped[second] = swapped[second], swapped[first]
                change = Change(Kind.ARGUMENTS, of=name, wanted=f"{first + 1} and {second + 1}")
                yield rest + one(change) + self._pairwise(swapped, wanted.args)

    def _keywords(self, found: ast.Call, wanted: ast.Call) -> Script:
        mine = {keyword.arg or "**": keyword.value for keyword in found.keywords}
        theirs = {keyword.arg or "**": keyword.value for keyword in wanted.keywords}
        of = quote(wanted.func)
        return (
            added(
                self.compare(mine[name], theirs[name], Role("keyword", name))
                for name in mine
                if name in theirs
            )
            + added(
                one(Change(Kind.KEYWORD_MISSING, wanted=value(node), of=of, by=f"`{name}`"))
                for name, node in theirs.items()
                if name not in mine
            )
            + added(
                one(Change(Kind.KEYWORD_EXTRA, of=of, by=f"`{name}`"))
                for name in mine
                if name not in theirs
            )
        )

    def _choices(self, found: ast.IfExp, wanted: ast.IfExp) -> Iterator[Script]:
        test = self.compare(found.test, wanted.test)
        mine, theirs = [found.body, found.orelse], [wanted.body, wanted.orelse]
        yield test + self._pairwise(mine, theirs)
        change = Change(Kind.NEGATION, of=quote(found.test), wanted=NEGATED)
        yield one(change) + test + self._pairwise(mine, theirs[::-1])

    def _fields(self, found: ast.AST, wanted: ast.AST, role: Role) -> Iterator[Script]:
        inner = role if isinstance(found, ast.Tuple | ast.Slice) else VALUE
        total = SAME
        for name in found._fields:
            mine, theirs = getattr(found, name, None), getattr(wanted, name, None)
            if self._field_key(mine) == self._field_key(theirs):
                continue
            if isinstance(mine, ast.AST) and isinstance(theirs, ast.AST):
                total += self.compare(mine, theirs, inner)
            elif (pairs := _paired(mine, theirs)) is not None:
                total += added(self.compare(*pair, inner) for pair in pairs)
            else:
                return
        if len(total.changes) > 1 and {part.kind for part in total.changes} == {Kind.INDEX}:
            yield one(instead(Kind.INDEX, found, wanted, role))  # its parts hang together
        elif total.changes:
            yield total

    def _listed(
        self,
        found: Sequence[ast.expr],
        wanted: Sequence[ast.expr],
        missing: Callable[[ast.expr, int], Change],
        extra: Callable[[ast.expr, int], Change],
    ) -> Script:
        """Two lists of parts: pair by pair, with what one of them has more at its cheapest."""
        if len(found) == len(wanted):
            return self._pairwise(found, wanted)
        if len(found) < len(wanted):
            return min(
                (
                    one(missing(node, at), size(node))
                    + self._listed(found, _without(wanted, at), missing, extra)
                    for at, node in _droppable(wanted, found)
                ),
                key=lambda script: script.cost,
            )
        return min(
            (
                one(extra(node, at), size(node))
                + self._listed(_without(found, at), wanted, missing, extra)
                for at, node in _droppable(found, wanted)
            ),
            key=lambda script: script.cost,
        )

    def _pairwise(
        self, found: Sequence[ast.AST], wanted: Sequence[ast.AST], role: Role = VALUE
    ) -> Script:
        return added(self.compare(*pair, role) for pair in zip(found, wanted, strict=True))

    def _field_key(self, part: object) -> str:
        return self._key(part) if isinstance(part, ast.AST) else key(part)

    def _key(self, node: ast.AST) -> str:
        return self._known_facts(node)[1]

    def _size(self, node: ast.AST) -> int:
        return self._known_facts(node)[2]

    def _beside(self, child: ast.AST, node: ast.AST) -> int:
        """How much a wrapping holds beside what it wraps, the name of a called function aside."""
        named = node.func if isinstance(node, ast.Call) and child is not node.func else None
        rest = self._size(node) - self._size(child) - 1
        is_method = isinstance(named, ast.Attribute) and child is named.value
        return max(rest - (self._size(named) if named and not is_method else is_method), 1)

    def _known_facts(self, node: ast.AST) -> tuple[ast.AST, str, int]:
        if id(node) not in self._facts:
            self._facts[id(node)] = node, key(node), size(node)
        return self._facts[id(node)]


def _is_simple(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) or constant(node) is not None


def _paired(mine: object, theirs: object) -> list[tuple[ast.AST, ast.AST]] | None:
    """Two lists of as many nodes as pairs; None for anything else."""
    if not isinstance(mine, list) or not isinstance(theirs, list) or len(mine) != len(theirs):
        return None
    pairs = list(zip(mine, theirs, strict=True))
    return pairs if all(isinstance(node, ast.AST) for pair in pairs for node in pair) else None


def _droppable(
    longer: Sequence[ast.expr], shorter: Sequence[ast.expr]
) -> Iterable[tuple[int, ast.expr]]:
    """Where a part may be taken out; far too long lists lose their last part only."""
    parts = list(enumerate(longer))
    return parts if len(longer) <= 6 and len(longer) - len(shorter) <= 2 else parts[-1:]


def _without(parts: Sequence[ast.expr], at: int) -> list[ast.expr]:
    return [part for index, part in enumerate(parts) if index != at]
