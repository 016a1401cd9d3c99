"""What a model is: messages in, one reply out, named and keyed by content."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

from recodeh.data.keys import content_key

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call, for endpoints that have native tool calls."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON schema of its arguments."""

    def row(self) -> dict[str, Any]:
        """The tool as chat endpoints want it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        return {"type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's call of a tool; its arguments are JSON as the model wrote it, good or bad."""

    call_id: str
    name: str
    arguments: str

    def row(self) -> dict[str, Any]:
        """The call as chat endpoints want it."""
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.call_id, "type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: Role
    content: str
    calls: tuple[ToolCall, ...] = ()
    """Of an assistant."""
    call_id: str = ""
    """Of a tool: the call that it answers."""

    def row(self) -> dict[str, Any]:
        """The message as chat endpoints and logs write it."""
        row: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.calls:
            row["tool_calls"] = [call.row() for call in self.calls]
        if self.call_id:
            row["tool_call_id"] = self.call_id
        return row


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
    tools: tuple[Tool, ...] = ()

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
                "tools": [tool.row() for tool in self.tools],
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
    """From the question to the whole answer, waits and further attempts included."""
    calls: tuple[ToolCall, ...] = ()
    usd: float | None = None
    """What it cost by the run's table of prices; unknown stays unknown."""
    priced: str = ""
    """Version of that table."""

    @property
    def tokens(self) -> int:
        """Tokens of the call; an unknown output is guessed at four characters a token."""
        letters = len(self.text) + sum(len(call.arguments) for call in self.calls)
        guess = -(-letters // 4)
        return (self.input_tokens or 0) + (
            guess if self.output_tokens is None else self.output_tokens
        )

    def row(self) -> dict[str, Any]:
        """The reply as the log writes it."""
        row: dict[str, Any] = {
            "text": self.text,
            "finish": self.finish,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "seconds": self.seconds,
        }
        if self.calls:
            row["tool_calls"] = [call.row() for call in self.calls]
        return row if self.usd is None else {**row, "usd": self.usd, "priced": self.priced}


def message_of(row: Mapping[str, Any]) -> Message:
    """The message of a row."""
    calls = calls_of(row.get("tool_calls", ()))
    return Message(row["role"], row["content"], calls, row.get("tool_call_id", ""))


def reply_of(row: Mapping[str, Any]) -> Reply:
    """The reply of a row."""
    plain = {name: value for name, value in row.items() if name != "tool_calls"}
    return Reply(**plain, calls=calls_of(row.get("tool_calls", ())))


def calls_of(rows: Iterable[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    """The calls in a message of an endpoint or a log."""
    return tuple(
        ToolCall(str(row["id"]), row["function"]["name"], row["function"]["arguments"])
        for row in rows
    )


class Model(Protocol):
    """Anything that answers requests; called from several threads at once."""

    @property
    def name(self) -> str:
        """As the user wrote it, e.g. `openai/gpt-4.1`."""

    def answer(self, request: Request) -> Reply:
        """The reply to `request`.

        Raises ModelError when there is none: never an empty text in its place.
        """
