"""Two sets of results on the same tasks in, paired comparisons out."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from recodeh.data.errors import InputError
from recodeh.data.records import Result, Verdict
from recodeh.eval.statistics import (
    Interval,
    cluster_bootstrap,
    mcnemar,
    minimum_detectable_effect,
)


@dataclass(frozen=True)
class Comparison:
    """How two settings differ on the tasks that both were judged on; the second minus the first."""

    pairs: int
    """Tasks with a verdict on both sides."""
    unpaired: int
    """Tasks left out, because one side has no verdict for them."""
    papers: int
    only_first: int
    only_second: int
    difference: float
    """Mean of the per-task differences in Recall@n."""
    interval: Interval | None
    """95% interval of the difference, drawing whole papers; None for a single paper."""
    p_value: float
    """McNemar's exact test over tasks; repeats of a task count as solved when most of them are."""
    detectable: float | None
    """The smallest difference that shows with 80% power, given how often the two differ."""

    def row(self) -> dict[str, Any]:
        """The comparison as JSON-ready values."""
        return asdict(self)


def compare(first: Iterable[Result], second: Iterable[Result], *, seed: int = 0) -> Comparison:
    """Compare two settings task by task, by the tasks' keys, so that changed tasks never pair up.

    Raises InputError when they have no task in common, or when one side mixes models or levels.
    """
    left, right = _by_task(first), _by_task(second)
    paired = sorted(
        key for key in left.keys() & right.keys() if left[key].known and right[key].known
    )
    if not paired:
        raise InputError(
            "the two have no judged task in common",
            mend="compare runs on the same version of a dataset",
        )
    papers = [left[key].paper for key in paired]
    differences = [right[key].share - left[key].share for key in paired]
    only_first = sum(left[key].won and not right[key].won for key in paired)
    only_second = sum(right[key].won and not left[key].won for key in paired)
    return Comparison(
        pairs=len(paired),
        unpaired=len(left.keys() | right.keys()) - len(paired),
        papers=len(set(papers)),
        only_first=only_first,
        only_second=only_second,
        difference=fmean(differences),
        interval=cluster_bootstrap(differences, papers, seed=seed),
        p_value=mcnemar(only_first, only_second),
        detectable=minimum_detectable_effect(len(paired), (only_first + only_second) / len(paired)),
    )


@dataclass(frozen=True)
class Pair:
    """Two settings of one level that were compared."""

    level: int
    first: str
    """Model of the first side."""
    second: str
    comparison: Comparison


def compare_levels(
    first: Iterable[Result], second: Iterable[Result], *, seed: int = 0
) -> list[Pair]:
    """Compare two runs level by level.

    A model that both runs have is compared with itself; where they share none, each must have one
    model only. Raises InputError when no two settings can be paired.
    """
    left, right = _by_setting(first), _by_setting(second)
    pairs = [
        Pair(level, one, other, compare(left[level, one], right[level, other], seed=seed))
        for one, other in _models(left, right)
        for level in sorted({level for level, _ in left} & {level for level, _ in right})
        if (level, one) in left and (level, other) in right
    ]
    if not pairs:
        raise InputError("the two share no level", mend="compare runs that have a level in common")
    return pairs


def _by_setting(results: Iterable[Result]) -> dict[tuple[int, str], list[Result]]:
    found: dict[tuple[int, str], list[Result]] = defaultdict(list)
    for row in results:
        found[row.level, row.model].append(row)
    return dict(found)


def _models(
    left: Mapping[tuple[int, str], object], right: Mapping[tuple[int, str], object]
) -> list[tuple[str, str]]:
    ours, theirs = {model for _, model in left}, {model for _, model in right}
    if shared := sorted(ours & theirs):
        return [(model, model) for model in shared]
    if len(ours) == len(theirs) == 1:
        return [(ours.pop(), theirs.pop())]
    raise InputError(
        "it is not clear which models to compare",
        mend="the two runs share no model, so each must have one only",
    )


@dataclass(frozen=True)
class _Side:
    paper: str
    solved: tuple[bool, ...]
    """One entry per episode with a verdict."""

    @property
    def known(self) -> bool:
        return bool(self.solved)

    @property
    def share(self) -> float:
        return fmean(self.solved)

    @property
    def won(self) -> bool:
        return self.share > 0.5


def _by_task(results: Iterable[Result]) -> Mapping[str, _Side]:
    episodes: dict[str, list[Result]] = defaultdict(list)
    settings = set()
    for row in results:
        episodes[row.task_key].append(row)
        settings.add((row.model, row.agent, row.researcher, row.level))
    if len(settings) > 1:
        raise InputError(
            "one side holds several models or levels", mend="choose one, e.g. with --level 4"
        )
    return {key: _side(rows) for key, rows in episodes.items()}


def _side(rows: list[Result]) -> _Side:
    judged = [row for row in rows if row.verdict is not Verdict.INFRA]
    return _Side(rows[0].paper, tuple(row.solved_at is not None for row in judged))
