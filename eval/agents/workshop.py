"""What an agent works on: the repository to look at, and one region to write. Nothing is run here.

Paths are keys of a mapping, so that there is no way out of the repository; every answer is bounded.
"""

import ast
import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from recodeh.data.errors import MaskError
from recodeh.data.regions import fill, lines_of
from recodeh.eval.agents.agent import TaskView
from recodeh.eval.extract import Extracted
from recodeh.eval.place import Definition, parse

MOST_LINES: Final = 200
MOST_ENTRIES: Final = 200
MOST_HITS: Final = 40
LONGEST_LINE: Final = 240
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_BLOCK = re.compile(
    r"^<{5,} ?SEARCH\n(?P<old>.*?)^={5,}\n(?P<new>.*?)^>{5,} ?REPLACE$", re.DOTALL | re.MULTILINE
)


class Refused(Exception):
    """A command that cannot be done, in words for the model."""


@dataclass
class Workshop:
    """The state of one turn."""

    view: TaskView
    region: str | None
    """The region as it stands now; None while the placeholder stands there."""
    before: str | None
    """The region as the last turn submitted it."""
    past: list[str | None] = field(default_factory=list)

    def do(self, name: str, argument: str, body: str) -> str:
        """Carry out one command and say what came of it; a refusal is an answer too."""
        commands: Mapping[str, Callable[[str, str], str]] = {
            "list": self._list,
            "read": self._read,
            "search": self._search,
            "symbol": self._symbol,
            "write": self._write,
            "edit": self._edit,
            "diff": self._diff,
            "undo": self._undo,
        }
        try:
            return commands[name](argument, body)
        except Refused as error:
            return f"Not done: {error}."

    def submission(self, how: str) -> Extracted:
        """The region as it stands, handed in."""
        if self.region is None:
            return Extracted(None, "none", "nothing was written into the region")
        return Extracted(self.region, how)

    def text(self, path: str) -> str:
        """A file as it stands now, the region included."""
        view = self.view
        if path == view.target_file and self.region is not None:
            return fill(view.masked_file, view.snippet, self.region)
        if path not in view.files:
            near = difflib.get_close_matches(path, view.files, n=3, cutoff=0.4)
            raise Refused(
                f"there is no file {path!r}" + (f"; near: {', '.join(near)}" if near else "")
            )
        if path == view.target_file:
            return view.masked_file
        return view.files[path].decode("utf-8", "replace")

    def shown(self) -> str:
        """The region with the numbers of its lines."""
        if self.region is None:
            return "The region is still the placeholder."
        return "The region:\n" + "\n".join(_numbered(lines_of(self.region), 1))

    def _list(self, argument: str, body: str) -> str:
        folder = argument.strip("/").removeprefix("./")
        prefix = f"{folder}/" if folder not in ("", ".") else ""
        paths = sorted(path for path in self.view.files if path.startswith(prefix))
        if not paths:
            raise Refused(f"there is no folder {argument!r}")
        return _bounded(paths, MOST_ENTRIES, "files")

    def _read(self, argument: str, body: str) -> str:
        path, _, span = argument.partition(" ")
        lines = lines_of(self.text(path.removeprefix("./")))
        first, last = _span(span, len(lines))
        stop = min(last, first + MOST_LINES - 1)
        shown = list(_numbered(lines[first - 1 : stop], first))
        more = f"\n… lines {first} to {stop} of {len(lines)}" if stop < len(lines) else ""
        return "\n".join(shown) + more

    def _search(self, argument: str, body: str) -> str:
        if not argument:
            raise Refused("search needs a text")
        hits = [
            f"{path}:{number}: {_cut(line)}"
            for path in sorted(self.view.files)
            if not _binary(self.view.files[path])
            for number, line in enumerate(self.text(path).splitlines(), start=1)
            if argument.lower() in line.lower()
        ]
        return _bounded(hits, MOST_HITS, "lines") if hits else f"No line holds {argument!r}."

    def _symbol(self, argument: str, body: str) -> str:
        found = [
            f"{path}:{node.lineno}-{node.end_lineno}: {kind} {name}"
            for path in sorted(self.view.files)
            if path.endswith(".py")
            for kind, name, node in _definitions(self.text(path))
            if name == argument or name.endswith(f".{argument}")
        ]
        if not found:
            return f"Nothing is called {argument!r}; search looks for text."
        return _bounded(found, MOST_HITS, "definitions")

    def _write(self, argument: str, body: str) -> str:
        self._set(body)
        return self.shown()

    def _edit(self, argument: str, body: str) -> str:
        if self.region is None:
            raise Refused("nothing was written yet; use write first")
        self._set(
            _replaced_lines(self.region, argument, body)
            if argument
            else _replaced(self.region, body)
        )
        return self.shown()

    def _diff(self, argument: str, body: str) -> str:
        old, new = (lines_of(text or "") for text in (self.before, self.region))
        lines = difflib.unified_diff(old, new, "submitted", "now")
        return "".join(lines) or "The region is as it was submitted last."

    def _undo(self, argument: str, body: str) -> str:
        if not self.past:
            raise Refused("nothing was changed in this turn")
        self.region = self.past.pop()
        return self.shown()

    def _set(self, code: str) -> None:
        found = self.view.extract(f"~~~~~~~~python\n{code}\n~~~~~~~~")
        if found.code is None:
            raise Refused(found.reason)
        self.past.append(self.region)
        self.region = found.code


def _replaced(region: str, body: str) -> str:
    """The region after search-and-replace blocks, each of which must fit exactly once."""
    blocks = list(_BLOCK.finditer(body))
    if not blocks:
        raise Refused("edit takes `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE` blocks, or lines")
    for block in blocks:
        times = region.count(block["old"]) if block["old"] else 0
        if times != 1:
            raise Refused(f"the text to replace is there {times} times, not once")
        region = region.replace(block["old"], block["new"])
    return region


def _replaced_lines(region: str, argument: str, body: str) -> str:
    lines = lines_of(region)
    first, last = _span(argument, len(lines))
    return "".join([*lines[: first - 1], body, *lines[last:]])


def _span(text: str, size: int) -> tuple[int, int]:
    """First and last line, from 1; no text means all lines."""
    if not text.strip():
        return 1, max(size, 1)
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise Refused(f"lines are given as 10 or 10-20, not {text.strip()[:40]!r}")
    first, last = int(match[1]), int(match[2] or match[1])
    if not 1 <= first <= last <= size:
        raise Refused(f"there are no lines {first} to {last} among {size}")
    return first, last


def _numbered(lines: list[str], start: int) -> Iterator[str]:
    return (f"{number:5d} {_cut(line)}" for number, line in enumerate(lines, start=start))


def _cut(line: str) -> str:
    line = line.rstrip("\r\n")
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"


def _bounded(lines: list[str], most: int, what: str) -> str:
    more = f"\n… {len(lines) - most} more {what}" if len(lines) > most else ""
    return "\n".join(lines[:most]) + more


def _binary(data: bytes) -> bool:
    return b"\0" in data[:4096]


def _definitions(text: str) -> Iterator[tuple[str, str, Definition]]:
    try:
        yield from _inside(parse(text), "")
    except MaskError:
        return  # a file that is no Python of this version defines nothing


def _inside(node: ast.AST, prefix: str) -> Iterator[tuple[str, str, Definition]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            kind = "class" if isinstance(child, ast.ClassDef) else "def"
            yield kind, f"{prefix}{child.name}", child
            yield from _inside(child, f"{prefix}{child.name}.")
        else:
            yield from _inside(child, prefix)
