"""Money and tokens are looked at before a call is made, and a stopped run can be taken up."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.eval.conftest import MadeDataset, Scripted

from recodeh.data.errors import InputError
from recodeh.eval.budget import Budget, Exhausted, Purse
from recodeh.eval.campaign import Parts, run
from recodeh.eval.models.model import Message, Reply, Request
from recodeh.eval.models.prices import Cost, Price, Prices, cost_of, load_prices
from recodeh.eval.results import read_results
from recodeh.eval.settings import Settings

Build = Callable[..., Parts]
WRONG = "```python\nreturn 0\n```"
PRICES = Prices.model_validate(
    {"version": "2026-01-01", "models": {"test/scripted": {"input": 1.0, "output": 10.0}}}
)


def request(letters: int = 300, most: int = 100) -> Request:
    return Request("test/scripted", (Message("user", "x" * letters),), {"max_tokens": most})


def test_a_call_costs_what_its_tokens_cost() -> None:
    reply = Reply("x" * 8, input_tokens=1_000_000, output_tokens=500_000)
    assert cost_of(reply, PRICES.price("test/scripted")) == Cost(1_500_000, 6.0)
    assert cost_of(reply, None) == Cost(1_500_000, 0.0)
    assert cost_of(Reply("x" * 8), Price(input=1, output=1)).tokens == 2


def test_builtin_models_are_free_and_unknown_ones_unknown() -> None:
    table = load_prices()
    assert table.price("builtin/mutant") == Price(input=0, output=0)
    assert table.price("openai/gpt-nobody-knows") is None


def test_a_table_of_ones_own_gives_prices(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("version: 2026-11-30\nmodels: {acme/large: {input: 1.5, output: 6}}\n")
    assert load_prices(path).price("acme/large") == Price(input=1.5, output=6)


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    for text in ("models: 3", "version: [", "version: 2026-01-01\nmodels: {m: {input: 1}}"):
        path.write_text(text)
        load_prices.cache_clear()
        with pytest.raises(InputError, match="not a table of prices"):
            load_prices(path)


def test_money_cannot_bound_a_model_without_a_price() -> None:
    with pytest.raises(InputError, match="no price is known for test/other"):
        Purse(Budget(usd=1.0), ["test/scripted", "test/other"], PRICES)


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (Budget(tokens=450), "the budget of 450 tokens"),
        (Budget(usd=0.0025), "the budget of 0.0025 USD"),
    ],
)
def test_what_a_call_may_cost_at_most_is_kept_for_it(budget: Budget, said: str) -> None:
    purse = Purse(budget, ["test/scripted"], PRICES)
    first = purse.set_aside(request())
    assert first == Cost(200, 0.0011)
    purse.settle(request(), first, Reply("", input_tokens=100, output_tokens=100))
    second = purse.set_aside(request())
    purse.settle(request(), second, Reply("", input_tokens=100, output_tokens=100))
    with pytest.raises(Exhausted, match=said):
        purse.set_aside(request())


def test_a_call_that_failed_costs_nothing() -> None:
    purse = Purse(Budget(tokens=250), [], PRICES)
    for _ in range(5):
        purse.settle(request(), purse.set_aside(request()), None)
    assert purse.spent == Cost()


def test_a_call_waits_for_those_under_way_to_turn_out_cheap() -> None:
    purse = Purse(Budget(tokens=250), [], PRICES)
    under_way, waited = purse.set_aside(request()), []
    second = threading.Thread(target=lambda: waited.append(purse.set_aside(request())))
    second.start()
    second.join(0.05)
    assert waited == []
    purse.settle(request(), under_way, Reply("", input_tokens=10, output_tokens=5))
    second.join(10)
    assert waited == [Cost(200, 0.0011)]


def test_time_that_is_over() -> None:
    with pytest.raises(Exhausted, match="seconds are over"):
        Purse(Budget(seconds=0.0), [], PRICES).set_aside(request())


def test_a_run_stops_at_its_budget_and_is_taken_up_with_a_larger_one(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    settings = Settings(
        models=("test/scripted",), levels=(0,), turns=3, parameters={"max_tokens": 10}
    )
    model = Scripted(WRONG)
    usd = 0.0007
    summary = run(
        *(dataset, settings, tmp_path, parts(model)),
        jobs=4,
        budget=Budget(usd=usd),
        prices=PRICES,
    )
    assert summary.usd <= usd
    assert summary.stopped == "the budget of 0.0007 USD does not allow another call"
    assert 0 < len(model.asked) < 6
    assert summary.unfinished > 0
    assert len(list(read_results(tmp_path / "results.jsonl"))) == 2
    asked = {one.key for one in model.asked}
    again = Scripted(WRONG)
    summary = run(
        *(dataset, settings, tmp_path, parts(again)), budget=Budget(usd=1.0), prices=PRICES
    )
    assert (summary.stopped, summary.unfinished) == ("", 0)
    assert asked.isdisjoint(one.key for one in again.asked)
    assert summary.tokens == 6 * 15
    assert summary.usd == pytest.approx(6 * 60 / 1e6)
