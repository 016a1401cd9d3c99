"""Writes runs that nobody played: test data in the form of real ones, always the same.

A synthetic model starts from wrong code and mends some lines per turn, more at higher levels.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recodeh.data.keys import bytes_key, content_key
from recodeh.data.log import EventLog

Row = dict[str, Any]

DIGEST = content_key("synthetic")
RIGHT = (
    "    count = values.shape[0]",
    "    scale = np.sqrt(np.mean(values**2, axis=-1, keepdims=True) + eps)",
    "    shifted = values - values.max(axis=-1, keepdims=True)  # keeps exp finite",
    "    weights = np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True)",
    '    mode = "mean" if count > 1 else "sum"',
    "    for step in range(1, count):",
    "        weights[step] = beta * weights[step - 1] + (1 - beta) * weights[step]",
    "    return weights / scale",
)
WRONG = (
    "    count = values.shape[1]",
    "    scale = np.sqrt(np.mean(values**2) + eps)",
    "    shifted = values",
    "    weights = np.exp(shifted) / np.exp(shifted).sum()",
    '    mode = "sum"',
    "    for step in range(count):",
    "        weights[step] = beta * weights[step] + (1 - beta) * weights[step - 1]",
    "    return weights",
)
TESTS = ("shape", "scale", "shift", "sums_to_one", "mode", "first_step", "decay", "batch")
PAPERS = ("ridgepath", "tidegraph", "lanternset", "mossfield", "quietflow", "brineworks")
SYMBOLS = ("smooth_weights", "Walker.advance", "influence_path", "project_rows")


@dataclass(frozen=True)
class Plan:
    """What to write: the product of models, levels and tasks."""

    models: Sequence[str] = ("builtin/mutant", "example/small-model")
    levels: Sequence[int] = (0, 1, 2, 3, 4)
    papers: int = 6
    symbols: int = 3
    turns: int = 6
    said: str = ""
    """Put into every reply, code, feedback and test message: for hostile text."""


@pytest.fixture
def synthetic(tmp_path: Path) -> Callable[..., Path]:
    """Writes a run, by the fields of `Plan`, into a folder of the given name and returns it."""

    def write(name: str = "run", **chosen: Any) -> Path:
        return write_run(tmp_path / name, Plan(**chosen))

    return write


def write_run(folder: Path, plan: Plan) -> Path:
    """Write run.json, events.jsonl and results.jsonl, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(_settings(plan)), encoding="utf-8")
    episodes = [_Episode(plan, *chosen) for chosen in _product(plan)]
    with EventLog(folder / "events.jsonl") as log:
        log.append(*(event for episode in episodes for event in episode.events()))
    with EventLog(folder / "results.jsonl") as log:
        log.append(*(episode.result() for episode in episodes))
    return folder


def _settings(plan: Plan) -> Row:
    return {
        "settings": {
            "models": list(plan.models),
            "agent": "oneshot",
            "researcher": "deterministic",
            "levels": list(plan.levels),
            "turns": plan.turns,
            "steps": 30,
            "seed": 0,
            "repeats": 1,
            "tasks": [],
            "parameters": {"temperature": 0.2},
            "wall": "bubblewrap",
        },
        "agent": {"name": "oneshot", "version": "1"},
        "dataset": {"name": "synthetic-tasks", "version": "0.0.0", "digest": DIGEST},
        "tasks": sorted({f"{paper}/{symbol}#body" for *_, paper, symbol in _product(plan)}),
        "prompts": content_key("prompts"),
        "recodeh": "0.1.0",
    }


def _product(plan: Plan) -> Iterator[tuple[str, int, str, str]]:
    for paper in PAPERS[: plan.papers]:
        for symbol in SYMBOLS[: plan.symbols]:
            for model in plan.models:
                for level in plan.levels:
                    yield model, level, paper, symbol


@dataclass(frozen=True)
class _Episode:
    plan: Plan
    model: str
    level: int
    paper: str
    symbol: str

    @property
    def task(self) -> str:
        return f"{self.paper}/{self.symbol}#body"

    @property
    def key(self) -> str:
        return content_key([self.model, self.level, self.task])

    @property
    def start(self) -> Row:
        return {
            "task_id": self.task,
            "task_key": content_key(self.task),
            "model": self.model,
            "agent": "oneshot",
            "researcher": "deterministic",
            "level": self.level,
            "seed": 0,
        }

    def faults(self) -> list[set[int]]:
        """The lines that are still wrong, turn by turn; the last turn may have none."""
        luck = random.Random(content_key([self.model, self.task]))
        wrong = set(luck.sample(range(8), k=luck.choice([0, 1, 3, 5, 7])))
        skill = (0.3 if self.model.startswith("example") else 0.15) * (self.level + 0.3)
        turns = [wrong]
        while turns[-1] and len(turns) < self.plan.turns:
            turns.append({line for line in sorted(turns[-1]) if luck.random() > skill})
        return turns

    @property
    def broken_off(self) -> bool:
        """Whether the second turn gets no verdict: so it is for every eleventh task at L1."""
        place = PAPERS.index(self.paper) * 4 + SYMBOLS.index(self.symbol)
        return self.level == 1 and place % 11 == 6 and len(self.faults()) > 1

    def verdict(self) -> str:
        if self.broken_off:
            return "infra"
        return "failed" if self.faults()[-1] else "passed"

    def events(self) -> Iterator[Row]:
        yield {"event": "episode_started", "episode": self.key, "turn": 0, **self.start}
        messages: list[Row] = [
            {"role": "system", "content": "You write one missing region of a paper's code."},
            {"role": "user", "content": f"# Task\n\nWrite the region of `{self.task}`.\n"},
        ]
        kept = 0
        for turn, wrong in enumerate(self.faults()):
            for event in self._turn(turn, wrong, messages, kept):
                yield {"episode": self.key, "turn": turn, **event}
            if self.broken_off and turn == 1:
                break
            kept = len(messages)
            reply, feedback = self._reply(wrong), self._feedback(wrong)
            messages.append({"role": "assistant", "content": reply})
            messages.append({"role": "user", "content": f"{feedback}\nSend it again."})
        ended = {"event": "episode_ended", "verdict": self.verdict(), "reason": self._reason()}
        yield {"episode": self.key, "turn": len(self.faults()), **ended}

    def _turn(self, turn: int, wrong: set[int], messages: list[Row], kept: int) -> Iterator[Row]:
        infra = self.broken_off and turn == 1
        code = self._code(wrong)
        yield {"event": "turn_started"}
        yield {
            "event": "model_called",
            "step": 0,
            "request_key": content_key(messages),
            "kept": kept,
            "messages": messages[kept:],
            "reply": {
                "text": self._reply(wrong),
                "finish": "stop",
                "input_tokens": 900,
                "output_tokens": 150,
                "seconds": 1.5,
            },
            "reused": turn == 0 and self.level > 0,
        }
        key = bytes_key(code.encode())
        yield {
            "event": "submitted",
            "code": code,
            "how": "fence",
            "reason": "",
            "submission_key": key,
        }
        yield {"event": "tested", "report": self._report(wrong, infra=infra), "reused": False}
        if infra:
            return
        if wrong and turn + 1 < self.plan.turns:
            feedback = {"researcher": "deterministic", "passed": 8 - len(wrong), "total": 8}
            yield {
                "event": "feedback_given",
                "level": self.level,
                "feedback": {**feedback, "items": []},
                "text": self._feedback(wrong),
            }
        yield {"event": "turn_ended", "solved": not wrong}

    def result(self) -> Row:
        turns = self.faults()[:1] if self.broken_off else self.faults()
        return {
            **self.start,
            "episode_key": self.key,
            "dataset": "synthetic-tasks",
            "dataset_digest": DIGEST,
            "paper": self.paper,
            "domain": "signals",
            "loc": 8,
            "turns": [self._counts(turn, wrong) for turn, wrong in enumerate(turns)],
            "verdict": self.verdict(),
            "reason": self._reason(),
            "solved_at": len(turns) if self.verdict() == "passed" else None,
            "input_tokens": 900 * len(turns),
            "output_tokens": 150 * len(turns),
        }

    def _counts(self, turn: int, wrong: set[int]) -> Row:
        return {
            "turn": turn,
            "verdict": "failed" if wrong else "passed",
            "passed": 8 - len(wrong),
            "total": 8,
            "submission_key": bytes_key(self._code(wrong).encode()),
        }

    def _code(self, wrong: set[int]) -> str:
        lines = ((WRONG if line in wrong else RIGHT)[line] for line in range(8))
        return "".join(f"{line}\n" for line in lines) + self.plan.said

    def _reply(self, wrong: set[int]) -> str:
        return f"Here is the region.\n\n```python\n{self._code(wrong)}```\n"

    def _reason(self) -> str:
        return "the room was lost" if self.broken_off else "the tests decide"

    def _report(self, wrong: set[int], *, infra: bool) -> Row:
        return {
            "verdict": "infra" if infra else "failed" if wrong else "passed",
            "reason": "the room was lost" if infra else f"{8 - len(wrong)} of 8 tests passed",
            "tests": [] if infra else [self._test(line, line in wrong) for line in range(8)],
            "output": self.plan.said,
            "wall": "bubblewrap",
            "seconds": 0.2,
            "cpu_seconds": 0.1,
        }

    def _test(self, line: int, failed: bool) -> Row:
        return {
            "test_id": f"test_weights.py::test_{TESTS[line]}",
            "outcome": "failed" if failed else "passed",
            "seconds": 0.01,
            "interfaces": ["signals.weights:smooth_weights"],
            "exception": "AssertionError" if failed else "",
            "message": f"max difference 0.{line + 1}31 {self.plan.said}" if failed else "",
            "traceback": f"test_weights.py:{20 + line}: in test_{TESTS[line]}" if failed else "",
        }

    def _feedback(self, wrong: set[int]) -> str:
        sections = (
            ("What is wrong:", "`signals.weights:smooth_weights`: the values differ"),
            ("Why:", "a term is missing, or the axis is another one"),
            ("How to mend it:", "follow the definition in section 3 for this step"),
            ("The code that belongs there:", ""),
        )
        blocks = [f"{8 - len(wrong)} of 8 tests pass.{self.plan.said}"]
        for title, words in sections[: self.level]:
            lines = [f"{line}. {words or RIGHT[line].strip()}" for line in sorted(wrong)[:3]]
            blocks.append("\n".join([title, *lines]))
        return "\n\n".join(blocks)
