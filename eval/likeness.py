"""A run's log and its dataset → how alike the last submissions and the references are, by level."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from recodeh.data.log import read
from recodeh.eval.dataset import Dataset
from recodeh.eval.similarity import Similarity, similarity

Place = tuple[str, int]


@dataclass(frozen=True)
class Likeness:
    """One model at one level; means over its episodes' last submissions."""

    model: str
    level: int
    episodes: int
    similarity: float
    tokens: float
    syntax: float | None
    """None where no task is in Python."""


def likeness_of_run(folder: Path, dataset: Dataset) -> list[Likeness]:
    """The rows of a run, by model and level; an answer without code is like nothing.

    Raises InputError when sacreBLEU is not installed.
    """
    found: dict[Place, list[Similarity]] = defaultdict(list)
    known: dict[tuple[str, str | None], Similarity] = {}
    for place, task_id, code in _last_submissions(folder):
        task = dataset.tasks.get(task_id)
        if task is None:
            continue
        if (task_id, code) not in known:
            reference = dataset.reference(task).code
            known[task_id, code] = similarity(code, reference, task.snippet.language)
        found[place].append(known[task_id, code])
    return [_row(place, found[place]) for place in sorted(found)]


def _last_submissions(folder: Path) -> Iterator[tuple[Place, str, str | None]]:
    began: dict[str, tuple[Place, str]] = {}
    last: dict[str, str | None] = {}
    for row in read(folder / "events.jsonl"):
        if row["event"] == "episode_started":
            began[row["episode"]] = (row["model"], row["level"]), row["task_id"]
        elif row["event"] == "submitted":
            last[row["episode"]] = row["code"]
    for episode, code in last.items():
        yield *began[episode], code


def _row(place: Place, alike: list[Similarity]) -> Likeness:
    syntax = [one.syntax for one in alike if one.syntax is not None]
    return Likeness(
        *place,
        episodes=len(alike),
        similarity=fmean(one.mean for one in alike),
        tokens=fmean(one.tokens for one in alike),
        syntax=fmean(syntax) if syntax else None,
    )
