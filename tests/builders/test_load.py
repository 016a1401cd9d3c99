"""`load_dataset("recode-h")` for somebody who has only `datasets`, offline."""

import subprocess
from pathlib import Path

import pytest

from recodeh.builders.build import Built
from recodeh.builders.dataset import write
from recodeh.builders.facts import card_of
from recodeh.data.records import Environment
from recodeh.eval.environment import interpreter

PLAIN = "from datasets import load_dataset; print(load_dataset('recode-h'))"
CONFIGS = """
from datasets import load_dataset
for config in ("tasks", "references", "files", "papers"):
    print(config, load_dataset("recode-h", config, split="test").num_rows)
"""


@pytest.fixture(scope="module")
def only_datasets(cache: Path) -> Path:
    """The Python of an environment that has `datasets` and nothing of ours."""
    return interpreter(Environment(python=">=3.11", requirements_lock="datasets\n"), cache=cache)


def load(python: Path, folder: Path, program: str) -> str:
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hf"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [python, "-I", "-c", program], cwd=folder, env=offline, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_default_config_loads(built: Built, tmp_path: Path, only_datasets: Path) -> None:
    write(built, tmp_path / "recode-h", card_of(built))
    printed = load(only_datasets, tmp_path, PLAIN)
    assert "num_rows: 3" in printed
    assert "masked_file" in printed
    assert load(only_datasets, tmp_path, CONFIGS).split() == [
        *("tasks", "3", "references", "3", "files", "3", "papers", "1")
    ]


def test_a_rebuilt_folder_gives_its_new_rows(
    built: Built, tmp_path: Path, only_datasets: Path
) -> None:
    write(built, tmp_path / "recode-h", card_of(built))
    load(only_datasets, tmp_path, PLAIN)
    fewer = Built(**{**vars(built), "tasks": built.tasks[:2], "references": built.references[:2]})
    write(fewer, tmp_path / "recode-h", card_of(fewer))
    assert "num_rows: 2" in load(only_datasets, tmp_path, PLAIN)
