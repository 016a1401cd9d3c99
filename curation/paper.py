"""A paper's text to passages: paragraphs, equations and algorithms, each with its section.

Reads LaTeX (with the files it inputs), Markdown, and text taken out of a PDF.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from recodeh.curation.encoding import decode
from recodeh.data.errors import InputError

Kind = Literal["text", "equation", "algorithm"]

_COMMENT: Final = re.compile(r"(?<!\\)%[^\n]*")
_INPUT: Final = re.compile(r"\\(?:input|include|subfile)\s*\{([^{}]+)\}")
_SECTION: Final = re.compile(
    r"\\(?:part|chapter|(?:sub)*section|paragraph)\*?\s*(?:\[[^]]*\])?\{((?:[^{}]|\{[^{}]*\})*)\}"
    r"|\\begin\{(abstract)\}|\\(appendix)\b"
)
_BLOCK: Final = re.compile(
    r"\\begin\{(?P<name>(?:equation|align|gather|multline|eqnarray|displaymath|flalign|alignat|"
    r"algorithm|algorithmic|algorithm2e|lstlisting|verbatim)\*?)\}(?P<body>.*?)\\end\{(?P=name)\}"
    r"|\$\$(?P<dollars>.*?)\$\$|\\\[(?P<brackets>.*?)\\\]",
    re.DOTALL,
)
_HEADING: Final = re.compile(
    r"^(?:#{1,6}[ \t]+(.+?)[ \t#]*|(.+)\n(?:={3,}|-{3,})[ \t]*)$", re.MULTILINE
)
# In extracted text a heading is a short line of its own: `3.2 The update rule`.
_NUMBERED: Final = re.compile(
    r"^(?:\d+(?:\.\d+)*\.?|[A-H]\.)[ \t]+([A-Z][^\n.]{2,80})$|^(Abstract)$", re.MULTILINE
)
_MAX_FILES: Final = 200


@dataclass(frozen=True)
class Passage:
    """One paragraph, equation or algorithm of a paper."""

    section: str
    kind: Kind
    text: str


def read_paper(path: Path) -> str:
    """The text of a paper's file; LaTeX comes with all files that it inputs, comments taken out.

    Raises InputError when there is no such file.
    """
    if not path.is_file():
        raise InputError("no such file", where=path, mend="give the paper's .tex, .md or .txt file")
    text = decode(path.read_bytes())
    if path.suffix.lower() == ".tex" or _is_latex(text):
        return _expanded(text, path.parent, [path.resolve()])
    return text


def passages(text: str) -> list[Passage]:
    """Split a paper's text; LaTeX and Markdown are told by their marks."""
    latex = _is_latex(text)
    if latex:
        text = _COMMENT.sub("", text).partition("\\end{document}")[0]
    headings = _SECTION if latex else _HEADING if _HEADING.search(text) else _NUMBERED
    return [part for title, body in _sections(text, headings) for part in _blocks(title, body)]


def _is_latex(text: str) -> bool:
    if re.search(r"\\(?:documentclass|section\*?\{|begin\{document\})", text):
        return True
    return "\\begin{" in text and not _HEADING.search(text)


def _expanded(text: str, folder: Path, seen: list[Path]) -> str:
    """The text with its inputs in place, each file once and none from outside the folder."""

    def included(match: re.Match[str]) -> str:
        name = match[1].strip()
        root = seen[0].parent
        for candidate in (folder / name, folder / f"{name}.tex", root / name, root / f"{name}.tex"):
            path = candidate.resolve()
            if path.is_relative_to(root) and path.is_file():
                if path in seen or len(seen) > _MAX_FILES:
                    return ""
                seen.append(path)
                return _expanded(decode(path.read_bytes()), path.parent, seen)
        return match[0]

    return _INPUT.sub(included, _COMMENT.sub("", text))


def _sections(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    title, start = "", 0
    for match in pattern.finditer(text):
        yield title, text[start : match.start()]
        title = next((group for group in match.groups() if group), "").strip()
        start = match.end()
    yield title, text[start:]


def _blocks(title: str, body: str) -> Iterator[Passage]:
    start = 0
    for match in _BLOCK.finditer(body):
        yield from _plain(title, body[start : match.start()])
        kind: Kind = "algorithm" if (match["name"] or "").startswith("algo") else "equation"
        inner = match["body"] or match["dollars"] or match["brackets"] or ""
        yield from _passage(title, kind, inner)
        start = match.end()
    yield from _plain(title, body[start:])


def _plain(title: str, body: str) -> Iterator[Passage]:
    for paragraph in re.split(r"\n[ \t]*\n", body):
        yield from _passage(title, "text", paragraph)


def _passage(title: str, kind: Kind, text: str) -> Iterator[Passage]:
    squeezed = " ".join(text.split())
    if len(squeezed) > (20 if kind == "text" else 5):
        yield Passage(" ".join(title.split()), kind, squeezed)
