"""Python source to a tree-sitter tree, which is made for any bytes, faulty ones included."""

import threading
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from recodeh.curation.encoding import parseable
from recodeh.curation.flatten import flattened
from recodeh.data.syntax import parse_python

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Query, Tree


_OF_THREAD: Final = threading.local()


@cache
def python() -> "Language":
    """The grammar of Python."""
    import tree_sitter_python
    from tree_sitter import Language

    return Language(tree_sitter_python.language())


@cache
def query(source: str) -> "Query":
    """A compiled query over Python."""
    from tree_sitter import Query

    return Query(python(), source)


def parse(data: bytes) -> "Tree":
    """The tree of `data`; byte offsets are those of `data` itself."""
    return parse_readable(parseable(data))


def _parser() -> "Parser":
    """This thread's parser, which keeps its memory from file to file."""
    from tree_sitter import Parser

    if not hasattr(_OF_THREAD, "parser"):
        _OF_THREAD.parser = Parser(python())
    parser: Parser = _OF_THREAD.parser
    return parser


def parse_readable(readable: bytes) -> "Tree":
    """The tree of bytes that have been through `parseable`."""
    parser = _parser()
    tree = parser.parse(readable)
    if tree.root_node.has_error and runs(readable):
        flat = flattened(readable)
        second = parser.parse(flat) if flat else tree
        return tree if second.root_node.has_error else second
    return tree


def captures(tree: "Tree", source: str) -> "dict[str, list[Node]]":
    """All nodes that the query names, by capture name and in no order."""
    from tree_sitter import QueryCursor

    return QueryCursor(query(source)).captures(tree.root_node)


def sound(data: bytes) -> bool:
    """Whether `data` parses without an error, as any version of Python that the grammar knows."""
    return not parse(data).root_node.has_error


def first_error(root: "Node") -> int:
    """The line (from 1) of the first faulty node in a tree that has one."""
    node = root
    while not (node.is_error or node.is_missing):
        below = next((child for child in node.children if child.has_error), None)
        if below is None:
            break
        node = below
    return node.start_point.row + 1


def runs(data: bytes) -> bool:
    """Whether the interpreter that we run on takes `data` for a module."""
    try:
        parse_python(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two: deep nesting
        return False
    return True


def breaks(before: bytes, after: bytes) -> bool:
    """Whether a file was valid and no longer is; what this Python cannot read, the grammar judges.

    The interpreter goes first, since the grammar has its own mistakes, in both directions.
    """
    return not runs(after) if runs(before) else sound(before) and not sound(after)


def whole(region: bytes) -> bool:
    """Whether a region's text is a run of whole statements, whatever its indentation."""
    lines = (line for line in region.splitlines() if line.strip())
    code = [line for line in lines if not line.lstrip().startswith(b"#")] or [b""]
    block = b"if 1:\n" + region if code[0][:1].isspace() else region
    # The grammar takes a header without a body for whole.
    return runs(block) or (sound(block) and not code[-1].rstrip().endswith(b":"))


def statements(block: "Node") -> "Iterator[Node]":
    """The statements of a block or module, comments left out."""
    return (child for child in block.named_children if child.type != "comment")


def docstring_of(block: "Node") -> "Node | None":
    """The statement that is the docstring of a block, if it has one."""
    first = next(statements(block), None)
    return first if first is not None and is_docstring(first) else None


def is_docstring(statement: "Node") -> bool:
    """Whether the first statement of a block is its docstring."""
    alone = statement.type == "expression_statement" and statement.named_child_count == 1
    return alone and _plain_text(statement.named_child(0))


def _plain_text(node: "Node") -> bool:
    """Whether a node is a literal that Python takes as a docstring: no f-string, no bytes."""
    if node.type == "concatenated_string":
        return all(_plain_text(part) for part in statements(node))
    if node.type != "string":
        return False
    prefix = (node.children[0].text or b"").rstrip(b"\"'").lower()
    return prefix in (b"", b"r", b"u")
