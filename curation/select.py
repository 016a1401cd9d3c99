"""Choose whole lines of a Python file to be a snippet: a body, a definition, lines, or anchors."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from recodeh.curation.cython import pythonised
from recodeh.curation.encoding import decode, parseable
from recodeh.curation.foreign import foreign_bodies
from recodeh.curation.foreign_grammars import MEND
from recodeh.curation.lines import Lines, leading_space
from recodeh.curation.symbols import Definition, find
from recodeh.curation.syntax import docstring_of, statements
from recodeh.data.errors import InputError, TagError

if TYPE_CHECKING:
    from tree_sitter import Node

What = Literal["body", "symbol"]

# What may stand between a statement's end and its line's end.
_REST: Final = re.compile(rb"[ \t\f;]*(?:#[^\r\n]*)?(?:\\(?:\r\n|\r|\n)[ \t\f]*)?(?:\r\n|\r|\n)?\Z")
_COMMENT: Final = re.compile(rb"[ \t\f]*#")
_TAG: Final = re.compile(rb"[ \t\f]*#[ \t]*</?(?:snippet|paper2code|ResearchCodeBench)\b")


@dataclass(frozen=True)
class Selection:
    """Lines `first` to `last` of a file (from 1) and the white space of their statements."""

    first: int
    last: int
    indent: bytes


def select(data: bytes, symbol: str, *, what: What = "body", path: object = None) -> Selection:
    """The lines of a definition: `symbol` takes all of it, `body` what follows the docstring.

    Comments that belong to the body go with it. A body on the line of its `def` takes the whole
    definition, because a snippet is made of whole lines. Raises InputError when the symbol is
    missing, defined more than once, or has no body; TagError when its lines hold other code too.
    """
    definition = _the_one(data, symbol, path)
    lines = Lines(data)
    if what == "symbol" or definition.kind == "lambda":
        return _cover(lines, definition.outer, definition.outer, path)
    return _body(lines, definition, path)


def select_statements(
    data: bytes, symbol: str, first: int, last: int, *, path: object = None
) -> Selection:
    """Statements `first` to `last` (from 1, the docstring not counted) of a definition's body."""
    definition = _the_one(data, symbol, path)
    body = _after_docstring(definition)
    if not 1 <= first <= last <= len(body):
        raise InputError(
            f"{symbol} has {len(body)} statements after its docstring, not {first} to {last}",
            where=path,
            mend=f"choose a range inside 1 to {len(body)}",
        )
    lines = Lines(data)
    chosen = _cover(lines, body[first - 1], body[last - 1], path)
    floor = lines.at(body[first - 2].end_byte - 1) if first > 1 else _header_end(lines, definition)
    start = _first_comment(lines, chosen.first, floor, stop_at_tags=True)
    return Selection(start, chosen.last, chosen.indent)


def select_lines(data: bytes, first: int, last: int, *, path: object = None) -> Selection:
    """Lines `first` to `last` as they are; blank lines at both ends are left out."""
    lines = Lines(data)
    if not 1 <= first <= last <= len(lines):
        raise InputError(
            f"no lines {first} to {last} in a file of {len(lines)} lines",
            where=path,
            mend=f"choose a range inside 1 to {len(lines)}",
        )
    full = [number for number in range(first, last + 1) if not lines.blank(number)]
    if not full:
        raise InputError(f"lines {first} to {last} are blank", where=path, mend="choose others")
    code = next((n for n in full if not _COMMENT.match(lines[n])), full[0])
    return Selection(full[0], full[-1], lines.indent(code))


def select_between(data: bytes, start: str, end: str, *, path: object = None) -> Selection:
    """From the one line that matches the regular expression `start` to the next matching `end`."""
    begin, finish = _pattern(start), _pattern(end)
    text = [line.decode("latin-1") for line in _texts(data)]
    opens = [number for number, line in enumerate(text, start=1) if begin.search(line)]
    if len(opens) != 1:
        raise InputError(
            f"{len(opens)} lines match the start anchor {start!r}"
            + (f": {', '.join(map(str, opens[:8]))}" if opens else ""),
            where=path,
            mend="use a pattern that matches exactly one line",
        )
    ends = (n for n in range(opens[0], len(text) + 1) if finish.search(text[n - 1]))
    last = next(ends, None)
    if last is None:
        raise InputError(
            f"no line from {opens[0]} on matches the end anchor {end!r}",
            where=path,
            mend="use a pattern that matches a line of the region's end",
        )
    return select_lines(data, opens[0], last, path=path)


def chosen(
    data: bytes,
    *,
    symbol: str | None = None,
    what: str = "body",
    lines: str | None = None,
    start: str | None = None,
    end: str | None = None,
    path: object = None,
    language: str = "python",
) -> Selection:
    """The selection that a person spelled out: a symbol, lines like `10:20`, or two anchors."""
    if symbol and language == "cython":
        data = pythonised(parseable(data))
    elif symbol and language != "python":
        return select_foreign(data, symbol, what, language, path=path)
    if symbol and what in ("body", "symbol"):
        return select(data, symbol, what="body" if what == "body" else "symbol", path=path)
    if symbol:
        return select_statements(data, symbol, *_range(what), path=path)
    if lines:
        return select_lines(data, *_range(lines), path=path)
    if start and end:
        return select_between(data, start, end, path=path)
    raise InputError("nothing is selected", mend="give a symbol, lines, or a start and an end")


def select_foreign(
    data: bytes, symbol: str, what: str, language: str, *, path: object = None
) -> Selection:
    """The lines of a definition in another language than Python, or those inside its braces."""
    found = foreign_bodies(data, language)
    if found is None:
        what = f"the grammar of {language} is not installed"
        raise InputError(what, where=path, mend=f"give lines or anchors, or {MEND}")
    items = [item for item in found if symbol in (item.function.symbol, item.function.address)]
    lines = Lines(data)
    if len(items) != 1:
        told = ", ".join(f"{f.address} on line {f.start}" for f, _, _ in items)
        raise InputError(
            f"{symbol} is defined {len(items)} times: {told}" if items else f"no {symbol}",
            where=path,
            mend="name one of them as shown" if items else "see `recodeh mine` for the symbols",
        )
    function, start, end = items[0]
    if what == "symbol":
        return select_lines(data, function.start, function.end, path=path)
    first, last = lines.at(start), lines.at(end)
    first += not data[start : lines.starts[first]].strip()
    last -= not data[lines.starts[last - 1] : end].strip()
    shared = data[lines.starts[first - 1] : start].strip() if first <= lines.at(start) else b""
    if what != "body" or shared or first > last or last >= lines.at(function.end_byte):
        raise InputError(
            f"the body of {symbol} has no lines of its own to choose {what!r} of",
            where=path,
            mend="use `--select symbol`, or give lines",
        )
    return select_lines(data, first, last, path=path)


def _range(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    if match is None:
        raise InputError(f"{text!r} is no range", mend="write two numbers like 2:4")
    return int(match[1]), int(match[2] or match[1])


def _texts(data: bytes) -> Sequence[bytes]:
    lines = Lines(decode(data).encode())
    return [lines[number] for number in range(1, len(lines) + 1)]


def _pattern(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern.encode().decode("latin-1"))
    except re.error as error:
        raise InputError(f"{pattern!r} is no regular expression: {error}", mend="mend it") from None


def _the_one(data: bytes, symbol: str, path: object) -> Definition:
    found = find(data, symbol)
    if len(found) == 1:
        return found[0]
    lines = Lines(data)
    where = ", ".join(
        f"{item.symbol}@{item.ordinal} on line {lines.at(item.node.start_byte)}" for item in found
    )
    raise InputError(
        f"{symbol} is defined {len(found)} times: {where}"
        if found
        else f"no definition of {symbol}",
        where=path,
        mend="name one of them as shown" if found else "see `recodeh mine` for the symbols",
    )


def _after_docstring(definition: Definition) -> "list[Node]":
    block = definition.node.child_by_field_name("body")
    if block is None:
        return []
    doc = docstring_of(block)
    return [node for node in statements(block) if doc is None or node.id != doc.id]


def _body(lines: Lines, definition: Definition, path: object) -> Selection:
    body = _after_docstring(definition)
    if not body:
        raise InputError(
            f"{definition.address} has no statement after its docstring",
            where=path,
            mend="choose a function with a body",
        )
    if not _begins_line(lines, body[0]):
        return _cover(lines, _sharing(lines, definition, body[0]), body[-1], path)
    chosen = _cover(lines, body[0], body[-1], path)
    start = _first_comment(lines, chosen.first, _header_end(lines, definition), stop_at_tags=False)
    return Selection(start, _last_comment(lines, chosen.last, chosen.indent), chosen.indent)


def _sharing(lines: Lines, definition: Definition, first: "Node") -> "Node":
    """What the first statement's line begins with: the docstring, or the whole definition."""
    block = definition.node.child_by_field_name("body")
    doc = docstring_of(block) if block is not None else None
    shared = doc is not None and lines.at(doc.end_byte - 1) == lines.at(first.start_byte)
    return doc if doc is not None and shared and _begins_line(lines, doc) else definition.outer


def _cover(lines: Lines, first: "Node", last: "Node", path: object) -> Selection:
    """The whole lines of two statements and all between; other code on them is an error."""
    top, bottom = lines.at(first.start_byte), lines.at(last.end_byte - 1)
    while bottom < len(lines) and _continues(lines[bottom]):
        bottom += 1
    rest = lines.data[last.end_byte : lines.starts[bottom]]
    if not _begins_line(lines, first) or not _REST.match(rest):
        raise TagError(
            "the statements share a line with other code",
            where=f"{path or 'line'}:{top}" if path else f"line {top}",
            mend="put them on lines of their own, or choose the enclosing definition",
        )
    return Selection(top, bottom, lines.indent(top))


def _begins_line(lines: Lines, node: "Node") -> bool:
    """Whether only white space stands before a node on its line, and no line continues into it."""
    number = lines.at(node.start_byte)
    before = lines.data[lines.starts[number - 1] : node.start_byte].removeprefix(b"\xef\xbb\xbf")
    return not before.strip() and not (number > 1 and _continues(lines[number - 1]))


def _continues(line: bytes) -> bool:
    """Whether a backslash joins the next line to this one; in a comment it would not."""
    return line.rstrip(b"\r\n").endswith(b"\\") and b"#" not in line


def _header_end(lines: Lines, definition: Definition) -> int:
    """The last line of what stays visible: the `def`'s colon or the docstring."""
    block = definition.node.child_by_field_name("body")
    doc = docstring_of(block) if block is not None else None
    if doc is not None:
        return lines.at(doc.end_byte - 1)
    colon = [child for child in definition.node.children if child.type == ":"]
    return lines.at(colon[-1].start_byte if colon else definition.node.start_byte)


def _first_comment(lines: Lines, start: int, floor: int, *, stop_at_tags: bool) -> int:
    """The first of the comment lines above `start` and below `floor`, or `start` itself."""
    best, number = start, start - 1
    while number > floor and (lines.blank(number) or _COMMENT.match(lines[number])):
        if stop_at_tags and _TAG.match(lines[number]):
            break
        best = best if lines.blank(number) else number
        number -= 1
    return best


def _last_comment(lines: Lines, last: int, indent: bytes) -> int:
    """The last of the comment lines below `last` that are indented at least like the body."""
    best, number = last, last + 1
    while number <= len(lines) and (lines.blank(number) or _COMMENT.match(lines[number])):
        if not lines.blank(number):
            if _width(leading_space(lines[number])) < _width(indent):
                break
            best = number
        number += 1
    return best


def _width(indent: bytes) -> int:
    return len(indent.rpartition(b"\f")[2].expandtabs(8))
