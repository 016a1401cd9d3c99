"""What a model is: messages in, one reply out, named and keyed by content."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

from recodeh.data.keys import content_key

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: Role
    content: str

    def row(self) -> dict[str, Any]:
        """The message as chat endpoints and logs write it."""
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True)
class Request:
    """One call of a model."""

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Sampling parameters as the endpoint takes them, e.g. `temperature`, `max_tokens`."""
    task_id: str = ""
    """Whose answer is asked for: builtin models look it up, a remote model is not told."""
    seed: int = 0

    @cached_property
    def key(self) -> str:
        """The sha256 of everything in the request: equal requests have equal keys."""
        return content_key(
            {
                "model": self.model,
                "messages": [message.row() for message in self.messages],
                "parameters": dict(self.parameters),
                "task_id": self.task_id,
                "seed": self.seed,
            }
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; a count that the endpoint did not give stays unknown."""

    text: str
    finish: str = "stop"
    """Why the text ends: `stop`, `length` (cut off), `content_filter`, or the endpoint's word."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of the call; an unknown output is guessed at four characters a token."""
        guess = -(-len(self.text) // 4)
        return (self.input_tokens or 0) + (
            guess if self.output_tokens is None else self.output_tokens
        )

    def row(self) -> dict[str, Any]:
        """The reply as the log writes it."""
        return {
            "text": self.text,
            "finish": self.finish,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "seconds": self.seconds,
        }


class Model(Protocol):
    """Anything that answers requests; called from several threads at once."""

    @property
    def name(self) -> str:
        """As the user wrote it, e.g. `openai/gpt-4.1`."""

    def answer(self, request: Request) -> Reply:
        """The reply to `request`.

        Raises ModelError when there is none: never an empty text in its place.
        """
