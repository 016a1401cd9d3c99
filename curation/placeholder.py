"""What stands in a masked file where a region was cut out."""

from typing import TYPE_CHECKING, Final, Literal

from recodeh.curation.lines import leading_space
from recodeh.curation.syntax import parse, statements

if TYPE_CHECKING:
    from tree_sitter import Node

Style = Literal["raise", "todo"]

# The statement that stops a program where code is missing, per language.
_STOPS: Final = {
    "python": "raise NotImplementedError",
    "cython": "raise NotImplementedError",
    "r": 'stop("not implemented")',
    "julia": 'error("not implemented")',
    "matlab": "error('not implemented');",
    "rust": "todo!();",
}
"""Where there is none (C and its kin), the comment stands alone."""


def placeholder(
    region: bytes, *, name: bytes, indent: bytes, loc: int, style: Style, newline: bytes,
    language: str = "python", comment: bytes = b"#",
) -> bytes:  # fmt: skip
    """The lines for a region, without the last line ending.

    `raise` keeps Python valid; where the region is one function, its header stays, so that the
    module still imports. `todo` is comments alone, as in ResearchCodeBench.
    """
    todo = b'%b%b TODO: implement "%b"' % (indent, comment, name)
    if style == "todo":
        return newline.join([todo, b"%b%b about %d lines of code" % (indent, comment, loc)])
    stop = _STOPS.get(language, "").encode()
    header = _header(region) if language == "python" else b""
    if header.endswith((b"\n", b"\r")):
        return newline.join([todo, header.rstrip(b"\r\n"), _inner(region, header) + stop])
    body = header + stop if header else indent + stop
    return newline.join([todo, body] if stop else [todo])


def _header(region: bytes) -> bytes:
    """The decorators and `def` of a region that is one function: empty for anything else.

    It ends in a line ending where the body begins on a line of its own.
    """
    head = b"if 1:\n" if leading_space(_first_line(region)) else b""
    whole = head + region
    module = parse(whole).root_node
    block = module.named_children[0].child_by_field_name("consequence") if head else module
    nodes = list(statements(block)) if block is not None else []
    function = _function(nodes[0]) if len(nodes) == 1 else None
    body = function.child_by_field_name("body") if function is not None else None
    if body is None or function is None or module.has_error:
        return b""
    colon = [child for child in function.children if child.type == ":"][-1]
    start = whole.rfind(b"\n", 0, nodes[0].start_byte) + 1
    opened = whole[start : colon.end_byte]
    first = next(statements(body), None)
    if first is None or first.start_point.row > colon.end_point.row:
        return opened + b"\n"
    return whole[start : first.start_byte]


def _function(node: "Node") -> "Node | None":
    if node.type == "decorated_definition":
        return next((c for c in node.named_children if c.type == "function_definition"), None)
    return node if node.type == "function_definition" else None


def _inner(region: bytes, header: bytes) -> bytes:
    """The indentation of the function's first statement."""
    rest = region[region.index(header.rstrip(b"\r\n")) + len(header.rstrip(b"\r\n")) :]
    return leading_space(_first_line(rest.split(b"\n", 1)[-1]))


def _first_line(text: bytes) -> bytes:
    """The first line that holds code."""
    lines = text.replace(b"\r", b"\n").split(b"\n")
    return next((x for x in lines if x.strip() and not x.strip().startswith(b"#")), b"")
