"""The names of functions that common libraries already have, read off what is installed here.

Nothing is imported for it: public top-level definitions are found in the files' text.
"""

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from typing import Final

_LIBRARIES: Final = ("numpy", "scipy")
_STANDARD: Final = (
    "math", "statistics", "itertools", "functools", "random", "bisect", "heapq", "collections",
    "operator", "textwrap", "difflib", "fractions", "string",
)  # fmt: skip
_DEFINED: Final = re.compile(r"^(?:def|class) ([A-Za-z]\w*)", re.MULTILINE)
_LISTED: Final = re.compile(r"^__all__ = \[(.*?)\]", re.MULTILINE | re.DOTALL)
_QUOTED: Final = re.compile(r"[\"']([A-Za-z]\w*)[\"']")


@cache
def common_names() -> frozenset[str]:
    """Lower-case names, without underscores, of the standard library's, numpy's and scipy's."""
    names: set[str] = set()
    for module in (*_STANDARD, *_LIBRARIES):
        spec = importlib.util.find_spec(module) if module not in sys.builtin_module_names else None
        origin = Path(spec.origin) if spec is not None and spec.origin else None
        if origin is not None and origin.suffix == ".py":
            for file in _files(origin):
                names |= _public(file.read_text(encoding="utf-8", errors="replace"))
    return frozenset(plain(name) for name in names if len(name) > 3)


def plain(name: str) -> str:
    """A name as it is compared."""
    return name.replace("_", "").lower()


def _files(origin: Path) -> list[Path]:
    """A module, or the files of a package that are neither private tests nor internals."""
    if origin.name != "__init__.py":
        return [origin]
    inside = origin.parent.rglob("*.py")
    return [
        path for path in inside if "tests" not in path.parts and not path.name.startswith("test")
    ]


def _public(text: str) -> set[str]:
    listed = {name for part in _LISTED.findall(text) for name in _QUOTED.findall(part)}
    return listed | set(_DEFINED.findall(text))
