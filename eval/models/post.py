"""Post JSON and get JSON back, patiently: what may pass is tried again, what is final is said."""

import json
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar

from recodeh.data.errors import ModelError
from recodeh.eval.models.throttle import Throttle

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
PASSING = frozenset({408, 409, 425, 429})
_KEY_LIKE = re.compile(r"\b(?:sk|key|gsk|xai|AIza)[-_]?[\w*.-]{8,}")


@dataclass(frozen=True)
class Patience:
    """How often and how long a call is tried."""

    attempts: int = 6
    first_wait: float = 1.0
    """The upper bound of the first wait; it doubles with each (full jitter)."""
    longest_wait: float = 60.0
    """Also of what a server asks for in Retry-After."""
    seconds: float = 900.0
    """For one attempt, from the connection to the last byte."""
    most_bytes: int = 32 * 1024 * 1024


class Passing(Exception):
    """A fault that may be gone at the next attempt."""

    def __init__(self, what: str, *, wait: float | None = None, crowded: bool = False) -> None:
        super().__init__(what)
        self.wait = wait
        self.crowded = crowded


@dataclass(frozen=True)
class Line:
    """A way to one server: its client, address, secret and patience."""

    client: "httpx.Client"
    url: str
    key: str
    patience: Patience
    throttle: Throttle
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when nobody waits for answers any more: no call is tried again."""

    def call(self, payload: Mapping[str, Any], read: Callable[[Mapping[str, Any]], T]) -> T:
        """Post `payload` and return what `read` makes of the answer.

        `read` raises Passing for an answer that makes no sense. Raises ModelError when the fault
        is final or the patience is used up; no key is ever in its message.
        """
        problem, attempt = Passing("not tried"), 0
        for attempt in range(self.patience.attempts):
            try:
                with self.throttle:
                    answer = read(self._once(payload))
                self.throttle.widen()
                return answer
            except Passing as error:
                problem = error
                if error.crowded:
                    self.throttle.narrow()
            last = attempt + 1 == self.patience.attempts
            if last or self.gone.wait(self._wait(attempt, problem)):
                break
        raise ModelError(
            f"no answer after {attempt + 1} attempts: {self._clean(str(problem))}",
            where=self._host,
            mend="run the same command again later; nothing that was answered is asked again",
        )

    def _once(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        import httpx

        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        end = time.monotonic() + self.patience.seconds
        try:
            with self.client.stream("POST", self.url, json=payload, headers=headers) as response:
                body = self._body(response, end)
        except httpx.RequestError as error:
            raise Passing(f"{type(error).__name__}: {error}") from error
        self._check(response.status_code, body, response.headers)
        return _json(body)

    def _body(self, response: "httpx.Response", end: float) -> bytes:
        """The whole body, however slowly it drips, within the time and the size allowed."""
        body = bytearray()
        for part in response.iter_bytes():
            body += part
            if len(body) > self.patience.most_bytes:
                raise ModelError("the answer is larger than 32 MB", where=self._host)
            if time.monotonic() > end:
                raise Passing(f"no whole answer within {self.patience.seconds:g} s")
        return bytes(body)

    def _check(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        if status < 300:
            return
        said = f"HTTP {status}: {_message(body)}"
        exhausted = b"insufficient_quota" in body
        if (status in PASSING or status >= 500) and not exhausted:
            raise Passing(said, wait=_retry_after(headers), crowded=status == 429)
        raise ModelError(self._clean(said), where=self._host, mend=_MENDS.get(status, _MEND))

    def _wait(self, attempt: int, problem: Passing) -> float:
        """What the server asked for, else a random time under a doubling bound; both bounded."""
        longest = self.patience.longest_wait
        if problem.wait is not None:
            return min(problem.wait, longest)
        return random.uniform(0, min(longest, self.patience.first_wait * 2**attempt))

    def _clean(self, text: str) -> str:
        """The text without anything that is or looks like a key."""
        text = text.replace(self.key, "…") if self.key else text
        return _KEY_LIKE.sub("…", text)

    @property
    def _host(self) -> str:
        return self.client.build_request("POST", self.url).url.host


_MEND = "see what the server says about the request"
_MENDS = {
    400: "the request itself is refused: is a parameter unknown, or the prompt too long?",
    401: "is the key in the provider's environment variable the right one?",
    403: "may this key use this model?",
    404: "is the model's name or the base URL misspelt?",
    413: "the prompt is too long for this model",
    429: "the account has no credit left",
}


def _json(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Passing("the answer is no JSON") from error
    if not isinstance(value, dict):
        raise Passing("the answer is no JSON object")
    return value


def _message(body: bytes) -> str:
    """What the server says is wrong, in one short line."""
    try:
        error = json.loads(body)["error"]
        text = error["message"] if isinstance(error, dict) else str(error)
    except (ValueError, KeyError, TypeError, RecursionError):
        text = body.decode("utf-8", "replace")
    return " ".join(str(text).split())[:300]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, or a date (RFC 9110, section 10.2.3); None when absent or nonsense."""
    value = headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
