"""Cut and fill lines of a text without changing any other character.

Lines end as Python's tokenizer ends them: at `\\n`, `\\r\\n` or a lone `\\r`, and nowhere else.
"""

import re
from typing import Final

from recodeh.data.errors import MaskError
from recodeh.data.records import Snippet

_BOM: Final = "\ufeff"
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def lines_of(text: str) -> list[str]:
    """The lines of `text`, each with its own ending; joined they are `text` again."""
    return _LINE.findall(text)


def newline_of(text: str) -> str:
    """The line ending of the first line that has one; `\\n` where none has."""
    match = re.search(r"\r\n|\r|\n", text)
    return match.group() if match else "\n"


def cut(text: str, start: int, end: int) -> str:
    """Lines `start` to `end` (from 1, both included) with their endings.

    Raises MaskError when the text has no such lines.
    """
    lines = lines_of(text)
    _check(lines, start, end)
    return "".join(lines[start - 1 : end])


def fill(masked: str, snippet: Snippet, code: str) -> str:
    """The masked file with `code` in place of the placeholder's lines.

    `code` is the whole text of the region, indented as it shall stand. Where lines follow the
    placeholder and `code` does not end its last line, the file's own line ending is added, and a
    byte order mark in front of the placeholder stays; all else is taken as it is, so that filling
    in the reference gives the original file back.

    Raises MaskError when the placeholder's lines are not in the file.
    """
    lines = lines_of(masked)
    _check(lines, snippet.mask_start, snippet.mask_end)
    before = "".join(lines[: snippet.mask_start - 1])
    after = "".join(lines[snippet.mask_end :])
    mark = _BOM if not before and masked.startswith(_BOM) and not code.startswith(_BOM) else ""
    glue = newline_of(masked) if after and code and not code.endswith(("\n", "\r")) else ""
    return before + mark + code + glue + after


def encoded(text: str, snippet: Snippet) -> bytes:
    """The bytes of a filled file in the codec of its file on disk.

    Raises MaskError when the codec lacks a character, which only new code can bring in.
    """
    try:
        return text.encode(snippet.encoding)
    except UnicodeEncodeError as error:
        raise MaskError(
            f"the file is written in {snippet.encoding}, which lacks {text[error.start]!r}",
            where=f"line {len(lines_of(text[: error.start + 1]))}",
            mend="write the character as an escape sequence",
        ) from error


def _check(lines: list[str], start: int, end: int) -> None:
    if not 1 <= start <= end <= len(lines):
        raise MaskError(
            f"no lines {start} to {end} in a text of {len(lines)} lines",
            mend="use the masked file and the snippet of one and the same task",
        )
