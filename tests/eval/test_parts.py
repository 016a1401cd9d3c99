"""The parts of a run by the names in its settings."""

import os
from pathlib import Path

import pytest
from tests.eval.conftest import MadeDataset

from recodeh.data.errors import InputError
from recodeh.eval.grade import RoomGrader
from recodeh.eval.parts import choose_researcher, parts_of, researcher_of
from recodeh.eval.settings import Settings


def test_names_become_parts(dataset: MadeDataset) -> None:
    settings = Settings(models=("builtin/stub", "builtin/reference"), wall="process", seed=3)
    parts = parts_of(settings, dataset, jobs=99)
    assert list(parts.models) == ["builtin/stub", "builtin/reference"]
    assert (parts.agent.name, parts.researcher.name) == ("oneshot", "deterministic")
    assert isinstance(parts.grader, RoomGrader)
    assert (parts.grader.name, parts.grader.seed) == ("process", 3)
    assert parts.grader.jobs == min(99, os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"models": ("builtin/oracle",)}, "no model is called"),
        ({"agent": "nobody"}, "no agent is called"),
        ({"researcher": "nobody"}, "no researcher is called"),
        ({"wall": "brick"}, "there is no wall 'brick'"),
    ],
)
def test_a_name_that_nothing_has_is_refused(
    dataset: MadeDataset, change: dict[str, object], said: str
) -> None:
    settings = Settings.model_validate({"models": ("builtin/stub",), "wall": "process", **change})
    with pytest.raises(InputError, match=said):
        parts_of(settings, dataset)


def test_a_model_is_the_researcher_and_a_replay_asks_it_nothing(dataset: MadeDataset) -> None:
    settings = Settings(models=("builtin/stub",), researcher="model/builtin/stub", wall="process")
    researcher = parts_of(settings, dataset).researcher
    assert researcher.name == researcher_of(settings).name
    assert researcher.name.startswith("model/builtin/stub@")
    assert not getattr(researcher, "repeatable", True)


def test_noise_is_in_the_name_and_recorded_feedback_has_none(tmp_path: Path) -> None:
    noisy = Settings(models=("builtin/stub",), noise=0.5, seed=3)
    assert researcher_of(noisy).name == "deterministic+noise=0.5/3"
    said = Settings(models=("builtin/stub",), noise=0.5, researcher="model/builtin/stub")
    assert not getattr(researcher_of(said), "repeatable", True)
    (tmp_path / "events.jsonl").write_bytes(b"")
    frozen = Settings(models=("builtin/stub",), noise=0.5, researcher=f"recorded/{tmp_path}")
    with pytest.raises(InputError, match="without noise"):
        researcher_of(frozen)


@pytest.mark.parametrize("name", ["deterministic", "human"])
def test_researchers_by_name(name: str) -> None:
    assert choose_researcher(name).name == name
