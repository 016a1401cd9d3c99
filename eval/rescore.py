"""Grade the recorded submissions of a run anew: after a test was mended, or behind another wall.

No model is asked. What follows a submission that now solves its task is left out; where one no
longer does, the episode ends as far as it was played.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from recodeh.data.errors import EnvironmentFault, InputError, RoomError
from recodeh.data.keys import bytes_key
from recodeh.data.log import EventLog, read
from recodeh.data.records import Report, Task, Verdict
from recodeh.eval.agents.agent import Agent
from recodeh.eval.dataset import Dataset
from recodeh.eval.episode import Episode
from recodeh.eval.events import Row
from recodeh.eval.grade import Grader
from recodeh.eval.plan import plan
from recodeh.eval.results import result_rows, write_results
from recodeh.eval.settings import claim, read_run, resolved, settings_of
from recodeh.eval.untested import untested

Place = tuple[str, str, int, int]
Key = tuple[str, str]


@dataclass(frozen=True)
class Rescored:
    """What a new grading changed."""

    submissions: int
    changed: int
    """Submissions whose verdict is another one now."""
    episodes: int


def rescore(
    folder: Path,
    dataset: Dataset,
    out: Path,
    agent: Agent,
    grader: Grader,
    *,
    jobs: int = 2,
    progress: Callable[[], None] = lambda: None,
) -> Rescored:
    """Write the run in `folder`, graded anew, into `out`.

    The dataset may be a later version with the same tasks. Raises InputError when one is missing,
    or when `out` holds another run.
    """
    recorded = read_run(folder)
    settings = settings_of(folder)
    researcher = recorded["researcher"]["name"]
    here = resolved(settings, dataset, agent, researcher, grader.name)
    source = folder / "events.jsonl"
    claim(out, {**here, "rescored": bytes_key(source.read_bytes())})
    episodes = plan(dataset, settings, agent, researcher)
    recorded_ones = _submissions(read(source), dataset)
    graded = _graded(recorded_ones, grader, jobs, progress)
    path = out / "events.jsonl"
    path.unlink(missing_ok=True)  # of a rescoring that was broken off: it costs no model to do anew
    with EventLog(path) as log:
        rows = _regraded(read(source), {_place(one): one for one in episodes}, graded)
        while batch := list(islice(rows, 500)):
            log.append(*batch)
    write_results(out / "results.jsonl", result_rows(read(path), episodes, dataset))
    changed = sum(graded[key].verdict.value != one.verdict for key, one in recorded_ones.items())
    return Rescored(len(graded), changed, len(episodes))


@dataclass(frozen=True)
class _Recorded:
    """A submission and the verdict on it then."""

    task: Task
    code: str | None
    reason: str
    verdict: str


def _submissions(rows: Iterable[Row], dataset: Dataset) -> dict[Key, _Recorded]:
    """Every submission of a log once, by task and content."""
    tasks: dict[str, Task] = {}
    last: dict[str, Row] = {}
    found: dict[Key, _Recorded] = {}
    for row in rows:
        episode = row["episode"]
        if row["event"] == "episode_started":
            tasks[episode] = _task(row, dataset)
        elif row["event"] == "submitted":
            last[episode] = row
        elif row["event"] == "tested":
            told, verdict = last[episode], row["report"]["verdict"]
            key = (tasks[episode].task_id, told["submission_key"])
            found[key] = _Recorded(tasks[episode], told["code"], told["reason"], verdict)
    return found


def _task(row: Row, dataset: Dataset) -> Task:
    task = dataset.tasks.get(row["task_id"])
    if task is None:
        raise InputError("the dataset has no such task", where=row["task_id"], mend=_MEND)
    return task


def _graded(
    recorded: Mapping[Key, _Recorded], grader: Grader, jobs: int, progress: Callable[[], None]
) -> dict[Key, Report]:
    def one(submission: _Recorded) -> Report:
        report = _grade(submission, grader)
        progress()
        return report

    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(recorded, pool.map(one, recorded.values()), strict=True))


def _grade(submission: _Recorded, grader: Grader) -> Report:
    task = submission.task
    if submission.code is None:
        reason = f"no code in the answer: {submission.reason}"
        return untested(task, Verdict.FAILED, reason)
    try:
        return grader.grade(task, submission.code)
    except (RoomError, EnvironmentFault) as error:
        return untested(task, Verdict.INFRA, str(error))


def _regraded(
    rows: Iterable[Row], episodes: Mapping[Place, Episode], graded: Mapping[Key, Report]
) -> Iterator[Row]:
    """The rows of the log with new reports, and what follows from them."""
    courses: dict[str, _Course] = {}
    for row in rows:
        if row["event"] == "episode_started":
            place = (row["task_id"], row["model"], row["level"], row["seed"])
            courses[row["episode"]] = _Course(episodes[place], graded)
        yield from courses[row["episode"]].take(row)


class _Course:
    """One episode on its way through the new grading."""

    def __init__(self, episode: Episode, graded: Mapping[Key, Report]) -> None:
        self._episode = episode
        self._graded = graded
        self._report: Report | None = None
        self._key = ""
        self._over = False

    def take(self, row: Row) -> Iterator[Row]:
        """What stands in the place of a row: itself, changed, or nothing once all is over."""
        if self._over:
            return
        row, kind = {**row, "episode": self._episode.key}, row["event"]
        if kind == "episode_started":
            yield {**row, "task_key": self._episode.task.task_key}
        elif kind == "submitted":
            self._key = row["submission_key"]
            yield row
        elif kind == "tested":
            yield from self._tested(row)
        elif kind == "turn_ended":
            yield from self._ended(row)
        elif (
            kind != "episode_ended" or row["verdict"] == Verdict.INFRA.value or self._report is None
        ):
            yield row
        else:
            yield self._end(row["turn"], self._report)

    def _tested(self, row: Row) -> Iterator[Row]:
        self._report = report = self._graded[self._episode.task.task_id, self._key]
        if report.verdict is Verdict.INFRA:
            self._over = True
            yield self._end(row["turn"], report)
        else:
            yield {**row, "report": report.row()}

    def _ended(self, row: Row) -> Iterator[Row]:
        solved = self._report is not None and self._report.verdict is Verdict.PASSED
        yield {**row, "solved": solved}
        if solved and self._report:
            self._over = True
            yield self._end(row["turn"] + 1, self._report)

    def _end(self, turn: int, report: Report) -> Row:
        end = {"verdict": report.verdict.value, "reason": report.reason}
        return {"event": "episode_ended", "episode": self._episode.key, "turn": turn, **end}


def _place(episode: Episode) -> Place:
    return (episode.task.task_id, episode.model, episode.level, episode.seed)


_MEND = "give the dataset of the run, or a later version of it with the same tasks"
