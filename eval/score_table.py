"""Scores as a table for the terminal, readable at 100 columns."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recodeh.eval.metrics import Score, Setting
from recodeh.eval.plain_table import plain_table
from recodeh.eval.statistics import Interval

if TYPE_CHECKING:
    from rich.table import Table


def table(scores: Sequence[Score], *, title: str = "") -> "Table":
    """One row per score; shares as percentages, with 95% intervals by task and by paper."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    parts = any(score.part for score in scores)
    papers = any(score.paper_interval for score in scores)
    ranks = max((len(score.recall) for score in scores), default=1)
    grid = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    grid.padding = (0, 1, 0, 0)
    grid.caption = "R@k: % of all tasks solved within k turns; 95%: its interval over tasks"
    if papers:
        grid.caption += ", then over papers"
    grid.caption_justify = "left"
    for name in ("model", "part") if parts else ("model",):
        grid.add_column(name, overflow="fold", max_width=28)
    shown = ("95%", "papers") if papers else ("95%",)
    for name in ("level", "solved", "R@1", f"R@{ranks}", *shown, "MRR", "tests", "infra"):
        grid.add_column(name, justify="right", no_wrap=True)
    for row, ends in _rows(scores, parts=parts, papers=papers):
        grid.add_row(*map(Text, row), end_section=ends)
    return grid


def weights_table(scores: Sequence[Score]) -> "Table":
    """Recall@n with tasks weighed in other ways, one row per score."""
    rows = [
        {
            "model": _name(score.setting, scores),
            **({"part": score.part} if any(one.part for one in scores) else {}),
            "level": f"L{score.setting.level}",
            "tasks": score.recall[-1],
            "lines": score.recall_by_line,
            "leaf lines": score.recall_by_leaf_line,
            "top lines": score.recall_by_top_line,
            "papers": score.recall_by_paper,
        }
        for score in scores
    ]
    return plain_table(
        rows,
        "R@n in %, every task alike; by the lines of the reference, of all snippets, of those that "
        "enclose no other, of those that no other encloses; and every paper alike",
    )


def _rows(scores: Sequence[Score], *, parts: bool, papers: bool) -> list[tuple[list[str], bool]]:
    """The cells of each row, and whether a model's rows end with it."""
    names = [_name(score.setting, scores) for score in scores]
    rows = []
    for number, (score, name) in enumerate(zip(scores, names, strict=True)):
        first = number == 0 or names[number - 1] != name
        named = [name if first else "", score.part] if parts else [name if first else ""]
        rows.append(
            (
                named + _numbers(score, papers=papers),
                names[number + 1 : number + 2] not in ([], [name]),
            )
        )
    return rows


def _name(setting: Setting, scores: Sequence[Score]) -> str:
    """The model, and whatever else tells the settings apart."""
    name = setting.model
    for field in ("agent", "researcher", "dataset"):
        if len({getattr(score.setting, field) for score in scores}) > 1:
            name += f" · {getattr(setting, field)}"
    return name


def _numbers(score: Score, *, papers: bool) -> list[str]:
    return [
        f"L{score.setting.level}",
        f"{round(score.solved, 1):g}/{score.tasks}",
        _percent(score.recall[0]),
        _percent(score.recall[-1]),
        _range(score.interval),
        *([_range(score.paper_interval)] if papers else []),
        f"{score.mrr:.3f}",
        _percent(score.tests_final),
        str(score.infra + score.missing),
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _range(interval: Interval | None) -> str:
    return "-" if interval is None else f"{100 * interval.low:.0f}-{100 * interval.high:.0f}"
