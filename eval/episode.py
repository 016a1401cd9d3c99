"""One episode, from a task to its verdict. Read this first.

    task ─▶ agent ─▶ model ─▶ agent ─▶ submission ─▶ tests ─▶ solved? ─▶ researcher ─▶ next turn

`play` yields the typed events of the episode and does nothing else: whoever iterates writes them to
a log, and the state of an episode is the fold of its events. So an episode that was broken off is
taken up by folding what the log has, and a recorded one is replayed by the same loop with an
`Outside` that looks answers up instead of asking for them.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Any, Final

from recodeh.data.errors import EnvironmentFault, ModelError, RoomError
from recodeh.data.keys import content_key
from recodeh.data.records import Record, Report, Task, Verdict
from recodeh.eval.agents.agent import Agent, Ask, Errand, Scratch, TaskView
from recodeh.eval.allowance import UNLIMITED, Allowance
from recodeh.eval.events import (
    Acted,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    FeedbackGiven,
    ModelCalled,
    State,
    Submitted,
    Tested,
    TurnEnded,
    TurnStarted,
    fold,
)
from recodeh.eval.extract import Extracted
from recodeh.eval.identity import action_key, submission_key
from recodeh.eval.log_excerpt import Log, log_excerpt
from recodeh.eval.models.model import Message, Reply, Request
from recodeh.eval.outside import Outside
from recodeh.eval.researcher.reveal import reveal
from recodeh.eval.untested import untested

START: Final = State()


class Fork(Record):
    """Where a counterfactual leaves the recorded course."""

    turn: int
    """The first turn, from 0, that reads feedback of the episode's own level."""
    level_before: int
    """The level of the feedback before."""


@dataclass(frozen=True)
class Episode:
    """One task, model, agent, researcher, level and seed."""

    task: Task
    model: str
    agent: Agent
    researcher: str
    level: int
    seed: int = 0
    turns: int = 10
    steps: int = 30
    """How many calls a turn may take."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Of the model's calls."""
    log: Log = "none"
    """What of the test log the model is shown, whatever the level."""
    fork: Fork | None = None
    """Another level before some turn: the episode is then a counterfactual of a recorded one."""
    allowance: Allowance = UNLIMITED
    """What all its calls may use up; no call is begun after that."""

    @cached_property
    def key(self) -> str:
        """The sha256 of everything that decides what happens in the episode."""
        return content_key(
            {
                "task_key": self.task.task_key,
                "model": self.model,
                "agent": [self.agent.name, self.agent.version],
                "researcher": self.researcher,
                "level": self.level,
                "seed": self.seed,
                "turns": self.turns,
                "steps": self.steps,
                "parameters": dict(self.parameters),
                "log": self.log,
                "fork": self.fork and self.fork.row(),
                "allowance": self.allowance.row(),
            }
        )

    def request(self, wanted: tuple[Message, ...] | Ask) -> Request:
        """The call that an agent wants made."""
        ask = wanted if isinstance(wanted, Ask) else Ask(wanted, ())
        return Request(
            *(self.model, ask.messages, self.parameters, self.task.task_id, self.seed), ask.tools
        )

    def level_after(self, turn: int) -> int:
        """The level of the feedback on a turn, which the turn after it reads."""
        if self.fork is not None and turn + 1 < self.fork.turn:
            return self.fork.level_before
        return self.level

    def started(self) -> EpisodeStarted:
        """The episode's first event."""
        return EpisodeStarted(
            task_id=self.task.task_id,
            task_key=self.task.task_key,
            model=self.model,
            agent=self.agent.name,
            researcher=self.researcher,
            level=self.level,
            seed=self.seed,
        )

    def over(self, state: State) -> bool:
        """Whether no turn is left to play, or nothing to play it with."""
        if state.solved or len(state.turns) >= self.turns:
            return True
        return bool(self.allowance.used_up(_replies(state)))


def play(episode: Episode, outside: Outside, state: State = START) -> Iterator[Event]:
    """Yield the events that bring the episode from `state` to its end.

    A model or a room that fails ends it as `infra`; every other error is the caller's.
    """
    if not state.started:
        yield episode.started()
    view = TaskView(episode.task, outside.files(episode.task), episode.seed, episode.steps)
    try:
        while not episode.over(state):
            for event in _turn(episode, view, outside, state):
                state = fold(state, event)
                yield event
    except (ModelError, RoomError, EnvironmentFault) as error:
        yield EpisodeEnded(Verdict.INFRA, str(error))
    else:
        yield _end(episode, state)


def _turn(episode: Episode, view: TaskView, outside: Outside, state: State) -> Iterator[Event]:
    """One turn: submission, tests and, where another turn follows, feedback."""
    yield TurnStarted()
    submission = yield from _submission(episode, view, outside, state)
    code = submission.code
    yield Submitted(code, submission.how, submission.reason, submission_key(code))
    report, reused = _tested(episode.task, submission, outside)
    yield Tested(report, reused)
    solved, number = report.verdict is Verdict.PASSED, len(state.turns)
    if not solved and number + 1 < episode.turns:
        level = episode.level_after(number)
        feedback = outside.feedback(episode, number, code, report)
        told = (reveal(feedback, level), log_excerpt(report, episode.log))
        yield FeedbackGiven(level, feedback, "\n\n".join(filter(None, told)))
    yield TurnEnded(solved)


def _submission(
    episode: Episode, view: TaskView, outside: Outside, state: State
) -> Generator[Event, None, Extracted]:
    """Let the agent make its calls, each an event; its return value is the submission."""
    agent = episode.agent.turn(view, state.turns)
    sent: tuple[Message, ...] = state.sent
    replies: list[Reply] = []
    answer: Reply | None = None
    for step in range(2 * episode.steps + 1):
        try:
            wanted = next(agent) if answer is None else agent.send(answer)
        except StopIteration as done:
            return _checked(done.value, episode)
        if isinstance(wanted, Scratch | Errand):
            event = _acted(episode.task, wanted, step, outside)
            answer = Reply(event.result)
            yield event
            continue
        used = [*_replies(state), *replies]
        if len(replies) == episode.steps or episode.allowance.used_up(used):
            break
        request = episode.request(wanted)
        answer, reused = outside.reply(request)
        kept = _common(sent, request.messages)
        sent = request.messages
        yield ModelCalled(step, request.key, kept, sent[kept:], answer, reused)
        replies.append(answer)
    agent.close()
    return Extracted(None, "none", f"the turn did not end within {len(replies)} calls")


def _acted(task: Task, wanted: Scratch | Errand, step: int, outside: Outside) -> Acted:
    key = action_key(task, wanted)
    if isinstance(wanted, Scratch):
        result, reused = outside.scratch(task, wanted)
        return Acted(step, "run", wanted.code, key, result, reused)
    result, reused = outside.errand(task, wanted)
    return Acted(step, "command", " ".join(wanted.program), key, result, reused)


def _checked(value: object, episode: Episode) -> Extracted:
    if isinstance(value, Extracted):
        return value
    raise ModelError(
        f"the agent {episode.agent.name} returned {type(value).__name__}, not a submission",
        mend="end its turn with `return view.submission(reply)`",
    )


def _tested(task: Task, submission: Extracted, outside: Outside) -> tuple[Report, bool]:
    """Run the tests; where there is no code every test is missing, which is no infra failure."""
    if submission.code is not None:
        return outside.report(task, submission.code)
    reason = f"no code in the answer: {submission.reason}"
    return untested(task, Verdict.FAILED, reason), False


def _end(episode: Episode, state: State) -> EpisodeEnded:
    """The end of an episode that was played as far as it goes; the last turn decides."""
    if state.report is None:
        return EpisodeEnded(Verdict.INFRA, "no turn was played")
    reason = state.report.reason
    if not state.solved and len(state.turns) < episode.turns:
        reason = f"{reason}; {episode.allowance.used_up(_replies(state))}"
    return EpisodeEnded(state.report.verdict, reason)


def _replies(state: State) -> Iterator[Reply]:
    return (reply for turn in state.turns for reply in turn.replies)


def _common(before: tuple[Message, ...], after: tuple[Message, ...]) -> int:
    pairs = zip(before, after, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
