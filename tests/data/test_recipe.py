"""A recipe's faults are told with the file and the line they stand on."""

import shutil
from pathlib import Path

import pytest

from recodeh.data.errors import RecipeError
from recodeh.data.recipe import load_recipe

EXAMPLE = Path(__file__).parents[1] / "papers" / "ridgepath" / "recipe"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "recipe"))


def edit(folder: Path, before: str, after: str) -> None:
    path = folder / "recipe.yaml"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


def test_a_recipe_carries_its_tests_and_its_lock() -> None:
    recipe = load_recipe(EXAMPLE)
    assert recipe.snippets[0].name == "coefficients"
    assert "def test_by_hand" in recipe.tests["tests/test_soft_threshold.py"]
    assert recipe.test_files(recipe.snippets[2])[0].path == "test_soft_threshold.py"
    assert "numpy" in recipe.lock


def test_a_folder_is_named_from_where_the_recipe_lies() -> None:
    assert Path(load_recipe(EXAMPLE).source.spec) == EXAMPLE.parent / "repository"


def test_an_unknown_field_is_told_with_its_line(folder: Path) -> None:
    edit(folder, "    hint: Score of one", "    hnit: Score of one")
    line = (folder / "recipe.yaml").read_text().splitlines()
    number = 1 + next(i for i, text in enumerate(line) if "hnit" in text)
    with pytest.raises(RecipeError, match=rf"line {number}: snippets\.1\.hnit"):
        load_recipe(folder)


def test_a_missing_field_is_told_with_the_line_of_its_parent(folder: Path) -> None:
    edit(folder, "domain: statistics\n", "")
    with pytest.raises(RecipeError, match="line 1: domain: Field required"):
        load_recipe(folder)


def test_broken_yaml_is_told_with_its_line(folder: Path) -> None:
    edit(folder, "domain: statistics", "domain: [statistics")
    with pytest.raises(RecipeError, match=r"recipe\.yaml, line \d+: not YAML"):
        load_recipe(folder)


@pytest.mark.parametrize("name", ["requirements.lock", "tests/test_score.py", "recipe.yaml"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(RecipeError, match=f"{name}: cannot be read"):
        load_recipe(folder)


def test_no_recipe_at_all(tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text("- a\n- b\n")
    with pytest.raises(RecipeError, match="line 1"):
        load_recipe(tmp_path)
