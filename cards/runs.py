"""A run's folder in, what the page shows of it out: its settings, result rows and transcripts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recodeh.cards.transcripts import Transcript, fold
from recodeh.data.errors import InputError, LogError
from recodeh.data.log import read
from recodeh.data.records import Result

SETTINGS, EVENTS, RESULTS = "run.json", "events.jsonl", "results.jsonl"


@dataclass(frozen=True)
class Run:
    """One run as it lies on disk."""

    name: str
    """Name of its folder."""
    settings: Mapping[str, Any]
    results: tuple[Result, ...]
    transcripts: tuple[Transcript, ...]
    """In the order in which the episodes were started; empty when they were not asked for."""

    @property
    def turns(self) -> int | None:
        """How many turns an episode may take, if the settings say so."""
        turns = _inner(self.settings, "settings").get("turns")
        return turns if isinstance(turns, int) and turns > 0 else None

    @property
    def dataset_version(self) -> str:
        """Version of the dataset that was played, if the settings say so."""
        return str(_inner(self.settings, "dataset").get("version") or "")


def read_run(folder: Path, *, episodes: bool = True) -> Run:
    """Read a run; without `episodes` its transcripts are left on disk.

    Raises InputError when the folder is no run, LogError when one of its files is damaged.
    """
    for name in (SETTINGS, EVENTS, RESULTS):
        if not (folder / name).is_file():
            raise InputError(
                f"not a finished run: {name} is missing",
                where=folder,
                mend="name a folder written by `recodeh run`; running it again finishes it",
            )
    return Run(
        name=folder.resolve().name,
        settings=_settings(folder / SETTINGS),
        results=tuple(_results(folder / RESULTS)),
        transcripts=tuple(fold(read(folder / EVENTS))) if episodes else (),
    )


def short_ids(keys: Sequence[str]) -> dict[str, str]:
    """The shortest prefixes, of 8 letters or more, that tell the keys apart."""
    whole = sorted(set(keys))
    length = 8
    while len({key[:length] for key in whole}) < len(whole):
        length += 1
    return {key: key[:length] for key in whole}


def _inner(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = settings.get(name)
    return inner if isinstance(inner, Mapping) else {}


def _settings(path: Path) -> Mapping[str, Any]:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _damaged(path, str(error)) from error
    if not isinstance(settings, dict):
        raise _damaged(path, "not an object")
    return settings


def _results(path: Path) -> Iterator[Result]:
    from pydantic import ValidationError

    for number, row in enumerate(read(path), start=1):
        try:
            yield Result.model_validate(row)
        except ValidationError as error:
            raise _damaged(path, f"line {number}: {str(error).splitlines()[2].strip()}") from error


def _damaged(path: Path, what: str) -> LogError:
    return LogError(
        f"cannot be read: {what}",
        where=path,
        mend="run `recodeh replay` on the folder to write it again from the log",
    )
