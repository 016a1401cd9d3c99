"""Result rows in, one `Score` per model and level out, in a fixed order.

Every task stays in the denominator: an episode that is missing or has no verdict counts as
unsolved in the main numbers, is shown as `infra` or `missing`, and is left out only in
`recall_without_infra`, the upper bracket. Definitions follow RECODE-H (arXiv 2510.06186): turn 1
is the turn before any feedback, and a task counts for Recall@k when one of its first k turns
passed all tests. A task that was played several times counts with the mean of its repeats.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Literal

from recodeh.data.errors import InputError
from recodeh.data.records import Result, Task, TurnResult, Verdict
from recodeh.eval.nesting import leaves
from recodeh.eval.statistics import Interval, cluster_bootstrap, pass_at_k, wilson

Part = Literal["", "paper", "domain", "language"]
FEWEST_PAPERS = 5
"""With fewer papers to draw from, there are fewer than 126 different draws: no honest interval."""


@dataclass(frozen=True, order=True)
class Setting:
    """What was measured: rows of one setting may be pooled, rows of two may not."""

    dataset: str
    dataset_digest: str
    model: str
    agent: str
    researcher: str
    level: int


@dataclass(frozen=True)
class Score:
    """One row of the table; shares are between 0 and 1."""

    setting: Setting
    part: str
    """Name of the paper, domain or language that the row is about; empty for all tasks."""
    tasks: int
    """The denominator: all tasks known for the dataset, played or not."""
    papers: int
    solved: float
    """Tasks solved; fractional when tasks were played several times."""
    infra: int
    """Episodes without a verdict."""
    missing: int
    """Tasks without any episode."""
    coverage: float
    """Share of the tasks with at least one verdict."""
    recall: tuple[float, ...]
    """Recall@1..n; an episode without verdict counts as unsolved: the lower bracket."""
    recall_without_infra: float | None
    """Recall@n over the tasks with a verdict: the upper bracket. None when there is none."""
    interval: Interval
    """95% interval of Recall@n over tasks (Wilson)."""
    paper_interval: Interval | None
    """95% interval of Recall@n over papers (cluster bootstrap); None where papers are fewer than
    five or all alike."""
    area: float
    """Mean of Recall@1..n."""
    mrr: float
    """Mean of 1/rank of the turn that solved the task, 0 for the others."""
    tests_final: float
    """Share of a task's tests that its last turn passed, mean over tasks."""
    tests_best: float
    """The same for each task's best turn: RECODE-H's number."""
    tests_by_turn: tuple[float, ...]
    """The same after 1..n turns; an episode that is over keeps its last turn's share."""
    recall_by_line: float
    """Recall@n with each task weighed by the lines of its reference (ResearchCodeBench)."""
    recall_by_leaf_line: float | None
    """The same over the snippets that enclose no other: a line in a nested one counts once."""
    recall_by_top_line: float | None
    """The same over the snippets that no other encloses. None where there is no such snippet."""
    recall_by_paper: float
    """Recall@n with each paper weighed the same."""
    pass_at: tuple[float, ...]
    """Unbiased pass@1..k of the first turn; k is the fewest repeats of a task."""
    input_tokens: int | None
    """Sum over the turns that were played; None when one of them is unknown."""
    output_tokens: int | None
    usd: float | None
    """Sum of what the calls cost; None when one of them is unknown."""

    def row(self) -> dict[str, Any]:
        """The score as JSON-ready values."""
        return asdict(self)


@dataclass(frozen=True)
class _Facts:
    """What the metrics need to know of a task, played or not."""

    paper: str
    domain: str
    language: str
    loc: int
    depth: int
    leaf: bool


@dataclass(frozen=True)
class _Task:
    """One task's episodes within a setting."""

    facts: _Facts
    episodes: tuple[Result, ...]

    @property
    def judged(self) -> tuple[Result, ...]:
        return tuple(row for row in self.episodes if row.verdict is not Verdict.INFRA)

    def mean(self, value: Callable[[Result], float]) -> float:
        return fmean(map(value, self.episodes)) if self.episodes else 0.0


def score(
    results: Iterable[Result],
    *,
    part: Part = "",
    tasks: Iterable[Task] = (),
    turns: int | None = None,
    seed: int = 0,
) -> list[Score]:
    """Score the results per dataset, model, agent, researcher and level, sorted by these.

    With `part` each setting is split by paper, domain or language as well. Expected of every
    setting are `tasks`, so that a run that was stopped keeps its denominator, and whatever any
    other setting of the same dataset has played. `turns` is the n of Recall@n; by default the
    most turns that any episode took. An episode that comes twice, as from a copy of a run, counts
    once. Raises InputError when `turns` is less than 1.
    """
    rows = tuple(distinct(results))
    ranks = _ranks(rows, turns)
    settings: dict[Setting, list[Result]] = defaultdict(list)
    whole = _expected(tuple(tasks))
    expected: dict[str, dict[str, _Facts]] = defaultdict(lambda: dict(whole))
    for row in rows:
        settings[_setting(row)].append(row)
        expected[row.dataset_digest].setdefault(row.task_id, _played(row))
    return [
        _score(setting, name, members, ranks, seed)
        for setting in sorted(settings)
        for name, members in _parts(settings[setting], expected[setting.dataset_digest], part)
    ]


def distinct(results: Iterable[Result]) -> Iterator[Result]:
    """The results without those whose episode has come before, as in a copy of a run."""
    seen: set[str] = set()
    for row in results:
        if row.episode_key not in seen:
            seen.add(row.episode_key)
            yield row


def _ranks(rows: Sequence[Result], turns: int | None) -> int:
    if turns is None:
        return max(1, max((len(row.turns) for row in rows), default=1))
    if turns < 1:
        raise InputError("turns must be at least 1", where=turns, mend="try --turns 10")
    return turns


def _expected(tasks: Sequence[Task]) -> dict[str, _Facts]:
    """What is known of tasks that nobody may have played."""
    innermost = leaves(tasks)
    return {
        task.task_id: _Facts(
            paper=task.source.name,
            domain=task.domain,
            language=task.snippet.language,
            loc=task.snippet.loc,
            depth=task.snippet.depth,
            leaf=task.task_id in innermost,
        )
        for task in tasks
    }


def _played(row: Result) -> _Facts:
    return _Facts(row.paper, row.domain, row.language, row.loc, row.depth, row.leaf)


def _setting(row: Result) -> Setting:
    return Setting(row.dataset, row.dataset_digest, row.model, row.agent, row.researcher, row.level)


def _parts(
    rows: Sequence[Result], expected: Mapping[str, _Facts], part: Part
) -> list[tuple[str, list[_Task]]]:
    episodes: dict[str, list[Result]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row.task_id, row.seed, row.episode_key)):
        episodes[row.task_id].append(row)
    parts: dict[str, list[_Task]] = defaultdict(list)
    for task_id, known in sorted(expected.items()):
        name = getattr(known, part) if part else ""
        parts[name].append(_Task(known, tuple(episodes[task_id])))
    return sorted(parts.items())


def _score(setting: Setting, part: str, tasks: Sequence[_Task], ranks: int, seed: int) -> Score:
    episodes = [row for task in tasks for row in task.episodes]
    judged = [task for task in tasks if task.judged]
    recall = tuple(fmean(task.mean(_solved_by(k)) for task in tasks) for k in range(1, ranks + 1))
    solved = [task.mean(_solved_by(ranks)) for task in tasks]
    papers = [task.facts.paper for task in tasks]
    lines = [float(task.facts.loc) for task in tasks]
    return Score(
        setting=setting,
        part=part,
        tasks=len(tasks),
        papers=len(set(papers)),
        solved=sum(solved),
        infra=sum(row.verdict is Verdict.INFRA for row in episodes),
        missing=sum(not task.episodes for task in tasks),
        coverage=len(judged) / len(tasks),
        recall=recall,
        recall_without_infra=_without_infra(judged, ranks),
        interval=wilson(sum(solved), len(tasks)),
        paper_interval=_over_papers(solved, papers, seed),
        area=fmean(recall),
        mrr=fmean(
            task.mean(lambda row: 1 / row.solved_at if row.solved_at else 0) for task in tasks
        ),
        tests_final=fmean(task.mean(_tests_final) for task in tasks),
        tests_best=fmean(task.mean(_tests_best) for task in tasks),
        tests_by_turn=tuple(
            fmean(task.mean(_tests_after(k)) for task in tasks) for k in range(1, ranks + 1)
        ),
        recall_by_line=_weighed(solved, lines) or 0.0,
        recall_by_leaf_line=_weighed(solved, _only(lines, [one.facts.leaf for one in tasks])),
        recall_by_top_line=_weighed(solved, _only(lines, [one.facts.depth == 1 for one in tasks])),
        recall_by_paper=_weighed(solved, [1 / papers.count(paper) for paper in papers]) or 0.0,
        pass_at=_pass_at(tasks),
        input_tokens=_total(row.input_tokens for row in episodes if row.turns),
        output_tokens=_total(row.output_tokens for row in episodes if row.turns),
        usd=_total(row.usd for row in episodes if row.turns),
    )


def _solved_by(rank: int) -> Callable[[Result], float]:
    return lambda row: float(row.solved_at is not None and row.solved_at <= rank)


def _without_infra(judged: Sequence[_Task], ranks: int) -> float | None:
    if not judged:
        return None
    solved = _solved_by(ranks)
    return fmean(fmean(map(solved, task.judged)) for task in judged)


def _over_papers(solved: Sequence[float], papers: Sequence[str], seed: int) -> Interval | None:
    if len(set(papers)) < FEWEST_PAPERS:
        return None
    found = cluster_bootstrap(solved, papers, seed=seed)
    # Where all papers agree the draws do too, which is no proof that others would.
    return found if found and found.low < found.high else None


def _tests_final(row: Result) -> float:
    return _test_rate(row.turns[-1]) if row.turns else 0.0


def _tests_after(turns: int) -> Callable[[Result], float]:
    return lambda row: _test_rate(row.turns[:turns][-1]) if row.turns else 0.0


def _tests_best(row: Result) -> float:
    return max(map(_test_rate, row.turns), default=0.0)


def _test_rate(turn: TurnResult) -> float:
    # Counts of a run that was tampered with, or had no verdict, prove nothing.
    trusted = turn.verdict in (Verdict.PASSED, Verdict.FAILED) and turn.total > 0
    return turn.passed / turn.total if trusted else 0.0


def _weighed(values: Sequence[float], weights: Sequence[float]) -> float | None:
    total = sum(weights)
    if not total:
        return None
    return sum(v * w for v, w in zip(values, weights, strict=True)) / total


def _only(weights: Sequence[float], kept: Sequence[bool]) -> list[float]:
    return [weight if keep else 0.0 for weight, keep in zip(weights, kept, strict=True)]


def _pass_at(tasks: Sequence[_Task]) -> tuple[float, ...]:
    fewest = min(len(task.episodes) for task in tasks)
    first = _solved_by(1)
    counts = [(len(task.episodes), sum(map(int, map(first, task.episodes)))) for task in tasks]
    return tuple(
        fmean(pass_at_k(repeats, correct, k) for repeats, correct in counts)
        for k in range(1, fewest + 1)
    )


def _total(counts: Iterable[Any]) -> Any:
    known = list(counts)
    return None if None in known else sum(known)
