import json
from collections.abc import Callable
from pathlib import Path

import pytest

from recodeh.cards.runs import read_run, short_ids
from recodeh.data.errors import InputError, LogError

Synthetic = Callable[..., Path]


def test_a_run_is_read_with_its_settings_results_and_transcripts(synthetic: Synthetic) -> None:
    run = read_run(synthetic(papers=2, symbols=2, models=["m"], levels=[0, 4]))
    assert (run.name, run.turns, run.dataset_version) == ("run", 6, "0.0.0")
    assert len(run.results) == len(run.transcripts) == 8
    assert {one.key for one in run.transcripts} == {row.episode_key for row in run.results}


def test_transcripts_can_stay_on_disk(synthetic: Synthetic) -> None:
    run = read_run(synthetic(papers=1), episodes=False)
    assert run.results
    assert not run.transcripts


@pytest.mark.parametrize("name", ["run.json", "events.jsonl", "results.jsonl"])
def test_a_folder_without_one_of_its_files_is_no_run(synthetic: Synthetic, name: str) -> None:
    folder = synthetic(papers=1)
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"{name} is missing") as caught:
        read_run(folder)
    assert caught.value.where == str(folder)


def test_a_damaged_result_row_is_named(synthetic: Synthetic) -> None:
    folder = synthetic(papers=1)
    with (folder / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"nothing": 1}) + "\n")
    with pytest.raises(LogError, match="line 31"):
        read_run(folder)


@pytest.mark.parametrize("text", ["{", "[]"])
def test_damaged_settings_are_named(synthetic: Synthetic, text: str) -> None:
    folder = synthetic(papers=1)
    (folder / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(LogError, match=r"run\.json: cannot be read"):
        read_run(folder)


def test_short_ids_are_as_long_as_they_must() -> None:
    assert short_ids(["a" * 64]) == {"a" * 64: "a" * 8}
    first, second = "a" * 10 + "b" * 54, "a" * 10 + "c" * 54
    assert short_ids([first, second]) == {first: "a" * 10 + "b", second: "a" * 10 + "c"}
