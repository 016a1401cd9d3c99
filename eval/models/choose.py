"""Models by name: `builtin/…` needs no network, `replay/RUN` no model, all others an endpoint."""

import os
from pathlib import Path

from recodeh.data.errors import InputError
from recodeh.eval.dataset import Dataset
from recodeh.eval.models.model import Model
from recodeh.eval.models.providers import PROVIDERS, own

BUILTIN = ("builtin/mutant", "builtin/reference", "builtin/retrieval", "builtin/stub")


def choose(name: str, dataset: Dataset, base_url: str | None = None, seed: int = 0) -> Model:
    """The model called `name`; `base_url` is an OpenAI-compatible server that serves it.

    Raises InputError for an unknown name, or when the provider's key is not in the environment.
    """
    kind, _, rest = name.partition("/")
    if kind == "builtin":
        return _builtin(name, dataset, seed)
    if name == "human":
        from recodeh.eval.human import HumanModel

        return HumanModel()
    if kind == "replay" and rest:
        from recodeh.eval.models.replayed import ReplayedModel

        return ReplayedModel(Path(rest))
    if kind == "local" and base_url is None:
        from recodeh.eval.models.local import LocalModel

        return LocalModel(name)
    if kind == "litellm" and rest:
        from recodeh.eval.models.through_litellm import LiteLLMModel

        return LiteLLMModel(name)
    if kind == "hf" and rest and base_url is None:
        from recodeh.eval.models.through_transformers import TransformersModel

        return TransformersModel(name)
    if kind == "external" and rest:
        from recodeh.eval.models.external import ExternalModel

        return ExternalModel(name)
    if base_url is None and (kind not in PROVIDERS or not rest):
        raise InputError(f"no model is called {name!r}", mend=_known())
    return _remote(name, base_url)


def _builtin(name: str, dataset: Dataset, seed: int) -> Model:
    """Builtin models are imported when they are chosen."""
    match name:
        case "builtin/reference":
            from recodeh.eval.models.reference import ReferenceModel

            return ReferenceModel(dataset)
        case "builtin/stub":
            from recodeh.eval.models.stub import StubModel

            return StubModel()
        case "builtin/retrieval":
            from recodeh.eval.models.retrieval import RetrievalModel

            return RetrievalModel(dataset)
        case "builtin/mutant":
            from recodeh.eval.models.mutant import MutantModel

            return MutantModel(dataset, seed)
    raise InputError(f"no model is called {name!r}", mend=_known())


def _remote(name: str, base_url: str | None) -> Model:
    from recodeh.eval.models.openai_compatible import OpenAICompatible

    kind, _, rest = name.partition("/")
    endpoint = PROVIDERS[kind] if base_url is None else own(base_url)
    served_as = rest if kind in PROVIDERS and rest else name
    key = os.environ.get(endpoint.key_variable, "").strip()
    if endpoint.key_needed and not key:
        raise InputError(
            f"no key for {name}", where=endpoint.key_variable, mend="put it into the environment"
        )
    return OpenAICompatible(name, served_as, endpoint, key=key)


def _known() -> str:
    others = (
        "local/smollm2",
        "hf/NAME",
        "litellm/NAME",
        "human",
        "replay/RUN",
        "external/NAME",
        *(f"{kind}/NAME" for kind in PROVIDERS),
    )
    return f"models are {', '.join((*BUILTIN, *others))}, or any NAME with --base-url"
