"""Move code to another indentation without touching what stands inside its strings."""

import io
import tokenize
from contextlib import suppress
from dataclasses import dataclass, field

from recodeh.data.errors import MaskError


def _kinds(*names: str) -> frozenset[int]:
    """Token types by name; those of formatted strings are newer than the oldest Python here."""
    return frozenset(getattr(tokenize, name) for name in names if hasattr(tokenize, name))


_OPENERS = _kinds("FSTRING_START", "TSTRING_START")
_CLOSERS = _kinds("FSTRING_END", "TSTRING_END")


def reindent(code: str, indent: str) -> str:
    """`code` moved as a block so that its first statement stands at `indent`.

    Raises MaskError when a line stands further left than the first statement.
    """
    base = first_indent(code)
    if base == indent and all(line.startswith(base) or not line for line in code.split("\n")):
        return code
    marks = _marks(code)
    return "\n".join(
        line if number in marks.inside_string else _moved(line, base, indent, number in marks.loose)
        for number, line in enumerate(code.split("\n"), start=1)
    )


def first_indent(code: str) -> str:
    """The white space in front of the first line that is neither blank nor a comment."""
    lines = [line for line in code.split("\n") if line.strip()]
    statements = [line for line in lines if not line.lstrip().startswith("#")]
    first = (statements or lines or [""])[0]
    return first[: len(first) - len(first.lstrip())]


@dataclass
class _Marks:
    """Lines whose white space means nothing (`loose`) or is part of a value."""

    inside_string: set[int] = field(default_factory=set)
    loose: set[int] = field(default_factory=set)


def _marks(code: str) -> _Marks:
    """Nothing is marked after a place where the code has no tokens: it does not parse anyway."""
    marks = _Marks()
    # A block that begins indented has tokens only below a statement that opens a block.
    opener = "if True:\n" if first_indent(code) else ""
    with suppress(tokenize.TokenError, SyntaxError):
        _mark(opener + code, -opener.count("\n"), marks)
    return marks


def _mark(code: str, offset: int, marks: _Marks) -> None:
    depth, opened = 0, list[int]()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        first, last = token.start[0] + offset, token.end[0] + offset
        if depth:
            marks.loose.add(first)
        if token.type == tokenize.STRING:
            marks.inside_string.update(range(first + 1, last + 1))
        elif token.type in _OPENERS:
            opened.append(first)
        elif token.type in _CLOSERS:
            marks.inside_string.update(range(opened.pop() + 1, last + 1))
        elif token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")


def _moved(line: str, base: str, indent: str, loose: bool) -> str:
    bare = line.lstrip()
    if not bare:
        return ""
    if line.startswith(base):
        return indent + line[len(base) :]
    if loose or bare.startswith("#"):
        return indent + bare
    raise MaskError(
        f"a line stands further left than the first one: {bare[:60]!r}",
        mend="indent the code as one block",
    )
