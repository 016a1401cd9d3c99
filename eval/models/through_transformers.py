"""`hf/NAME`: a causal language model by transformers, from a folder or a hub, greedy by default.

Needs the extra `hf`. Code that comes with weights is never run, and weights that are pickles are
not loaded: only safetensors.
"""

import threading
import time
from collections.abc import Mapping
from typing import Any

from recodeh.data.errors import ModelError
from recodeh.eval.models.extra import load, need
from recodeh.eval.models.model import Reply, Request

LONGEST_ANSWER = 1024
"""New tokens when the parameters do not bound them."""


class TransformersModel:
    """Loads the weights when it is first asked; calls wait for each other."""

    def __init__(self, name: str) -> None:
        need(name, "hf", "transformers", "torch")
        self.name = name
        self._served_as = name.removeprefix("hf/")
        self._alone = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def answer(self, request: Request) -> Reply:
        """What the model goes on with after the chat.

        Raises ModelError when the weights cannot be had or the chat does not fit.
        """
        started = time.monotonic()
        with self._alone:
            try:
                text, given, said, ended = self._generate(request)
            except (OSError, ValueError, RuntimeError) as error:
                reason = str(error).strip().splitlines() or [type(error).__name__]
                raise ModelError(f"no answer: {reason[0][:300]}", where=self.name) from error
        if not text:
            raise ModelError("the model says nothing", where=self.name)
        seconds = round(time.monotonic() - started, 3)
        return Reply(text, "stop" if ended else "length", given, said, seconds)

    def _generate(self, request: Request) -> tuple[str, int, int, bool]:
        """Text, tokens of the chat and of the text, and whether it came to its end."""
        torch = load("torch")
        tokenizer, model = self._open()
        chat = [message.row() for message in request.messages]
        prompt = tokenizer.apply_chat_template(
            chat, add_generation_prompt=True, return_tensors="pt", return_dict=True
        ).to(model.device)
        given = int(prompt["input_ids"].shape[1])
        torch.manual_seed(request.seed)
        with torch.inference_mode():
            whole = model.generate(**prompt, **_sampling(request.parameters))
        new = whole[0][given:]
        ends = model.generation_config.eos_token_id
        ended = bool(len(new)) and int(new[-1]) in (ends if isinstance(ends, list) else [ends])
        text: str = tokenizer.decode(new, skip_special_tokens=True)
        return text, given, len(new), ended

    def _open(self) -> tuple[Any, Any]:
        if self._loaded is None:
            transformers = load("transformers")
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                self._served_as, trust_remote_code=False
            )
            model = transformers.AutoModelForCausalLM.from_pretrained(
                self._served_as, trust_remote_code=False, use_safetensors=True, dtype="auto"
            )
            self._loaded = tokenizer, model.eval()
        return self._loaded


def _sampling(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of chat endpoints as transformers calls them."""
    temperature = float(parameters.get("temperature") or 0)
    sampling = {"do_sample": True, "temperature": temperature} if temperature else {}
    most = int(parameters.get("max_tokens", LONGEST_ANSWER))
    return {"max_new_tokens": most, "do_sample": False, **sampling}
