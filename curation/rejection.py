"""Why a function cannot be a candidate, whatever the paper says."""

import re
from pathlib import PurePosixPath
from typing import Final

from recodeh.curation.effects import effects
from recodeh.curation.functions import Function

_TESTS: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|conftest\.py|test_[^/]*|[^/]*_test\.py)(?:/|$)"
)
_BUILD: Final = re.compile(r"(?:^|/)(?:setup|versioneer|_version|conf|noxfile|fabfile|tasks)\.py$")
_VENDORED: Final = re.compile(
    r"(?:^|/)(?:third[_-]?party|vendor(?:ed)?|dependencies|deps|_vendor|"
    r"external|externals|extern|site-packages|"
    r"\.ipynb_checkpoints|node_modules|build|dist)/"
)
_PLUMBING: Final = frozenset(
    ("main", "parse_args", "get_args", "get_parser", "setup", "teardown", "cli", "run_cli")
)
SMALLEST: Final = 3
LARGEST: Final = 120


def reason_against(function: Function) -> str:
    """One sentence why a function is no candidate; empty where nothing speaks against it."""
    return _of_place(function.path) or _of_kind(function) or _of_body(function)


def _of_place(path: str) -> str:
    if _VENDORED.search(path):
        return "lies in a vendored, built or saved copy"
    if _TESTS.search(path):
        return "is part of the tests"
    if _BUILD.search(path):
        return "is part of packaging or documentation"
    return "a stub file holds no bodies" if PurePosixPath(path).suffix == ".pyi" else ""


def _of_kind(function: Function) -> str:
    name = function.symbol.rpartition(".")[2]
    if function.kind == "lambda":
        return "a lambda has no statements to mask"
    if any("overload" in text or "abstractmethod" in text for text in function.decorators):
        return "declares and does not compute"
    if re.fullmatch(r"__\w+__", name) and name not in ("__call__", "__init__", "__matmul__"):
        return "is a protocol method of Python"
    if name in _PLUMBING:
        return "is plumbing of a command"
    return ""


def _of_body(function: Function) -> str:
    if function.loc < SMALLEST:
        return f"has {function.loc} lines of code, fewer than {SMALLEST}"
    if function.loc > LARGEST:
        return f"has {function.loc} lines of code, more than {LARGEST}"
    outside = effects(function).outside
    if len(outside) > max(3, function.loc / 4):
        return f"mostly talks to the outside: {', '.join(outside[:3])}"
    return ""
