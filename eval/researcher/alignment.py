"""Two runs of statements → which one stands for which, in order, by likeness."""

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from recodeh.eval.researcher.canonical import key

_LEAST = 0.35
_SAME_ROLE = 0.5
_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)
_Bag = Counter[str]


@dataclass(frozen=True)
class Pair:
    """A statement of the answer beside one of the reference; None where there is none."""

    found: ast.stmt | None
    wanted: ast.stmt | None
    likeness: float = 0.0
    same: bool = False
    """They have equal keys; False says nothing."""


def align(found: Sequence[ast.stmt], wanted: Sequence[ast.stmt]) -> list[Pair]:
    """The pairs of the alignment with the greatest likeness, in order; none is left out.

    Statements that have nothing to do with each other are left single, except where as many are
    left on both sides of a gap: those are taken to stand for each other.
    """
    keys = [key(node) for node in found], [key(node) for node in wanted]
    head = _common(*keys)
    tail = _common(keys[0][head:][::-1], keys[1][head:][::-1])
    inner = _aligned(found[head : len(found) - tail], wanted[head : len(wanted) - tail])
    same = [Pair(*pair, 1.0, True) for pair in zip(found[:head], wanted[:head], strict=True)]
    last = zip(found[len(found) - tail :], wanted[len(wanted) - tail :], strict=True)
    return [*same, *_joined(inner), *(Pair(*pair, 1.0, True) for pair in last)]


def alikeness(pairs: Sequence[Pair]) -> float:
    """How much of two runs stands for each other: 1 for equal runs, 0 for strangers."""
    weights = [(_weight(pair), pair.likeness) for pair in pairs]
    total = sum(weight for weight, _ in weights)
    return sum(weight * likeness for weight, likeness in weights) / total if total else 1.0


def likeness(found: ast.stmt, wanted: ast.stmt, bags: tuple[_Bag, _Bag]) -> float:
    """The share of names, constants and node types that two statements have in common."""
    mine, theirs = bags
    shared = 2 * (mine & theirs).total() / ((mine.total() + theirs.total()) or 1)
    if not _same_type(found, wanted):
        return shared / 2
    return max(shared, _SAME_ROLE) if _role(found) == _role(wanted) else shared


def _aligned(found: Sequence[ast.stmt], wanted: Sequence[ast.stmt]) -> list[Pair]:
    """The longest common subsequence, weighted by likeness."""
    bags = [_bag(node) for node in found], [_bag(node) for node in wanted]
    alike = [
        [likeness(mine, theirs, (bags[0][i], bags[1][j])) for j, theirs in enumerate(wanted)]
        for i, mine in enumerate(found)
    ]
    best = [[0.0] * (len(wanted) + 1) for _ in range(len(found) + 1)]
    for i in reversed(range(len(found))):
        for j in reversed(range(len(wanted))):
            match = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= _LEAST else 0.0
            best[i][j] = max(match, best[i + 1][j], best[i][j + 1])
    return _path(found, wanted, alike, best)


def _path(
    found: Sequence[ast.stmt],
    wanted: Sequence[ast.stmt],
    alike: list[list[float]],
    best: list[list[float]],
) -> list[Pair]:
    i = j = 0
    pairs = []
    while i < len(found) and j < len(wanted):
        if alike[i][j] >= _LEAST and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append(Pair(found[i], wanted[j], alike[i][j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            pairs.append(Pair(found[i], None))
            i += 1
        else:
            pairs.append(Pair(None, wanted[j]))
            j += 1
    rest = [Pair(node, None) for node in found[i:]] + [Pair(None, node) for node in wanted[j:]]
    return pairs + rest


def _joined(pairs: list[Pair]) -> list[Pair]:
    """Pair the singles of a gap where both sides have as many of them."""
    joined: list[Pair] = []
    gap: list[Pair] = []
    for pair in [*pairs, None]:
        if pair is not None and (pair.found is None or pair.wanted is None):
            gap.append(pair)
            continue
        joined += _closed(gap)
        gap = []
        if pair is not None:
            joined.append(pair)
    return joined


def _closed(gap: list[Pair]) -> list[Pair]:
    mine = [pair.found for pair in gap if pair.found is not None]
    theirs = [pair.wanted for pair in gap if pair.wanted is not None]
    moved = {key(node) for node in mine} & {key(node) for node in theirs}
    if len(mine) != len(theirs) or moved:
        return gap
    return [Pair(*pair) for pair in zip(mine, theirs, strict=True)]


def _common(mine: Sequence[str], theirs: Sequence[str]) -> int:
    """How many keys two sequences have in common at their start."""
    pairs = enumerate(zip(mine, theirs, strict=False))
    different = (at for at, (first, second) in pairs if first != second)
    return next(different, min(len(mine), len(theirs)))


def _same_type(found: ast.stmt, wanted: ast.stmt) -> bool:
    if isinstance(found, _ASSIGNMENTS) and isinstance(wanted, _ASSIGNMENTS):
        return True
    return type(found) is type(wanted)


def _role(node: ast.stmt) -> str:
    match node:
        case ast.Return():
            return "return"
        case ast.Assign(targets=[ast.Name(id="_")]):
            return f"unlike {id(node)}"  # a name that was blanked out says nothing
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            return f"assign {key(target)}"
        case ast.AnnAssign(target=target):
            return f"assign {key(target)}"
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return f"define {name}"
    return f"unlike {id(node)}"


def _bag(node: ast.stmt) -> _Bag:
    return Counter(filter(None, map(_label, ast.walk(node))))


def _label(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.keyword(arg=str() as name):
            return name
        case ast.Attribute(attr=name) | ast.FunctionDef(name=name):
            return f".{name}"
        case ast.Constant(value=value):
            return repr(value)
        case ast.expr_context() | ast.Module():
            return ""
    return f"<{type(node).__name__}>"


def _weight(pair: Pair) -> int:
    nodes = [node for node in (pair.found, pair.wanted) if node is not None]
    return sum(sum(1 for _ in ast.walk(node)) for node in nodes)
