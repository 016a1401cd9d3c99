"""Any server that speaks OpenAI's chat completions, over httpx."""

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from recodeh.data.errors import InputError
from recodeh.eval.models.model import Reply, Request, calls_of
from recodeh.eval.models.post import Line, Passing, Patience
from recodeh.eval.models.providers import Endpoint
from recodeh.eval.models.throttle import throttle_of

EMPTY_BY_RIGHT = frozenset({"length", "content_filter", "refusal"})
"""Reasons to finish with which a text may be empty: the model's own doing, not a fault."""


class OpenAICompatible:
    """One model behind one endpoint; safe for threads."""

    def __init__(
        self,
        name: str,
        served_as: str,
        endpoint: Endpoint,
        *,
        key: str = "",
        patience: Patience | None = None,
        at_once: int = 32,
    ) -> None:
        self.name = name
        self._served_as = served_as
        self._endpoint = endpoint
        self._key = key
        self._patience = patience or Patience()
        self._throttle = throttle_of(endpoint.base_url, at_once)
        self._opening = threading.Lock()
        self._line: Line | None = None

    def answer(self, request: Request) -> Reply:
        """The first choice of a chat completion.

        Raises ModelError when the server refuses, cannot be reached or answers nonsense.
        """
        payload = {
            "model": self._served_as,
            "messages": [message.row() for message in request.messages],
            **({"tools": [tool.row() for tool in request.tools]} if request.tools else {}),
            **{self._called(name): value for name, value in request.parameters.items()},
        }
        started = time.monotonic()
        reply = self._open().call(payload, read_reply)
        return replace(reply, seconds=round(time.monotonic() - started, 3))

    def _called(self, parameter: str) -> str:
        return self._endpoint.length_parameter if parameter == "max_tokens" else parameter

    def _open(self) -> Line:
        with self._opening:
            if self._line is None:
                self._line = self._connected()
            return self._line

    def _connected(self) -> Line:
        import httpx

        try:
            url = httpx.URL(f"{self._endpoint.base_url}/chat/completions")
        except httpx.InvalidURL as error:
            raise InputError(f"not an address: {self._endpoint.base_url}") from error
        client = httpx.Client(timeout=httpx.Timeout(self._patience.seconds, connect=20.0))
        return Line(client, str(url), self._key, self._patience, self._throttle)

    def stop(self) -> None:
        """Try no call again that fails now; answers under way are still waited for."""
        with self._opening:
            if self._line is not None:
                self._line.gone.set()

    def close(self) -> None:
        """Let go of the connections; the next call opens them again."""
        with self._opening:
            if self._line is not None:
                self._line.client.close()
            self._line = None

    def __repr__(self) -> str:
        return f"OpenAICompatible({self.name!r})"


def read_reply(answer: Mapping[str, Any]) -> Reply:
    """The reply in a chat completion.

    Raises Passing when there is none: some servers send their errors with status 200.
    """
    if answer.get("error"):
        raise Passing(f"the server reports: {str(answer['error'])[:300]}")
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        finish = str(choice.get("finish_reason") or "unknown")
        calls = calls_of(message.get("tool_calls") or ())
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Passing("the answer holds no choice") from error
    text, finish = _text(message, finish)
    if not text and not calls and finish not in EMPTY_BY_RIGHT:
        raise Passing(f"the answer is empty (finish: {finish})")
    usage = answer.get("usage") or {}
    counts = (_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))
    return Reply(text, finish, *counts, calls=calls)


def _text(message: Mapping[str, Any], finish: str) -> tuple[str, str]:
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if content:
        return str(content), finish
    refusal = message.get("refusal")
    return (str(refusal), "refusal") if refusal else ("", finish)


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
