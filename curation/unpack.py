"""Unpack an archive of unknown origin into a folder: paths, links, sizes and counts are checked."""

import shutil
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from recodeh.data.errors import SourceError
from recodeh.data.records import Drop

_MEND = "get the archive again from its publisher; do not unpack this one"


@dataclass(frozen=True)
class Bounds:
    """How much an archive may hold."""

    files: int = 200_000
    file_mb: int = 1_024
    total_mb: int = 8_192


def unpack(archive: Path, target: Path, *, bounds: Bounds | None = None) -> list[Drop]:
    """Unpack a `.tar.*`, `.zip` or `.whl` into the new folder `target`.

    Links and special files are left out and returned as rows. Raises SourceError for an archive
    that is torn, of another kind, too large, or that names a path outside its folder.
    """
    limits = bounds or Bounds()
    target.mkdir(parents=True)
    try:
        if zipfile.is_zipfile(archive):
            return list(_unzip(archive, target, limits))
        return list(_untar(archive, target, limits))
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, RuntimeError) as error:
        # RuntimeError is what zipfile says to an encrypted member.
        raise SourceError(f"cannot be unpacked: {error}", where=archive, mend=_MEND) from error


def _untar(archive: Path, target: Path, bounds: Bounds) -> Iterator[Drop]:
    with tarfile.open(archive) as tar:
        budget = _Budget(archive, bounds)
        for member in tar:
            budget.spend(member.name, member.size)
            path = _inside(target, member.name, archive)
            if member.isdir():
                path.mkdir(parents=True, exist_ok=True)
            elif member.isreg() and (source := tar.extractfile(member)) is not None:
                _write(source, path, member.size)
            else:
                yield Drop(stage="source", item=member.name, reason="a link or special file")


def _unzip(archive: Path, target: Path, bounds: Bounds) -> Iterator[Drop]:
    with zipfile.ZipFile(archive) as zipped:
        budget = _Budget(archive, bounds)
        for member in zipped.infolist():
            budget.spend(member.filename, member.file_size)
            path = _inside(target, member.filename, archive)
            kind = stat.S_IFMT(member.external_attr >> 16)
            if member.is_dir():
                path.mkdir(parents=True, exist_ok=True)
            elif kind in (0, stat.S_IFREG):
                with zipped.open(member) as source:
                    _write(source, path, member.file_size)
            else:
                yield Drop(stage="source", item=member.filename, reason="a link or special file")


class _Budget:
    """What is left of the bounds while an archive is read."""

    def __init__(self, archive: Path, bounds: Bounds) -> None:
        self.archive, self.bounds = archive, bounds
        self.files, self.size = 0, 0

    def spend(self, name: str, size: int) -> None:
        self.files += 1
        self.size += size
        for what, spent, allowed in (
            ("files", self.files, self.bounds.files),
            (f"bytes in {name}", size, self.bounds.file_mb << 20),
            ("bytes unpacked", self.size, self.bounds.total_mb << 20),
        ):
            if spent > allowed:
                raise SourceError(
                    f"more than {allowed:,} {what}",
                    where=self.archive,
                    mend="unpack it by hand and give the folder, if you trust it",
                )


def _inside(target: Path, name: str, archive: Path) -> Path:
    parts = PurePosixPath(name).parts
    odd = "\\" in name or "\0" in name or ":" in name.partition("/")[0]
    if odd or ".." in parts or name.startswith("/") or not parts:
        raise SourceError(f"names the path {name!r}, outside its folder", where=archive, mend=_MEND)
    return target.joinpath(*parts)


def _write(source: IO[bytes], path: Path, size: int) -> None:
    """Copy one member; one byte more than it declared is an error, and so is a repeated path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        shutil.copyfileobj(_Bounded(source, size), file)


class _Bounded:
    """A stream that refuses to give more than it promised."""

    def __init__(self, source: IO[bytes], size: int) -> None:
        self.source, self.left = source, size

    def read(self, count: int = -1) -> bytes:
        data = self.source.read(count)
        self.left -= len(data)
        if self.left < 0:
            raise EOFError("a file is larger than the archive says")
        return data
