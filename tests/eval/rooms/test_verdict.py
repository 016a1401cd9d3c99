"""The rules from what was seen to a verdict, one by one."""

from dataclasses import replace
from typing import Any

import pytest

from recodeh.data.records import Outcome, Verdict
from recodeh.eval.rooms.verdict import Seen, judgement


def ran(name: str, outcome: str = "passed", **more: str) -> dict[str, Any]:
    said = {"exception": "", "message": "", "traceback": "", **more}
    return {
        "event": "test",
        "id": name,
        "outcome": outcome,
        "seconds": 0.1,
        "interfaces": [],
        **said,
    }


def finished(**more: Any) -> dict[str, Any]:
    last = {"nonce": "n", "sentinel": "failed", "code": 0, "gone": "", "tampered": ""}
    return {"event": "finished", **last, **more}


COLLECTED = {"event": "collected", "ids": ["a", "b"]}
GOOD = Seen(
    expected=("a", "b"), nonce="n", events=(COLLECTED, ran("a"), ran("b"), finished()), judge_exit=0
)


def changed(*events: dict[str, Any], **more: Any) -> Seen:
    return replace(GOOD, events=events, **more)


def test_everything_in_order_is_passed() -> None:
    found = judgement(GOOD)
    assert found.verdict is Verdict.PASSED
    assert [row.test_id for row in found.tests] == ["a", "b"]


@pytest.mark.parametrize(
    ("seen", "verdict", "reason"),
    [
        (
            changed(
                COLLECTED, ran("a"), ran("b", "failed", exception="E", message="m\nn"), finished()
            ),
            "failed",
            "1 of 2 tests did not pass; b failed: E: m",
        ),
        (changed(COLLECTED, ran("a"), ran("b", "skipped"), finished()), "failed", "b skipped"),
        (changed(COLLECTED, ran("a"), finished()), "failed", "b missing"),
        (
            changed(COLLECTED, ran("a"), ran("b"), finished(sentinel="passed")),
            "tampered",
            "must fail",
        ),
        (changed(COLLECTED, ran("a"), ran("b"), finished(tampered="forged")), "tampered", "forged"),
        (changed(COLLECTED, ran("a"), ran("b"), finished(gone="ended")), "failed", "ended"),
        (
            changed(COLLECTED, ran("a"), ran("b"), finished(sentinel="missing")),
            "infra",
            "must fail",
        ),
        (
            changed(COLLECTED, ran("a"), ran("b"), finished(nonce="other")),
            "infra",
            "ended by itself",
        ),
        (changed(COLLECTED, ran("a"), ran("b")), "infra", "exit code 0"),
        (changed(COLLECTED, ran("a"), judge_exit=-24), "failed", "kept the judge busy"),
        (
            changed(COLLECTED, ran("a"), timed_out=True, wall_seconds=2),
            "failed",
            "limit of 2 seconds",
        ),
        (changed(), "infra", "before its tests were loaded"),
        (
            changed(
                {"event": "uncollected", "id": "a", "why": "x\nE  boom"},
                finished(sentinel="missing"),
            ),
            "infra",
            "E  boom",
        ),
        (changed({"event": "collected", "ids": ["a"]}, ran("a"), finished()), "infra", "not those"),
        (
            changed(
                {"event": "collected", "ids": ["a", "b", "c"]},
                ran("a"),
                ran("b"),
                ran("c"),
                finished(),
            ),
            "infra",
            "not those of the task: c",
        ),
        (replace(GOOD, submission_exit=0), "failed", "exit code 0"),
        (replace(GOOD, submission_exit=-9), "failed", "was killed"),
        (replace(GOOD, submission_exit=137, spent=True), "failed", "used up its CPU time"),
        (replace(GOOD, submission_exit=139), "failed", "crashed"),
        (Seen((), "n", ({"event": "collected", "ids": []}, finished())), "infra", "names no tests"),
    ],
)
def test_a_rule(seen: Seen, verdict: str, reason: str) -> None:
    found = judgement(seen)
    assert (found.verdict, reason in found.reason) == (Verdict(verdict), True), found.reason


def test_a_test_that_was_not_heard_of_is_missing() -> None:
    found = judgement(changed(COLLECTED, ran("b"), finished()))
    assert [row.outcome for row in found.tests] == [Outcome.MISSING, Outcome.PASSED]
