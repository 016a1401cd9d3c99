"""A folder to how many files it has, how many bytes, and in which languages."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from recodeh.curation.languages import of_file, unread
from recodeh.curation.tree import files_of


@dataclass(frozen=True)
class Census:
    """The files of a source, counted."""

    files: int
    size: int
    """In bytes."""
    languages: dict[str, int]
    """Files of code per language, the most frequent first; notebooks count as a language."""


def census(root: Path) -> Census:
    """Count the files below `root`."""
    files, size = 0, 0
    languages: Counter[str] = Counter()
    for path in files_of(root):
        files, size = files + 1, size + path.stat().st_size
        spoken = of_file(path)
        name = spoken.name if spoken else unread(path)
        if path.suffix == ".ipynb":
            name = "notebook"
        if name:
            languages[name] += 1
    return Census(files, size, dict(languages.most_common()))
