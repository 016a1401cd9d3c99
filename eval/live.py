"""The world of a running campaign: models, graders and researchers, each asked once per key."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from recodeh.data.errors import RoomError
from recodeh.data.keys import content_key
from recodeh.data.records import Feedback, Report, Task, Verdict
from recodeh.eval.agents.agent import Errand, Scratch
from recodeh.eval.budget import Purse
from recodeh.eval.dataset import Dataset
from recodeh.eval.episode import Episode
from recodeh.eval.errand import run_errand
from recodeh.eval.frozen import Frozen
from recodeh.eval.grade import Grader, visible
from recodeh.eval.identity import action_key, submission_key
from recodeh.eval.ledger import Ledger
from recodeh.eval.models.model import Model, Reply, Request, ToolCall
from recodeh.eval.researcher.researcher import Researcher


@dataclass(frozen=True)
class Ledgers:
    """What a run has learnt; the scope of every entry is its task's id."""

    replies: Ledger[Reply] = field(default_factory=Ledger)
    reports: Ledger[Report] = field(default_factory=Ledger)
    actions: Ledger[str] = field(default_factory=Ledger)
    feedback: Ledger[Feedback] = field(default_factory=Ledger)

    def forget(self, task_id: str) -> None:
        """Let go of a task that no episode will play any more."""
        for ledger in (self.replies, self.reports, self.actions, self.feedback):
            ledger.forget(task_id)


@dataclass(frozen=True)
class Live:
    """The `Outside` of a campaign."""

    dataset: Dataset
    models: Mapping[str, Model]
    grader: Grader
    researcher: Researcher | Frozen
    ledgers: Ledgers
    purse: Purse
    before_call: Callable[[], None] = lambda: None
    """Called before a model is asked; may raise to stop the episode where it stands."""

    def files(self, task: Task) -> Mapping[str, bytes]:
        """The task's repository without any answer."""
        return visible(task, self.dataset.files(task), self.dataset.tasks.values())

    def reply(self, request: Request) -> tuple[Reply, bool]:
        """The recorded answer if there is one, else the model's."""
        return self.ledgers.replies.get(request.task_id, request.key, lambda: self._ask(request))

    def scratch(self, task: Task, wanted: Scratch) -> tuple[str, bool]:
        """What an equal script printed if one was run, else what this one prints."""
        return self.ledgers.actions.get(
            task.task_id,
            action_key(task, wanted),
            lambda: self.grader.scratch(task, wanted.code, wanted.region),
        )

    def errand(self, task: Task, wanted: Errand) -> tuple[str, bool]:
        """What an equal program left on equal files if it was run, else what this one leaves."""
        key = action_key(task, wanted)
        return self.ledgers.actions.get(task.task_id, key, lambda: run_errand(wanted))

    def report(self, task: Task, code: str) -> tuple[Report, bool]:
        """The report of an equal submission if there is one, else the grader's."""
        key = report_key(task, submission_key(code), self.grader.name)
        return self.ledgers.reports.get(task.task_id, key, lambda: self._grade(task, code))

    def feedback(self, episode: Episode, turn: int, code: str | None, report: Report) -> Feedback:
        """What the researcher says: the same for all levels, which only reveal more of it."""
        if isinstance(self.researcher, Frozen):
            return self.researcher.at(episode, turn, report)
        task, researcher = episode.task, self.researcher
        reference = self.dataset.reference(task).code
        return self.ledgers.feedback.get(
            task.task_id,
            feedback_key(task, submission_key(code), researcher.name),
            lambda: researcher.feedback(task, reference, code, report),
        )[0]

    def _ask(self, request: Request) -> Reply:
        self.before_call()
        aside, reply = self.purse.set_aside(request), None
        try:
            reply = self.models[request.model].answer(request)
        finally:
            self.purse.settle(request, aside, reply)
        calls = tuple(_whole_call(call) for call in reply.calls)
        whole = replace(reply, text=_whole(reply.text), finish=_whole(reply.finish), calls=calls)
        return self.purse.priced(request.model, whole)

    def _grade(self, task: Task, code: str) -> Report:
        report = self.grader.grade(task, code)
        if report.verdict is Verdict.INFRA:
            raise RoomError(report.reason)
        return report


def _whole(text: str) -> str:
    """Without halves of surrogate pairs: they come out of JSON, but cannot go into a log."""
    return text.encode("utf-8", "replace").decode()


def _whole_call(call: ToolCall) -> ToolCall:
    return ToolCall(*map(_whole, (call.call_id, call.name, call.arguments)))


def report_key(task: Task, submission: str, grader: str) -> str:
    """Under which key a report is known."""
    return content_key([task.task_key, submission, grader])


def feedback_key(task: Task, submission: str, researcher: str) -> str:
    """Under which key feedback is known."""
    return content_key([task.task_key, submission, researcher])
