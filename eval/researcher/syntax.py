"""The text of a region ⇄ its statements, whatever the region is indented by.

A region is a run of statements out of a file: it may hold `return`, `yield` or `self` with no
function around it. Line numbers count from its own first line.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from recodeh.data.syntax import parse_python

_HEADER = "class region:\n"  # unlike `if` or `for` it cannot take an `else` of the region
LARGEST = 200_000


class Unparsable(Exception):
    """A text is not Python: `what` is wrong and on which `line` of the region."""

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.line = line


@dataclass(frozen=True)
class Region:
    """The statements of a region and the white space in front of them."""

    body: list[ast.stmt]
    indent: str


def parse(code: str) -> Region:
    """The statements of `code`; raises Unparsable for anything that is not Python."""
    if len(code) > LARGEST:
        raise Unparsable(f"the text is longer than {LARGEST} characters")
    indent = _indent(code)
    if not indent:
        return Region(_parse(code, 0), "")
    (wrapper, *rest) = _parse(f"{_HEADER}{code}\n{indent}pass\n", 1)
    body = wrapper.body[:-1] if isinstance(wrapper, ast.ClassDef) else []
    return Region([*body, *rest], indent)


def render(region: Region) -> str:
    """The region as text in one plain style, each statement on lines of its own."""
    text = ast.unparse(ast.Module(body=region.body, type_ignores=[]))
    return "".join(f"{region.indent}{line}\n" if line else "\n" for line in text.split("\n"))


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements in source order, those inside others included."""
    for statement in body:
        yield statement
        for block in blocks(statement):
            yield from statements(block.body)


@dataclass(frozen=True)
class Block:
    """The statements under a compound statement, and what that part of it is called."""

    name: str
    body: list[ast.stmt]


def blocks(statement: ast.stmt) -> Iterator[Block]:
    """The blocks of a statement in source order; a simple statement has none."""
    for name, field in (("body", "body"), ("else part", "orelse"), ("final part", "finalbody")):
        if field == "orelse":
            handlers = getattr(statement, "handlers", [])
            for number, handler in enumerate(handlers, start=1):
                yield Block(f"handler {number}", handler.body)
        body = getattr(statement, field, None)
        if isinstance(body, list) and body:
            yield Block(name, body)
    for number, case in enumerate(getattr(statement, "cases", []), start=1):
        yield Block(f"case {number}", case.body)


def _indent(code: str) -> str:
    for line in code.splitlines():
        text = line.lstrip(" \t")
        if text and not text.startswith("#"):
            return line[: len(line) - len(text)]
    return ""


def _parse(text: str, offset: int) -> list[ast.stmt]:
    try:
        tree = parse_python(text)
    except SyntaxError as error:
        line = None if error.lineno is None else max(error.lineno - offset, 1)
        raise Unparsable(error.msg, line) from error
    except (ValueError, RecursionError, MemoryError) as error:
        # Null bytes, lone surrogates, and nesting too deep for the parser.
        raise Unparsable(str(error) or "it is nested too deeply") from error
    return list(ast.increment_lineno(tree, -offset).body)
