"""The parts of a run by the names in its settings."""

import os

import pytest
from tests.eval.conftest import MadeDataset

from recodeh.data.errors import InputError
from recodeh.eval.grade import RoomGrader
from recodeh.eval.parts import choose_researcher, parts_of
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


@pytest.mark.parametrize("name", ["deterministic", "human"])
def test_researchers_by_name(name: str) -> None:
    assert choose_researcher(name).name == name
