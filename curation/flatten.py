"""A second reading for valid Python that the grammar stumbles over: logical lines made flat.

tree-sitter-python takes some dedented continuation lines for the end of a block. In a flat copy,
line breaks and comments inside a logical line are blanks, and every byte offset stays.
"""

import io
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

_LAYOUT: Final = {tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT}
_ENDS: Final = {tokenize.NEWLINE, tokenize.ENDMARKER}
# Positions inside the parts of an f-string (Python 3.12 and later) are not those of the text.
_OPENS: Final = {getattr(tokenize, "FSTRING_START", -1)}
_CLOSES: Final = {getattr(tokenize, "FSTRING_END", -1)}
_LETTERS: Final = bytes(range(128)) + b"x" * 128


def flattened(data: bytes) -> bytes | None:
    """The flat copy of `data`, or None where it cannot be split into tokens."""
    plain = data.translate(_LETTERS).decode("ascii")
    starts = [0]
    for line in io.StringIO(plain, newline=""):
        starts.append(starts[-1] + len(line))
    flat = bytearray(data)
    try:
        for (row, column), (next_row, next_column) in _gaps(plain):
            begin, end = starts[row - 1] + column, starts[next_row - 1] + next_column
            flat[begin:end] = b" " * (end - begin)
    except (tokenize.TokenError, SyntaxError, IndexError):
        return None
    return bytes(flat)


def _gaps(plain: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """From the end of each token to the start of the next one in the same logical line."""
    tokens = tokenize.generate_tokens(io.StringIO(plain, newline="").readline)
    inside = 0
    for one, two in pairwise(token for token in tokens if token.type not in _LAYOUT):
        inside += (one.type in _OPENS) - (one.type in _CLOSES)
        if not inside and one.type not in _ENDS and two.type not in _ENDS:
            yield one.end, two.start
