"""Servers that speak OpenAI's chat completions, and the variable that holds each one's key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from recodeh.data.errors import InputError


@dataclass(frozen=True)
class Endpoint:
    """Where a provider answers, and where its key is found."""

    base_url: str
    key_variable: str
    key_needed: bool = True
    length_parameter: str = "max_tokens"
    """What the server calls the bound on an answer's tokens."""


PROVIDERS: Final[Mapping[str, Endpoint]] = {
    "openai": Endpoint(
        "https://api.openai.com/v1", "OPENAI_API_KEY", length_parameter="max_completion_tokens"
    ),
    "anthropic": Endpoint("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "gemini": Endpoint("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    "openrouter": Endpoint("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "deepseek": Endpoint("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "mistral": Endpoint("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "groq": Endpoint("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "together": Endpoint("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "xai": Endpoint("https://api.x.ai/v1", "XAI_API_KEY"),
    "ollama": Endpoint("http://127.0.0.1:11434/v1", "OLLAMA_API_KEY", key_needed=False),
}

OWN_KEY: Final = "RECODEH_API_KEY"
"""For a server of one's own (`--base-url`): a provider's key is never sent to another address."""


def own(base_url: str) -> Endpoint:
    """An OpenAI-compatible server at an address that the user gives.

    Raises InputError for what is no address.
    """
    if not base_url.startswith(("http://", "https://")):
        raise InputError(
            f"not an address: {base_url!r}",
            where="--base-url",
            mend="give one like http://127.0.0.1:8000/v1",
        )
    return Endpoint(base_url.rstrip("/"), OWN_KEY, key_needed=False)
