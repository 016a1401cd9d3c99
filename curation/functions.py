"""The functions of one Python file, each a row with its span, signature, documents and calls.

One query and one sweep over what it found: that is what keeps an inventory near the speed of the
parser (`tests/benchmarks/curation_inventory.py`).
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from recodeh.curation.encoding import codec_of, parseable
from recodeh.curation.imports import imported, resolve
from recodeh.curation.symbols import DEFINITIONS
from recodeh.curation.syntax import captures, first_error, is_docstring, parse_readable

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY: Final = (
    DEFINITIONS
    + """
(decorator) @decorator
(call function: (_) @call)
(import_statement) @import
(import_from_statement) @import
(global_statement) @global
(yield) @yield
"""
)
# `code_lines` over a span that may begin inside a line; a parser's bytes hold no lone `\r`.
_CODE_LINE: Final = re.compile(rb"^[ \t\r\f\v]*[^\s#]", re.MULTILINE)
_QUOTES: Final = re.compile(r"\A[rRuU]*('{3}|\"{3}|'|\")|('{3}|\"{3}|'|\")\Z")
_TAIL: Final = re.compile(rb"\.\s*(\w+)\Z")
_DOTTED: Final = re.compile(rb"[\w.]+\Z")


@dataclass(frozen=True, slots=True)
class Function:
    """One function, method or lambda bound to a name."""

    path: str
    """Relative to the source's root, with forward slashes."""
    module: str
    """Dotted, as it would be imported."""
    symbol: str
    """Dotted from the module's top: `Class.method`, `outer.inner`."""
    ordinal: int
    """From 1: which of the definitions of this symbol in the file."""
    kind: str
    """`function`, `method`, `property` or `lambda`."""
    start: int
    """First line, decorators included; in a notebook, of the cell."""
    end: int
    start_byte: int
    end_byte: int
    """Span of the same; in a notebook, of its cells joined."""
    signature: str
    decorators: tuple[str, ...]
    doc: str
    """The docstring as written, with its quotes."""
    loc: int
    """Code lines of the body after the docstring, as `lines.code_lines` counts them."""
    calls: tuple[str, ...]
    """What the body calls, by resolved dotted name, in order of first use; `.name` for a method
    of an unnamed value."""
    changes: tuple[str, ...] = ()
    """Names that the body declares global."""
    is_async: bool = False
    is_generator: bool = False
    language: str = "python"
    cell: int | None = None
    """In a notebook, the number of the cell, from 1."""

    @property
    def address(self) -> str:
        """The symbol, with `@2` and so on where it is not the first of its name."""
        return self.symbol if self.ordinal == 1 else f"{self.symbol}@{self.ordinal}"

    @property
    def target(self) -> str:
        """The dotted name by which other files could import it."""
        return f"{self.module}.{self.symbol}"

    @property
    def docstring(self) -> str:
        """The docstring without quotes and common indentation."""
        return inspect.cleandoc(
            re.sub(r"\A[rRuU]*('{3}|\"{3}|'|\")|('{3}|\"{3}|'|\")\Z", "", self.doc)
        )


@dataclass(slots=True)
class _Frame:
    """A definition that the sweep is inside of."""

    kind: str
    node: "Node"
    end: int
    symbol: str
    ordinal: int
    decorators: list["Node"]
    calls: dict[str, None] = field(default_factory=dict)
    changes: list[str] = field(default_factory=list)
    is_generator: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What one file gave."""

    functions: list[Function]
    """In order of appearance."""
    error: int | None
    """The first line that is not Python 3, as far as the grammar can tell."""


def functions_in(data: bytes, path: str, module: str) -> Found:
    """The functions of one file; those in and around faulty stretches too."""
    readable = parseable(data)
    tree = parse_readable(readable)
    rows = _swept(captures(tree, _QUERY), data, readable, codec_of(data), path, module)
    ordered = sorted(rows, key=lambda row: (row.start_byte, -row.end_byte))
    return Found(ordered, first_error(tree.root_node) if tree.root_node.has_error else None)


def _swept(
    found: "dict[str, list[Node]]", data: bytes, readable: bytes, codec: str, path: str, module: str
) -> Iterator[Function]:
    bound = [
        data[node.start_byte : node.end_byte].decode(codec) for node in found.pop("import", ())
    ]
    names = imported(bound, module, package=path.endswith("__init__.py"))
    events = [(n.start_byte, -n.end_byte, kind, n) for kind, nodes in found.items() for n in nodes]
    events.sort(key=lambda event: event[:2])
    stack: list[_Frame] = []
    waiting: list[Node] = []
    seen: dict[str, int] = {}
    for start, end, kind, node in events:
        while stack and stack[-1].end <= start:
            yield from _closed(stack, data, readable, codec, path, module)
        if kind == "call":
            if stack:
                stack[-1].calls[resolve(_called(data[start:-end], codec), names)] = None
        elif kind == "decorator":
            waiting.append(node)
        elif kind == "yield":
            if stack:
                stack[-1].is_generator = True
        elif kind == "global":
            if stack:
                stack[-1].changes += data[start + 6 : -end].decode(codec).replace(",", " ").split()
        else:
            stack.append(_opened(kind, node, stack, seen, waiting, codec))
            waiting = []
    while stack:
        yield from _closed(stack, data, readable, codec, path, module)


def _called(text: bytes, codec: str) -> str:
    """A called expression as a dotted name; `.name` where it hangs on something else."""
    if _DOTTED.match(text):
        return text.decode(codec)
    tail = _TAIL.search(text)
    return f".{tail[1].decode(codec, 'replace')}" if tail else "()"


def _opened(
    kind: str, node: "Node", stack: list[_Frame], seen: dict[str, int], waiting: list["Node"],
    codec: str,
) -> _Frame:  # fmt: skip
    named = node.child_by_field_name("left" if kind == "lambda" else "name")
    name = named.text.decode(codec) if named is not None and named.text else "?"
    symbol = f"{stack[-1].symbol}.{name}" if stack else name
    ordinal = seen[symbol] = seen.get(symbol, 0) + 1
    if kind == "function" and stack and stack[-1].kind == "class":
        kind = "method"
    return _Frame(kind, node, node.end_byte, symbol, ordinal, waiting)


def _closed(
    stack: list[_Frame], data: bytes, readable: bytes, codec: str, path: str, module: str
) -> Iterator[Function]:
    """Take the innermost frame off; what it calls, the frame around it calls too."""
    frame = stack.pop()
    if stack:
        stack[-1].calls.update(frame.calls)
        stack[-1].changes += frame.changes
    if frame.kind == "class":
        return
    node, outer = frame.node, (frame.decorators or [frame.node])[0]
    doc, code_start = _parts(node) if frame.kind != "lambda" else ((0, 0), node.start_byte)
    decorators = tuple(data[d.start_byte + 1 : d.end_byte].decode(codec) for d in frame.decorators)
    yield Function(
        path=path,
        module=module,
        symbol=frame.symbol,
        ordinal=frame.ordinal,
        kind="property" if "property" in decorators else frame.kind,
        start=outer.start_point[0] + 1,
        end=node.end_point[0] + 1,
        start_byte=outer.start_byte,
        end_byte=frame.end,
        signature=_signature(node, data, frame.kind).decode(codec),
        decorators=decorators,
        doc=data[slice(*doc)].decode(codec),
        loc=len(_CODE_LINE.findall(readable, code_start, frame.end)),
        calls=tuple(frame.calls),
        changes=tuple(frame.changes),
        is_async=data.startswith(b"async", node.start_byte),
        is_generator=frame.is_generator,
    )


def _parts(node: "Node") -> tuple[tuple[int, int], int]:
    """The span of a function's docstring, and an offset before the first line of its code."""
    block = node.child_by_field_name("body")
    first = block.named_child(0) if block is not None and block.named_child_count else None
    while first is not None and first.type == "comment":
        first = first.next_named_sibling
    if first is None:
        return (0, 0), node.end_byte
    if is_docstring(first):
        return first.byte_range, first.end_byte
    return (0, 0), first.start_byte - first.start_point[1]


def _signature(node: "Node", data: bytes, kind: str) -> bytes:
    """From `def` to the colon, or to the lambda's."""
    if kind == "lambda":
        return data[node.start_byte : node.end_byte].partition(b"\n")[0]
    last = node.child_by_field_name("return_type") or node.child_by_field_name("parameters")
    return data[node.start_byte : last.end_byte if last is not None else node.end_byte]
