"""The functions of a file that is not Python: rows of the same kind, from another grammar.

Code lines are counted as everywhere (`lines.code_lines`): those inside the body's braces, or up to
its `end`, that hold more than white space and comments.
"""

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from recodeh.curation.encoding import codec_of, parseable
from recodeh.curation.foreign_grammars import Shape, grammar, query, shape
from recodeh.curation.functions import Found, Function
from recodeh.curation.languages import named, without_blocks
from recodeh.curation.lines import code_lines
from recodeh.curation.syntax import first_error

if TYPE_CHECKING:
    from tree_sitter import Node

_GENERIC: Final = re.compile(r"<[^<>]*>|\s+")
_JOINT: Final = re.compile(r":{2,3}|->|[$@]")
_DOTTED: Final = re.compile(r"[\w.!]+\Z")
_LAST: Final = re.compile(r"[\w!]+")
_BOUND: Final = frozenset(
    ("lambda_expression", "closure_expression", "arrow_function_expression", "lambda")
)
_CLASSES: Final = frozenset((
    "class_specifier", "struct_specifier", "impl_item", "trait_item", "struct_definition",
    "class_definition", "binary_operator",
))  # fmt: skip


class Bodied(NamedTuple):
    """A function with the span of what its body holds."""

    function: Function
    start: int
    end: int


class _Body(NamedTuple):
    name: str
    header_end: int
    start: int
    """Of what is inside the braces, or between header and `end`."""
    end: int


class _Frame(NamedTuple):
    node: "Node"
    symbol: str
    body: _Body | None
    """None for a class, module or namespace."""
    calls: dict[str, None]


def foreign_functions(data: bytes, path: str, module: str, language: str) -> Found | None:
    """The functions of one file; None where the language's grammar is not installed."""
    read = _read(data, path, module, language)
    return None if read is None else Found([item.function for item in read[0]], read[1])


def foreign_bodies(data: bytes, language: str) -> list[Bodied] | None:
    """The same functions with the spans of their bodies, for whoever cuts one out."""
    read = _read(data, "", "", language)
    return None if read is None else read[0]


def _read(
    data: bytes, path: str, module: str, language: str
) -> tuple[list[Bodied], int | None] | None:
    from tree_sitter import Parser, QueryCursor

    spoken, form = grammar(language), shape(language)
    if spoken is None or form is None:
        return None
    readable = parseable(data)
    tree = Parser(spoken).parse(readable)
    found = QueryCursor(query(language)).captures(tree.root_node)
    items = _Reader(data, readable, path, module, language, form).read(found)
    items.sort(key=lambda item: (item.function.start_byte, -item.function.end_byte))
    error = first_error(tree.root_node) if tree.root_node.has_error else None
    return _numbered(items), error


def _numbered(items: list[Bodied]) -> list[Bodied]:
    """The functions with their ordinals: Julia defines one name many times on purpose."""
    total = Counter(item.function.symbol for item in items)
    seen: Counter[str] = Counter()
    numbered = []
    for function, start, end in items:
        seen[function.symbol] += 1
        ordinal, repeated = seen[function.symbol], total[function.symbol] > 1
        row = replace(function, ordinal=ordinal, repeated=repeated)
        numbered.append(Bodied(row, start, end))
    return numbered


class _Reader:
    def __init__(
        self, data: bytes, readable: bytes, path: str, module: str, language: str, form: Shape
    ) -> None:
        self.data, self.readable, self.codec = data, readable, codec_of(data)
        self.path, self.module, self.language, self.form = path, module, language, form
        self.bare = without_blocks(readable, named(language))
        self.mark = named(language).comment.encode()

    def read(self, found: "dict[str, list[Node]]") -> list[Bodied]:
        kinds = ("scope", "function", "call")
        events = [(node, kind) for kind in kinds for node in found.get(kind, ())]
        events.sort(key=lambda event: (event[0].start_byte, -event[0].end_byte))
        stack: list[_Frame] = []
        done: list[Bodied] = []
        for node, kind in events:
            while stack and stack[-1].node.end_byte <= node.start_byte:
                done += self._closed(stack)
            if kind == "call":
                self._note(node, stack)
            else:
                body = self._body(node) if kind == "function" else None
                name = body.name if body else self._scope_name(node)
                outer = stack[-1].symbol if stack else ""
                stack.append(_Frame(node, f"{outer}.{name}" if outer else name, body, {}))
        while stack:
            done += self._closed(stack)
        return done

    def _note(self, node: "Node", stack: list[_Frame]) -> None:
        frame = stack[-1] if stack else None
        if frame and frame.body and node.start_byte >= frame.body.header_end:
            frame.calls[_called(self._text(node.start_byte, node.end_byte))] = None

    def _closed(self, stack: list[_Frame]) -> list[Bodied]:
        frame = stack.pop()
        if frame.body is None:
            return []
        for outer in stack[-1:]:
            outer.calls.update(frame.calls)
        within = stack[-1].node.type in _CLASSES if stack else False
        row = self._function(frame, frame.body, within)
        return [Bodied(row, frame.body.start, frame.body.end)]

    def _function(self, frame: _Frame, body: _Body, within: bool) -> Function:
        node = frame.node
        while node.parent is not None and node.parent.type in self.form.outer:
            node = node.parent
        signature = self._text(node.start_byte, body.header_end)
        bound = any(child.type in _BOUND for child in frame.node.named_children)
        first = node.start_point.row + 1
        inside = self.bare[body.start : body.end]
        return Function(
            path=self.path, module=self.module, symbol=frame.symbol, ordinal=1,
            kind="lambda" if bound else "method" if within else "function",
            start=first, end=first + self.readable.count(b"\n", node.start_byte, node.end_byte),
            start_byte=node.start_byte, end_byte=node.end_byte,
            signature=signature.rstrip(" \t\r\n="), decorators=self._attributes(node),
            doc=self._doc(node, frame.node), loc=code_lines(inside, (self.mark,)),
            calls=tuple(frame.calls), is_async=" async " in f" {signature}",
            language=self.language,
        )  # fmt: skip

    def _body(self, node: "Node") -> _Body:
        """The parts of a definition, by fields where the grammar names them."""
        inner = next((c for c in node.named_children if c.type == "function_definition"), node)
        inner = self._given(node) or inner
        body = inner.child_by_field_name("body") or inner.child_by_field_name("expression")
        if body is None and self.form.end == "end":
            return self._ended(node)
        if body is None:
            return _Body(self._name(node), node.end_byte, node.end_byte, node.end_byte)
        braced = body.child_count > 0 and body.children[0].type == "{"
        return _Body(
            self._name(node), body.start_byte, body.start_byte + braced, body.end_byte - braced
        )

    def _given(self, node: "Node") -> "Node | None":
        """The function among the arguments of R's `setMethod` and its like, or bound by a name."""
        if node.type == "call":
            values = [a.child_by_field_name("value") for a in node.named_children[1].named_children]
            return next((v for v in values if v and v.type == "function_definition"), None)
        return next((child for child in node.named_children if child.type in _BOUND), None)

    def _ended(self, node: "Node") -> _Body:
        """The parts of a definition that `end` closes, or of a short one with `=`."""
        heads = [c for c in node.named_children if c.type in ("signature", "function_arguments")]
        field = node.child_by_field_name("name")
        if node.type == "assignment":
            body = node.named_children[-1]
            return _Body(self._name(node), body.start_byte, body.start_byte, body.end_byte)
        head = heads[0] if heads else field or node.children[0]
        closer = node.children[-1]
        end = closer.start_byte if closer.type == self.form.end else node.end_byte
        return _Body(self._name(node), head.end_byte, head.end_byte, end)

    def _name(self, node: "Node") -> str:
        named = node.child_by_field_name("name") or node.child_by_field_name("pattern")
        named = named or node.child_by_field_name("lhs") or node.child_by_field_name("left")
        if node.type == "call":  # R: the name is the first string
            named = node.named_children[1].named_children[0]
        if named is None:
            named = _declared(node) or node.named_children[0]
        text = self._text(named.start_byte, named.end_byte)
        if self.language == "julia":
            text = re.split(r"(?<=.)[({]", text, maxsplit=1)[0].rpartition("::")[2]
        return _plain(text.strip("\"'`() "))

    def _scope_name(self, node: "Node") -> str:
        named = node.child_by_field_name("name") or node.child_by_field_name("type")
        named = named or next(iter(node.named_children), node)
        text = self._text(named.start_byte, named.end_byte)
        return _plain(re.split(r"[{<\s]", text, maxsplit=1)[0]) or "?"

    def _above(self, node: "Node") -> "list[Node]":
        """The comments and attributes that stand directly above a node, from the top."""
        above: list[Node] = []
        kinds, row = (*self.form.comments, "attribute_item"), node.start_point.row
        sibling = node.prev_named_sibling
        while sibling is not None and sibling.type in kinds:
            text = self.readable[sibling.start_byte : sibling.end_byte].rstrip()
            if sibling.start_point.row + text.count(b"\n") + 1 != row:
                break
            above.insert(0, sibling)
            row, sibling = sibling.start_point.row, sibling.prev_named_sibling
        return above

    def _attributes(self, node: "Node") -> tuple[str, ...]:
        found = [item for item in self._above(node) if item.type == "attribute_item"]
        return tuple(self._text(item.start_byte, item.end_byte).strip("#[]") for item in found)

    def _doc(self, outer: "Node", node: "Node") -> str:
        found = [item for item in self._above(outer) if item.type in self.form.comments]
        if self.form.documents == "below":
            found = [child for child in node.named_children if child.type == "comment"][:1]
        return "\n".join(self._text(item.start_byte, item.end_byte).rstrip() for item in found)

    def _text(self, start: int, end: int) -> str:
        return self.data[start:end].decode(self.codec, "replace")


def _declared(node: "Node") -> "Node | None":
    """The innermost declarator of C and its kin, which is the name."""
    below = node.child_by_field_name("declarator")
    while below is not None:
        wraps = below.type in ("reference_declarator", "parenthesized_declarator")
        inner = below.child_by_field_name("declarator") or (
            below.named_children[-1] if wraps and below.named_children else None
        )
        if inner is None:
            return below
        below = inner
    return None


def _plain(text: str) -> str:
    """A name without type parameters, its parts joined by dots."""
    before = ""
    while before != text:
        before, text = text, _GENERIC.sub("", text)
    return _JOINT.sub(".", text)


def _called(text: str) -> str:
    name = _plain(text)
    if _DOTTED.match(name):
        return name
    parts = _LAST.findall(name)
    return f".{parts[-1]}" if parts else "()"
