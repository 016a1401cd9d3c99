"""The definitions of a Python file by qualified name, duplicates and nested ones included."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recodeh.curation.encoding import codec_of
from recodeh.curation.syntax import captures, parse

if TYPE_CHECKING:
    from tree_sitter import Node

DEFINITIONS: Final = """
(function_definition) @function
(class_definition) @class
(assignment left: (identifier) right: (lambda)) @lambda
"""


@dataclass(frozen=True)
class Definition:
    """One `def`, `class` or name bound to a lambda."""

    symbol: str
    """Dotted from the module's top: `Class.method`, `outer.inner`."""
    ordinal: int
    """From 1: which of the definitions of this symbol in the file, in order of appearance."""
    kind: str
    """`function`, `method`, `class` or `lambda`."""
    node: "Node"
    """The definition itself, without decorators."""
    outer: "Node"
    """The definition with its decorators."""

    @property
    def address(self) -> str:
        """The symbol, with `@2` and so on where it is not the first of its name."""
        return self.symbol if self.ordinal == 1 else f"{self.symbol}@{self.ordinal}"


def definitions(data: bytes) -> Iterator[Definition]:
    """All definitions of a file in order of appearance, those in broken stretches included."""
    codec, found = codec_of(data), captures(parse(data), DEFINITIONS)
    nodes = [
        (node, kind) for kind in ("function", "class", "lambda") for node in found.get(kind, ())
    ]
    nodes.sort(key=lambda pair: (pair[0].start_byte, -pair[0].end_byte))
    stack: list[tuple[int, str, str]] = []
    seen: dict[str, int] = {}
    for node, kind in nodes:
        while stack and stack[-1][0] <= node.start_byte:
            stack.pop()
        name = _name(node, data, codec)
        symbol = ".".join([*(outer for _, outer, _ in stack), name])
        if kind == "function" and stack and stack[-1][2] == "class":
            kind = "method"
        seen[symbol] = seen.get(symbol, 0) + 1
        yield Definition(symbol, seen[symbol], kind, node, _decorated(node))
        stack.append((node.end_byte, name, kind))


def find(data: bytes, symbol: str) -> list[Definition]:
    """The definitions of `symbol` in `data`; `name@2` asks for the second one alone."""
    wanted = symbol.replace(".<locals>", "")
    name, _, ordinal = wanted.partition("@")
    found = [item for item in definitions(data) if item.symbol == name]
    return [item for item in found if not ordinal or str(item.ordinal) == ordinal]


def _name(node: "Node", data: bytes, codec: str) -> str:
    named = node.child_by_field_name("left" if node.type == "assignment" else "name")
    return data[slice(*named.byte_range)].decode(codec, "replace") if named else "?"


def _decorated(node: "Node") -> "Node":
    parent = node.parent
    return parent if parent is not None and parent.type == "decorated_definition" else node
