"""What an agent is: a stateless strategy that turns a task and its history into one submission.

    class Agent:
        name = "mine"

        def turn(self, view, history):
            reply = yield (Message("user", "..."),)     # as many calls as it likes
            return view.submission(reply)               # the turn's code

A turn is a generator: it yields the messages of a call and is sent the reply; it may also yield a
`Scratch` or an `Errand`, and is sent what came of it as the text of a reply. It keeps nothing
between turns, so that a run can be taken up again, or replayed, from its log alone.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from recodeh.data.records import Instruction, Paper, Snippet, Task
from recodeh.eval.extract import Extracted, extract
from recodeh.eval.models.model import Message, Reply, Tool
from recodeh.eval.prompts import no_code_prompt, system_prompt, task_prompt


@dataclass(frozen=True)
class Ask:
    """A call with tools; without tools the messages alone are enough."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]


@dataclass(frozen=True)
class Scratch:
    """A script that an agent wants to see run, with its region in place."""

    code: str
    region: str | None
    """None for the file as it is masked."""


@dataclass(frozen=True)
class Errand:
    """A program of the user's that is to work on files; one of them comes back as it left it."""

    program: tuple[str, ...]
    files: Mapping[str, bytes]
    target: str
    encoding: str
    seconds: float


Steps = Generator[tuple[Message, ...] | Ask | Scratch | Errand, Reply, Extracted]


@dataclass(frozen=True)
class Turn:
    """A turn that is over, as the model knows it."""

    replies: tuple[Reply, ...]
    submission: Extracted
    feedback: str
    """What the researcher said at the level of the episode."""
    chat: tuple[Message, ...] = ()
    """The messages of the last call."""

    @property
    def answer(self) -> str:
        """What was said last in the turn; endpoints refuse an empty message."""
        return (self.replies[-1].text if self.replies else "") or "(no text)"

    @property
    def said(self) -> tuple[Message, ...]:
        """The last answer as the next chat holds it, with every tool call in it answered."""
        calls = self.replies[-1].calls if self.replies else ()
        text = (self.replies[-1].text if calls else "") or self.answer
        done = (Message("tool", "Done.", call_id=call.call_id) for call in calls)
        return Message("assistant", text, calls), *done

    @property
    def remark(self) -> str:
        """The feedback, led by the reason why there was no code when there was none."""
        if self.submission.code is not None:
            return self.feedback
        return f"{no_code_prompt(self.submission.reason)}\n\n{self.feedback}".strip()


@dataclass(frozen=True)
class TaskView:
    """What an agent may see of a task: neither its reference nor its tests."""

    _task: Task
    files: Mapping[str, bytes]
    """The repository with the target file masked."""
    seed: int = 0
    steps: int = 30
    """How many calls a turn may take."""

    def __post_init__(self) -> None:
        bare = self._task.model_copy(update={"tests": (), "test_ids": (), "verification": None})
        object.__setattr__(self, "_task", bare)

    @property
    def task_id(self) -> str:
        """Readable id of the task."""
        return self._task.task_id

    @property
    def paper(self) -> Paper:
        """Bibliographic record."""
        return self._task.paper

    @property
    def symbol(self) -> str:
        """Qualified name of the target."""
        return self._task.symbol

    @property
    def target_file(self) -> str:
        """Path of the masked file."""
        return self._task.target_file

    @property
    def masked_file(self) -> str:
        """The masked file."""
        return self._task.masked_file

    @property
    def snippet(self) -> Snippet:
        """Where the placeholder is."""
        return self._task.snippet

    @property
    def instruction(self) -> Instruction:
        """What is told about the missing code."""
        return self._task.instruction

    @cached_property
    def system_prompt(self) -> str:
        """The rules of the answer."""
        return system_prompt()

    @cached_property
    def task_prompt(self) -> str:
        """The task in words."""
        return task_prompt(self._task)

    @cached_property
    def researchcodebench_prompt(self) -> str:
        """The task as ResearchCodeBench puts it: paper and code first, then what to do."""
        return task_prompt(self._task, "researchcodebench")

    def extract(self, reply: str) -> Extracted:
        """The code of a text, ready to take the placeholder's place."""
        return extract(reply, self._task)

    def submission(self, reply: Reply) -> Extracted:
        """The code of a reply; that it was cut off at its token limit is not forgotten."""
        found = extract(reply.text, self._task)
        if reply.finish != "length":
            return found
        if found.code is None:
            return replace(found, reason=f"{found.reason}; {_CUT_OFF}")
        return replace(found, how=f"{found.how}; {_CUT_OFF}")


_CUT_OFF = "the answer was cut off at its token limit"


class Agent(Protocol):
    """A strategy; called from several threads at once."""

    @property
    def name(self) -> str:
        """Name in results."""

    @property
    def version(self) -> str:
        """Changes whenever what the agent says changes, e.g. a hash of its prompts."""

    def turn(self, view: TaskView, history: tuple[Turn, ...]) -> Steps:
        """One turn after those in `history`: yields messages, is sent replies, returns code."""
