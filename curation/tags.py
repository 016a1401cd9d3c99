"""Snippet tags in source files: read into regions and faults, written by byte splices, taken out.

    # <snippet name="drift" hint="Equation 4">
    ...
    # </snippet>

is our dialect. `paper2code name="…"`, whose closing tag carries the name, and
`ResearchCodeBench hint="…"` are read and written too (ResearchCodeBench, arXiv 2506.02314).
A tag is a comment alone on its line; what stands in strings and docstrings is no tag.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from recodeh.curation.encoding import codec_of
from recodeh.curation.grammar import Dialect, Fault, Tag, mentions, read_tags, written
from recodeh.curation.languages import named, without_blocks
from recodeh.curation.lines import Lines, code_lines
from recodeh.curation.select import Selection, What
from recodeh.curation.select import select as selected
from recodeh.curation.syntax import whole
from recodeh.data.errors import InputError, TagError

BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Region:
    """What stands between two tags; its key is (path, name, ordinal)."""

    path: str
    name: str
    ordinal: int
    """From 1, among the regions of this name in the file."""
    hint: str
    dialect: Dialect
    open_line: int
    """Line of the opening tag, in the tagged file."""
    close_line: int
    start: int
    """First line of the region in the file without tags."""
    end: int
    indent: str
    """White space in front of the region's first statement."""
    loc: int
    depth: int
    """From 1, for a region inside no other."""
    parent: str | None

    @property
    def key(self) -> tuple[str, str, int]:
        """What names the region among all of a source."""
        return (self.path, self.name, self.ordinal)


@dataclass(frozen=True)
class Tags:
    """The regions of a file in order of their opening tags, and the faults in order of line."""

    regions: tuple[Region, ...]
    faults: tuple[Fault, ...]
    lines: tuple[int, ...]
    """The lines that hold a tag and nothing else."""


def parse(data: bytes, *, path: str = "", language: str = "python") -> Tags:
    """Read the tags of one file with a stack; faults are collected, never raised."""
    if not mentions(data):
        return Tags((), (), ())
    body = data.removeprefix(BOM)
    lines = Lines(body)
    read = list(read_tags(body, codec_of(data), lines, path, language))
    tags = [item for item in read if isinstance(item, Tag)]
    matched = list(_match(tags, path))
    pairs = [item for item in matched if not isinstance(item, Fault)]
    numbers = tuple(tag.line for tag in tags)
    regions = _numbered(_regions(lines, pairs, numbers, path, language))
    faults = [item for item in (*read, *matched) if isinstance(item, Fault)]
    faults += _region_faults(lines, pairs, regions)
    kept = tuple(region for region in regions if region.loc)
    return Tags(kept, tuple(sorted(faults, key=lambda fault: fault.line)), numbers)


def strip(data: bytes, *, language: str = "python") -> bytes:
    """The file without its tag lines, and no other byte changed."""
    numbers = parse(data, language=language).lines
    if not numbers:
        return data
    head = BOM if data.startswith(BOM) else b""
    lines = Lines(data.removeprefix(BOM))
    return head + joined(lines, [n for n in range(1, len(lines) + 1) if n not in set(numbers)])


def joined(lines: Lines, kept: list[int]) -> bytes:
    """The kept lines; a last line that had no ending passes that on to the one before it."""
    text = b"".join(lines[number] for number in kept)
    ends_open = not lines[len(lines)].endswith((b"\n", b"\r"))
    if kept and kept[-1] != len(lines) and ends_open:
        return text.removesuffix(b"\n").removesuffix(b"\r")
    return text


def tag(
    data: bytes,
    symbol: str,
    name: str,
    *,
    hint: str = "",
    select: What = "body",
    dialect: str = "snippet",
    path: str = "",
) -> bytes:
    """The file with tags round the body of `symbol`, or round all of it; see `select.select`."""
    selection = selected(data, symbol, what=select, path=path or None)
    return splice(data, selection, name, hint=hint, dialect=dialect, path=path)


def splice(
    data: bytes,
    selection: Selection,
    name: str,
    *,
    hint: str = "",
    dialect: str = "snippet",
    path: str = "",
    language: str = "python",
) -> bytes:
    """The file with two tag lines put in round the selected lines, and no other byte changed.

    Raises InputError when the name or hint cannot stand in a tag; TagError when the new region
    would cross another, repeat its name, or hold no code.
    """
    opening, closing = written(name, hint=hint, dialect=dialect)
    head = BOM if data.startswith(BOM) else b""
    lines = Lines(data.removeprefix(BOM))
    comment = named(language).comment
    codec, newline, indent = codec_of(data), lines.newline, selection.indent
    before = b"%b%b %b%b" % (indent, comment.encode(), _bytes(opening, codec), newline)
    after = b"%b%b %b" % (indent, comment.encode(), _bytes(closing, codec))
    inside = lines.span(selection.first, selection.last)
    ended = inside.endswith((b"\n", b"\r"))
    inside += after + newline if ended else newline + after
    cut, resume = lines.starts[selection.first - 1], lines.starts[selection.last]
    if language == "python" and not whole(lines.span(selection.first, selection.last)):
        raise TagError(
            "the lines do not hold whole statements",
            where=f"{path}:{selection.first}",
            mend="choose lines that begin and end with a statement",
        )
    tagged = head + lines.data[:cut] + before + inside + lines.data[resume:]
    _check(data, tagged, path, language)
    return tagged


def _bytes(text: str, codec: str) -> bytes:
    try:
        return text.encode(codec)
    except UnicodeEncodeError as error:
        raise InputError(
            f"the file is written in {codec}, which lacks {text[error.start]!r}",
            mend="use plain letters in the name and hint",
        ) from error


def _check(before: bytes, after: bytes, path: str, language: str) -> None:
    """Refuse tags that bring a fault into the file, move another region, or do not come out."""
    old = parse(before, path=path, language=language)
    new = parse(after, path=path, language=language)
    known = Counter((fault.kind, fault.what) for fault in old.faults)
    for fault in new.faults:
        if known[(fault.kind, fault.what)] <= 0:
            raise TagError(fault.what, where=f"{path}:{fault.line}", mend=fault.mend)
        known[(fault.kind, fault.what)] -= 1
    moved = Counter(map(_extent, old.regions)) - Counter(map(_extent, new.regions))
    for name, start, end in moved:
        what = f"the region would cross {name!r}, lines {start} to {end} without tags"
        raise TagError(what, where=path, mend="choose lines inside it, outside it, or all of it")
    if strip(after, language=language) != strip(before, language=language):
        raise TagError(
            "the tags would stand inside a string", where=path, mend="choose whole statements"
        )


def _extent(region: Region) -> tuple[str, int, int]:
    return (region.name, region.start, region.end)


@dataclass(frozen=True)
class _Pair:
    opening: Tag
    closing: Tag
    parent: str | None
    depth: int


def _match(tags: list[Tag], path: str) -> Iterator[_Pair | Fault]:
    """Opening and closing tags in pairs; a closing tag ends the innermost region that fits."""
    stack: list[Tag] = []
    crossed: list[Tag] = []
    for item in tags:
        if not item.closes:
            stack.append(item)
            continue
        depth = next((n for n in range(len(stack), 0, -1) if _fits(stack[n - 1], item)), 0)
        if depth:
            opening = stack[depth - 1]
            crossed += stack[depth:]
            for inner in stack[depth:]:
                what = f"{inner.name!r} is still open where {opening.name!r} is closed"
                yield Fault(path, item.line, "crossed", what)
            del stack[depth - 1 :]
            yield _Pair(opening, item, stack[-1].name if stack else None, len(stack) + 1)
        elif not _taken(crossed, item):
            what = f"{item.name or f'</{item.dialect}>'!r} is closed but not open"
            yield Fault(path, item.line, "unopened", what)
    for item in stack:
        yield Fault(path, item.line, "unclosed", f"{item.name!r} is never closed")


def _taken(crossed: list[Tag], closing: Tag) -> bool:
    """Whether a closing tag belongs to a region already reported as crossed, which it uses up."""
    fits = next((opening for opening in crossed if _fits(opening, closing)), None)
    if fits is not None:
        crossed.remove(fits)
    return fits is not None


def _fits(opening: Tag, closing: Tag) -> bool:
    return opening.dialect == closing.dialect and closing.name in (None, opening.name)


def _regions(
    lines: Lines, pairs: list[_Pair], numbers: tuple[int, ...], path: str, language: str
) -> Iterator[Region]:
    tagged = set(numbers)
    spoken = named(language)
    marks, bare = (spoken.comment.encode(),), Lines(without_blocks(lines.data, spoken))
    for pair in sorted(pairs, key=lambda pair: pair.opening.line):
        top, bottom = pair.opening.line, pair.closing.line
        inner = [n for n in range(top + 1, bottom) if n not in tagged]
        above = sum(number <= top for number in numbers)
        code = [n for n in inner if code_lines(bare[n], marks)]
        indent = lines.indent(code[0]) if code else pair.opening.indent
        yield Region(
            path=path,
            name=pair.opening.name or "",
            ordinal=1,
            hint=pair.opening.hint,
            dialect=pair.opening.dialect,
            open_line=top,
            close_line=bottom,
            start=top - above + 1,
            end=top - above + len(inner),
            indent=indent.decode("latin-1"),
            loc=len(code),
            depth=pair.depth,
            parent=pair.parent,
        )


def _numbered(regions: Iterator[Region]) -> list[Region]:
    seen: Counter[str] = Counter()
    numbered = []
    for region in regions:
        seen[region.name] += 1
        numbered.append(replace(region, ordinal=seen[region.name]))
    return numbered


def _region_faults(lines: Lines, pairs: list[_Pair], regions: list[Region]) -> Iterator[Fault]:
    for region in regions:
        if lines.indent(region.open_line) != lines.indent(region.close_line):
            what = f"the tags of {region.name!r} are indented differently"
            yield Fault(region.path, region.close_line, "indent", what)
        if not region.loc:
            yield Fault(region.path, region.open_line, "empty", f"{region.name!r} holds no code")
        if region.ordinal > 1:
            what = f"{region.name!r} is the name of another region"
            yield Fault(region.path, region.open_line, "duplicate", what)
