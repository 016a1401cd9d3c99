"""The example paper, built once for all tests of the builders."""

from pathlib import Path

import pytest

from recodeh.builders.build import Builder, Built
from recodeh.data.recipe import Recipe, load_recipe
from recodeh.eval.walls.choose import wall_named

EXAMPLE = Path(__file__).parents[1] / "papers" / "ridgepath" / "recipe"


@pytest.fixture(scope="session")
def example() -> Recipe:
    return load_recipe(EXAMPLE)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def builder(cache: Path) -> Builder:
    return Builder(wall=wall_named(), cache=cache)


@pytest.fixture(scope="session")
def built(builder: Builder, example: Recipe) -> Built:
    return builder.build([example], name="recode-h", release="0.1.0")
