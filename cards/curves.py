"""Scores in, inline SVG out: curves of solved tasks per turn, and whiskers for the table.

Colours come from the page's style sheet, one class per level, so that they follow its theme;
shapes and labels tell the levels apart where colours do not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from recodeh.cards.templates import render
from recodeh.eval.metrics import Score

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT = 340, 220
LEFT, RIGHT, TOP, BOTTOM = 40, 308, 12, 184
LABEL_GAP = 12.0
MARKS = ("M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", "M-2.8-2.8h5.6v5.6h-5.6z", "M0-3.6l3.4 6h-6.8z",
         "M0-3.8l3.8 3.8l-3.8 3.8l-3.8-3.8z", "M0 3.6l3.4-6h-6.8z")  # fmt: skip
"""A disc, a square, a triangle, a diamond and a triangle on its tip."""


class Point(NamedTuple):
    """A place in the picture, with the sentence that it stands for."""

    x: float
    y: float
    says: str


@dataclass(frozen=True)
class Line:
    """The curve of one level."""

    level: int
    points: tuple[Point, ...]
    mark: str
    label_y: float

    @property
    def path(self) -> str:
        """The curve as an SVG path."""
        return "M" + "L".join(f"{point.x:.1f} {point.y:.1f}" for point in self.points)


def panel(name: str, scores: Sequence[Score], *, top: float = 1.0) -> "Markup":
    """The curves of one model, a line per level; the vertical axis ends at the share `top`."""
    ordered = sorted(scores, key=lambda score: score.setting.level)
    turns = max((len(score.recall) for score in ordered), default=1)
    tails = _spread([_y(score.recall[-1], top) for score in ordered])
    lines = [_line(score, turns, top, tail) for score, tail in zip(ordered, tails, strict=True)]
    return _safe(
        "curves.html.j2",
        name=name,
        lines=lines,
        rows=[(_y(top * part / 4, top), f"{100 * top * part / 4:.3g}%") for part in range(5)],
        columns=[(_x(turn, turns), turn) for turn in _ticks(turns)],
        size=(WIDTH, HEIGHT),
        frame=(LEFT, RIGHT, TOP, BOTTOM),
    )


def highest(scores: Iterable[Score]) -> float:
    """Where the vertical axes of all panels end: a quarter, a half or all of the tasks."""
    most = max((score.recall[-1] for score in scores), default=1.0)
    return next(top for top in (0.25, 0.5, 1.0) if most <= top * 0.96 or top == 1.0)


def whisker(score: Score) -> "Markup":
    """Recall@n as a dot on a scale from 0 to 100%, with its interval over tasks."""
    return _safe(
        "whisker.html.j2",
        level=score.setting.level,
        low=100 * score.interval.low,
        high=100 * score.interval.high,
        share=100 * score.recall[-1],
    )


def _line(score: Score, turns: int, top: float, tail: float) -> Line:
    level = score.setting.level
    points = tuple(
        Point(_x(turn, turns), _y(share, top), _sentence(level, turn, share, score.tasks))
        for turn, share in enumerate(score.recall, start=1)
    )
    return Line(level, points, MARKS[level % len(MARKS)], tail)


def _sentence(level: int, turn: int, share: float, tasks: int) -> str:
    return f"L{level}, turn {turn}: {share * tasks:.3g} of {tasks} solved ({100 * share:.1f}%)"


def _x(turn: int, turns: int) -> float:
    return LEFT + 8 + (RIGHT - LEFT - 16) * ((turn - 1) / (turns - 1) if turns > 1 else 0.5)


def _y(share: float, top: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * share / top


def _ticks(turns: int) -> list[int]:
    step = 1 if turns <= 10 else -(-turns // 10)
    return list(range(1, turns + 1, step))


def _spread(wanted: Sequence[float]) -> list[float]:
    """Heights close to the wanted ones that leave room for a line of text between any two."""
    order = sorted(range(len(wanted)), key=lambda place: (wanted[place], -place))
    heights = list(wanted)
    for above, below in pairwise(order):
        heights[below] = max(heights[below], heights[above] + LABEL_GAP)
    if order:
        heights[order[-1]] = min(heights[order[-1]], BOTTOM)
    for below, above in pairwise(order[::-1]):
        heights[above] = min(heights[above], heights[below] - LABEL_GAP)
    return heights


def _safe(template: str, **values: object) -> "Markup":
    from markupsafe import Markup

    return Markup(render(template, values))  # rendered with escaping on
