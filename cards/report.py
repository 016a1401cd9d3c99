"""Runs and their scores in, one HTML page out that needs nothing else: no network, no other file.

Table, curves and grid are plain HTML and SVG; only reading an episode needs the script. The page
forbids every script and style but its own by their hashes, and whatever a model wrote is either
escaped or put into the page as text.
"""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from recodeh.cards.curves import highest, panel, whisker
from recodeh.cards.embedded import embedded_json
from recodeh.cards.grid import Grid, grid
from recodeh.cards.provenance import provenance
from recodeh.cards.runs import Run, read_run, short_ids
from recodeh.cards.templates import asset, render
from recodeh.cards.transcripts import Transcript
from recodeh.data.records import Result
from recodeh.eval.metrics import Score, distinct, score


def report(folders: Iterable[Path], *, episodes: bool = True) -> str:
    """The page about the runs in these folders.

    An episode that is in several of them counts once. Without `episodes` the page holds no
    transcripts and stays small. Raises InputError or LogError for a folder that is no whole run.
    """
    runs = [read_run(folder, episodes=episodes) for folder in folders]
    results = [row for run in runs for row in run.results]
    turns = [run.turns for run in runs if run.turns is not None]
    return page(runs, score(results, turns=max(turns, default=None)))


def page(runs: Sequence[Run], scores: Sequence[Score]) -> str:
    """The page about these runs, with their scores in the order of the table; same in, same out."""
    results = tuple(distinct(row for run in runs for row in run.results))
    names = _Names(results)
    transcripts = _distinct([one for run in runs for one in run.transcripts])
    ids = short_ids([one.key for one in transcripts])
    models = [
        _Model(name, tuple(rows)) for name, rows in groupby(scores, lambda s: names.of(s.setting))
    ]
    script, style = asset("code.js") + asset("report.js"), asset("report.css")
    return render(
        "report.html.j2",
        {
            "title": _title(results, runs),
            "facts": provenance(runs),
            "models": models,
            "turns": max((len(score.recall) for score in scores), default=1),
            "tasks": len({row.task_id for row in results}),
            "papers": len({row.paper for row in results}),
            "episodes": len(transcripts),
            "panels": _panels(models),
            "whisker": whisker,
            "grids": _grids(results, names, ids),
            "script": _trusted(script),
            "style": _trusted(style),
            "hashes": {"script": _hash(script), "style": _hash(style)},
            "data": _trusted(
                embedded_json(transcripts, ids=ids, names=_by_episode(transcripts, results, names))
            ),
        },
    )


@dataclass(frozen=True)
class _Model:
    name: str
    scores: tuple[Score, ...]


class _Names:
    """Names a model, with agent, researcher and dataset where these differ between results."""

    def __init__(self, results: Sequence[Result]) -> None:
        fields = ("agent", "researcher", "dataset", "dataset_digest")
        self._varying = [f for f in fields if len({getattr(row, f) for row in results}) > 1]

    def of(self, setting: Any) -> str:
        return " · ".join([setting.model, *(getattr(setting, f)[:24] for f in self._varying)])


def _distinct(transcripts: Sequence[Transcript]) -> list[Transcript]:
    return list({one.key: one for one in reversed(transcripts)}.values())[::-1]


def _by_episode(
    transcripts: Sequence[Transcript], results: Sequence[Result], names: _Names
) -> dict[str, str]:
    known = {row.episode_key: names.of(row) for row in results}
    # An episode that has no result row was broken off; its log still names the model.
    return {one.key: known.get(one.key, str(one.started["model"])) for one in transcripts}


def _panels(models: Sequence[_Model]) -> list[tuple[str, Any]]:
    top = highest(score for model in models for score in model.scores)
    return [(model.name, panel(model.name, model.scores, top=top)) for model in models]


def _grids(results: Sequence[Result], names: _Names, ids: dict[str, str]) -> list[Grid]:
    tasks = {row.task_id: row.paper for row in results}
    whole = sorted(results, key=names.of)
    return [grid(name, tuple(rows), tasks, ids) for name, rows in groupby(whole, names.of)]


def _title(results: Sequence[Result], runs: Sequence[Run]) -> str:
    names = sorted({row.dataset for row in results})
    versions = {run.dataset_version for run in runs}
    one = versions.pop() if len(names) == len(versions) == 1 else ""
    return ", ".join(names) + (f" {one}" if one else "") if names else "no results"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _trusted(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # our own files, and JSON without a single angle bracket
