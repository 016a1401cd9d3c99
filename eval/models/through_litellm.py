"""`litellm/NAME`: any provider that litellm knows, by litellm's own name for it and its keys.

Needs the extra `litellm`. The core never imports it: that takes nine seconds.
"""

import os
import random
import threading
import time
from dataclasses import replace
from typing import Any

from recodeh.data.errors import ModelError
from recodeh.eval.models.extra import load, need
from recodeh.eval.models.model import Reply, Request
from recodeh.eval.models.openai_compatible import read_reply
from recodeh.eval.models.post import PASSING, Passing, Patience


class LiteLLMModel:
    """One model of litellm's; safe for threads."""

    def __init__(self, name: str, patience: Patience | None = None) -> None:
        need(name, "litellm", "litellm")
        self.name = name
        self._served_as = name.removeprefix("litellm/")
        self._patience = patience or Patience()
        self._gone = threading.Event()

    def answer(self, request: Request) -> Reply:
        """The first choice of a completion.

        Raises ModelError when the fault is final or the patience is used up, with litellm's reason,
        from which keys are taken out.
        """
        started, problem = time.monotonic(), ""
        for attempt in range(self._patience.attempts):
            try:
                reply = read_reply(self._completion(request))
                return replace(reply, seconds=round(time.monotonic() - started, 3))
            except Passing as error:
                problem = str(error)
            longest = self._patience.first_wait * 2**attempt
            if self._gone.wait(random.uniform(0, min(longest, self._patience.longest_wait))):
                break
        raise ModelError(f"no answer after {attempt + 1} attempts: {problem}", where=self.name)

    def stop(self) -> None:
        """Try no call again that fails now."""
        self._gone.set()

    def _completion(self, request: Request) -> dict[str, Any]:
        # Without this it fetches a table of prices from the network when it is imported.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        litellm = load("litellm")
        litellm.suppress_debug_info = True
        try:
            answer: dict[str, Any] = litellm.completion(
                model=self._served_as,
                messages=[message.row() for message in request.messages],
                tools=[tool.row() for tool in request.tools] or None,
                max_retries=0,
                timeout=self._patience.seconds,
                **request.parameters,
            ).model_dump(mode="json")
        except Exception as error:
            # litellm has an exception per provider and kind, and lets others through as they are.
            said = f"{type(error).__name__}: {_clean(str(error))}"
            status = int(getattr(error, "status_code", None) or 500)
            if status in PASSING or status >= 500:
                raise Passing(said) from None
            raise ModelError(said, where=self.name) from None
        return answer


def _clean(text: str) -> str:
    """One line without any key that the environment holds."""
    for name, value in os.environ.items():
        if name.endswith(("_KEY", "_TOKEN", "_SECRET")) and len(value) >= 8:
            text = text.replace(value, "…")
    return " ".join(text.split())[:300]
