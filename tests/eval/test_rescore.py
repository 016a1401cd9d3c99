"""A new grading of recorded submissions, before and after."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.eval.conftest import Grader, MadeDataset, Scripted

from recodeh.data.errors import InputError, RoomError
from recodeh.data.records import Outcome, Report, Result, Task, Verdict
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.campaign import Parts, run
from recodeh.eval.replay import replay
from recodeh.eval.rescore import Rescored, rescore
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.results import read_results
from recodeh.eval.settings import Settings

Build = Callable[..., Parts]
FIRST, SECOND = "```python\nreturn 0\n```", "```python\nreturn values\n```"


class Lenient(Grader):
    """Lets everything pass that returns the values as they are."""

    name = "lenient"

    def grade(self, task: Task, code: str) -> Report:
        report = super().grade(task, code)
        if "return values" not in code:
            return report
        tests = tuple(one.model_copy(update={"outcome": Outcome.PASSED}) for one in report.tests)
        return report.model_copy(
            update={"verdict": Verdict.PASSED, "reason": "all tests passed", "tests": tests}
        )


def rows(folder: Path) -> list[Result]:
    return list(read_results(folder / "results.jsonl"))


def played(folder: Path, dataset: MadeDataset, parts: Build) -> None:
    model = Scripted("no code", FIRST, SECOND, FIRST)
    settings = Settings(models=(model.name,), levels=(0, 2), turns=4)
    run(dataset, settings, folder, parts(model))


def test_the_same_grading_gives_the_same_results(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    played(tmp_path / "run", dataset, parts)
    done = rescore(tmp_path / "run", dataset, tmp_path / "out", OneShot(), Grader(dataset))
    assert done == Rescored(submissions=6, changed=0, episodes=4)
    assert rows(tmp_path / "out") == rows(tmp_path / "run")


def test_what_follows_a_submission_that_now_passes_is_left_out(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    played(tmp_path / "run", dataset, parts)
    done = rescore(tmp_path / "run", dataset, tmp_path / "out", OneShot(), Lenient(dataset))
    assert done.changed == 2
    assert {(row.verdict, row.solved_at, len(row.turns)) for row in rows(tmp_path / "out")} == {
        (Verdict.PASSED, 3, 3)
    }
    back = rescore(tmp_path / "out", dataset, tmp_path / "back", OneShot(), Grader(dataset))
    assert back.changed == 2
    assert {(row.verdict, row.solved_at, len(row.turns)) for row in rows(tmp_path / "back")} == {
        (Verdict.FAILED, None, 3)
    }


def test_rooms_that_fail_now_leave_no_verdict(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    class Shut(Grader):
        def grade(self, task: Task, code: str) -> Report:
            raise RoomError("no room is free")

    played(tmp_path / "run", dataset, parts)
    rescore(tmp_path / "run", dataset, tmp_path / "out", OneShot(), Shut(dataset))
    assert {(row.verdict, row.reason, len(row.turns)) for row in rows(tmp_path / "out")} == {
        (Verdict.INFRA, "no room is free", 1)
    }


def test_a_dataset_without_the_tasks_is_refused(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    played(tmp_path / "run", dataset, parts)
    half = MadeDataset(*list(dataset._made.values())[:1])
    with pytest.raises(InputError, match="the dataset has no such task"):
        rescore(tmp_path / "run", half, tmp_path / "out", OneShot(), Grader(half))


def test_a_rescored_run_is_not_replayed(dataset: MadeDataset, parts: Build, tmp_path: Path) -> None:
    played(tmp_path / "run", dataset, parts)
    rescore(tmp_path / "run", dataset, tmp_path / "out", OneShot(), Grader(dataset))
    with pytest.raises(InputError, match="graded anew does not replay"):
        replay(tmp_path / "out", dataset, OneShot(), DeterministicResearcher())
