"""The gates of a task: checks that its tests tell right from wrong, each with its evidence.

A task is verified by the very code that will score submissions to it.
"""

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from recodeh.data.errors import RoomError
from recodeh.data.records import Gate, Report, Task, Verdict, Verification
from recodeh.eval.grade import grade
from recodeh.eval.walls.wall import Wall

REFERENCE_RUNS = 3
SECONDS_STEP = 5
REDISTRIBUTABLE = frozenset(
    ("MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Unlicense", "CC0-1.0", "0BSD")
)

Run = Callable[[str, int], Report]


@dataclass(frozen=True)
class Proof:
    """What the gates found for one task."""

    verification: Verification

    @property
    def passed(self) -> bool:
        """Whether every gate passed."""
        return all(gate.passed for gate in self.verification.gates)

    @property
    def fault(self) -> str:
        """The first gate that did not pass, with its evidence; empty when all did."""
        failed = (gate for gate in self.verification.gates if not gate.passed)
        return next((f"{gate.name}: {gate.evidence}" for gate in failed), "")


def verify(task: Task, code: str, files: Mapping[str, bytes], *, python: Path, wall: Wall) -> Proof:
    """Run all gates of a task.

    `code` is the reference region, `files` the workspace's original files. Raises RoomError when a
    run gave no verdict, which says nothing about the task.
    """

    def run(submitted: str, seed: int) -> Report:
        report = grade(task, submitted, files, python=python, wall=wall, seed=seed)
        if report.verdict is Verdict.INFRA:
            raise RoomError(report.reason, where=task.task_id)
        return report

    references = [run(code, seed) for seed in range(REFERENCE_RUNS)]
    passes = sum(report.verdict is Verdict.PASSED for report in references)
    gates = (
        licence_gate(task),
        reference_gate(references),
        *wrong_answer_gates(task, run),
    )
    return Proof(
        Verification(
            reference_passes=passes,
            reference_runs=len(references),
            stub_fails=next(gate.passed for gate in gates if gate.name == "stub fails"),
            seconds=_rounded_up(max(report.cpu_seconds for report in references)),
            gates=gates,
        )
    )


def licence_gate(task: Task) -> Gate:
    """The source's licence allows its code to be handed on."""
    licence = task.source.licence
    return Gate(
        name="licence allows redistribution",
        passed=licence in REDISTRIBUTABLE,
        evidence=licence or "unknown",
    )


def reference_gate(reports: list[Report]) -> Gate:
    """The reference passes every test in every run, each with another seed."""
    failed = next((report for report in reports if report.verdict is not Verdict.PASSED), None)
    passes = sum(report.verdict is Verdict.PASSED for report in reports)
    evidence = f"{passes} of {len(reports)} runs"
    return Gate(
        name="reference passes",
        passed=failed is None,
        evidence=evidence if failed is None else f"{evidence}; {_first_failure(failed)}",
    )


def wrong_answer_gates(task: Task, run: Run) -> Iterator[Gate]:
    """Answers that compute nothing fail: one that raises, and one that quietly returns None."""
    for name, statement in (
        ("stub fails", "raise NotImplementedError"),
        ("empty answer fails", "return None"),
    ):
        report = run(textwrap.indent(statement, task.snippet.indent) + "\n", 0)
        failing = len(report.tests) - report.passed_tests
        yield Gate(
            name=name,
            passed=report.verdict is Verdict.FAILED,
            evidence=f"{failing} of {len(report.tests)} tests fail",
        )


def _first_failure(report: Report) -> str:
    for test in report.tests:
        if test.outcome != "passed":
            return f"{test.test_id} {test.outcome}: {test.exception} {test.message}"[:300]
    return report.reason


def _rounded_up(seconds: float) -> int:
    return SECONDS_STEP * max(1, -(-int(seconds + 0.999) // SECONDS_STEP))
