"""An answer and the reference → what differs, where in the answer, and the statement that is right.

Statements are aligned block by block; in a pair that differs, the smallest differing parts are
named. Where the two have little in common, the answer as a whole is what differs.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace

from recodeh.eval.researcher.alignment import Pair, align, alikeness
from recodeh.eval.researcher.canonical import kept, key
from recodeh.eval.researcher.expressions import Expressions
from recodeh.eval.researcher.naming import in_names_of
from recodeh.eval.researcher.phrases import Change, Kind, Place, Relation
from recodeh.eval.researcher.script import Role
from recodeh.eval.researcher.syntax import Block, Unparsable, blocks, parse
from recodeh.eval.researcher.words import OPERATIONS, deed, quote, size, statement

_STRANGERS, _FEW = 0.35, 3
_SIDE_MATTERS = (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom)
LEFT_OUT = "# no statement here"


@dataclass(frozen=True)
class Difference:
    """One thing that differs from the reference."""

    change: Change
    place: Place
    correction: str
    """The statement that is right, in the answer's own names; a comment where none belongs."""
    aside: bool = False
    """It is not likely to change what is computed: an import, what is raised, one more name."""


def differences(submission: str, reference: str) -> tuple[Difference, ...]:
    """What differs, in the order of the answer.

    Raises Unparsable when one of the two is not Python.
    """
    found, wanted = kept(parse(submission).body), kept(parse(reference).body)
    try:
        return tuple(_differences(found, wanted))
    except RecursionError as error:
        # An expression deeper than Python's own stack parses, but cannot be walked.
        raise Unparsable("it is nested too deeply") from error


def header_changes(found: ast.stmt, wanted: ast.stmt) -> tuple[Change, ...] | None:
    """What differs in two statements but for their blocks; None when they are of two sorts."""
    return _Blocks().changes(found, wanted)


def _differences(found: list[ast.stmt], wanted: list[ast.stmt]) -> Iterator[Difference]:
    wanted = in_names_of(found, wanted)
    pairs = align(found, wanted)
    long = max(len(found), len(wanted)) > _FEW
    if not found or (long and alikeness(pairs) < _STRANGERS):
        yield _whole(wanted)
    else:
        yield from _Blocks().compare(pairs, Place(Relation.TOP))


def _whole(wanted: list[ast.stmt]) -> Difference:
    steps = "; ".join(f"one that {deed(node)}" for node in wanted[:12])
    text = ast.unparse(ast.Module(body=wanted, type_ignores=[]))
    return Difference(Change(Kind.BODY, wanted=steps or "none"), Place(Relation.WHOLE), text)


class _Blocks:
    """Compares blocks, those inside statements included."""

    def __init__(self) -> None:
        self._expressions = Expressions()

    def compare(self, pairs: list[Pair], start: Place) -> Iterator[Difference]:
        gap = start
        for pair in pairs:
            yield from self._pair(pair, gap, pairs)
            if pair.found is not None:
                gap = _after(pair.found)

    def _pair(self, pair: Pair, gap: Place, pairs: list[Pair]) -> Iterator[Difference]:
        match pair:
            case Pair(found=ast.stmt() as found, wanted=ast.stmt() as wanted):
                if not pair.same and key(found) != key(wanted):
                    yield from self._statement(found, wanted)
            case Pair(found=ast.stmt() as found):
                yield from _extra(found, pairs)
            case Pair(wanted=ast.stmt() as wanted):
                yield from _missing(wanted, gap, pairs)

    def _statement(self, found: ast.stmt, wanted: ast.stmt) -> Iterator[Difference]:
        changes = self.changes(found, wanted)
        place, aside = _at(found), isinstance(found, _SIDE_MATTERS)
        if changes is None or _scattered(changes, wanted):
            change = Change(Kind.STATEMENT, wanted=deed(wanted))
            whole = ast.unparse(wanted) if changes is None else header(wanted)
            yield Difference(change, place, whole, aside)
        else:
            right = header(wanted)
            yield from (Difference(change, place, right, aside) for change in changes)
        if changes is not None:
            yield from self._inside(found, wanted)

    def _inside(self, found: ast.stmt, wanted: ast.stmt) -> Iterator[Difference]:
        mine = {block.name: block for block in blocks(found)}
        theirs = {block.name: block for block in blocks(wanted)}
        for name in dict.fromkeys([*mine, *theirs]):
            start = replace(_at(found), relation=Relation.INSIDE, block=name)
            empty = Block(name, [])
            bodies = (kept(part.get(name, empty).body) for part in (mine, theirs))
            yield from self.compare(align(*bodies), start)

    def changes(self, found: ast.stmt, wanted: ast.stmt) -> tuple[Change, ...] | None:
        """What differs in two statements but for their blocks; None when they are of two sorts."""
        match found, wanted:
            case ast.AugAssign(), ast.AugAssign():
                return self._updates(found, wanted)
            case (ast.AugAssign(), _) | (_, ast.AugAssign()):
                return self._in_place(found, wanted)
            case ast.AnnAssign(), _:
                return self.changes(_plain(found), wanted)
            case _, ast.AnnAssign():
                return self.changes(found, _plain(wanted))
        if type(found) is not type(wanted):
            return None
        return self._headers(found, wanted)

    def _headers(self, found: ast.stmt, wanted: ast.stmt) -> tuple[Change, ...] | None:
        changes: tuple[Change, ...] = ()
        for name in found._fields:
            if name in ("body", "orelse", "finalbody", "handlers", "cases", "type_comment"):
                continue
            mine, theirs = (_nodes(getattr(node, name, None)) for node in (found, wanted))
            if mine is None or theirs is None or len(mine) != len(theirs):
                if key(getattr(found, name, None)) != key(getattr(wanted, name, None)):
                    return None
                continue
            role = Role("target") if name in ("target", "targets") else Role()
            for pair in zip(mine, theirs, strict=True):
                changes += self._expressions.compare(*pair, role).changes
        return changes if _parts(found) == _parts(wanted) else None

    def _updates(self, found: ast.AugAssign, wanted: ast.AugAssign) -> tuple[Change, ...]:
        words = OPERATIONS[type(found.op)], OPERATIONS[type(wanted.op)]
        change = Change(Kind.OPERATOR, found=words[0], wanted=words[1])
        return (
            *self._expressions.compare(found.target, wanted.target, Role("target")).changes,
            *([change] if words[0] != words[1] else []),
            *self._expressions.compare(found.value, wanted.value).changes,
        )

    def _in_place(self, found: ast.stmt, wanted: ast.stmt) -> tuple[Change, ...] | None:
        """An update in place beside a plain assignment."""
        mine, theirs = _plain(found), _plain(wanted)
        if not isinstance(mine, ast.Assign) or not isinstance(theirs, ast.Assign):
            return None
        if isinstance(found, ast.AugAssign):
            wish = f"assign a new value to {quote(found.target)} instead of changing it in place"
        else:
            wish = f"change {quote(theirs.targets[0])} in place instead of assigning a new value"
        rest = self._headers(mine, theirs)
        return None if rest is None else (Change(Kind.IN_PLACE, wanted=wish), *rest)


def header(node: ast.stmt) -> str:
    """A statement as text; of a compound one only its first line, where it has just one."""
    one_line = isinstance(getattr(node, "body", None), list)
    if not one_line or isinstance(node, ast.Try | ast.ClassDef):
        return ast.unparse(node)
    shell = copy.copy(node)
    vars(shell).update(body=[ast.Pass()], orelse=[])
    return ast.unparse(shell).rsplit("\n", 1)[0]


def _scattered(changes: tuple[Change, ...], wanted: ast.stmt) -> bool:
    """So much of a statement differs that its parts are not worth naming."""
    return len(changes) > _FEW or (len(changes) == _FEW and size(wanted) < 4 * _FEW)


def _missing(wanted: ast.stmt, gap: Place, pairs: list[Pair]) -> Iterator[Difference]:
    if any(_is_moved(pair.found, wanted) for pair in pairs if pair.wanted is None):
        return
    kind = Kind.RETURN_MISSING if isinstance(wanted, ast.Return) else Kind.MISSING
    change = Change(kind, wanted=deed(wanted))
    yield Difference(change, gap, ast.unparse(wanted), isinstance(wanted, _SIDE_MATTERS))


def _extra(found: ast.stmt, pairs: list[Pair]) -> Iterator[Difference]:
    if isinstance(found, ast.Import | ast.ImportFrom):
        return
    for at, pair in enumerate(pairs):
        if pair.found is None and _is_moved(found, pair.wanted):
            yield _moved(found, at, pairs)
            return
    aside = isinstance(found, _SIDE_MATTERS) or _is_step_between(found)
    yield Difference(Change(Kind.EXTRA), _at(found), LEFT_OUT, aside)


def _is_step_between(found: ast.stmt) -> bool:
    """A value that only gets a name of its own does no harm by itself."""
    return isinstance(found, ast.Assign) and all(isinstance(t, ast.Name) for t in found.targets)


def _moved(found: ast.stmt, at: int, pairs: list[Pair]) -> Difference:
    before = [pair for pair in pairs[:at] if pair.found is not None and pair.found is not found]
    if before and (node := before[-1].found) is not None:
        wish = f"to just after the {statement(node)} (line {node.lineno} of the answer)"
    else:
        wish = "to the start of its block"
    lines = [ast.unparse(pair.wanted) for pair in pairs[max(at - 1, 0) : at + 1] if pair.wanted]
    return Difference(Change(Kind.ORDER, wanted=wish), _at(found), "\n".join(lines))


def _is_moved(found: ast.stmt | None, wanted: ast.stmt | None) -> bool:
    return found is not None and wanted is not None and key(found) == key(wanted)


def _at(node: ast.stmt) -> Place:
    return Place(Relation.AT, node.lineno, statement(node))


def _after(node: ast.stmt) -> Place:
    return Place(Relation.AFTER, node.lineno, statement(node))


def _plain(node: ast.stmt) -> ast.stmt:
    """Any assignment of one value as a plain one."""
    match node:
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return ast.copy_location(ast.Assign(targets=[target], value=value), node)
        case ast.AugAssign(target=target, op=op, value=value):
            whole = ast.copy_location(ast.BinOp(left=target, op=op, right=value), node)
            return ast.copy_location(ast.Assign(targets=[target], value=whole), node)
    return node


def _nodes(part: object) -> list[ast.AST] | None:
    """A field as the nodes in it; None when it holds something else."""
    if part is None:
        return []
    if isinstance(part, ast.AST):
        return [part]
    if isinstance(part, list) and all(isinstance(node, ast.AST) for node in part):
        return part
    return None


def _parts(node: ast.stmt) -> list[str]:
    """What decides which blocks a statement has, apart from their statements."""
    handlers = [key(handler.type) for handler in getattr(node, "handlers", [])]
    return [*handlers, *(key(case.pattern) for case in getattr(node, "cases", []))]
