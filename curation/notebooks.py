"""Jupyter notebooks to Python: the code cells joined, and back from a line to its cell."""

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Final

# Lines that only IPython reads; a mark in front makes them comments of the same length.
_MAGIC: Final = re.compile(r"^([ \t]*)[%!?]", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """One code cell."""

    number: int
    """From 1, among all cells of the notebook."""
    text: str


def cells_of(data: bytes) -> list[Cell] | str:
    """The code cells of a notebook, or the reason why there are none."""
    try:
        notebook = json.loads(data)
        cells = notebook.get("cells") or notebook["worksheets"][0]["cells"]
        found = [
            Cell(number, _text(cell))
            for number, cell in enumerate(cells, start=1)
            if cell["cell_type"] == "code"
        ]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return "not a notebook that can be read"
    return [cell for cell in found if not cell.text.lstrip().startswith("%%")] or "no code cells"


def _text(cell: dict[str, object]) -> str:
    source = cell.get("source", cell.get("input", ""))  # `input` in version 3
    text = source if isinstance(source, str) else "".join(map(str, source))  # type: ignore[call-overload] # a list by the format, else the caller's TypeError
    return _MAGIC.sub(r"\1#", text)


@dataclass(frozen=True)
class Joined:
    """The cells as one module."""

    cells: list[Cell]

    @cached_property
    def data(self) -> bytes:
        """The cells' text, each ended by a line feed."""
        return "".join(f"{cell.text}\n" for cell in self.cells).encode("utf-8", "replace")

    @cached_property
    def _starts(self) -> list[int]:
        starts = [1]
        for cell in self.cells:
            starts.append(starts[-1] + cell.text.count("\n") + 1)
        return starts

    def place(self, line: int) -> tuple[int, int]:
        """The number of the cell that holds a line, and how many lines stand before that cell."""
        index = max(0, min(bisect_right(self._starts, line) - 1, len(self.cells) - 1))
        return self.cells[index].number, self._starts[index] - 1
