"""One call per turn: the task, then each earlier answer with the feedback on it, as one chat."""

from recodeh.eval.agents.agent import Steps, TaskView, Turn
from recodeh.eval.models.model import Message
from recodeh.eval.prompts import prompts_version


class OneShot:
    """The plain chat of the RECODE-H baseline (arXiv 2510.06186), with its whole history kept."""

    name = "oneshot"

    @property
    def version(self) -> str:
        """The hash of the prompts."""
        return prompts_version()

    def turn(self, view: TaskView, history: tuple[Turn, ...]) -> Steps:
        """Send the whole chat once and take the code out of the reply."""
        said = (message for turn in history for message in _said(turn))
        reply = yield (*self.opening(view), *said)
        return view.submission(reply)

    def opening(self, view: TaskView) -> tuple[Message, ...]:
        """How the chat begins."""
        return Message("system", view.system_prompt), Message("user", view.task_prompt)


class ResearchCodeBenchAgent(OneShot):
    """The same with the prompt of ResearchCodeBench (arXiv 2506.02314): one message, paper first.

    Theirs holds the whole paper; this one what the task has of it.
    """

    name = "researchcodebench"

    def opening(self, view: TaskView) -> tuple[Message, ...]:
        """How the chat begins."""
        return (Message("user", view.researchcodebench_prompt),)


def _said(turn: Turn) -> tuple[Message, Message]:
    return Message("assistant", turn.answer), Message("user", turn.remark)
