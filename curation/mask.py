"""Cut snippets out of a tagged file, so that filling the code in again gives the file without tags.

For every region: `fill(mask(f).text, mask(f).snippet, mask(f).code) == strip(f)`, byte for byte.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from recodeh.curation.encoding import codec_of
from recodeh.curation.languages import named
from recodeh.curation.lines import Lines
from recodeh.curation.placeholder import Style, placeholder
from recodeh.curation.syntax import breaks
from recodeh.curation.tags import BOM, Region, Tags, joined, parse, strip
from recodeh.data.errors import MaskError, TagError
from recodeh.data.records import Snippet


@dataclass(frozen=True)
class Hole:
    """One region that was cut out: its code, and where it goes."""

    code: str
    """The region's lines as they stand in the file, its tags taken out."""
    snippet: Snippet


@dataclass(frozen=True)
class Masked(Hole):
    """A file without tags and with a placeholder in place of one region."""

    text: str


@dataclass(frozen=True)
class MaskedSet:
    """A file without tags and with placeholders in place of several regions."""

    text: str
    holes: tuple[Hole, ...]


def mask(
    data: bytes,
    name: str,
    *,
    path: str,
    style: Style = "raise",
    ordinal: int | None = None,
    language: str = "python",
) -> Masked:
    """Cut out the region `name`; all other tags go, all other code stays.

    Raises TagError when the file has no such region or more than one and no `ordinal` is given;
    MaskError when the region is not made of whole statements, so that the file would break.
    """
    masked = mask_all(data, [(name, ordinal)], path=path, style=style, language=language)
    (hole,) = masked.holes
    return Masked(hole.code, hole.snippet, masked.text)


def mask_all(
    data: bytes,
    names: Iterable[str | tuple[str, int | None]],
    *,
    path: str,
    style: Style = "raise",
    language: str = "python",
) -> MaskedSet:
    """Cut out several regions at once; one inside another goes with the outer one.

    Each hole's `mask_start` and `mask_end` hold while the others are still masked, so fill from
    the last to the first.
    """
    tags = parse(data, path=path, language=language)
    wanted = [(item, None) if isinstance(item, str) else item for item in names]
    regions = _outermost([region_of(tags, name, ordinal, path) for name, ordinal in wanted])
    text, holes = _cut(data, tags, regions, style, language)
    if style == "raise" and language == "python":
        _refuse_broken(strip(data), text.encode(codec_of(data)), regions[0], path)
    return MaskedSet(text, holes)


def siblings(tags: Tags, region: Region) -> list[tuple[str, int | None]]:
    """The outermost regions beside a region: neither inside it nor around it.

    Given to `mask_all` with the region itself, they are cut out too, so that a prompt shows no
    other snippet's code.
    """
    apart = [
        other for other in tags.regions
        if other.close_line < region.open_line or other.open_line > region.close_line
    ]  # fmt: skip
    return [(other.name, other.ordinal) for other in _outermost(apart)]


def region_of(tags: Tags, name: str, ordinal: int | None, path: str) -> Region:
    """The region of a name among a file's tags; raises TagError when there is not exactly one."""
    found = [r for r in tags.regions if r.name == name and ordinal in (None, r.ordinal)]
    if len(found) == 1:
        return found[0]
    if found:
        lines = ", ".join(str(region.open_line) for region in found)
        what, mend = f"{len(found)} regions are named {name!r}, on lines {lines}", "give an ordinal"
    elif tags.faults:
        what, mend = f"no usable region {name!r}: {tags.faults[0]}", "mend the tags"
    else:
        known = ", ".join(repr(region.name) for region in tags.regions)
        what, mend = f"no region {name!r}", f"it has {known or 'no tags at all'}"
    raise TagError(what, where=path, mend=mend)


def _outermost(regions: list[Region]) -> list[Region]:
    ordered = sorted(set(regions), key=lambda region: region.open_line)
    kept: list[Region] = []
    for region in ordered:
        if not kept or region.open_line > kept[-1].close_line:
            kept.append(region)
    return kept


def _cut(
    data: bytes, tags: Tags, regions: list[Region], style: Style, language: str
) -> tuple[str, tuple[Hole, ...]]:
    """The masked text and its holes, put together line by line."""
    codec, lines = codec_of(data), Lines(data.removeprefix(BOM))
    tagged = set(tags.lines)
    rest = [n for n in range(1, len(lines) + 1) if n not in tagged]
    parts, count, holes = [BOM if data.startswith(BOM) else b""], 0, []
    for region in regions:
        before = [n for n in rest if n < region.open_line]
        inside = [n for n in rest if region.open_line < n < region.close_line]
        rest = [n for n in rest if n > region.close_line]
        code = joined(lines, inside) if not rest else b"".join(lines[n] for n in inside)
        stub = _stub(code, region, style, codec, lines.newline, language)
        parts += [b"".join(lines[n] for n in before), stub]
        start = count + len(before) + 1
        count = start + len(Lines(stub)) - 1
        holes.append(Hole(code.decode(codec), _snippet(region, start, count, codec, language)))
    parts.append(joined(lines, rest) if rest else b"")
    return b"".join(parts).decode(codec), tuple(holes)


def _stub(
    code: bytes, region: Region, style: Style, codec: str, newline: bytes, language: str
) -> bytes:
    stub = placeholder(
        code, name=region.name.encode(codec, "replace"), indent=region.indent.encode("latin-1"),
        loc=region.loc, style=style, newline=newline, language=language,
        comment=named(language).comment.encode(),
    )  # fmt: skip
    return stub + newline if code.endswith((b"\n", b"\r")) else stub


def _snippet(region: Region, start: int, end: int, codec: str, language: str) -> Snippet:
    return Snippet(
        name=region.name,
        start=region.start,
        end=region.end,
        mask_start=start,
        mask_end=end,
        indent=region.indent,
        loc=region.loc,
        depth=region.depth,
        parent=region.parent,
        language=language,
        encoding=codec,
    )


def _refuse_broken(before: bytes, after: bytes, region: Region, path: str) -> None:
    if breaks(before, after):
        raise MaskError(
            f"cutting out {region.name!r} breaks the file: it does not hold whole statements",
            where=f"{path}:{region.open_line}",
            mend="move its tags, or use the style 'todo'",
        )
