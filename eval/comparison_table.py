"""Comparisons as a table for the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recodeh.eval.comparison import Comparison, Pair

if TYPE_CHECKING:
    from rich.table import Table


def comparison_table(pairs: Sequence[Pair]) -> "Table":
    """One row per pair; differences in percentage points, the second minus the first."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.padding = (0, 1, 0, 0)
    grid.caption_justify = "left"
    grid.caption = (
        "difference of Recall@n in points with 95% interval over papers; only 1, only 2: tasks that"
        " only one side solved; p: McNemar's exact test; detectable: smallest difference that"
        " would show with 80% power"
    )
    grid.add_column("pair", overflow="fold", max_width=32)
    names = ("level", "tasks", "difference", "95%", "only 1", "only 2", "p", "detectable")
    for name in names:
        grid.add_column(name, justify="right", no_wrap=True)
    for pair in pairs:
        named = pair.first if pair.first == pair.second else f"{pair.first} → {pair.second}"
        grid.add_row(*map(Text, [named, f"L{pair.level}", *_numbers(pair.comparison)]))
    return grid


def _numbers(found: Comparison) -> list[str]:
    interval, least = found.interval, found.detectable
    return [
        f"{found.pairs}" + (f" of {found.pairs + found.unpaired}" if found.unpaired else ""),
        f"{100 * found.difference:+.1f}",
        f"{100 * interval.low:+.0f}..{100 * interval.high:+.0f}" if interval else "-",
        str(found.only_first),
        str(found.only_second),
        f"{found.p_value:.3f}",
        f"{100 * least:.0f}" if least is not None else "none",
    ]
