"""What calls cost, by a versioned table; an unknown price stays unknown."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from recodeh.data.errors import InputError
from recodeh.data.records import Record
from recodeh.eval.models.model import Reply

TABLE = Path(__file__).parent / "prices.yaml"
FREE = ("builtin", "replay", "human", "local", "hf", "ollama")
"""Kinds of models that cost nobody money."""


class Price(Record):
    """US dollars per million tokens."""

    input: float
    output: float

    @property
    def free(self) -> bool:
        """Whether it costs nothing, however much it says."""
        return self.input == self.output == 0

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars for so many tokens."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


class Prices(Record):
    """A table of prices at one date."""

    version: date
    models: Mapping[str, Price]

    def price(self, model: str) -> Price | None:
        """The price of a model by its name; None when it is not known."""
        if model.partition("/")[0] in FREE:
            return Price(input=0.0, output=0.0)
        return self.models.get(model)


@dataclass(frozen=True)
class Cost:
    """Tokens and money of some calls."""

    tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.tokens + other.tokens, self.usd + other.usd)


def cost_of(reply: Reply, price: Price | None) -> Cost:
    """What one call cost; without a price only its tokens count."""
    used = reply.input_tokens or 0
    usd = price.of(used, reply.tokens - used) if price else 0.0
    return Cost(reply.tokens, usd)


@cache
def load_prices(path: Path = TABLE) -> Prices:
    """The table in a YAML file.

    Raises InputError when it is none.
    """
    import yaml

    try:
        return Prices.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise InputError(
            f"not a table of prices: {str(error).splitlines()[0]}",
            where=path,
            mend=f"write it like {TABLE}",
        ) from error
