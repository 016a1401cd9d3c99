"""The files of a folder in a fixed order, and the one hash that names them all."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from recodeh.data.keys import content_key

# Made by tools on the way, never part of what the authors wrote.
_VOLATILE: Final = frozenset({".git", ".hg", ".svn", "__pycache__", ".venv", "node_modules"})


def files_of(root: Path, *, volatile: bool = False) -> Iterator[Path]:
    """The regular files below `root`, sorted within each folder; links are not followed.

    Version control, byte code and installed environments are left out unless `volatile`.
    """
    with os.scandir(root) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
        elif entry.is_dir(follow_symlinks=False) and (volatile or entry.name not in _VOLATILE):
            yield from files_of(Path(entry.path), volatile=volatile)


def tree_key(root: Path) -> str:
    """The sha256 over the paths and contents of a folder's files."""
    keys = ([path.relative_to(root).as_posix(), file_key(path)] for path in files_of(root))
    return content_key(sorted(keys))


def file_key(path: Path) -> str:
    """The sha256 of one file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def put(folder: Path, goal: Path) -> None:
    """Move a finished folder to `goal` in one step; what stood there is broken and goes.

    When another process puts the same content there at the same time, either copy will do.
    """
    shutil.rmtree(goal, ignore_errors=True)
    try:
        folder.replace(goal)
    except OSError:
        if not goal.is_dir():
            raise
