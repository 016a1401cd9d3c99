"""Which files of a source go into a task's workspace: what is importable, and no second answer.

Tests, documents, examples and build leftovers hold answers, expected outputs and near-copies, and
nothing that is imported needs them.
"""

import fnmatch
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from recodeh.data.recipe import Recipe

LEFT_OUT = {
    *("test", "tests", "testing", "doc", "docs", "example", "examples", "tools", "scripts"),
    *("benchmark", "benchmarks", "notebooks", "build", "dist", "__pycache__"),
}
LEFT_OUT_FILES = ("*.pyc", "*.ipynb", "*.egg-info", "setup.py", "conftest.py", "noxfile.py")


def contents(root: Path, recipe: Recipe) -> dict[str, bytes]:
    """The files of the snapshot at `root` that a workspace gets, by their path from the root."""
    base = root / recipe.import_root
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for top in sorted(base.iterdir())
        if _importable(top)
        for path in _files(top)
        if _kept(path.relative_to(root), recipe)
    }


def modules(files: dict[str, bytes], import_root: str) -> frozenset[str]:
    """The top-level module names that the workspace makes importable."""
    roots = PurePosixPath(import_root)
    parts = [PurePosixPath(path) for path in files]
    inside = [path.relative_to(roots) for path in parts if path.is_relative_to(roots)]
    return frozenset(path.parts[0].removesuffix(".py") for path in inside)


def _importable(top: Path) -> bool:
    if top.is_dir():
        return top.name not in LEFT_OUT and any(top.rglob("*.py"))
    return top.suffix == ".py"


def _files(top: Path) -> Iterator[Path]:
    if top.is_file():
        yield top
    elif top.is_dir():
        yield from (path for path in sorted(top.rglob("*")) if path.is_file())


def _kept(path: Path, recipe: Recipe) -> bool:
    name = path.as_posix()
    if name in recipe.conceal or any(part in LEFT_OUT for part in path.parts[:-1]):
        return False
    return not any(fnmatch.fnmatch(part, left) for part in path.parts for left in LEFT_OUT_FILES)
