"""Where a task's placeholder stands in its file's syntax tree; parsed once per file."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from recodeh.data.errors import MaskError
from recodeh.data.records import Snippet
from recodeh.data.regions import lines_of
from recodeh.data.syntax import parse_python

HOLE = "__placeholder_of_the_task__"
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Place:
    """The file with a marked hole, and the text around the hole in its outermost statement."""

    tree: ast.Module
    chain: tuple[Definition, ...]
    """The definitions around the hole, outermost first."""
    indent: str
    head: str
    tail: str

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the definitions around the hole."""
        return tuple(node.name for node in self.chain)

    def check(self, code: str) -> None:
        """Raise MaskError, with the line in `code`, when the file would not parse with it."""
        try:
            parse(self.head + code + self.tail)
        except MaskError as error:
            raise _in_code(error, self.head) from error


def place_of(masked_file: str, snippet: Snippet) -> Place:
    """The place of a snippet in its masked file.

    Raises MaskError when the file does not parse even with a plain statement in the hole.
    """
    return _place(masked_file, snippet.mask_start, snippet.mask_end, snippet.indent)


def parse(text: str) -> ast.Module:
    """The tree of a module.

    Raises MaskError where Python's own parser refuses it, for whatever reason.
    """
    try:
        return parse_python(text)
    except SyntaxError as error:
        raise MaskError(error.msg, where=error.lineno) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise MaskError(f"it cannot be parsed: {error}") from error


def same(left: ast.AST, right: ast.AST) -> bool:
    """Whether two trees are equal but for their layout and comments."""
    return ast.dump(left) == ast.dump(right)


@lru_cache(maxsize=64)
def _place(masked_file: str, start: int, end: int, indent: str) -> Place:
    lines = [line.rstrip("\r\n") + "\n" for line in lines_of(masked_file)]
    above, below = lines[: start - 1], lines[end:]
    tree = parse("".join([*above, f"{indent}{HOLE}\n", *below]))
    around = list(_around(tree, start))
    first, last = _span(around[0], len(above)) if around else (start, start)
    return Place(
        tree=tree,
        chain=tuple(node for node in around if isinstance(node, Definition)),
        indent=indent,
        head="".join(above[first - 1 :]) if around else "",
        tail="".join(below[: last - start]) if around else "",
    )


def _around(node: ast.AST, line: int) -> Iterator[ast.stmt]:
    """The statements that hold the line, outermost first, without the one on the line itself."""
    for child in ast.iter_child_nodes(node):
        end = getattr(child, "end_lineno", None) or 0
        if getattr(child, "lineno", line) < line <= end or not hasattr(child, "lineno"):
            if isinstance(child, ast.stmt):
                yield child
            yield from _around(child, line)


def _span(statement: ast.stmt, above: int) -> tuple[int, int]:
    """First and last line of a statement, its decorators included."""
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(node.lineno for node in decorators)])
    return first, statement.end_lineno or above


def _in_code(error: MaskError, head: str) -> MaskError:
    line = int(error.where or 0) - head.count("\n")
    where = f"line {line} of the code" if line > 0 else None
    return MaskError(error.what, where=where, mend="answer with code that parses in place")
