"""Rows of a log, before, and the result rows that they add up to, after."""

from pathlib import Path
from typing import Any

import pytest
from tests.eval.conftest import MadeDataset

from recodeh.data.records import Result, Verdict
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.episode import Episode
from recodeh.eval.results import (
    UNFINISHED,
    read_results,
    result_rows,
    results_bytes,
    write_results,
)


@pytest.fixture
def episodes(dataset: MadeDataset) -> list[Episode]:
    return [
        Episode(task, "m", OneShot(), "deterministic", level=level)
        for task in dataset.tasks.values()
        for level in (0, 1)
    ]


def turn(key: str, verdict: str = "failed", *, tokens: int | None = 10) -> list[dict[str, Any]]:
    outcomes = ["passed", "passed" if verdict == "passed" else "failed"]
    report = {"verdict": verdict, "tests": [{"outcome": outcome} for outcome in outcomes]}
    reply = {"input_tokens": tokens, "output_tokens": 5}
    return [
        {"event": "turn_started", "episode": key},
        {"event": "model_called", "episode": key, "reply": reply},
        {"event": "submitted", "episode": key, "submission_key": f"s-{verdict}"},
        {"event": "tested", "episode": key, "report": report},
        {"event": "turn_ended", "episode": key, "solved": verdict == "passed"},
    ]


def end(key: str, verdict: str, reason: str = "why") -> dict[str, Any]:
    return {"event": "episode_ended", "episode": key, "verdict": verdict, "reason": reason}


def fold(rows: list[dict[str, Any]], episodes: list[Episode], dataset: MadeDataset) -> list[Result]:
    return list(result_rows(rows, episodes, dataset))


def test_turns_are_counted_and_the_solving_one_is_ranked_from_1(
    episodes: list[Episode], dataset: MadeDataset
) -> None:
    key = episodes[0].key
    rows = [*turn(key), *turn(key), *turn(key, "passed"), end(key, "passed")]
    result = fold(rows, episodes[:1], dataset)[0]
    assert (result.verdict, result.solved_at, len(result.turns)) == (Verdict.PASSED, 3, 3)
    assert [(one.turn, one.verdict, one.passed, one.total) for one in result.turns] == [
        (0, Verdict.FAILED, 1, 2),
        (1, Verdict.FAILED, 1, 2),
        (2, Verdict.PASSED, 2, 2),
    ]
    assert [one.submission_key for one in result.turns] == ["s-failed", "s-failed", "s-passed"]
    assert (result.input_tokens, result.output_tokens) == (30, 15)


def test_every_planned_episode_has_a_row_in_the_order_of_the_plan(
    episodes: list[Episode], dataset: MadeDataset
) -> None:
    third, first = episodes[2].key, episodes[0].key
    rows = [*turn(third), end(third, "failed"), *turn(first)]
    results = fold(rows, episodes, dataset)
    assert [(one.task_id, one.level) for one in results] == [
        (one.task.task_id, one.level) for one in episodes
    ]
    assert [(one.verdict, one.reason, len(one.turns)) for one in results] == [
        (Verdict.INFRA, UNFINISHED, 1),
        (Verdict.INFRA, UNFINISHED, 0),
        (Verdict.FAILED, "why", 1),
        (Verdict.INFRA, UNFINISHED, 0),
    ]


def test_an_end_without_verdict_is_taken_back_and_a_broken_turn_counts_once(
    episodes: list[Episode], dataset: MadeDataset
) -> None:
    key = episodes[0].key
    broken = turn(key)[:3]
    rows = [*turn(key), *broken, end(key, "infra", "down"), *turn(key), end(key, "failed")]
    result = fold(rows, episodes[:1], dataset)[0]
    assert (result.verdict, len(result.turns), result.input_tokens) == (Verdict.FAILED, 2, 20)
    still = fold(rows[: len(turn(key)) + 4], episodes[:1], dataset)[0]
    assert (still.verdict, still.reason, len(still.turns)) == (Verdict.INFRA, "down", 1)
    assert still.solved_at is None


def test_one_unknown_count_makes_the_sum_unknown(
    episodes: list[Episode], dataset: MadeDataset
) -> None:
    key = episodes[0].key
    rows = [*turn(key), *turn(key, tokens=None), end(key, "failed")]
    result = fold(rows, episodes[:1], dataset)[0]
    assert (result.input_tokens, result.output_tokens) == (None, 10)


def test_a_tampered_last_turn_is_the_episode_s_verdict(
    episodes: list[Episode], dataset: MadeDataset
) -> None:
    key = episodes[0].key
    result = fold([*turn(key, "tampered"), end(key, "tampered")], episodes[:1], dataset)[0]
    assert (result.verdict, result.turns[0].verdict) == (Verdict.TAMPERED, Verdict.TAMPERED)
    assert result.solved_at is None


def test_rows_are_written_whole_and_read_back(
    episodes: list[Episode], dataset: MadeDataset, tmp_path: Path
) -> None:
    results = fold([], episodes, dataset)
    path = tmp_path / "results.jsonl"
    path.write_text("old")
    write_results(path, results)
    assert list(read_results(path)) == results
    assert path.read_bytes() == results_bytes(results)
    assert [one.name for one in tmp_path.iterdir()] == ["results.jsonl"]
