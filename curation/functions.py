"""The functions of one Python file, each a row with its span, signature, documents and calls.

One query and one sweep over what it found: that is what keeps an inventory near the speed of the
parser (`tests/benchmarks/curation_inventory.py`).
"""

import inspect
import re
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from recodeh.curation.cython import pythonised
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
# What `code_lines` counts, found from the line feed before it, which is the fastest to look for;
# the bytes that a parser reads hold no lone `\r`.
_CODE_LINE: Final = re.compile(rb"\n[ \t\r\f\v]*+[^\s#]")
_QUOTES: Final = re.compile(r"\A[rRuU]*('{3}|\"{3}|'|\")|('{3}|\"{3}|'|\")\Z")
# What other languages put before and after the lines of a document.
_MARKS: Final = re.compile(
    r"^[ \t]*(?:/\*[*!]?|//[/!]?|#'|#+=?|%+[{}]?|\"{3}|\*(?!/))|(?:\*/|=#|\"{3})\Z", re.MULTILINE
)
_SPAN: Final = itemgetter(0)
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
    """The docstring as written, with its quotes or comment marks."""
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
    repeated: bool = False
    """Whether the file defines the symbol more than once."""

    @property
    def address(self) -> str:
        """What `select` finds it by: the symbol, with `@1`, `@2` and so on where it is repeated."""
        return f"{self.symbol}@{self.ordinal}" if self.repeated else self.symbol

    @property
    def target(self) -> str:
        """The dotted name by which other files could import it."""
        return f"{self.module}.{self.symbol}"

    @property
    def docstring(self) -> str:
        """The docstring without quotes and common indentation."""
        if self.language not in ("python", "cython"):
            plain = _MARKS.sub("", self.doc)
            return inspect.cleandoc(plain).strip()
        return inspect.cleandoc(_QUOTES.sub("", self.doc))


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


def functions_in(data: bytes, path: str, module: str, *, language: str = "python") -> Found:
    """The functions of one file; those in and around faulty stretches too.

    Cython is read as Python after a rewriting that keeps every offset.
    """
    readable = parseable(data) if language == "python" else pythonised(parseable(data))
    tree = parse_readable(readable)
    rows = _swept(captures(tree, _QUERY), data, readable, codec_of(data), path, module)
    if language != "python":
        rows = [replace(row, language=language) for row in rows]
    ordered = sorted(rows, key=lambda row: (row.start_byte, -row.end_byte))
    again = {row.symbol for row in ordered if row.ordinal > 1}
    if again:
        ordered = [replace(row, repeated=True) if row.symbol in again else row for row in ordered]
    return Found(ordered, first_error(tree.root_node) if tree.root_node.has_error else None)


def _swept(
    found: "dict[str, list[Node]]", data: bytes, readable: bytes, codec: str, path: str, module: str
) -> list[Function]:
    bound = sorted(node.byte_range for node in found.pop("import", ()))
    names = imported(
        (data[start:end].decode(codec) for start, end in bound),
        module,
        package=path.endswith("__init__.py"),
    )
    sweep = _Sweep(data, readable, codec, path, module, found)
    known: dict[bytes, str] = {}
    following, calls = 0, {}
    for start, end in sorted([node.byte_range for node in found.get("call", ())]):
        if start >= following:
            sweep.up_to(start)
            following, calls = sweep.following, sweep.calls
        text = data[start:end]
        name = known.get(text)
        if name is None:
            name = known[text] = resolve(_called(text, codec), names)
        calls[name] = None
    sweep.up_to(len(data) + 1)
    return sweep.done


def _called(text: bytes, codec: str) -> str:
    """A called expression as a dotted name; `.name` where it hangs on something else."""
    if _DOTTED.match(text):
        return text.decode(codec)
    tail = _TAIL.search(text)
    return f".{tail[1].decode(codec, 'replace')}" if tail else "()"


class _Sweep:
    """A walk through the definitions of a file in order, which knows the ones it is inside of."""

    def __init__(
        self, data: bytes, readable: bytes, codec: str, path: str, module: str,
        found: "dict[str, list[Node]]",
    ) -> None:  # fmt: skip
        self.data, self.readable, self.codec = data, readable, codec
        self.path, self.module = path, module
        kinds = (kind for kind in found if kind not in ("call", "import"))
        events = [(node.byte_range, kind, node) for kind in kinds for node in found[kind]]
        self.events = sorted(events, key=_SPAN, reverse=True)
        self.stack: list[_Frame] = []
        self.waiting: list[Node] = []
        self.seen: dict[str, int] = {}
        self.done: list[Function] = []
        self.following = 0
        """Up to here nothing opens or closes."""

    @property
    def calls(self) -> dict[str, None]:
        """Where a call at this place is noted; those of the module itself are not kept."""
        return self.stack[-1].calls if self.stack else {}

    def up_to(self, offset: int) -> None:
        """Open and close what begins and ends up to an offset."""
        while self.events and self.events[-1][0][0] <= offset:
            (start, end), kind, node = self.events.pop()
            self._close(start)
            self._meet(kind, node, start, end)
        self._close(offset)
        following = self.events[-1][0][0] if self.events else len(self.data) + 1
        self.following = min(following, self.stack[-1].end) if self.stack else following

    def _meet(self, kind: str, node: "Node", start: int, end: int) -> None:
        if kind == "decorator":
            self.waiting.append(node)
        elif kind in ("function", "class", "lambda"):
            self.stack.append(self._opened(kind, node, end))
            self.waiting = []
        elif self.stack and kind == "yield":
            self.stack[-1].is_generator = True
        elif self.stack:
            names = self._text(start, end).removeprefix("global").replace(",", " ")
            self.stack[-1].changes += names.split()

    def _opened(self, kind: str, node: "Node", end: int) -> _Frame:
        named = node.child_by_field_name("left" if kind == "lambda" else "name")
        name = self._text(*named.byte_range) if named is not None else "?"
        symbol = f"{self.stack[-1].symbol}.{name}" if self.stack else name
        ordinal = self.seen[symbol] = self.seen.get(symbol, 0) + 1
        if kind == "function" and self.stack and self.stack[-1].kind == "class":
            kind = "method"
        return _Frame(kind, node, end, symbol, ordinal, self.waiting)

    def _close(self, offset: int) -> None:
        """Take off the frames that end before an offset; what one calls, its outer one calls."""
        while self.stack and self.stack[-1].end <= offset:
            frame = self.stack.pop()
            if self.stack:
                self.stack[-1].calls.update(frame.calls)
                self.stack[-1].changes += frame.changes
            if frame.kind != "class":
                self.done.append(self._function(frame))

    def _function(self, frame: _Frame) -> Function:
        node, outer = frame.node, (frame.decorators or [frame.node])[0]
        begin = outer.start_byte
        doc, code_start, header_end = _parts(node, frame.kind)
        header = node.start_byte if frame.decorators else begin
        spans = [decorator.byte_range for decorator in frame.decorators]
        decorators = tuple([self._text(first + 1, last) for first, last in spans])
        start = outer.start_point[0] + 1
        return Function(
            path=self.path,
            module=self.module,
            symbol=frame.symbol,
            ordinal=frame.ordinal,
            kind="property" if "property" in decorators else frame.kind,
            start=start,
            end=start + self.readable.count(b"\n", begin, frame.end),
            start_byte=begin,
            end_byte=frame.end,
            signature=self._text(header, header_end).rstrip(" \t\r\n\\:"),
            decorators=decorators,
            doc=self._text(*doc) if doc[1] else "",
            loc=_code_lines(self.readable, code_start, frame.end),
            calls=tuple(frame.calls),
            changes=tuple(frame.changes),
            is_async=self.data.startswith(b"async", header),
            is_generator=frame.is_generator,
        )

    def _text(self, start: int, end: int) -> str:
        return self.data[start:end].decode(self.codec, "replace")


def _code_lines(readable: bytes, start: int, end: int) -> int:
    """The code lines from `start`, which is the end or the beginning of a line, to `end`."""
    return len(_CODE_LINE.findall(readable, max(0, start - 1), end)) + (start == 0)


def _parts(node: "Node", kind: str) -> tuple[tuple[int, int], int, int]:
    """The span of a function's docstring, an offset before its code, and its header's end."""
    if kind == "lambda":
        return (0, 0), node.start_byte - node.start_point[1], node.end_byte
    typed = node.child_by_field_name("return_type") or node.child_by_field_name("parameters")
    header = typed.end_byte if typed is not None else node.end_byte
    block = node.child_by_field_name("body")
    first = block.named_child(0) if block is not None and block.named_child_count else None
    while first is not None and first.type == "comment":
        first = first.next_named_sibling
    if first is None:
        return (0, 0), node.end_byte, header
    if is_docstring(first):
        span = first.byte_range
        return span, span[1], header
    return (0, 0), first.start_byte - first.start_point[1], header
