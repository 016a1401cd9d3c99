"""What a run is: its settings as the user gave them, and as `run.json` records them, resolved."""

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from recodeh.data.errors import InputError
from recodeh.data.records import Record
from recodeh.eval.agents.agent import Agent
from recodeh.eval.allowance import UNLIMITED, Allowance
from recodeh.eval.dataset import Dataset
from recodeh.eval.episode import Fork
from recodeh.eval.log_excerpt import Log
from recodeh.eval.prompts import prompts_version
from recodeh.eval.put import put

LEVELS = (0, 1, 2, 3, 4)


class Settings(Record):
    """One run: every combination of task, model, level and seed is one episode."""

    models: tuple[str, ...]
    agent: str = "oneshot"
    researcher: str = "deterministic"
    noise: float = 0.0
    """Share of the researcher's remarks that are lost or spoilt."""
    levels: tuple[int, ...] = LEVELS
    turns: int = 10
    steps: int = 30
    """How many calls an agent may make in a turn."""
    seed: int = 0
    repeats: int = 1
    """Episodes per task, model and level, with the seeds `seed`, `seed + 1`, …"""
    tasks: tuple[str, ...] = ()
    """Patterns over task ids, as in a shell; none means every task."""
    parameters: Mapping[str, Any] = Field(default_factory=dict)
    """Of every model call, e.g. `temperature`."""
    log: Log = "none"
    """What of the test log the models are shown, whatever the level."""
    fork: Fork | None = None
    """For counterfactuals: the level before some turn, which is then `levels`' own."""
    allowance: Allowance = UNLIMITED
    """What one episode's calls may use up."""
    base_url: str | None = None
    """An OpenAI-compatible server that serves the models."""
    wall: str = "auto"

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        # Not ValueError: pydantic would wrap it, and the user would read pydantic's words.
        _check(self)
        return self

    @property
    def seeds(self) -> range:
        """The seeds of the repeats."""
        return range(self.seed, self.seed + self.repeats)

    def task_ids(self, known: Iterable[str]) -> list[str]:
        """The ids that the patterns choose, in the dataset's order.

        Raises InputError for a pattern that chooses none.
        """
        ids = list(known)
        for pattern in self.tasks:
            if not any(fnmatch(name, pattern) for name in ids):
                raise InputError(
                    f"no task is called {pattern!r}",
                    mend=f"the dataset has {', '.join(ids[:5])}{' …' if len(ids) > 5 else ''}",
                )
        if not self.tasks:
            return ids
        return [name for name in ids if any(fnmatch(name, one) for one in self.tasks)]


def resolved(
    settings: Settings, dataset: Dataset, agent: Agent, researcher: str, wall: str
) -> dict[str, Any]:
    """Everything that decides a run's results, ready for `run.json`."""
    return {
        "settings": {**settings.row(), "wall": wall},
        "agent": {"name": agent.name, "version": agent.version},
        "researcher": {"name": researcher},
        "dataset": {"name": dataset.name, "version": dataset.version, "digest": dataset.digest},
        "tasks": settings.task_ids(dataset.tasks),
        "prompts": prompts_version(),
        "recodeh": version("recodeh"),
    }


def claim(folder: Path, wanted: Mapping[str, Any]) -> None:
    """Make `folder` the run's own, or check that it already is.

    Raises InputError when it belongs to a run with other settings.
    """
    path = folder / "run.json"
    if path.exists():
        _same(read_run(folder), wanted, path)
        return
    if (folder / "events.jsonl").exists():
        raise InputError("the folder has a log but no run.json", where=folder, mend=_ELSEWHERE)
    text = json.dumps(wanted, indent=2, sort_keys=True, ensure_ascii=False)
    put(path, f"{text}\n".encode())


def read_run(folder: Path) -> dict[str, Any]:
    """The settings that a run was made with.

    Raises InputError when the folder is no run.
    """
    path = folder / "run.json"
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            "no run here", where=path, mend="name a folder that `recodeh run` made"
        ) from error
    if not isinstance(value, dict):
        raise InputError("not the settings of a run", where=path, mend=_ELSEWHERE)
    return value


def settings_of(folder: Path) -> Settings:
    """The settings that a run was made with, checked.

    Raises InputError when the folder is no run, or one of another version.
    """
    try:
        return Settings.model_validate(read_run(folder).get("settings"))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise InputError(
            f"not settings of this version: {'.'.join(map(str, fault['loc']))}: {fault['msg']}",
            where=folder / "run.json",
            mend="read the run with the version of recodeh that made it",
        ) from error


_ELSEWHERE = "give the settings of the first time, or another folder with -o"


def _same(found: Mapping[str, Any], wanted: Mapping[str, Any], path: Path) -> None:
    found, wanted = _flat(found), _flat(wanted)
    differing = [name for name in sorted({*found, *wanted}) if found.get(name) != wanted.get(name)]
    if differing:
        told = "; ".join(
            f"{name} was {_brief(found.get(name))}, is {_brief(wanted.get(name))}"
            for name in differing
        )
        raise InputError(f"the folder holds another run: {told}", where=path, mend=_ELSEWHERE)


def _flat(run: Mapping[str, Any]) -> dict[str, Any]:
    settings = run.get("settings")
    rest = {name: value for name, value in run.items() if name != "settings"}
    return {**(settings if isinstance(settings, dict) else {}), **rest}


def _brief(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _check(settings: Settings) -> None:
    wrong = [level for level in settings.levels if level not in LEVELS]
    faults = {
        f"there is no level {wrong[:1]}": bool(wrong),
        "no level is given": not settings.levels,
        "no model is given": not settings.models,
        f"{settings.turns} turns are too few": settings.turns < 1,
        f"{settings.steps} steps are too few": settings.steps < 1,
        f"{settings.repeats} repeats are too few": settings.repeats < 1,
        "noise is a share from 0 to 1": not 0 <= settings.noise <= 1,
        "an episode that may use up nothing makes no call": any(
            bound is not None and bound <= 0 for bound in settings.allowance.row().values()
        ),
        "a fork needs a turn that another turn comes before": (
            settings.fork is not None and not 1 <= settings.fork.turn < settings.turns
        ),
        "a level or model is given twice": _twice(settings.levels) or _twice(settings.models),
    }
    for fault, found in faults.items():
        if found:
            raise InputError(fault, mend="levels are 0 to 4; turns, steps and repeats at least 1")


def _twice(values: tuple[Any, ...]) -> bool:
    return len(set(values)) < len(values)
