"""The settings of runs in, the facts at the head of the page out: what was run, and with what."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recodeh.cards.runs import Run

HASH = re.compile(r"\b[0-9a-f]{40,64}\b")
LABELS = {
    "dataset.version": "dataset version",
    "dataset.digest": "dataset digest",
    "recodeh": "recodeh",
    "prompts": "prompts",
    "agent.name": "agent",
    "agent.version": "agent version",
    "settings.researcher": "researcher",
    "settings.levels": "levels",
    "settings.turns": "turns",
    "settings.steps": "calls per turn",
    "settings.seed": "seed",
    "settings.repeats": "repeats",
    "settings.wall": "wall",
}
"""The settings that come first, in this order, and what the page calls them."""
ELSEWHERE = ("dataset.name", "settings.models", "settings.agent", "researcher.name", "tasks")
"""What the page shows in other places."""


@dataclass(frozen=True)
class Value:
    """A value of a setting, and the whole of it where hashes in it were cut short."""

    text: str
    whole: str


@dataclass(frozen=True)
class Fact:
    """One setting with its values over all runs."""

    label: str
    values: tuple[Value, ...]


def provenance(runs: Sequence[Run]) -> list[Fact]:
    """The settings of all runs; a value that several runs share is given once."""
    found: dict[str, dict[str, None]] = {label: {} for label in ("run", *LABELS.values())}
    for run in runs:
        for label, text in _settings(run):
            found.setdefault(label, {})[text] = None
    return [Fact(label, tuple(map(_value, texts))) for label, texts in found.items() if texts]


def _settings(run: Run) -> Iterator[tuple[str, str]]:
    yield "run", run.name
    for path, value in _flat(run.settings):
        if path not in ELSEWHERE:
            yield LABELS.get(path, _label(path)), _text(value)


def _label(path: str) -> str:
    return path.removeprefix("settings.").removeprefix("parameters.").replace("_", " ")


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        elif value not in (None, "", []):
            yield f"{before}{key}", value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _value(whole: str) -> Value:
    return Value(HASH.sub(lambda found: found[0][:12], whole), whole)
