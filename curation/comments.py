"""Where the comments of a file are: spans in bytes, strings and docstrings left out."""

from collections.abc import Iterator
from dataclasses import dataclass

from recodeh.curation.syntax import captures, parse


@dataclass(frozen=True)
class Comment:
    """One comment: the span of its text without the comment marks."""

    start: int
    """Where the comment begins, its mark included."""
    text_start: int
    text_end: int


def comments(data: bytes, language: str = "python") -> Iterator[Comment]:
    """The comments of `data` in order."""
    if language == "python":
        found = captures(parse(data), "(comment) @comment").get("comment", [])
        for node in sorted(found, key=lambda node: node.start_byte):
            yield Comment(node.start_byte, node.start_byte + 1, node.end_byte)
