"""The ids of a task's tests, fixed before any submission is run.

The tests are the task's own and load nothing of the source, so collecting them is safe.
"""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from recodeh.data.errors import RecipeError
from recodeh.data.records import TestFile

SECONDS = 120


def collect(tests: Sequence[TestFile], python: Path) -> tuple[str, ...]:
    """The pytest node ids of `tests`, in their order, as the environment's pytest names them.

    Raises RecipeError when a test file does not load or holds no test.
    """
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
    if done.returncode:
        raise RecipeError(
            "pytest cannot collect the tests: " + " ".join((done.stdout + done.stderr).split()),
            where=", ".join(test.path for test in tests),
        )
    return tuple(line for line in done.stdout.splitlines() if "::" in line)


def _pytest(python: Path, folder: Path) -> list[str]:
    quiet = ["--collect-only", "-q", "--no-header", "-p", "no:cacheprovider"]
    return [str(python), "-I", "-m", "pytest", *quiet, "-c", "/dev/null", f"--rootdir={folder}"]
