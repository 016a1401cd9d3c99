"""A folder to the functions of its files; what cannot be read is a row with its reason."""

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import Final

from recodeh.curation import notebooks
from recodeh.curation.foreign import foreign_functions
from recodeh.curation.foreign_grammars import MEND
from recodeh.curation.functions import Function, functions_in
from recodeh.curation.languages import of_file, unread
from recodeh.curation.tree import files_of

MAX_BYTES: Final = 10_000_000
"""Larger files are generated ones: nobody wrote ten megabytes of a paper's method by hand."""
_FAULTS: Final = {
    "python": "syntax error; Python 2, or broken",
    "cython": "Cython beyond what is read as Python",
}
# A header ending in `.h` may be of either language.
_CPP: Final = re.compile(rb"^[ \t]*(?:class|namespace|template|using|public:)\b|::", re.MULTILINE)
# How many files a worker takes at once, and how many such batches wait per worker.
_BATCH: Final = 16
_AHEAD: Final = 4


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file, or a part of one, that gave no functions."""

    path: str
    reason: str
    line: int | None = None
    partial: bool = False
    """The rest of the file was read."""


Row = Function | Skipped


def inventory(
    root: Path, *, executor: Executor | None = None, max_bytes: int = MAX_BYTES
) -> Iterator[Row]:
    """The functions of all files of code and notebooks below `root`, in order of path.

    Languages other than Python and Cython need the extra `langs`. Files are read and let go one by
    one, or a few batches at a time with an `executor` of processes. Nothing in a file makes this
    fail: a faulty stretch, a file too large, of no text or of a language that cannot be read is a
    `Skipped` row beside the functions that could be read.
    """
    paths = (path for path in files_of(root) if _holds_code(path))
    read = partial(_rows_of_files, root, max_bytes)
    if executor is None:
        for path in paths:
            yield from read([path])
    else:
        for rows in _windowed(executor, read, _batches(paths)):
            yield from rows


def _holds_code(path: Path) -> bool:
    return path.suffix == ".ipynb" or bool(of_file(path) or unread(path))


def _batches(paths: Iterable[Path]) -> Iterator[list[Path]]:
    batch: list[Path] = []
    for path in paths:
        batch.append(path)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _windowed(
    executor: Executor, read: "partial[list[Row]]", batches: Iterator[list[Path]]
) -> Iterator[list[Row]]:
    """The results in order, with never more than a few batches under way, so memory stays flat."""
    ahead = _AHEAD * (os.cpu_count() or 1)
    waiting: deque[Future[list[Row]]] = deque()
    for batch in batches:
        waiting.append(executor.submit(read, batch))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _rows_of_files(root: Path, max_bytes: int, paths: list[Path]) -> list[Row]:
    return [row for path in paths for row in _rows(root, path, max_bytes)]


def _rows(root: Path, path: Path, max_bytes: int) -> Iterator[Row]:
    name = path.relative_to(root).as_posix()
    unknown = unread(path)
    if unknown is not None:
        yield Skipped(name, f"{unknown}, which is not read")
        return
    try:
        size = path.stat().st_size
        if size > max_bytes:
            yield Skipped(name, f"{size:,} bytes, more than {max_bytes:,}: a generated file")
            return
        data = path.read_bytes()
    except OSError as error:
        yield Skipped(name, f"cannot be read: {error.strerror}")
        return
    if b"\0" in data:
        yield Skipped(name, "holds NUL bytes: not text in an encoding that Python reads")
    elif path.suffix == ".ipynb":
        yield from _notebook(data, name)
    else:
        yield from _file(data, name, module_of(root, name), _language(path, data))


def _language(path: Path, data: bytes) -> str:
    spoken = of_file(path)
    language = spoken.name if spoken else "python"
    return "cpp" if language == "c" and _CPP.search(data) else language


def _file(data: bytes, name: str, module: str, language: str = "python") -> Iterator[Row]:
    if language in _FAULTS:
        found = functions_in(data, name, module, language=language)
    else:
        other = foreign_functions(data, name, module, language)
        if other is None:
            yield Skipped(name, f"{language}, whose grammar is not installed ({MEND})")
            return
        found = other
    yield from found.functions
    if found.error is not None:
        reason = _FAULTS.get(language, f"syntax that the grammar of {language} does not know")
        yield Skipped(name, reason, line=found.error, partial=True)


def _notebook(data: bytes, name: str) -> Iterator[Row]:
    cells = notebooks.cells_of(data)
    if isinstance(cells, str):
        yield Skipped(name, cells)
        return
    joined = notebooks.Joined(cells)
    for row in _file(joined.data, name, PurePosixPath(name).stem):
        cell, shift = joined.place(row.start if isinstance(row, Function) else row.line or 1)
        if isinstance(row, Function):
            yield replace(row, cell=cell, start=row.start - shift, end=row.end - shift)
        else:
            yield replace(row, reason=f"cell {cell}: {row.reason}", line=(row.line or 1) - shift)


def module_of(root: Path, name: str) -> str:
    """The dotted name by which a file would be imported.

    Folders with an `__init__.py` are packages; where there is none, the folders below the root, or
    below its `src`, are taken for namespace packages.
    """
    folder, _, file = name.rpartition("/")
    stem = file.rpartition(".")[0]
    package = _package(root, folder)
    return ".".join([*package, *([] if stem == "__init__" else [stem])]) or stem


@lru_cache(maxsize=1024)
def _package(root: Path, folder: str) -> tuple[str, ...]:
    """The packages that a folder's modules lie in."""
    parts = PurePosixPath(folder).parts
    depth = len(parts)
    while depth and (root.joinpath(*parts[:depth]) / "__init__.py").is_file():
        depth -= 1
    if depth == len(parts):
        depth = 1 if parts[:1] == ("src",) else 0
    return parts[depth:]
