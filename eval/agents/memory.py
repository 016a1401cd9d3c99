"""Keep a chat within a budget of tokens: old steps are summed up, feedback is kept as it was."""

from collections.abc import Generator
from dataclasses import dataclass

from recodeh.eval.models.model import Message, Reply

FEEDBACK = "# Feedback on your submission"
"""How the messages begin that are never summed up."""
_ASK = (
    "You keep the notes of an agent that completes code. Sum up the steps below in at most 200 "
    "words: what was looked at and found, what was tried, what was learnt. Write no code."
)


@dataclass(frozen=True)
class Memory:
    """How much of a chat is kept as it is."""

    tokens: int = 24_000
    keep: int = 6
    """The last messages, which are always kept."""

    def full(self, chat: tuple[Message, ...]) -> bool:
        """Whether the chat is over the budget and has enough old messages to sum up."""
        return size(chat) > self.tokens and len(chat) > self.keep + 4

    def _cut(self, chat: tuple[Message, ...]) -> int:
        """Where the recent messages begin: at an answer, with all that was seen of it behind it."""
        at = len(chat) - self.keep
        while chat[at].role != "assistant" and at < len(chat) - 1:
            at += 1
        return at

    def trimmed(
        self, chat: tuple[Message, ...]
    ) -> Generator[tuple[Message, ...], Reply, tuple[Message, ...]]:
        """A shorter chat; the model is asked for the summary, which is a call like any other."""
        cut = self._cut(chat)
        opening, old, recent = chat[:2], chat[2:cut], chat[cut:]
        steps = "\n\n".join(f"[{message.role}]\n{_words(message)}" for message in old)
        reply = yield Message("system", _ASK), Message("user", steps)
        kept = [message.content for message in old if message.content.startswith(FEEDBACK)]
        notes = f"# Notes on {len(old)} earlier messages\n\n{reply.text}"
        # One message: endpoints want the two roles to take turns.
        return (
            *opening[:1],
            Message("user", "\n\n".join([opening[1].content, notes, *kept])),
            *recent,
        )


def _words(message: Message) -> str:
    """A message as text, its tool calls too."""
    calls = (f"{call.name} {call.arguments}" for call in message.calls)
    return "\n".join(filter(None, (message.content, *calls)))


def size(chat: tuple[Message, ...]) -> int:
    """Tokens of a chat, at four characters each."""
    return sum(len(_words(message)) for message in chat) // 4
