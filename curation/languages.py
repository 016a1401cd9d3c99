"""The languages of papers' code: file endings, comments and strings, as far as tags need them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Final

from recodeh.data.errors import InputError


@dataclass(frozen=True)
class Language:
    """How one language writes comments and strings."""

    name: str
    suffixes: tuple[str, ...]
    comment: str
    """The mark that begins a comment to the end of the line."""
    strings: tuple[str, ...] = ()
    """Patterns of all that is no comment although it may hold a comment's mark."""
    blocks: tuple[str, ...] = ()
    """Patterns of comments over several lines."""

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """What a scan of a file stops at: a string, a block, or a comment, which is the group."""
        skipped = "|".join((*self.blocks, *self.strings))
        line = rf"({re.escape(self.comment)}[^\r\n]*)"
        return re.compile(f"(?:{skipped})|{line}".encode(), re.DOTALL)


_LETTER: Final = re.compile(rb"[^\r\n]")
_QUOTED: Final = (r'"(?:\\.|[^"\\])*"', r"'(?:\\.|[^'\\])*'")
_ON_ONE_LINE: Final = (r'"(?:\\.|[^"\\\r\n])*"', r"'(?:\\.|[^'\\\r\n])*'")
_TRIPLE: Final = (r'"""(?:\\.|.)*?"""', r"'''(?:\\.|.)*?'''")
_C: Final = (r'R"([^()\s\\]*)\(.*?\)\1"'.replace("([^", "(?P<mark>[^").replace(r"\1", "(?P=mark)"),)
_C_BLOCK: Final = (r"/\*.*?\*/",)

_ALL: Final = (
    Language("python", (".py", ".pyw", ".pyi"), "#"),
    Language("cython", (".pyx", ".pxd", ".pxi"), "#", (*_TRIPLE, *_ON_ONE_LINE)),
    Language("r", (".r", ".R"), "#", (*_QUOTED, r"`[^`\r\n]*`")),
    Language(
        "julia", (".jl",), "#",
        (_TRIPLE[0], _QUOTED[0], r"(?<![\w)\]}'.])'(?:\\.[^'\r\n]*|[^'\\\r\n]+)'"),
        (r"#=.*?=#",),
    ),
    # After a name, a bracket or a dot the quote is a transpose.
    Language(
        "matlab", (".m",), "%",
        (r'"(?:""|[^"\r\n])*"', r"(?<![\w)\]}'.])'(?:''|[^'\r\n])*'"),
        (r"%\{[ \t]*\r?\n.*?\n[ \t]*%\}",),
    ),
    Language("c", (".c", ".h"), "//", _ON_ONE_LINE, _C_BLOCK),
    Language(
        "cpp", (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx"), "//", (*_C, *_ON_ONE_LINE), _C_BLOCK
    ),
    Language("cuda", (".cu", ".cuh"), "//", (*_C, *_ON_ONE_LINE), _C_BLOCK),
    # A quote that no other follows at once begins a lifetime.
    Language(
        "rust", (".rs",), "//",
        (r'r(?P<marks>#*)".*?"(?P=marks)', _QUOTED[0], r"'(?:\\[^'\r\n]+|[^'\\\r\n])'"),
        _C_BLOCK,
    ),
)  # fmt: skip
_BY_NAME: Final = {language.name: language for language in _ALL}
_BY_SUFFIX: Final = {suffix: language for language in _ALL for suffix in language.suffixes}


_UNREAD: Final = {
    "Fortran": ".f .for .f77 .f90 .f95 .f03 .f08 .F .F90",
    "Java": ".java", "Scala": ".scala", "Kotlin": ".kt", "C#": ".cs", "Go": ".go",
    "Swift": ".swift",
    "JavaScript": ".js .mjs .jsx", "TypeScript": ".ts .tsx", "Ruby": ".rb", "Perl": ".pl .pm",
    "Lua": ".lua", "Haskell": ".hs", "OCaml": ".ml .mli", "Lisp": ".lisp .el .scm .clj",
    "Mathematica": ".nb .wl .wls", "Maple": ".mpl", "Stata": ".do .ado", "SAS": ".sas",
    "R Markdown": ".Rmd .rmd .qmd", "Sage": ".sage", "Lean": ".lean", "Coq": ".v", "Stan": ".stan",
    "Objective-C": ".mm", "OpenCL": ".cl", "NetLogo": ".nlogo", "GAMS": ".gms", "AMPL": ".mod",
}  # fmt: skip
_UNREAD_BY_SUFFIX: Final = {
    suffix: name for name, suffixes in _UNREAD.items() for suffix in suffixes.split()
}


def unread(path: PurePath | str) -> str | None:
    """The name of a language of code that we know and do not read, by a file's ending."""
    return _UNREAD_BY_SUFFIX.get(PurePath(path).suffix)


def named(name: str) -> Language:
    """The language of a name; raises InputError for one that is not known."""
    if name not in _BY_NAME:
        raise InputError(f"no language {name!r}", mend=f"use one of {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def of_file(path: PurePath | str) -> Language | None:
    """The language of a file by its ending; None where tags cannot be read."""
    return _BY_SUFFIX.get(PurePath(path).suffix)


def line_comments(data: bytes, language: Language) -> Iterator[tuple[int, int]]:
    """The spans of the comments that end with their line, marks included."""
    for match in language.pattern.finditer(data):
        if match[match.re.groups] is not None:
            yield match.span(match.re.groups)


def without_blocks(data: bytes, language: Language) -> bytes:
    """The same bytes with the letters of comments over several lines as blanks."""
    if not language.blocks:
        return data
    block = re.compile("|".join(language.blocks).encode(), re.DOTALL)
    return language.pattern.sub(
        lambda m: _LETTER.sub(b" ", m[0]) if block.fullmatch(m[0]) else m[0], data
    )
