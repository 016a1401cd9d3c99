"""From a submission to the report on it: fill the mask, lay out the workspace, run the tests."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from threading import BoundedSemaphore
from typing import Protocol

from recodeh.data.errors import MaskError, RoomError
from recodeh.data.records import Environment, Report, Task, TestFile, Verdict
from recodeh.data.regions import encoded, fill
from recodeh.eval.dataset import Dataset
from recodeh.eval.environment import interpreter
from recodeh.eval.rooms.job import Job, Limits
from recodeh.eval.rooms.runner import run
from recodeh.eval.untested import untested
from recodeh.eval.walls.wall import Wall

MOST_PRINTED = 4000
_python = lru_cache(maxsize=64)(interpreter)


class Grader(Protocol):
    """Anything that judges code for a task; called from several threads at once."""

    @property
    def name(self) -> str:
        """What judged: reports of one grader are not taken for another's."""

    def grade(self, task: Task, code: str) -> Report:
        """The report on `code`. Raises RoomError or EnvironmentFault when there is no verdict."""

    def scratch(self, task: Task, script: str, region: str | None) -> str:
        """What an agent's script prints with `region` in place, and how it ends."""


@dataclass(frozen=True)
class RoomGrader:
    """Judges in rooms behind a wall, a bounded number of runs at once."""

    dataset: Dataset
    wall: Wall
    seed: int = 0
    jobs: int = 2
    _free: BoundedSemaphore = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_free", BoundedSemaphore(self.jobs))

    @property
    def name(self) -> str:
        """The wall's name."""
        return self.wall.name

    def grade(self, task: Task, code: str) -> Report:
        """Run the tests of `task` on `code` in the environment of the task."""
        python = _python(task.environment)
        files = self.dataset.files(task)
        with self._free:
            return grade(task, code, files, python=python, wall=self.wall, seed=self.seed)

    def scratch(self, task: Task, script: str, region: str | None) -> str:
        """Run a script in the rooms of the task, without the task's tests."""
        python = _python(task.environment)
        files = visible(task, self.dataset.files(task), self.dataset.tasks.values())
        with self._free:
            return run_scratch(task, script, region, files, python=python, wall=self.wall)


def grade(
    task: Task,
    code: str,
    files: Mapping[str, bytes],
    *,
    python: Path,
    wall: Wall,
    seed: int = 0,
) -> Report:
    """Run the tests of `task` on `code`, the text of the region, in the source `files`.

    Code that cannot be written into its file fails. A room that cannot be started gives `infra`:
    this never raises for what a submission does.
    """
    try:
        job = Job(
            files=workspace(task, code, files),
            import_root=task.environment.import_root,
            tests=task.tests,
            test_ids=task.test_ids,
            python=python,
            limits=limits(task.environment),
            seed=seed,
        )
        return run(job, wall)
    except MaskError as error:
        return untested(task, Verdict.FAILED, f"the code cannot be put into its file: {error}")
    except RoomError as error:
        return untested(task, Verdict.INFRA, str(error))


def run_scratch(
    task: Task,
    script: str,
    region: str | None,
    files: Mapping[str, bytes],
    *,
    python: Path,
    wall: Wall,
) -> str:
    """What `script` prints in the `visible` files with `region` in place, and how it ends.

    It runs where submissions run, and no test of the task is near. Raises RoomError when the rooms
    cannot be started.
    """
    root = PurePosixPath(task.environment.import_root)
    try:
        laid = dict(files) if region is None else _filled(task, region, files)
        text = f"{script}\n{_DONE} = True\n".encode()
    except (MaskError, UnicodeEncodeError) as error:
        return f"Not run: {error}"
    job = Job(
        files={**laid, str(root / f"{_SCRATCH}.py"): text},
        import_root=task.environment.import_root,
        tests=(TestFile(path="test_scratch.py", content=_SCRATCH_TEST),),
        test_ids=("test_scratch.py::test_scratch",),
        python=python,
        limits=limits(task.environment),
    )
    return _said(run(job, wall))


_SCRATCH = "recodeh_scratch"
_DONE = "RECODEH_DONE"
_SCRATCH_TEST = f"""\
def test_scratch(submission):
    assert submission.get("{_SCRATCH}:{_DONE}")
"""


def _said(report: Report) -> str:
    """The end of what was printed, and the exception or limit that ended it."""
    printed = report.output.rstrip()
    shown = printed if len(printed) <= MOST_PRINTED else f"…{printed[-MOST_PRINTED:]}"
    if report.verdict is Verdict.PASSED:
        return shown or "(It printed nothing.)"
    test = report.tests[0]
    end = f"{test.exception}: {test.message}" if test.exception else report.reason
    return f"{shown}\n{end}".lstrip()


def workspace(task: Task, code: str, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """The source's original `files` with `code` in the place of the target's region.

    What other tasks mask stays in place, for the target may need it. Raises MaskError when the
    file cannot hold the code.
    """
    snippet = task.snippet
    place = snippet.model_copy(update={"mask_start": snippet.start, "mask_end": snippet.end})
    original = files[task.target_file].decode(snippet.encoding)
    return {**files, task.target_file: encoded(fill(original, place, code), snippet)}


def visible(
    task: Task, files: Mapping[str, bytes], tasks: Iterable[Task] = ()
) -> Mapping[str, bytes]:
    """The source's files without any answer: all that an agent may see.

    The target is masked, and so are the targets of the other `tasks` of the same source.
    """
    beside = {
        other.target_file: encoded(other.masked_file, other.snippet)
        for other in tasks
        if other.source_key == task.source_key
    }
    return {**files, **beside, task.target_file: encoded(task.masked_file, task.snippet)}


def _filled(task: Task, region: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The `visible` files with the region filled in."""
    filled = fill(task.masked_file, task.snippet, region)
    return {**files, task.target_file: encoded(filled, task.snippet)}


def limits(environment: Environment) -> Limits:
    """The limits of one run."""
    return Limits(
        cpu_seconds=environment.cpu_seconds,
        wall_seconds=environment.wall_seconds,
        memory_mb=environment.memory_mb,
    )
