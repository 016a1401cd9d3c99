"""Find what an answer wrote where the masked file has its hole, when all around it is equal."""

import ast
from collections.abc import Sequence
from typing import TypeGuard

from recodeh.eval.place import HOLE, same

Statements = Sequence[ast.stmt]


def filling(masked: Statements, answer: Statements) -> list[ast.stmt] | None:
    """The answer's statements in the hole; None when anything outside the hole differs."""
    index = next(i for i, node in enumerate(masked) if _holds_hole(node))
    end = len(answer) - (len(masked) - index - 1)
    before, after = masked[:index], masked[index + 1 :]
    if end < index or not _all_same(before, answer[:index]) or not _all_same(after, answer[end:]):
        return None
    if _is_hole(masked[index]):
        return list(answer[index:end])
    return _inside(masked[index], answer[index]) if end == index + 1 else None


def without_docstrings(masked: Statements, answer: Statements) -> tuple[Statements, Statements]:
    """Both bodies without their docstrings, when the file keeps its own above the hole."""
    if not _is_docstring(masked[0]):
        return masked, answer
    return masked[1:], answer[1:] if _is_docstring(answer[0]) else answer


def _inside(masked: ast.AST, answer: ast.AST) -> list[ast.stmt] | None:
    """Go on in the one block of a compound statement that holds the hole."""
    if type(masked) is not type(answer):
        return None
    found: list[ast.stmt] | None = None
    for name in masked._fields:
        left, right = getattr(masked, name), getattr(answer, name)
        if _has_hole(left):
            found = _inside_list(left, right)
        elif not _equal(left, right):
            return None
    return found


def _inside_list(left: list[ast.AST], right: list[ast.AST]) -> list[ast.stmt] | None:
    """Statements of a block, or the handlers of a `try` and the cases of a `match`."""
    if _statements(left) and _statements(right):
        return filling(left, right)
    if len(left) != len(right):
        return None
    pairs = list(zip(left, right, strict=True))
    if not all(same(*pair) for pair in pairs if not _holds_hole(pair[0])):
        return None
    return next(_inside(*pair) for pair in pairs if _holds_hole(pair[0]))


def _all_same(left: Statements, right: Statements) -> bool:
    return len(left) == len(right) and all(map(same, left, right))


def _equal(left: object, right: object) -> bool:
    if isinstance(left, ast.AST) and isinstance(right, ast.AST):
        return same(left, right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return left == right


def _statements(value: list[ast.AST]) -> TypeGuard[list[ast.stmt]]:
    return all(isinstance(item, ast.stmt) for item in value)


def _has_hole(value: object) -> TypeGuard[list[ast.AST]]:
    return isinstance(value, list) and any(
        isinstance(item, ast.AST) and _holds_hole(item) for item in value
    )


def _holds_hole(node: ast.AST) -> bool:
    return any(_is_hole(inner) for inner in ast.walk(node))


def _is_hole(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Name) and node.value.id == HOLE


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
