"""What a run needs: a workspace with the submitted code, the tests, an interpreter and limits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from recodeh.data.errors import InputError
from recodeh.data.records import TestFile


@dataclass(frozen=True)
class Limits:
    """Bounds of one run; each room gets them for itself."""

    cpu_seconds: int = 30
    """CPU time of a process; this is the limit that decides."""
    wall_seconds: float = 120.0
    """Real time from the moment the tests are collected; a backstop for what sleeps."""
    memory_mb: int = 2048
    """Address space of a process."""
    processes: int = 64
    """Processes and threads; enforced where the room's user is not the host's root."""
    open_files: int = 256
    file_mb: int = 256
    """Size of one file, and of all files together where the wall can bound them."""
    output_kb: int = 64
    """How much of what the submission prints is kept."""


@dataclass(frozen=True)
class Job:
    """One run: the tests against the source with the submitted code filled in."""

    files: Mapping[str, bytes]
    """The workspace by relative path; never holds the tests or the reference."""
    import_root: str
    """Folder of the workspace that goes on the import path."""
    tests: tuple[TestFile, ...]
    test_ids: tuple[str, ...]
    python: Path
    """The environment's interpreter: 3.11 or later, with pytest."""
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    preload: tuple[str, ...] = ("numpy.random",)
    """Third-party modules that both rooms import before the first test, where they exist."""

    def __post_init__(self) -> None:
        for path in (*self.files, *(test.path for test in self.tests), self.import_root):
            _check_inside(path)


def _check_inside(path: str) -> None:
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or "\0" in path:
        raise InputError(
            "a path leaves its folder", where=path, mend="use paths relative to the root"
        )
