"""The lines of a file as byte spans: where each begins, and on which line a byte lies."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_LINE: Final = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_INDENT: Final = re.compile(rb"[ \t\f]*")
_NEWLINE: Final = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True)
class Lines:
    """The lines of `data`, numbered from 1, each with its ending."""

    data: bytes

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line, and at last the length of the data."""
        return [match.start() for match in _LINE.finditer(self.data)] + [len(self.data)]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> bytes:
        return self.data[self.starts[number - 1] : self.starts[number]]

    def at(self, offset: int) -> int:
        """The number of the line that holds the byte at `offset`."""
        return max(1, min(bisect_right(self.starts, offset), len(self)))

    def span(self, first: int, last: int) -> bytes:
        """Lines `first` to `last`, both included."""
        return self.data[self.starts[first - 1] : self.starts[last]]

    def indent(self, number: int) -> bytes:
        """The white space at the front of a line; a byte order mark is not part of it."""
        return leading_space(self[number].removeprefix(b"\xef\xbb\xbf"))

    def blank(self, number: int) -> bool:
        """Whether a line holds nothing but white space."""
        return not self[number].strip()

    @property
    def newline(self) -> bytes:
        """The ending of the first line that has one; a line feed where none has."""
        match = _NEWLINE.search(self.data)
        return match.group() if match else b"\n"


def leading_space(line: bytes) -> bytes:
    """The blanks, tabs and form feeds at the front of `line`."""
    match = _INDENT.match(line)
    return match.group() if match else b""


def code_lines(region: bytes, comment: tuple[bytes, ...] = (b"#",)) -> int:
    """Lines that are neither blank nor begin with a comment mark.

    This is ResearchCodeBench's count (arXiv 2506.02314): docstring and continuation lines count.
    """
    stripped = (line.strip() for line in _LINE.findall(region))
    return sum(bool(line) and not line.startswith(comment) for line in stripped)
