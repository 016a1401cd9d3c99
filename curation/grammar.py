"""The words of snippet tags: one comment to one tag or one fault, and a name to two tags."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from recodeh.curation.comments import Comment, comments
from recodeh.curation.lines import Lines
from recodeh.data.errors import InputError

Dialect = Literal["snippet", "paper2code", "ResearchCodeBench"]
Kind = Literal[
    "malformed", "after code", "unopened", "crossed", "unclosed", "indent", "empty", "duplicate",
    "statement",
]  # fmt: skip

_LOOKS: Final = re.compile(rb"</?(?:snippet|paper2code|ResearchCodeBench)\b")
_TAG: Final = re.compile(
    r"<(?P<slash>/?)(?P<dialect>snippet|paper2code|ResearchCodeBench)"
    r'(?P<attributes>(?:[ \t]+[\w-]+[ \t]*=[ \t]*(?:"[^"]*"|\'[^\']*\'))*)[ \t]*>'
)
_ATTRIBUTE: Final = re.compile(r"([\w-]+)[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)')")
_MEND: Final[dict[Kind, str]] = {
    "malformed": 'write <snippet name="…"> and </snippet>, each alone in a comment',
    "after code": "put the tag on a line of its own",
    "unopened": "open the region above, or delete this tag",
    "crossed": "close the inner region first",
    "unclosed": "close the region, or delete this tag",
    "indent": "indent both tags of a region alike",
    "empty": "put code between the tags, or delete both",
    "duplicate": "give each region of a file its own name",
    "statement": "move the tags so that they hold whole statements",
}


@dataclass(frozen=True)
class Fault:
    """Something wrong with a tag: where, what, and the mend."""

    path: str
    line: int
    kind: Kind
    what: str

    @property
    def mend(self) -> str:
        """What to do about it."""
        return _MEND[self.kind]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what} ({self.mend})"


@dataclass(frozen=True)
class Tag:
    """One tag alone on its line."""

    line: int
    closes: bool
    dialect: Dialect
    name: str | None
    hint: str
    indent: bytes


def mentions(data: bytes) -> bool:
    """Whether anything in the file could be a tag; most files hold none and need no parsing."""
    return _LOOKS.search(data) is not None


def read_tags(
    body: bytes, codec: str, lines: Lines, path: str, language: str
) -> Iterator[Tag | Fault]:
    """The tags of a file in order, and the comments that only look like tags."""
    for comment in comments(body, language):
        text = body[comment.text_start : comment.text_end]
        if _LOOKS.match(text.lstrip(b" \t")):
            yield _tag_of(body, comment, text.decode(codec).strip(), lines, path)


def _tag_of(body: bytes, comment: Comment, text: str, lines: Lines, path: str) -> Tag | Fault:
    line = lines.at(comment.start)
    match = _TAG.fullmatch(text)
    fields = (
        {key: one or two for key, one, two in _ATTRIBUTE.findall(match["attributes"])}
        if match
        else {}
    )
    if (
        match is None
        or set(fields) - {"name", "hint"}
        or not (match["slash"] or any(fields.values()))
    ):
        return Fault(path, line, "malformed", f"{text[:60]!r} is not a tag")
    if body[lines.starts[line - 1] : comment.start].strip():
        return Fault(path, line, "after code", f"the tag {text!r} stands after code")
    dialect: Dialect = match["dialect"]  # type: ignore[assignment] # the pattern allows no other
    if dialect == "snippet":
        fields = {key: html.unescape(value) for key, value in fields.items()}
    name = fields.get("name") or (fields.get("hint") if dialect == "ResearchCodeBench" else None)
    if not (name or match["slash"]):
        return Fault(path, line, "malformed", f"{text[:60]!r} names no snippet")
    return Tag(
        line, bool(match["slash"]), dialect, name, fields.get("hint", ""), lines.indent(line)
    )


def written(name: str, *, hint: str = "", dialect: str = "snippet") -> tuple[str, str]:
    """The opening and closing tag of a region, without comment marks."""
    if dialect not in get_args(Dialect):
        raise InputError(
            f"no tag dialect {dialect!r}", mend=f"use one of {', '.join(get_args(Dialect))}"
        )
    if not name or any(char in name + hint for char in "\r\n\f"):
        raise InputError(f"{name!r} cannot name a snippet", mend="use a name on one line")
    if dialect == "snippet":
        told = f' hint="{_escaped(hint)}"' if hint else ""
        return f'<snippet name="{_escaped(name)}"{told}>', "</snippet>"
    if '"' in name:
        raise InputError(f"{name!r} has a quote, which {dialect} cannot hold", mend="leave it out")
    attribute = "name" if dialect == "paper2code" else "hint"
    return f'<{dialect} {attribute}="{name}">', f'</{dialect} {attribute}="{name}">'


def _escaped(text: str) -> str:
    return html.escape(text, quote=False).replace('"', "&quot;")
