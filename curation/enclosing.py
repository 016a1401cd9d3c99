"""The snippet around a region, reduced: what of it stands before and after becomes regions too."""

from recodeh.curation.lines import Lines, code_lines
from recodeh.curation.select import select_lines
from recodeh.curation.tags import BOM, Region, Tags, parse, splice
from recodeh.data.errors import MaskError, RecodehError


def surrounded(
    data: bytes, tags: Tags, region: Region, *, path: str, language: str
) -> tuple[bytes, list[str]]:
    """The file with tags round the parts of the enclosing snippet, and the names of those parts.

    Masked with the region, they leave nothing of the enclosing snippet's code but the region's
    place. Raises MaskError where the region lies in no other, or deeper than its statements.
    """
    around = [r for r in tags.regions if r.open_line < region.open_line < r.close_line]
    if not around:
        raise MaskError(
            f"{region.name!r} lies in no other snippet",
            where=f"{path}:{region.open_line}",
            mend="leave out --reduce-enclosing",
        )
    outer = around[-1]
    parts = (
        ("after", region.close_line + 1, outer.close_line - 1),
        ("before", outer.open_line + 1, region.open_line - 1),
    )
    names = []
    for what, first, last in parts:
        name = f"{outer.name}: {what} {region.name}"
        inside = [Lines(data.removeprefix(BOM))[n] for n in range(first, last + 1)]
        if code_lines(b"".join(inside)):
            data = _tagged(data, name, first, last, region, path, language)
            names.append(name)
    return data, names


def _tagged(
    data: bytes, name: str, first: int, last: int, region: Region, path: str, language: str
) -> bytes:
    try:
        chosen = select_lines(data.removeprefix(BOM), first, last, path=path)
        tagged = splice(data, chosen, name, path=path, language=language)
    except RecodehError as error:
        raise MaskError(
            f"the snippet around {region.name!r} cannot be reduced: {error.what}",
            where=f"{path}:{first}",
            mend="tag whole statements of one block, or leave out --reduce-enclosing",
        ) from error
    assert any(item.name == name for item in parse(tagged, language=language).regions)
    return tagged
