"""Code to tokens that stay the same when comments, layout and the names of variables change."""

import keyword
import re
from collections.abc import Iterator
from typing import Final

from recodeh.curation.lines import Lines

_COMMENT: Final = re.compile(rb"#[^\r\n]*")
_TOKEN: Final = re.compile(rb"(\.\s*)?([A-Za-z_]\w*)(\s*\()?|\d[\w.]*|[^\s\w#\"'`\\]")
_KEYWORDS: Final = frozenset(word.encode() for word in keyword.kwlist)


def tokens(data: bytes) -> Iterator[tuple[bytes, int]]:
    """The normalised tokens of code or text with their offsets.

    Attributes and called names stay, other identifiers become one mark, and quotes, which
    docstrings and strings put round a copy, are left out.
    """
    for match in _TOKEN.finditer(data):
        name = match[2]
        if name is None:
            yield match[0], match.start()
        else:
            kept = match[1] or match[3] or name in _KEYWORDS
            yield (name if kept else b"v"), match.start(2)


def code_tokens(data: bytes) -> list[tuple[bytes, int]]:
    """The tokens of Python code without its comments."""
    return list(tokens(_COMMENT.sub(lambda match: b" " * len(match[0]), data)))


def lines_and_tokens(data: bytes) -> list[tuple[bytes, int]]:
    """Tokens with line numbers in place of offsets: the code's first, then the comments'."""
    lines = Lines(data)
    found = code_tokens(data)
    for match in _COMMENT.finditer(data):
        found += [(token, match.start() + offset) for token, offset in tokens(match[0][1:])]
    return [(token, lines.at(offset)) for token, offset in found]
