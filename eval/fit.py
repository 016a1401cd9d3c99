"""Fit a block of code into a task's placeholder: as it is, moved, or cut out of a larger answer."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from recodeh.data.errors import MaskError
from recodeh.eval.hole import filling, without_docstrings
from recodeh.eval.indent import first_indent, reindent
from recodeh.eval.place import Definition, Place, parse, same

Statements = Sequence[ast.stmt]
_DEFINES = re.compile(r"\b(?:def|class)\b")
"""A block without a definition repeats none, and need not be taken apart."""


@dataclass(frozen=True)
class Fitted:
    """The region's text, and what had to be done to the block to get it."""

    code: str
    repairs: tuple[str, ...] = ()
    defines: bool = False
    """Whether the block named its target by repeating the definition around the region."""


def fit(block: str, place: Place) -> Fitted:
    """The region in `block`, indented, with a final newline, parsing in its file.

    Raises MaskError when there is none, or more than one way to read it.
    """
    block = block.strip("\n").rstrip() + "\n"
    bare, tree = _module(block) if _DEFINES.search(block) else (block, None)
    if all(not line.strip() or line.lstrip().startswith("#") for line in block.split("\n")):
        raise MaskError("the block holds no statement")
    around = _definition(tree, place) if tree else None
    if tree and around:
        return _cut_out(bare, tree, around, place)
    if tree and _repeats_more(tree, place):
        return _picked(bare, tree, place)
    return _in_place(block, place)


def _module(block: str) -> tuple[str, ast.Module | None]:
    """The block at the left margin, and its tree when it parses on its own."""
    try:
        bare = reindent(block, "")
        return bare, parse(bare)
    except MaskError:
        return block, None


def _in_place(block: str, place: Place) -> Fitted:
    """The block as it is or moved as one, else with only its first line moved."""
    problems = []
    for repair, change in _CHANGES.items():
        try:
            code = change(block, place.indent)
            place.check(code)
        except MaskError as error:
            problems.append(error)
            continue
        return Fitted(code, () if code == block else (repair,))
    raise problems[0]


def _first_line(block: str, indent: str) -> str:
    """For blocks whose first line lost its white space, as when an answer was stripped."""
    first, _, rest = block.partition("\n")
    if not first_indent(rest).startswith(indent or " "):
        raise MaskError("the block is not indented as one")
    return f"{indent}{first.lstrip()}\n{rest}"


_CHANGES: dict[str, Callable[[str, str], str]] = {
    "moved to the placeholder's indentation": reindent,
    "moved the first line to the placeholder's indentation": _first_line,
}


def _cut_out(block: str, tree: ast.Module, around: Definition, place: Place) -> Fitted:
    """The region out of a repeated function or class."""
    region = _region(around, place)
    rest = [node for node in tree.body if not any(inner is around for inner in ast.walk(node))]
    extras = [node for node in _news(rest, place.tree.body) if not _from_future(node)]
    moved = ("moved imports and helpers into the region",) if extras else ()
    pieces = [*([node] for node in extras), *region]
    return _joined(block, pieces, place, ("cut out of the repeated definition", *moved))


def _picked(block: str, tree: ast.Module, place: Place) -> Fitted:
    """The new statements out of a repeated file or class body."""
    home = place.chain[-1].body if place.chain else place.tree.body
    news = _news(tree.body, [*home, *place.tree.body])
    if place.chain and any(isinstance(node, ast.Import | ast.ImportFrom) for node in news):
        raise MaskError("an import beside a method belongs inside the method")
    return _joined(block, [[node] for node in news], place, ("left out what the file has",))


def _joined(
    block: str, pieces: Sequence[Statements], place: Place, repairs: tuple[str, ...]
) -> Fitted:
    texts = [reindent(_text(block, piece), place.indent) for piece in pieces if piece]
    if not texts:
        raise MaskError("the answer repeats the file but leaves the region empty")
    code = "\n".join(texts) + "\n"
    place.check(code)
    return Fitted(code, repairs, defines=True)


def _region(around: Definition, place: Place) -> list[Statements]:
    """The answer's statements that stand where the hole is."""
    hole = place.chain[-1]
    if isinstance(hole, ast.ClassDef) and isinstance(around, ast.ClassDef):
        return [[node] for node in _news(around.body, hole.body)]
    if isinstance(hole, ast.ClassDef) or isinstance(around, ast.ClassDef):
        raise MaskError(f"{hole.name} is a class in one and a function in the other")
    if not same(_untyped(hole.args), _untyped(around.args)):
        raise MaskError(f"the answer gives {hole.name} other arguments")
    found = filling(*without_docstrings(hole.body, around.body))
    if found is None:
        raise MaskError(f"the answer repeats {hole.name} but not all lines around the placeholder")
    return [found]


def _untyped(arguments: ast.arguments) -> ast.arguments:
    """Arguments by name and kind; annotations and defaults are the file's business."""
    bare = [
        [ast.arg(argument.arg) for argument in group]
        for group in (arguments.posonlyargs, arguments.args, arguments.kwonlyargs)
    ]
    rest = [ast.arg(one.arg) if one else None for one in (arguments.vararg, arguments.kwarg)]
    return ast.arguments(bare[0], bare[1], rest[0], bare[2], [], rest[1], [])


def _news(answer: Statements, masked: Statements) -> list[ast.stmt]:
    """The answer's statements that the file does not hold, by content or by name."""
    names = {name for node in masked for name in _bound(node)}
    return [
        node
        for node in answer
        if not any(same(node, other) for other in masked)
        and not (_bound(node) and names.issuperset(_bound(node)))
        and not _example(node)
    ]


def _from_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _example(node: ast.stmt) -> bool:
    """A call, a string or an `if __name__` beside a definition is a use of it, not a part."""
    main = isinstance(node, ast.If) and "__name__" in ast.dump(node.test)
    return isinstance(node, ast.Expr) or main


def _bound(node: ast.stmt) -> tuple[str, ...]:
    """Names that a statement binds where it stands."""
    if isinstance(node, Definition):
        return (node.name,)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple(alias.asname or alias.name.split(".")[0] for alias in node.names)
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return tuple(target.id for target in targets if isinstance(target, ast.Name))


def _definition(tree: ast.Module, place: Place) -> Definition | None:
    """The answer's definition around the region, whether or not its class is repeated too."""
    for start in range(len(place.names)):
        found = list(_along(tree, place.names[start:]))
        if len(found) > 1:
            raise MaskError(f"the answer defines {place.names[-1]} {len(found)} times")
        if found:
            return found[0]
    return None


def _along(node: ast.AST, names: Sequence[str]) -> Iterator[Definition]:
    for child in getattr(node, "body", []):
        if isinstance(child, Definition) and child.name == names[0]:
            if len(names) == 1:
                yield child
            else:
                yield from _along(child, names[1:])


def _repeats_more(tree: ast.Module, place: Place) -> bool:
    """Whether an answer for a region outside functions repeats more than the region."""
    if place.chain and not isinstance(place.chain[-1], ast.ClassDef):
        return False
    home = place.chain[-1].body if place.chain else place.tree.body
    known = {name for node in home if isinstance(node, Definition) for name in _bound(node)}
    in_class = bool(place.chain)
    return any(
        (in_class and isinstance(node, ast.Import | ast.ImportFrom))
        or (isinstance(node, Definition) and node.name in known)
        for node in tree.body
    )


def _text(block: str, nodes: Statements) -> str:
    """The source of neighbouring statements, with the comments right above and between them."""
    lines = block.split("\n")
    first = min([nodes[0].lineno, *(d.lineno for d in getattr(nodes[0], "decorator_list", []))])
    while first > 1 and lines[first - 2].lstrip().startswith("#"):
        first -= 1
    picked = lines[first - 1 : nodes[-1].end_lineno]
    before = picked[0].encode()[: nodes[0].col_offset].decode()
    if first == nodes[0].lineno and before.strip():
        picked[0] = picked[0][len(before) :]  # it shares its line with a `def` or another statement
    return "\n".join(picked)
