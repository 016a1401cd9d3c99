"""Bad input to every command is one line that says what, where and the mend, and exit code 2."""

import json
from pathlib import Path

import pytest
import typer
from recodeh_cli import app, run

RUN = {"settings": {"turns": 3, "models": ["builtin/stub"]}, "dataset": {"name": "gone"}}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a text file, a broken recipe, half a dataset and a run without results."""
    (tmp_path / "notes.txt").write_text("not what is asked for\n")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "recipe.yaml").write_text("name: broken\ndomain: [physics\n")
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "README.md").write_text("---\nconfigs: []\n---\n")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text(json.dumps(RUN))
    (tmp_path / "crossed.py").write_text('# <snippet name="a">\nx = 1\n')
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "run.json").write_text(json.dumps(RUN))
    (tmp_path / "torn" / "results.jsonl").write_text('{"episode_key": \n')
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "run.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


CALLS = [
    ("build nowhere -o out", "nowhere: no recipe there"),
    ("build broken -o out", "recipe.yaml, line"),
    ("build aersn -o notes.txt", "notes.txt: exists and is not a dataset folder"),
    ("build aersn -o out --wall paper", "there is no wall 'paper'"),
    ("verify nowhere", "nowhere: no dataset here"),
    ("verify half", "README.md"),
    ("demo -o notes.txt", "notes.txt"),
    ("demo -o /proc/recodeh", "/proc/recodeh"),
    ("build aersn -o /dev/null", "/dev/null"),
    ("build aersn -o out --release latest", "not a version: 'latest'"),
    ("demo --turns 0", "--turns"),
    ("demo --wall paper -o out", "there is no wall 'paper'"),
    ("mine nowhere", "nowhere"),
    ("mine =", "no source is named"),
    ("mine pypi:no-version", "pypi:no-version"),
    ("mine . --paper nowhere.tex", "nowhere.tex"),
    ("tag nowhere.py --name a --symbol f", "nowhere.py"),
    ("tag crossed.py --name b --symbol f", "crossed.py"),
    ("mask nowhere.py a", "nowhere.py"),
    ("mask crossed.py b", "crossed.py"),
    ("check-tags nowhere", "nowhere"),
    ("check-tags /dev/null", "/dev/null"),
    ("run nowhere --model builtin/stub -o out", "nowhere: no dataset here"),
    ("run half --model builtin/stub -o out", "README.md"),
    ("run half --model builtin/stub -o out --levels high", "--levels: not levels: 'high'"),
    ("run half --model builtin/stub -o out --levels 7", "there is no level"),
    ("run half --model builtin/stub -o out --turns 0", "0 turns are too few"),
    ("run half --model builtin/stub -o /dev/null", "README.md"),
    ("fork nowhere --turn 1 --level 4 -o out", "nowhere"),
    ("fork run --turn 0 --level 4 -o out", "--turn"),
    ("play nowhere task -o out", "nowhere: no dataset here"),
    ("play half task -o out --as judge", "--as"),
    ("replay nowhere", "nowhere/run.json: no run here"),
    ("replay run", "its dataset 'gone' is neither beside the run nor here"),
    ("rescore nowhere -o out", "nowhere/run.json: no run here"),
    ("score nowhere", "nowhere/run.json: no run here"),
    ("score run", "results.jsonl: the run has no results yet"),
    ("score run --by colour", "--by"),
    ("score torn", "results.jsonl: line 1 is not a result"),
    ("compare torn torn", "results.jsonl: line 1 is not a result"),
    ("rescore empty -o out", "empty/run.json"),
    ("compare nowhere run", "nowhere/run.json: no run here"),
    ("doctor --wrong", "--wrong"),
    ("report nowhere -o page.html", "nowhere"),
    ("report run -o page.html", "not a finished run"),
]


@pytest.mark.parametrize(("call", "said"), CALLS)
def test_bad_input_is_one_line_and_exit_code_2(
    here: Path, capsys: pytest.CaptureFixture[str], call: str, said: str
) -> None:
    before = sorted(path.name for path in here.iterdir())
    assert run([word.removeprefix("=") for word in call.split()]) == 2
    error = capsys.readouterr().err
    assert error.startswith("recodeh: ")
    assert error.count("\n") == 1
    assert said in error
    assert "Traceback" not in error
    assert sorted(path.name for path in here.iterdir()) == before


def test_every_command_is_among_them() -> None:
    assert {call.split()[0] for call, _ in CALLS} == set(typer.main.get_group(app).commands)
