"""Read a run's log back: the state of every episode that is not over, and what was answered."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from recodeh.data.errors import LogError
from recodeh.data.log import read
from recodeh.data.records import Task
from recodeh.eval.episode import START, Episode
from recodeh.eval.events import (
    Acted,
    EpisodeStarted,
    Event,
    FeedbackGiven,
    ModelCalled,
    Row,
    State,
    Submitted,
    Tested,
    fold,
    parse,
)
from recodeh.eval.live import Ledgers, feedback_key, report_key
from recodeh.eval.settings import read_run


@dataclass
class History:
    """What a log adds up to. Of episodes that are over only that is kept: memory stays flat."""

    states: dict[str, State] = field(default_factory=dict)
    """Of the episodes that were begun and are not over, by key."""
    over: set[str] = field(default_factory=set)
    ledgers: Ledgers = field(default_factory=Ledgers)


def history(rows: Iterable[Row], episodes: Mapping[str, Episode], grader: str) -> History:
    """Fold the rows of a log.

    Raises LogError for a row of an episode that the run does not have.
    """
    past, open_in_task = History(), Counter(one.task.task_id for one in episodes.values())
    keys: dict[str, str] = {}
    for row in rows:
        episode = _known(row, episodes)
        event = parse(row)
        state = fold(past.states.get(episode.key, START), event)
        past.states[episode.key] = state
        if isinstance(event, Submitted):
            keys[episode.key] = event.submission_key
        submission = keys.get(episode.key, "")
        _learn(event, episode.task, episode.researcher, submission, grader, past.ledgers)
        if state.over:
            past.over.add(episode.key)
            del past.states[episode.key]
            open_in_task[episode.task.task_id] -= 1
            if not open_in_task[episode.task.task_id]:
                past.ledgers.forget(episode.task.task_id)
    return past


def learn(folder: Path, tasks: Mapping[str, Task], known: Ledgers) -> None:
    """Take over what was answered in another run, for tasks that are the same in both.

    Raises InputError when `folder` is no run.
    """
    wall = read_run(folder)["settings"]["wall"]
    origins: dict[str, tuple[Task, str]] = {}
    keys: dict[str, str] = {}
    for row in read(folder / "events.jsonl"):
        key, event = row["episode"], parse(row)
        if isinstance(event, EpisodeStarted):
            task = tasks.get(event.task_id)
            if task is not None and task.task_key == event.task_key:
                origins[key] = (task, event.researcher)
        if key not in origins:
            continue
        if isinstance(event, Submitted):
            keys[key] = event.submission_key
        _learn(event, *origins[key], keys.get(key, ""), wall, known)


def _known(row: Row, episodes: Mapping[str, Episode]) -> Episode:
    try:
        return episodes[row["episode"]]
    except KeyError as error:
        raise LogError(
            "the log holds an episode that these settings do not make",
            where=str(row)[:80],
            mend="was the log or run.json edited? start a new run in another folder",
        ) from error


def _learn(
    event: Event, task: Task, researcher: str, submission: str, grader: str, known: Ledgers
) -> None:
    match event:
        case ModelCalled():
            known.replies.learn(task.task_id, event.request_key, event.reply)
        case Acted():
            known.actions.learn(task.task_id, event.action_key, event.result)
        case Tested():
            known.reports.learn(task.task_id, report_key(task, submission, grader), event.report)
        case FeedbackGiven():
            key = feedback_key(task, submission, researcher)
            known.feedback.learn(task.task_id, key, event.feedback)
        case _:
            pass
