"""Rows of plain values as a table for the terminal: words to the left, shares as percentages."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table


def plain_table(rows: Sequence[Mapping[str, Any]], caption: str) -> "Table":
    """One column per name in the first row; a float is a share between 0 and 1."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=caption, caption_justify="left")
    for name, value in (rows[0] if rows else {"nothing": ""}).items():
        words = isinstance(value, str)
        grid.add_column(name, justify="left" if words else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(_shown(value)) for value in row.values()))
    return grid


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{100 * value:.1f}" if isinstance(value, float) else str(value)
