"""An agent that looks, writes, tries and hands in: the tool loop of RECODE-H (arXiv 2510.06186).

Each step is a reflection and one action, in the text protocol of `recodeh.eval.actions` or as a
native tool call. The chat of a turn goes on from that of the turn before; the region too.
"""

from collections.abc import Generator, Iterator

from recodeh.data.keys import content_key
from recodeh.eval.actions import Action, Fault, parse_action
from recodeh.eval.agents.agent import Ask, Scratch, Steps, TaskView, Turn
from recodeh.eval.agents.memory import FEEDBACK, Memory
from recodeh.eval.agents.tools import TOOLS, action_of
from recodeh.eval.agents.workshop import Workshop
from recodeh.eval.models.model import Message, Reply
from recodeh.eval.prompts import prompts_version, recodeagent_prompt


class RecodeAgent:
    """Reflects and acts, one action per call of the model."""

    def __init__(self, memory: Memory | None = None, *, native: bool = False) -> None:
        self._memory = memory or Memory()
        self._tools = TOOLS if native else ()
        self.name = "recodeagent:tools" if native else "recodeagent"

    @property
    def version(self) -> str:
        """The hash of the prompts and tools, and the size of the memory."""
        tools = [tool.row() for tool in self._tools]
        return content_key([prompts_version(), tools, self._memory.tokens, self._memory.keep])

    def turn(self, view: TaskView, history: tuple[Turn, ...]) -> Steps:
        """Act until the region is handed in, at the latest after the last step."""
        before = history[-1].submission.code if history else None
        workshop = Workshop(view, before, before)
        chat, used = self._begin(workshop, history), 0
        while used < view.steps:
            if used + 1 < view.steps and self._memory.full(chat):
                chat, used = (yield from self._memory.trimmed(chat)), used + 1
            reply, used = (yield Ask(chat, self._tools)), used + 1
            action = action_of(reply.calls) if reply.calls else parse_action(reply.text)
            if isinstance(action, Action) and action.name == "submit":
                return workshop.submission("strict")
            seen = yield from _seen(action, reply, workshop)
            chat = (*chat, *_said(reply, f"{seen}\n\n{_left(view.steps - used)}"))
        return workshop.submission("repaired: handed in after the last step")

    def _begin(self, workshop: Workshop, history: tuple[Turn, ...]) -> tuple[Message, ...]:
        """The chat that the turn's first call goes on from."""
        view = workshop.view
        if not history:
            rules = recodeagent_prompt(view.steps, native=bool(self._tools))
            task = Message("user", f"{view.task_prompt}\n\n{_left(view.steps)}")
            return Message("system", rules), task
        last = history[-1]
        told = f"{FEEDBACK}\n\n{last.remark}\n\n{workshop.shown()}\n\n{_left(view.steps)}"
        return *last.chat, *last.said, Message("user", told)


def _said(reply: Reply, seen: str) -> Iterator[Message]:
    """The reply, and what was seen of it; every native call wants an answer of its own."""
    yield Message("assistant", reply.text or ("" if reply.calls else "(no text)"), reply.calls)
    for number, call in enumerate(reply.calls):
        text = seen if number == 0 else "Not done: one action per step."
        yield Message("tool", text, call_id=call.call_id)
    if not reply.calls:
        yield Message("user", seen)


def _seen(
    action: Action | Fault, reply: Reply, workshop: Workshop
) -> Generator[Scratch, Reply, str]:
    """What the model is shown of its action; a run is left to whoever plays the episode."""
    if isinstance(action, Fault):
        # Models that are no agents answer with a block of code: that much is understood.
        block = workshop.view.extract(reply.text).code
        written = (
            f"\n\nYour block was written.\n\n{workshop.do('write', '', block)}" if block else ""
        )
        return f"Not done: {action.reason}.{written}"
    if action.name == "run":
        shown = (yield Scratch(action.body, workshop.region)).text
    else:
        shown = workshop.do(action.name, action.argument, action.body)
    more = f"\n\nOnly the first of {action.ignored + 1} actions was done." if action.ignored else ""
    return shown + more


def _left(steps: int) -> str:
    return f"({steps} steps left in this turn.)" if steps > 1 else "(This is the last step.)"
