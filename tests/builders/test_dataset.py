"""The dataset folder: written whole, opened checked, refused when it was touched."""

import shutil
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from recodeh.builders.build import Built
from recodeh.builders.dataset import digests_of, write, write_trail
from recodeh.builders.facts import card_of
from recodeh.data.errors import DatasetError, InputError
from recodeh.data.store import dataset_digest, open_dataset, parquet_path


@pytest.fixture(scope="module")
def folder(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "recode-h"
    write(built, path, card_of(built))
    return path


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "recode-h"))


def test_what_was_written_is_what_is_opened(built: Built, folder: Path) -> None:
    dataset = open_dataset(folder)
    assert tuple(dataset.tasks.values()) == built.tasks
    assert [dataset.reference(task) for task in built.tasks] == list(built.references)
    assert dataset.files(built.tasks[0]) == {row.path: row.content for row in built.files}
    assert dataset.papers == built.papers
    assert (dataset.name, dataset.version) == ("recode-h", "0.1.0")
    assert dataset.digest == dataset_digest(digests_of(built))


def test_writing_twice_gives_the_same_bytes(built: Built, folder: Path, tmp_path: Path) -> None:
    write(built, tmp_path / "recode-h", card_of(built))
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert len(names) == 7
    for name in names:
        assert (tmp_path / "recode-h" / name).read_bytes() == (folder / name).read_bytes()


def test_the_checksums_are_those_of_the_files(folder: Path) -> None:
    subprocess.run(
        ["sha256sum", "--check", "--strict", "checksums.sha256"],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def test_the_licences_of_the_sources_go_with_it(folder: Path) -> None:
    text = (folder / "LICENSE").read_text()
    assert "ridgepath" in text
    assert "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION" in text


def test_the_default_config_does_not_hold_the_answers(built: Built, folder: Path) -> None:
    data = pq.read_table(folder / parquet_path("tasks")).to_pylist()
    for row, reference in zip(data, built.references, strict=True):
        for line in reference.code.splitlines():
            if len(line.strip()) > 30:
                assert line.strip() not in row["masked_file"]


@pytest.mark.parametrize("config", ["tasks", "references", "papers"])
def test_a_changed_row_is_noticed(copy: Path, config: str) -> None:
    path = copy / parquet_path(config)
    table = pq.read_table(path)
    pq.write_table(table.slice(1) if config == "tasks" else table.slice(0, 0), path)
    with pytest.raises(DatasetError, match=f"the rows of `{config}` are not those"):
        open_dataset(copy)


def test_a_changed_file_is_noticed_when_it_is_read(built: Built, copy: Path) -> None:
    path = copy / parquet_path("files")
    pq.write_table(pq.read_table(path).slice(1), path)
    dataset = open_dataset(copy)
    with pytest.raises(DatasetError, match="the rows of `files` are not those"):
        dataset.files(built.tasks[0])


def test_a_torn_file_is_one_clear_error(copy: Path) -> None:
    path = copy / parquet_path("tasks")
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(DatasetError, match=r"tasks.*not rows of `tasks`"):
        open_dataset(copy)


@pytest.mark.parametrize("name", ["README.md", parquet_path("references")])
def test_a_missing_file_is_one_clear_error(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(DatasetError, match="missing"):
        open_dataset(copy)


def test_a_card_without_digests_is_one_clear_error(copy: Path) -> None:
    (copy / "README.md").write_text("# My own words\n")
    with pytest.raises(DatasetError, match="names no configs"):
        open_dataset(copy)


def test_a_folder_that_is_no_dataset_is_not_written_over(built: Built, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="not a dataset folder"):
        write(built, tmp_path, card_of(built))
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_an_older_dataset_is_replaced_whole(built: Built, copy: Path) -> None:
    (copy / "old.txt").write_text("of the last build")
    write(built, copy, card_of(built))
    assert not (copy / "old.txt").exists()
    assert len(open_dataset(copy).tasks) == 3


def test_drops_and_candidates_are_rows_beside_the_dataset(built: Built, tmp_path: Path) -> None:
    trail = write_trail(built, tmp_path / "recode-h")
    assert trail == tmp_path / "recode-h.build"
    assert len((trail / "candidates.jsonl").read_text().splitlines()) == len(built.candidates)
    assert len((trail / "dropped.jsonl").read_text().splitlines()) == len(built.drops)
