"""Results in, the grid of outcomes out: a row per task, a column per level."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recodeh.data.records import Result, Verdict

SAYS = {
    "missing": "not played",
    "infra": "no verdict",
    "tampered": "tampered with its tests",
}


@dataclass(frozen=True)
class Cell:
    """How one task ended at one level."""

    kind: str
    """`solved`, `failed`, `tampered`, `infra` or `missing`."""
    text: str
    """The turn that solved it, or the most tests that any turn passed."""
    says: str
    """The same as a sentence."""
    episode: str
    """Short id of the episode to read; empty where there is none."""


@dataclass(frozen=True)
class TaskRow:
    """One task, without its paper's name in front."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Grid:
    """The outcomes of one model."""

    name: str
    levels: tuple[int, ...]
    papers: tuple[tuple[str, tuple[TaskRow, ...]], ...]


def grid(
    name: str, results: Sequence[Result], tasks: Mapping[str, str], ids: Mapping[str, str]
) -> Grid:
    """Lay out one model's results; `tasks` gives the paper of every task, played or not."""
    levels = tuple(sorted({row.level for row in results}))
    found: dict[tuple[str, int], list[Result]] = defaultdict(list)
    for row in sorted(results, key=lambda row: row.seed):
        found[row.task_id, row.level].append(row)
    papers: dict[str, list[TaskRow]] = defaultdict(list)
    for task, paper in sorted(tasks.items(), key=lambda item: (item[1], item[0])):
        cells = tuple(_cell(found[task, level], ids) for level in levels)
        papers[paper].append(TaskRow(task.removeprefix(f"{paper}/"), cells))
    return Grid(name, levels, tuple((paper, tuple(rows)) for paper, rows in papers.items()))


def _cell(repeats: Sequence[Result], ids: Mapping[str, str]) -> Cell:
    if not repeats:
        return Cell("missing", "·", SAYS["missing"], "")
    first = min(repeats, key=lambda row: row.solved_at or len(row.turns) + 1_000)
    cell = _one(first, ids.get(first.episode_key, ""))
    if len(repeats) == 1:
        return cell
    solved = sum(row.solved_at is not None for row in repeats)
    says = f"solved in {solved} of {len(repeats)} repeats; best: {cell.says}"
    return Cell(cell.kind, f"{cell.text} ({solved}/{len(repeats)})", says, cell.episode)


def _one(row: Result, episode: str) -> Cell:
    best = max(row.turns, key=lambda turn: turn.passed, default=None)
    tests = f"{best.passed}/{best.total}" if best else "0/0"
    if row.solved_at is not None:
        return Cell("solved", str(row.solved_at), f"solved at turn {row.solved_at}", episode)
    if row.verdict in (Verdict.INFRA, Verdict.TAMPERED):
        text = "?" if row.verdict is Verdict.INFRA else "!"
        return Cell(str(row.verdict), text, f"{SAYS[row.verdict]}: {row.reason}", episode)
    return Cell("failed", tests, f"not solved; at best {tests} tests passed", episode)
