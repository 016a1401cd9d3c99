"""Bad input to `recodeh run` on a real dataset: one sentence, exit code 2, and nothing is lost."""

import fcntl
import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from recodeh_cli import run
from tests.eval.conftest import MEAN, SCALE, Grader, Made, MadeDataset, task_from

from recodeh.data.log import TornLine
from recodeh.data.records import Paper, PaperRow, Record, Reference, Source, SourceFile
from recodeh.data.store import CONFIGS, rows_digest, write_rows
from recodeh.eval.results import read_results

CARD = """---
configs:
{configs}
---
"""
ENTRY = "- config_name: {name}\n  version: v0\n  description: sha256:{digest}"


def written(folder: Path, *made: Made) -> Path:
    """A dataset folder as `recodeh build` lays it out."""
    paper, source = Paper(title="", authors=()), Source(kind="git", name="", version="", sha256="")
    rows: dict[str, list[Record]] = {
        "tasks": [one.task for one in made],
        "references": [
            Reference(task_key=one.task.task_key, task_id=one.task.task_id, code=one.region)
            for one in made
        ],
        "files": [
            SourceFile(source_key=one.task.source_key, path=path, content=content)
            for one in made
            for path, content in one.files.items()
        ],
        "papers": [PaperRow(source_key="s", paper=paper, source=source, licence_text="")],
    }
    for name in CONFIGS:
        write_rows(folder, name, rows[name])
    entries = (ENTRY.format(name=name, digest=rows_digest(rows[name])) for name in CONFIGS)
    (folder / "README.md").write_text(CARD.format(configs="\n".join(entries)))
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the datasets `data` and `other`; tests run without rooms."""
    scale = task_from(SCALE, name="scale", symbol="Scaler.scale")
    written(tmp_path / "data", scale)
    written(tmp_path / "other", scale, task_from(MEAN, name="mean", symbol="mean"))
    grader = Grader(MadeDataset(scale))
    monkeypatch.setattr("recodeh.eval.parts.RoomGrader", lambda *args, **more: grader)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(arguments: str) -> int:
    return run(f"run {arguments} --wall process --jobs 1".split())


GOOD = "data --model builtin/mutant --levels 0,4 -o out"


def sentence(capsys: pytest.CaptureFixture[str]) -> str:
    error = capsys.readouterr().err
    assert error.startswith("recodeh: ")
    assert error.count("\n") == 1
    assert "Traceback" not in error
    return error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("data --model builtin/oracle -o out", "no model is called 'builtin/oracle'"),
        ("data --model nobody/m -o out", "no model is called 'nobody/m' (models are"),
        ("data --model openai/gpt -o out", "OPENAI_API_KEY: no key for openai/gpt"),
        ("data --model builtin/stub --researcher model/openai/gpt -o out", "no key for openai/gpt"),
        ("data --model builtin/stub --levels 7 -o out", "there is no level [7] (levels are 0 to 4"),
        ("data --model builtin/stub --researcher-noise 2 -o out", "noise is a share from 0 to 1"),
        ("data --model builtin/stub --task none -o out", "no task is called 'none'"),
        ("data --model builtin/stub --agent nobody -o out", "no agent is called"),
        ("data --model builtin/stub --feedback-from gone -o out", "gone: no recorded run"),
        ("data --model builtin/stub --prices gone -o out", "gone: not a table of prices"),
        ("data --model builtin/stub --episode-usd 0 -o out", "may use up nothing"),
    ],
)
def test_bad_input_makes_no_run(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    assert call(arguments) == 2
    assert said in sentence(capsys)
    assert not (here / "out/events.jsonl").exists()


def test_options_of_a_run_reach_it_and_its_scores_can_be_split(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"{GOOD} --researcher-noise 0.5 --episode-seconds 60 --json") == 0
    assert run(["replay", "out", "--dataset", "data"]) == 0
    assert call(GOOD.replace("out", "again") + " --feedback-from out") == 0
    assert run(["replay", "again", "--dataset", "data"]) == 0
    capsys.readouterr()
    told = "score out again --by category --similarity --dataset data --json"
    assert run(told.split()) == 0
    shown = json.loads(capsys.readouterr().out)
    names = {row["setting"]["researcher"].rpartition(":")[0] for row in shown["scores"]}
    assert names == {"", "recorded"}  # the noisy one's own name has no colon
    assert all(row["recall_by_leaf_line"] is not None for row in shown["scores"])
    assert {row["level"] for row in shown["categories"]} == {0, 4}
    assert sum(row["remarks"] for row in shown["categories"]) > 0
    assert [row["similarity"] for row in shown["similarity"] if row["level"] == 4]
    assert run(["score", "out", "--by", "language"]) == 0
    lines = capsys.readouterr().out
    assert "python" in lines
    assert "leaf lines" in lines


def test_a_run_of_another_dataset_is_left_alone(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(GOOD) == 0
    before = contents(here / "out")
    capsys.readouterr()
    assert call(GOOD.replace("data", "other")) == 2
    assert "the folder holds another run: dataset was" in sentence(capsys)
    assert run(["replay", "out", "--dataset", "other"]) == 2
    assert "the run was made with another dataset" in sentence(capsys)
    assert contents(here / "out") == before


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Files of this process grow no larger than `size` while the block runs: a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_loses_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(GOOD.replace("out", "whole")) == 0
    whole = (here / "whole/events.jsonl").stat().st_size
    capsys.readouterr()
    for size in (100, 3000, whole // 2, whole - 200):
        with room_for(size):
            assert call(GOOD) == 2
        assert "nothing recorded is lost" in sentence(capsys)
    log = here / "out/events.jsonl"
    assert all(json.loads(line) for line in log.read_bytes().splitlines())
    assert call(GOOD) == 0
    rows = [list(read_results(here / name / "results.jsonl")) for name in ("out", "whole")]
    assert rows[0] == rows[1]


def test_a_folder_that_cannot_be_written_is_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "out").write_text("a file, and no folder\n")
    assert call(GOOD) == 2
    assert "out" in sentence(capsys)
    assert (here / "out").read_text() == "a file, and no folder\n"


def test_two_processes_on_one_run_do_not_mix(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(GOOD) == 0
    before = contents(here / "out")
    capsys.readouterr()
    with (here / "out/lock").open() as other:  # as another process would hold it
        fcntl.flock(other, fcntl.LOCK_EX)
        assert call(GOOD) == 2
    assert "out: another process is playing this run" in sentence(capsys)
    assert contents(here / "out") == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"\x00\xff binary\n", "is not an event"),
        (b'["a","list"]\n', "is not an event"),
        (b'{"event":"turn_ended"}\n', "the log holds an episode that these settings do not make"),
        (b'{"event":"dance","episode":"KEY","turn":0}\n', "not an event of this version"),
        (b'{"event":"tested","episode":"KEY","turn":0}\n', "not an event of this version"),
    ],
)
def test_a_corrupted_log_is_named_and_left_alone(
    here: Path, capsys: pytest.CaptureFixture[str], line: bytes, said: str
) -> None:
    assert call(GOOD) == 0
    log = here / "out/events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    key = json.loads(lines[0])["episode"].encode()
    bad = b"".join([*lines[:3], line.replace(b"KEY", key), *lines[3:]])
    log.write_bytes(bad)
    capsys.readouterr()
    assert call(GOOD) == 2
    assert said in sentence(capsys)
    assert log.read_bytes() == bad


def test_a_torn_last_line_is_taken_away_with_a_warning(here: Path) -> None:
    assert call(GOOD) == 0
    log = here / "out/events.jsonl"
    whole = log.read_bytes()
    rows = (here / "out/results.jsonl").read_bytes()
    log.write_bytes(whole[:-30])
    with pytest.warns(TornLine, match="cut short"):
        assert call(GOOD) == 0
    assert (here / "out/results.jsonl").read_bytes() == rows
