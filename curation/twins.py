"""Copies and near-copies of a function's body anywhere in its source, answers in plain sight.

Real repositories hold the code twice: reference variants, notebook checkpoints, vendored packages,
docstrings and READMEs with the formula, byte code. A task that masks one copy must know of all.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from recodeh.curation import notebooks
from recodeh.curation.functions import Function
from recodeh.curation.languages import of_file
from recodeh.curation.tokens import code_tokens, lines_and_tokens
from recodeh.curation.tree import files_of

_SHINGLE: Final = 8
_SHORTEST: Final = 12
"""A body of fewer different shingles is too common a phrase for a likeness to mean anything."""
ALIKE: Final = 0.6
"""The share of a body's shingles that makes another place its near-copy."""
_MAX_BYTES: Final = 10_000_000
_TEXTS: Final = frozenset(
    (".py", ".pyi", ".ipynb", ".md", ".rst", ".txt", ".tex", ".in", ".orig", ".bak", ".Rmd", ".qmd")
)


@dataclass(frozen=True)
class Twin:
    """A place that holds a function's body, or most of it, a second time."""

    path: str
    start: int
    """First line; 0 for byte code, which has none."""
    end: int
    likeness: float
    """Share of the body's token runs that occur there."""
    cell: int | None = None

    def row(self) -> dict[str, Any]:
        """The twin as JSON-ready values."""
        return {
            "path": self.path, "start": self.start, "end": self.end, "cell": self.cell,
            "likeness": round(self.likeness, 3),
        }  # fmt: skip


@dataclass(frozen=True)
class _Body:
    function: Function
    shingles: frozenset[int]


def twins(
    functions: Sequence[Function], root: Path, *, alike: float = ALIKE
) -> dict[Function, list[Twin]]:
    """For each function of a source, the other places of the source that hold its body.

    Functions that are too short to tell have no entry. Files are read one at a time.
    """
    bodies = [body for body in (_body(function, root) for function in functions) if body]
    index: dict[int, list[int]] = defaultdict(list)
    for number, body in enumerate(bodies):
        for shingle in body.shingles:
            index[shingle].append(number)
    found: dict[Function, list[Twin]] = {body.function: [] for body in bodies}
    for path in files_of(root, volatile=True):
        name = path.relative_to(root).as_posix()
        for function, twin in _in_file(path, name, index, bodies, alike):
            found[function].append(twin)
    return found


def _body(function: Function, root: Path) -> _Body | None:
    data = _source(root / function.path, function)
    runs = [run for run, _ in _shingles([(token, 0) for token, _ in code_tokens(data)])]
    shingles = frozenset(runs)
    return _Body(function, shingles) if len(shingles) >= _SHORTEST else None


def _source(path: Path, function: Function) -> bytes:
    """The code of a function without its signature and docstring."""
    data = path.read_bytes()
    if function.cell is not None:
        cells = notebooks.cells_of(data)
        data = b"" if isinstance(cells, str) else notebooks.Joined(cells).data
    text = data[function.start_byte : function.end_byte]
    if function.language not in ("python", "cython"):
        return text.partition(function.signature.encode("utf-8", "ignore"))[2]
    doc = function.doc.encode("utf-8", "ignore")
    _, _, after = text.partition(doc) if doc else (b"", b"", b"")
    return after or text.partition(b":")[2]


def _shingles(found: Sequence[tuple[bytes, int]]) -> Iterator[tuple[int, int]]:
    """Every run of tokens as a number, with the line that it begins on."""
    for start in range(len(found) - _SHINGLE + 1):
        run = tuple(token for token, _ in found[start : start + _SHINGLE])
        yield hash(run), found[start][1]


def _in_file(
    path: Path, name: str, index: dict[int, list[int]], bodies: Sequence[_Body], alike: float
) -> Iterator[tuple[Function, Twin]]:
    if path.suffix == ".pyc":
        stem = path.name.partition(".")[0]
        for body in bodies:
            if body.function.path.endswith((f"/{stem}.py", f"{stem}.py")):
                yield body.function, Twin(name, 0, 0, 1.0)
    elif (path.suffix in _TEXTS or of_file(path)) and path.stat().st_size <= _MAX_BYTES:
        for number, start, end, likeness, cell in _likenesses(path, index, bodies, alike):
            function = bodies[number].function
            itself = name == function.path and cell == function.cell
            if not (itself and start <= function.end and end >= function.start):
                yield function, Twin(name, start, end, likeness, cell)


def _likenesses(
    path: Path, index: dict[int, list[int]], bodies: Sequence[_Body], alike: float
) -> Iterator[tuple[int, int, int, float, int | None]]:
    for cell, data in _parts(path):
        hits: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for run, line in _shingles(lines_and_tokens(data)):
            for number in index.get(run, ()):
                hits[number].append((line, run))
        for number, places in hits.items():
            function = bodies[number].function
            reach = 2 * (function.end - function.start + 1) + 5
            for start, end, runs in _clusters(places, reach):
                likeness = len(runs) / len(bodies[number].shingles)
                if likeness >= alike:
                    yield number, start, end, likeness, cell


def _parts(path: Path) -> Iterator[tuple[int | None, bytes]]:
    data = path.read_bytes()
    if path.suffix != ".ipynb":
        yield None, data
        return
    cells = notebooks.cells_of(data)
    for cell in () if isinstance(cells, str) else cells:
        yield cell.number, cell.text.encode("utf-8", "replace")


def _clusters(places: Iterable[tuple[int, int]], reach: int) -> Iterator[tuple[int, int, set[int]]]:
    """Hits in groups of lines no longer than `reach`, with the different runs of each group."""
    group: list[tuple[int, int]] = []
    for place in sorted(places):
        if group and place[0] - group[0][0] > reach:
            yield group[0][0], group[-1][0], {run for _, run in group}
            group = []
        group.append(place)
    if group:
        yield group[0][0], group[-1][0], {run for _, run in group}
