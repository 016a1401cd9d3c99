"""The typed events of an episode, their rows in the log, and the fold that turns them into state.

    episode_started
    (turn_started (model_called | action)* submitted tested feedback_given? turn_ended)*
    episode_ended

A turn that was broken off is started over: `turn_started` clears what the turn had so far, while
the calls and reports in the log stay known and are not asked for again. An `episode_ended` without
a verdict is taken back by whatever follows it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, TypeAlias

from recodeh.data.errors import LogError
from recodeh.data.records import Feedback, Record, Report, Verdict
from recodeh.eval.agents.agent import Turn
from recodeh.eval.extract import Extracted
from recodeh.eval.models.model import Message, Reply, message_of, reply_of

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EpisodeStarted:
    """What is played."""

    kind: ClassVar[str] = "episode_started"
    task_id: str
    task_key: str
    model: str
    agent: str
    researcher: str
    level: int
    seed: int


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn begins, or begins again."""

    kind: ClassVar[str] = "turn_started"


@dataclass(frozen=True, slots=True)
class ModelCalled:
    """A call that was answered; `messages` are those after the first `kept` of the call before."""

    kind: ClassVar[str] = "model_called"
    step: int
    request_key: str
    kept: int
    messages: tuple[Message, ...]
    reply: Reply
    reused: bool


@dataclass(frozen=True, slots=True)
class Acted:
    """A script that an agent had run, and what it printed."""

    kind: ClassVar[str] = "action"
    step: int
    name: str
    argument: str
    action_key: str
    result: str
    reused: bool


@dataclass(frozen=True, slots=True)
class Submitted:
    """What was taken out of the turn's replies."""

    kind: ClassVar[str] = "submitted"
    code: str | None
    how: str
    reason: str
    submission_key: str


@dataclass(frozen=True, slots=True)
class Tested:
    """What the tests said; `reused` when an equal submission had been tested before."""

    __test__: ClassVar[bool] = False  # pytest must not take the event for a test class
    kind: ClassVar[str] = "tested"
    report: Report
    reused: bool


@dataclass(frozen=True, slots=True)
class FeedbackGiven:
    """The whole feedback, and the text that the level reveals."""

    kind: ClassVar[str] = "feedback_given"
    level: int
    feedback: Feedback
    text: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn is over and will not be played again."""

    kind: ClassVar[str] = "turn_ended"
    solved: bool


@dataclass(frozen=True, slots=True)
class EpisodeEnded:
    """The verdict of the last turn, or `infra` with the reason why there is none."""

    kind: ClassVar[str] = "episode_ended"
    verdict: Verdict
    reason: str


Event: TypeAlias = (
    EpisodeStarted
    | TurnStarted
    | ModelCalled
    | Acted
    | Submitted
    | Tested
    | FeedbackGiven
    | TurnEnded
    | EpisodeEnded
)


def row(event: Event, *, episode: str, turn: int) -> Row:
    """The event as the log writes it."""
    own = {name: _plain(getattr(event, name)) for name in _names(type(event))}
    return {"event": event.kind, "episode": episode, "turn": turn, **own}


def parse(row: Row) -> Event:
    """The event of a row.

    Raises LogError when it is of no known kind or lacks a field.
    """
    try:
        return _PARSERS[row["event"]](row)
    except (KeyError, TypeError, ValueError) as error:
        raise LogError(
            f"not an event of this version: {str(row)[:120]}",
            mend="read the run with the version of recodeh that made it",
        ) from error


@dataclass(frozen=True, slots=True)
class State:
    """What an episode's events add up to."""

    started: bool = False
    turns: tuple[Turn, ...] = ()
    """The turns that are over."""
    sent: tuple[Message, ...] = ()
    """The messages of the last call."""
    replies: tuple[Reply, ...] = ()
    """Of the turn that is played, or of the last one; as are the next three."""
    submission: Extracted | None = None
    report: Report | None = None
    feedback: str = ""
    solved: bool = False
    """Whether the last turn is over and solved the task."""
    end: EpisodeEnded | None = None

    @property
    def over(self) -> bool:
        """Whether there is a verdict; an end without one is taken up again."""
        return self.end is not None and self.end.verdict is not Verdict.INFRA


def fold(state: State, event: Event) -> State:
    """The state after one more event."""
    match event:
        case EpisodeStarted():
            return replace(state, started=True)
        case TurnStarted():
            return State(started=True, turns=state.turns, sent=state.sent)
        case ModelCalled():
            sent = (*state.sent[: event.kept], *event.messages)
            return replace(state, sent=sent, replies=(*state.replies, event.reply))
        case Acted():
            return state
        case Submitted():
            return replace(state, submission=Extracted(event.code, event.how, event.reason))
        case Tested():
            return replace(state, report=event.report)
        case FeedbackGiven():
            return replace(state, feedback=event.text)
        case TurnEnded():
            return replace(state, turns=(*state.turns, _turn(state)), solved=event.solved)
        case EpisodeEnded():
            return replace(state, end=event)


def _names(kind: type[Event]) -> tuple[str, ...]:
    """Names of an event's fields, looked up once per kind: it is done for every row."""
    if kind not in _NAMES:
        _NAMES[kind] = tuple(field.name for field in fields(kind))
    return _NAMES[kind]


def _turn(state: State) -> Turn:
    if state.submission is None:
        raise LogError("a turn ended without a submission", mend="restore the log from a copy")
    return Turn(state.replies, state.submission, state.feedback, state.sent)


def _plain(value: object) -> object:
    if isinstance(value, (Record, Message, Reply)):
        return value.row()
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _called(row: Row) -> ModelCalled:
    return ModelCalled(
        step=row["step"],
        request_key=row["request_key"],
        kept=row["kept"],
        messages=tuple(message_of(message) for message in row["messages"]),
        reply=reply_of(row["reply"]),
        reused=row["reused"],
    )


_NAMES: dict[type, tuple[str, ...]] = {}
_PARSERS: Mapping[str, Callable[[Row], Event]] = {
    "episode_started": lambda row: EpisodeStarted(
        **{name: row[name] for name in _names(EpisodeStarted)}
    ),
    "turn_started": lambda row: TurnStarted(),
    "model_called": _called,
    "action": lambda row: Acted(**{name: row[name] for name in _names(Acted)}),
    "submitted": lambda row: Submitted(
        row["code"], row["how"], row["reason"], row["submission_key"]
    ),
    "tested": lambda row: Tested(Report.model_validate(row["report"]), row["reused"]),
    "feedback_given": lambda row: FeedbackGiven(
        row["level"], Feedback.model_validate(row["feedback"]), row["text"]
    ),
    "turn_ended": lambda row: TurnEnded(row["solved"]),
    "episode_ended": lambda row: EpisodeEnded(Verdict(row["verdict"]), row["reason"]),
}
