"""All snippet tags below a folder: regions, and every fault with file, line and mend."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from recodeh.curation.grammar import Fault, mentions
from recodeh.curation.languages import of_file
from recodeh.curation.mask import mask
from recodeh.curation.syntax import breaks, whole
from recodeh.curation.tags import Region, parse, strip
from recodeh.curation.tree import files_of
from recodeh.data.errors import InputError, MaskError


@dataclass(frozen=True)
class Checked:
    """What the tags of a tree are."""

    files: int
    """How many files hold tags."""
    regions: tuple[Region, ...]
    faults: tuple[Fault, ...]

    def row(self) -> dict[str, Any]:
        """The result as JSON-ready values."""
        return {
            "files": self.files,
            "regions": [asdict(region) for region in self.regions],
            "faults": [asdict(fault) | {"mend": fault.mend} for fault in self.faults],
        }


def check(path: Path) -> Checked:
    """Read the tags of a file or of all source files below a folder; faults are collected.

    Raises InputError when there is no such path.
    """
    if not path.exists():
        raise InputError("no such file or folder", where=path, mend="give a path that exists")
    files = [path] if path.is_file() else [p for p in files_of(path) if of_file(p)]
    regions: list[Region] = []
    faults: list[Fault] = []
    count = 0
    for file in files:
        data = file.read_bytes()
        if not mentions(data):
            continue
        name = file.name if file == path else file.relative_to(path).as_posix()
        spoken = of_file(file)
        language = spoken.name if spoken else "python"
        tags = parse(data, path=name, language=language)
        count += bool(tags.lines)
        regions += tags.regions
        faults += tags.faults
        if language == "python":
            faults += _cut_statements(data, tags.regions, name)
    return Checked(count, tuple(regions), tuple(faults))


def _cut_statements(data: bytes, regions: tuple[Region, ...], name: str) -> Iterator[Fault]:
    """Regions that do not hold whole statements, so that no mask can keep the file valid."""
    if breaks(b"", strip(data)):
        return  # the file is broken with or without its regions
    for region in regions:
        try:
            code = mask(data, region.name, path=name, ordinal=region.ordinal).code
            fine = whole(code.encode())
        except MaskError:
            fine = False
        if not fine:
            what = f"{region.name!r} does not hold whole statements"
            yield Fault(name, region.open_line, "statement", what)
