"""Scores as a table for the terminal, readable at 100 columns."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recodeh.eval.metrics import Score
from recodeh.eval.statistics import Interval

if TYPE_CHECKING:
    from rich.table import Table


def table(scores: Sequence[Score], *, title: str = "") -> "Table":
    """One row per score; shares as percentages, intervals at 95%."""
    from rich import box
    from rich.table import Table

    ranks = max((len(score.recall) for score in scores), default=1)
    parts = any(score.part for score in scores)
    grid = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    grid.caption = (
        "R@k: % of all tasks solved within k turns; T, P: its 95% interval by task, by paper"
    )
    grid.caption_justify = "left"
    grid.add_column("model", overflow="fold", max_width=28)
    if parts:
        grid.add_column("part", overflow="fold", max_width=16)
    for name in ("level", "solved", "R@1", f"R@{ranks}", "T", "P", "MRR", "tests", "infra"):
        grid.add_column(name, justify="right", no_wrap=True)
    _fill(grid, scores, parts=parts)
    return grid


def _fill(grid: "Table", scores: Sequence[Score], *, parts: bool) -> None:
    for number, score in enumerate(scores):
        last = number + 1 == len(scores)
        ends = last or _group(scores[number + 1]) != _group(score)
        grid.add_row(*_cells(score, parts=parts), end_section=ends and not last)


def _group(score: Score) -> tuple[str, str, str]:
    return (score.setting.model, score.setting.agent, score.setting.researcher)


def _cells(score: Score, *, parts: bool) -> list[str]:
    without = score.infra + score.missing
    named = [score.setting.model, score.part] if parts else [score.setting.model]
    return [
        *named,
        f"L{score.setting.level}",
        f"{score.solved:g}/{score.tasks}"
        if score.solved == int(score.solved)
        else f"{score.solved:.1f}/{score.tasks}",
        _percent(score.recall[0]),
        _percent(score.recall[-1]),
        _range(score.interval),
        _range(score.paper_interval),
        f"{score.mrr:.3f}",
        _percent(score.tests_final),
        f"[bold red]{without}[/]" if without else "0",
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _range(interval: Interval | None) -> str:
    return "–" if interval is None else f"{100 * interval.low:.0f}–{100 * interval.high:.0f}"  # noqa: RUF001
