"""A source's files without the twins of a target: masked where that is possible, else left out."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from recodeh.curation.lines import Lines
from recodeh.curation.mask import mask
from recodeh.curation.symbols import Definition, definitions
from recodeh.curation.syntax import breaks
from recodeh.curation.tags import tag
from recodeh.curation.twins import Twin
from recodeh.data.errors import RecodehError
from recodeh.data.regions import encoded

_NAME: Final = "left out: a copy of the target"


def hide(root: Path, twins: Iterable[Twin]) -> dict[str, bytes | None]:
    """The new content of each file that holds a twin; None for a file that has to go.

    In Python the body of the function that is the copy becomes a placeholder, a copy in comments or
    strings becomes blank lines, and so does one in prose. A file that would no longer parse, a
    notebook, and byte code go as a whole.
    """
    by_path: dict[str, list[Twin]] = {}
    for twin in twins:
        by_path.setdefault(twin.path, []).append(twin)
    return {path: _hidden(root / path, found) for path, found in sorted(by_path.items())}


def _hidden(path: Path, twins: list[Twin]) -> bytes | None:
    if path.suffix in (".pyc", ".ipynb"):
        return None
    data = original = path.read_bytes()
    # From the last to the first, so that the lines of those still to come stay where they are.
    for twin in sorted(twins, key=lambda twin: twin.start, reverse=True):
        masked = _masked(data, twin, path) if path.suffix == ".py" else None
        data = masked if masked is not None else _blanked(data, twin)
    return None if path.suffix == ".py" and breaks(original, data) else data


def _masked(data: bytes, twin: Twin, path: Path) -> bytes | None:
    """The file with the body of the smallest function round the twin cut out, if it is the copy."""
    lines = Lines(data)
    around = [
        item for item in definitions(data)
        if item.kind in ("function", "method") and _begins(lines, item) <= twin.start
        and twin.end <= lines.at(item.node.end_byte - 1)
    ]  # fmt: skip
    if not around:
        return None
    inner = max(around, key=lambda item: item.node.start_byte)
    size = lines.at(inner.node.end_byte - 1) - _begins(lines, inner) + 1
    if size > 2 * (twin.end - twin.start + 1) + 10:
        return None  # the copy is a small part of something else
    try:
        address = f"{inner.symbol}@{inner.ordinal}"
        cut = mask(tag(data, address, _NAME), _NAME, path=str(path))
    except RecodehError:  # an odd layout: the caller blanks the lines instead
        return None
    return encoded(cut.text, cut.snippet)


def _begins(lines: Lines, definition: Definition) -> int:
    return lines.at(definition.node.start_byte)


def _blanked(data: bytes, twin: Twin) -> bytes:
    """The file with the twin's lines empty, each with its own ending."""
    lines = Lines(data)
    kept = [lines[number] for number in range(1, len(lines) + 1)]
    for number in range(twin.start, min(twin.end, len(lines)) + 1):
        line = kept[number - 1]
        kept[number - 1] = line[len(line.rstrip(b"\r\n")) :]
    return b"".join(kept)
