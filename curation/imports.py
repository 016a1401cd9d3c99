"""What the names of a Python file stand for: `np.linalg.norm` is `numpy.linalg.norm`."""

import re
from collections.abc import Iterable
from typing import Final

_NAME: Final = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?")
_FROM: Final = re.compile(r"from\s*(\.*)\s*([\w.]*)\s*c?import\b(.*)", re.DOTALL)
_NOISE: Final = re.compile(r"#[^\n]*|[()\\]")


def imported(statements: Iterable[str], module: str, *, package: bool = False) -> dict[str, str]:
    """From the text of import statements, the dotted name that each bound name stands for.

    `module` is the file's own dotted name, which relative imports start from; `package` says that
    the file is an `__init__.py`. Under the key `*` stand the modules whose every name comes in,
    joined by blanks.
    """
    names: dict[str, str] = {}
    for text in statements:
        plain = _NOISE.sub(" ", text)
        match = _FROM.match(plain)
        if match is None:
            names |= _plain(plain.removeprefix("c").removeprefix("import"))
        else:
            base = _base(match[1], match[2], module, package)
            names |= _listed(match[3], base, names.get("*", ""))
    return names


def resolve(name: str, names: dict[str, str]) -> str:
    """A dotted name as written, with its first part replaced by what it stands for."""
    head, dot, rest = name.partition(".")
    return names.get(head, head) + dot + rest


def _plain(text: str) -> dict[str, str]:
    found = (_NAME.match(part.strip()) for part in text.split(","))
    roots = ((match, match[1].partition(".")[0]) for match in found if match)
    return {match[2] or root: match[1] if match[2] else root for match, root in roots}


def _listed(text: str, base: str, stars: str) -> dict[str, str]:
    if text.strip() == "*":
        return {"*": f"{stars} {base}".strip()}
    found = (_NAME.match(part.strip()) for part in text.split(","))
    return {match[2] or match[1]: f"{base}.{match[1]}" for match in found if match}


def _base(dots: str, name: str, module: str, package: bool) -> str:
    """The module that a `from` names; more dots than there are packages leave its own name."""
    if not dots:
        return name
    parts = module.split(".")
    kept = parts[: max(0, len(parts) - len(dots) + package)]
    return ".".join([*kept, name] if name else kept) or name
