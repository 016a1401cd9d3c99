"""Where the comments of a file are: spans in bytes, strings and docstrings left out."""

from collections.abc import Iterator
from dataclasses import dataclass

from recodeh.curation.languages import line_comments, named
from recodeh.curation.syntax import captures, parse


@dataclass(frozen=True)
class Comment:
    """One comment: the span of its text without the comment marks."""

    start: int
    """Where the comment begins, its mark included."""
    text_start: int
    text_end: int


def comments(data: bytes, language: str = "python") -> Iterator[Comment]:
    """The comments of `data` in order; raises InputError for a language that is not known.

    Python's are those of its syntax tree. Other languages are scanned for strings and comments,
    which is enough to tell a tag on a line of its own from one in a string.
    """
    if language != "python":
        spoken = named(language)
        for start, end in line_comments(data, spoken):
            yield Comment(start, start + len(spoken.comment), end)
        return
    found = captures(parse(data), "(comment) @comment").get("comment", [])
    for node in sorted(found, key=lambda node: node.start_byte):
        yield Comment(node.start_byte, node.start_byte + 1, node.end_byte)
