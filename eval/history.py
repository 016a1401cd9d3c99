"""Read a run's log back: the state of every episode that is not over, and what was answered."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from recodeh.data.errors import LogError
from recodeh.eval.episode import START, Episode
from recodeh.eval.events import (
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
        _learn(event, episode, keys.get(episode.key, ""), grader, past.ledgers)
        if state.over:
            past.over.add(episode.key)
            del past.states[episode.key]
            open_in_task[episode.task.task_id] -= 1
            if not open_in_task[episode.task.task_id]:
                past.ledgers.forget(episode.task.task_id)
    return past


def _known(row: Row, episodes: Mapping[str, Episode]) -> Episode:
    try:
        return episodes[row["episode"]]
    except KeyError as error:
        raise LogError(
            "the log holds an episode that these settings do not make",
            where=str(row)[:80],
            mend="was the log or run.json edited? start a new run in another folder",
        ) from error


def _learn(event: Event, episode: Episode, submission: str, grader: str, known: Ledgers) -> None:
    task = episode.task
    match event:
        case ModelCalled():
            known.replies.learn(task.task_id, event.request_key, event.reply)
        case Tested():
            known.reports.learn(task.task_id, report_key(task, submission, grader), event.report)
        case FeedbackGiven():
            key = feedback_key(task, submission, episode.researcher)
            known.feedback.learn(task.task_id, key, event.feedback)
        case _:
            pass
