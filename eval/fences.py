"""Fenced blocks of a reply, as models really write them: any mark, any label, nested, unclosed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

PYTHON: Final = frozenset({"python", "py", "python3", "py3"})
MOST_ENDS: Final = 8
"""A block that holds fences of its own, in a docstring say, is tried with so many ends."""

_OPEN = re.compile(r"^(?P<before>.*?)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")
_LABEL = re.compile(r"[{.\s]*(?P<label>[\w+#-]*)")
_THOUGHT = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """An opening fence with everything that its content may be, the likeliest first."""

    label: str
    contents: tuple[str, ...]
    closed: bool
    start: int
    """Line of the opening fence, from 0."""
    ends: tuple[int, ...]
    """Lines after each content's closing fence."""

    @property
    def python(self) -> bool:
        """Whether the label says that this is Python."""
        return self.label in PYTHON


def plain(reply: str) -> str:
    """The reply with `\\n` as its only line ending and without what a model thought aloud."""
    return _THOUGHT.sub("", reply.replace("\r\n", "\n").replace("\r", "\n"))


def block_at(lines: list[str], start: int) -> Block | None:
    """The block that line `start` opens, if it opens one."""
    opening = _OPEN.match(lines[start])
    if opening is None or not _opens(opening):
        return None
    closings = _closings(lines, start, opening["mark"])
    contents = [_content(lines[start + 1 : end], opening["before"]) for end in closings]
    if not closings:
        contents = [_content(_cut(lines[start + 1 :], opening["mark"]), opening["before"])]
    return Block(
        label=_label(opening),
        contents=tuple(contents),
        closed=bool(closings),
        start=start,
        ends=tuple(end + 1 for end in closings) or (len(lines),),
    )


def holds_python(block: Block, lines: list[str]) -> bool:
    """Whether a block of Python opens inside: in Markdown about Markdown, or after one unclosed."""
    inner = (_OPEN.match(line) for line in lines[block.start + 1 : block.ends[0]])
    return any(opening and _label(opening) in PYTHON for opening in inner)


def _label(opening: "re.Match[str]") -> str:
    found = _LABEL.match(opening["info"].lower())
    return found["label"] if found else ""


def _opens(opening: "re.Match[str]") -> bool:
    """A fence after words opens a block only when it is labelled: prose may quote a mark."""
    return not opening["before"].strip() or _label(opening) in PYTHON


def _closings(lines: list[str], start: int, mark: str) -> list[int]:
    closing = re.compile(rf"^[ \t]*{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$")
    found = (i for i in range(start + 1, len(lines)) if closing.match(lines[i]))
    return [index for index, _ in zip(found, range(MOST_ENDS), strict=False)]


def _content(lines: list[str], indent: str) -> str:
    """The lines without the white space that stood before the opening fence."""
    width = len(indent) if not indent.strip() else 0
    return "\n".join(_without(line, width) for line in lines)


def _without(line: str, width: int) -> str:
    lead = len(line) - len(line.lstrip(" \t"))
    return line[min(width, lead) :]


def _cut(lines: list[str], mark: str) -> list[str]:
    """The lines of an unclosed block, up to a mark that was glued to a line of code."""
    return list(_until_glued(lines, mark))


def _until_glued(lines: list[str], mark: str) -> Iterator[str]:
    for line in lines:
        if line.rstrip().endswith(mark):
            yield line.rstrip().removesuffix(mark)
            return
        yield line
