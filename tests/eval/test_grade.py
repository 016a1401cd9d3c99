"""From code to a report, through real rooms."""

import sys
from pathlib import Path

import pytest
from tests.eval.conftest import Made

from recodeh.data.errors import MaskError
from recodeh.data.log import EventLog, read
from recodeh.data.records import Outcome, Task, TestFile, Verdict
from recodeh.eval.grade import grade, limits, run_scratch, visible, workspace
from recodeh.eval.walls.process import ProcessWall
from recodeh.eval.walls.wall import Availability, Command, Opening

TESTS = """
def test_norm(submission):
    scaler = submission("scaling.core:Scaler", 2.0)
    assert scaler.scale([3.0, 4.0]) == [0.6, 0.8]


def test_zero(submission):
    assert submission("scaling.core:Scaler", 2.0).scale([0.0, 0.0]) == [0.0, 0.0]
"""
HERE = Path(sys.executable)


@pytest.fixture
def task(made: Made) -> Task:
    return made.task.model_copy(update={"tests": (TestFile(path="test_scale.py", content=TESTS),)})


def outcomes(task: Task, made: Made, code: str) -> tuple[Verdict, list[Outcome]]:
    report = grade(task, code, made.files, python=HERE, wall=ProcessWall())
    return report.verdict, [test.outcome for test in report.tests]


def test_the_reference_passes_in_rooms(task: Task, made: Made) -> None:
    assert outcomes(task, made, made.region) == (Verdict.PASSED, [Outcome.PASSED] * 2)


@pytest.mark.parametrize("statement", [r"raise ValueError('\ud800')", r"return ['\ud800'] * 2"])
def test_half_a_surrogate_pair_can_be_written_down(
    task: Task, made: Made, statement: str, tmp_path: Path
) -> None:
    code = f"        {statement}\n"
    report = grade(task, code, made.files, python=HERE, wall=ProcessWall())
    assert report.verdict is Verdict.FAILED
    with EventLog(tmp_path / "events.jsonl") as log:
        log.append(report.row())
    assert list(read(tmp_path / "events.jsonl")) == [report.row()]


def test_half_an_answer_fails_half_the_tests(task: Task, made: Made) -> None:
    half = "        return [0.0 for _ in values]\n"
    assert outcomes(task, made, half) == (Verdict.FAILED, [Outcome.FAILED, Outcome.PASSED])


def test_the_original_file_is_not_in_the_workspace(task: Task, made: Made) -> None:
    files = workspace(task, "        return values\n", {**made.files, "data.csv": b"1,2\n"})
    assert set(files) == {"scaling/core.py", "data.csv"}
    assert b"return values\n" in files["scaling/core.py"]
    assert b"math.pow" not in files["scaling/core.py"]
    assert b"math.pow" not in visible(task, made.files)["scaling/core.py"]


def test_the_reference_gives_the_original_bytes(task: Task, made: Made) -> None:
    assert workspace(task, made.region, made.files) == made.files


def test_code_that_its_file_cannot_hold_fails_and_is_no_infra(task: Task, made: Made) -> None:
    latin = task.model_copy(
        update={"snippet": task.snippet.model_copy(update={"encoding": "latin-1"})}
    )
    code = "        return '\N{GREEK SMALL LETTER ALPHA}'\n"
    with pytest.raises(MaskError):
        workspace(latin, code, made.files)
    report = grade(latin, code, made.files, python=HERE, wall=ProcessWall())
    assert report.verdict is Verdict.FAILED
    assert {test.outcome for test in report.tests} == {Outcome.MISSING}
    assert "latin-1" in report.reason


class NoWay:
    """A wall whose command does not exist."""

    name = "no-way"
    nests = False

    def command(self, arguments: tuple[str, ...], opening: Opening) -> Command:
        return Command(("/nonexistent/wall",), {}, opening.folder, "/")

    def available(self) -> Availability:
        return Availability(works=False)

    def sweep(self, token: str) -> int:
        return 0


def test_a_wall_that_does_not_stand_is_infra(task: Task, made: Made) -> None:
    report = grade(task, made.region, made.files, python=HERE, wall=NoWay())
    assert report.verdict is Verdict.INFRA
    assert {test.outcome for test in report.tests} == {Outcome.MISSING}


@pytest.mark.parametrize(
    ("script", "region", "said"),
    [
        ("print(Scaler(2.0).scale([3.0]))", "        return [7.0]\n", "[7.0]"),
        ("print('before')\n1 / 0", None, "before\nZeroDivisionError: division by zero"),
        ("Scaler(2.0).scale([3.0])", None, "NotImplementedError"),
        ("x = (", None, "SyntaxError"),
        ("x = 1", None, "(It printed nothing.)"),
    ],
)
def test_a_script_runs_with_the_region_in_place(
    task: Task, made: Made, script: str, region: str | None, said: str
) -> None:
    told = run_scratch(
        *(task, f"from scaling.core import Scaler\n{script}", region, visible(task, made.files)),
        python=HERE,
        wall=ProcessWall(),
    )
    assert said in told


def test_a_script_cannot_see_the_tests(task: Task, made: Made) -> None:
    script = "from pathlib import Path\nprint(sorted(str(p) for p in Path('.').rglob('*.py')))"
    told = run_scratch(task, script, None, made.files, python=HERE, wall=ProcessWall())
    assert "core.py" in told
    assert "test_scale" not in told


def test_limits_come_from_the_task(task: Task) -> None:
    bounds = limits(task.environment.model_copy(update={"memory_mb": 99, "cpu_seconds": 3}))
    assert (bounds.memory_mb, bounds.cpu_seconds, bounds.wall_seconds) == (99, 3, 120)
