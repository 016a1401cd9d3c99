"""What an episode may use up, by what the log says of its calls."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.eval.conftest import MadeDataset, Scripted

from recodeh.data.errors import InputError
from recodeh.data.log import read
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.allowance import UNLIMITED, Allowance
from recodeh.eval.campaign import Parts, run
from recodeh.eval.models.model import Reply
from recodeh.eval.models.prices import Prices
from recodeh.eval.replay import replay
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.results import read_results
from recodeh.eval.settings import Settings

Build = Callable[..., Parts]
WRONG = "```python\nreturn 0\n```"
PRICES = Prices.model_validate(
    {"version": "2026-01-01", "models": {"test/scripted": {"input": 1.0, "output": 10.0}}}
)
CALL = Reply("x", input_tokens=10, output_tokens=5, seconds=2.0, usd=0.5)


@pytest.mark.parametrize(
    ("allowance", "said"),
    [
        (UNLIMITED, ""),
        (Allowance(tokens=31, usd=1.1, seconds=4.1), ""),
        (Allowance(tokens=30), "the episode's 30 tokens are used up"),
        (Allowance(usd=1.0), "the episode's 1 USD are used up"),
        (Allowance(seconds=4.0), "the episode's 4 seconds are used up"),
    ],
)
def test_two_calls_use_up_what_is_allowed(allowance: Allowance, said: str) -> None:
    assert allowance.used_up([CALL, CALL]) == said


def test_a_call_of_unknown_price_uses_up_no_money() -> None:
    assert Allowance(usd=0.1).used_up([Reply("x", seconds=9)]) == ""


def test_an_episode_stops_at_its_money_and_its_calls_say_what_they_cost(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    settings = Settings(
        models=("test/scripted",), levels=(0,), turns=9, allowance=Allowance(usd=0.0002)
    )
    model = Scripted(WRONG)
    run(dataset, settings, tmp_path, parts(model), prices=PRICES)
    calls = [row for row in read(tmp_path / "events.jsonl") if row["event"] == "model_called"]
    assert len(calls) == len(model.asked) == 2 * 4  # at 0.00006 each
    assert {(row["reply"]["usd"], row["reply"]["priced"]) for row in calls} == {
        (0.00006, "2026-01-01")
    }
    for row in read_results(tmp_path / "results.jsonl"):
        assert row.reason.endswith("the episode's 0.0002 USD are used up")
        assert row.usd == 4 * 0.00006
    assert replay(tmp_path, dataset, OneShot(), DeterministicResearcher()).calls == 8


def test_money_cannot_bound_an_episode_of_a_model_without_a_price(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    settings = Settings(models=("test/scripted",), allowance=Allowance(usd=1.0))
    with pytest.raises(InputError, match="no price is known for test/scripted"):
        run(dataset, settings, tmp_path, parts(Scripted(WRONG)))


@pytest.mark.parametrize("bound", ["tokens", "usd", "seconds"])
def test_an_allowance_of_nothing_is_refused(bound: str) -> None:
    with pytest.raises(InputError, match="may use up nothing"):
        Settings(models=("m",), allowance=Allowance.model_validate({bound: 0}))
