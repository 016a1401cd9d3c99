"""From what the judge told and how the rooms ended to a `Report`: a pure function."""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recodeh.data.records import Outcome, TestOutcome, Verdict

SIGNALS = {9: "was killed", 24: "used up its CPU time", 11: "crashed", 6: "aborted"}


@dataclass(frozen=True)
class Seen:
    """What the runner saw of one run."""

    expected: Sequence[str]
    nonce: str
    events: Sequence[Mapping[str, Any]]
    """Of the judge, in order."""
    timed_out: bool = False
    submission_exit: int | None = None
    """Exit code of the submission's room where it ended before it was told to."""
    spent: bool = False
    """Whether that room had used its CPU time: the first process of a namespace ends by a kill."""
    judge_exit: int | None = None
    judge_output: str = ""
    wall_seconds: float = 0.0


@dataclass(frozen=True)
class Judgement:
    """A verdict, its reason, and one row per expected test."""

    verdict: Verdict
    reason: str
    tests: tuple[TestOutcome, ...]


def judgement(seen: Seen) -> Judgement:
    """The verdict: `passed` needs every id, a failed sentinel and the last word."""
    tests = tuple(_row(seen, name) for name in seen.expected)
    for rule in (_tampered, _infra, _died, _unsure, _failed):
        found = rule(seen, tests)
        if found is not None:
            return Judgement(*found, tests)
    return Judgement(Verdict.PASSED, f"all {len(tests)} tests passed", tests)


Found = tuple[Verdict, str] | None


def _tampered(seen: Seen, tests: Sequence[TestOutcome]) -> Found:
    finished = _finished(seen)
    if finished and finished["tampered"]:
        return Verdict.TAMPERED, finished["tampered"]
    if finished and finished["sentinel"] == "passed":
        return Verdict.TAMPERED, "the test that must fail did not"
    return None


def _infra(seen: Seen, tests: Sequence[TestOutcome]) -> Found:
    collected = [name for event in _of(seen, "collected") for name in event["ids"]]
    wrong = sorted(set(collected) ^ set(seen.expected))
    if _of(seen, "uncollected"):
        why = _of(seen, "uncollected")[0]["why"].strip().splitlines()[-1:]
        return Verdict.INFRA, f"the tests do not load in this environment: {' '.join(why)}"
    if not _of(seen, "collected"):
        said = seen.judge_output.strip().splitlines()[-1:]
        return Verdict.INFRA, f"the judge ended before its tests were loaded {' '.join(said)}"
    if wrong:
        return Verdict.INFRA, f"the tests are not those of the task: {', '.join(wrong[:3])}"
    if _finished(seen) is None and not seen.timed_out and not _out_of_cpu(seen.judge_exit):
        return Verdict.INFRA, f"the judge ended by itself with exit code {seen.judge_exit}"
    return None


def _died(seen: Seen, tests: Sequence[TestOutcome]) -> Found:
    if _out_of_cpu(seen.judge_exit):
        return Verdict.FAILED, "kept the judge busy until its CPU time was used up"
    if seen.timed_out:
        return Verdict.FAILED, f"ran into the limit of {seen.wall_seconds:g} seconds"
    if seen.submission_exit is not None:
        killed = seen.submission_exit in (-signal.SIGKILL, 128 + signal.SIGKILL)
        how = SIGNALS[24] if killed and seen.spent else _ending(seen.submission_exit)
        return Verdict.FAILED, f"the submission's process {how}"
    finished = _finished(seen)
    return (Verdict.FAILED, finished["gone"]) if finished and finished["gone"] else None


def _unsure(seen: Seen, tests: Sequence[TestOutcome]) -> Found:
    finished = _finished(seen)
    if not tests:
        return Verdict.INFRA, "the task names no tests"
    if finished is None or finished["sentinel"] != "failed":
        return Verdict.INFRA, "the judge ended before the test that must fail"
    return None


def _failed(seen: Seen, tests: Sequence[TestOutcome]) -> Found:
    bad = [test for test in tests if test.outcome is not Outcome.PASSED]
    if not bad:
        return None
    first = bad[0]
    why = f": {first.exception}: {first.message.splitlines()[0]}" if first.message else ""
    count = f"{len(bad)} of {len(tests)} tests did not pass; "
    return Verdict.FAILED, f"{count}{first.test_id} {first.outcome}{why}"


def _row(seen: Seen, name: str) -> TestOutcome:
    for event in _of(seen, "test"):
        if event["id"] == name:
            return TestOutcome(
                test_id=name,
                outcome=Outcome(event["outcome"]),
                seconds=round(event["seconds"], 6),
                interfaces=tuple(event["interfaces"]),
                exception=event["exception"],
                message=event["message"],
                traceback=event["traceback"],
            )
    return TestOutcome(test_id=name, outcome=Outcome.MISSING)


def _finished(seen: Seen) -> Mapping[str, Any] | None:
    last = _of(seen, "finished")
    return last[-1] if last and last[-1]["nonce"] == seen.nonce else None


def _of(seen: Seen, kind: str) -> list[Mapping[str, Any]]:
    return [event for event in seen.events if event["event"] == kind]


def _out_of_cpu(code: int | None) -> bool:
    return code in (-signal.SIGXCPU, 128 + signal.SIGXCPU)


def _ending(code: int) -> str:
    number = -code if code < 0 else code - 128
    return SIGNALS.get(number, f"ended with exit code {code}")
