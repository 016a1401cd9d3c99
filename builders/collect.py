"""The ids of a task's tests, fixed before any submission is run.

The tests are the task's own and load nothing of the source, so collecting them is safe.
"""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recodeh.data.errors import RecipeError
from recodeh.data.records import TestFile

SECONDS = 120
SAID = 400


@dataclass(frozen=True)
class Collected:
    """The ids that pytest found, by test file, and what it said of those it could not load."""

    ids: Mapping[str, tuple[str, ...]]
    said: str

    def of(self, tests: Sequence[TestFile]) -> tuple[str, ...]:
        """The ids of `tests` in their order.

        Raises RecipeError when one of them does not load or holds no test.
        """
        for test in tests:
            if not self.ids.get(test.path):
                raise RecipeError(f"pytest collects no test: {self.said}", where=test.path)
        return tuple(name for test in tests for name in self.ids[test.path])


def collect(tests: Sequence[TestFile], python: Path) -> Collected:
    """Collect `tests` with the pytest of the environment, all files in one process."""
    with tempfile.TemporaryDirectory(prefix="recodeh-collect-") as name:
        folder = Path(name)
        for test in tests:
            (folder / test.path).write_text(test.content, encoding="utf-8")
        done = subprocess.run(
            [*_pytest(python, folder), *(test.path for test in tests)],
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
    names = [line for line in done.stdout.splitlines() if "::" in line]
    ids = {
        test.path: tuple(name for name in names if name.startswith(f"{test.path}::"))
        for test in tests
    }
    return Collected(ids, " ".join((done.stdout + done.stderr).split())[:SAID])


def _pytest(python: Path, folder: Path) -> list[str]:
    quiet = ["--collect-only", "-q", "--no-header", "-p", "no:cacheprovider"]
    return [str(python), "-I", "-m", "pytest", *quiet, "-c", "/dev/null", f"--rootdir={folder}"]
