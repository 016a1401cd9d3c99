"""Agent programs: real processes on a prepared folder, with a time limit and without our keys."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.eval.conftest import Made, MadeDataset

from recodeh.data.errors import InputError, ModelError
from recodeh.data.log import read
from recodeh.data.records import Verdict
from recodeh.eval.agents.agent import Errand, TaskView, Turn
from recodeh.eval.agents.choose import choose_agent
from recodeh.eval.agents.command import TASK_FILE, CommandAgent
from recodeh.eval.campaign import Parts, run
from recodeh.eval.errand import program_environment, run_errand
from recodeh.eval.extract import Extracted
from recodeh.eval.models.external import ExternalModel
from recodeh.eval.models.model import Message, Request
from recodeh.eval.replay import replay
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.results import read_results
from recodeh.eval.settings import Settings

Build = Callable[..., Parts]
HOLE = "raise NotImplementedError"
CODER = f"""
import pathlib, sys
task = pathlib.Path("{TASK_FILE}").read_text()
for path in pathlib.Path(".").rglob("*.py"):
    text = path.read_text()
    if "{HOLE}" in text:
        path.write_text(text.replace("{HOLE}", "return values"))
    elif "Feedback on attempt 1" in task and "return values" in text:
        path.write_text(text.replace("return values", "return list(values)"))
"""


def errand(made: Made, script: str, seconds: float = 20.0) -> Errand:
    files = {made.task.target_file: made.task.masked_file.encode(), "data/x.csv": b"1\n"}
    program = (sys.executable, "-c", script)
    return Errand(program, files, made.task.target_file, "utf-8", seconds)


def test_a_program_finds_the_files_and_leaves_one(made: Made) -> None:
    left = run_errand(errand(made, f"open('{TASK_FILE}', 'w').write('')\n{CODER}"))
    assert left == made.task.masked_file.replace(HOLE, "return values")


def test_a_program_that_fails_has_handed_in_what_is_there(made: Made) -> None:
    assert run_errand(errand(made, "1 / 0")) == made.task.masked_file


def test_a_program_that_runs_over_its_time_is_killed_with_its_children(
    made: Made, tmp_path: Path
) -> None:
    mark = tmp_path / "alive"
    child = f"import time, pathlib; time.sleep(2); pathlib.Path({str(mark)!r}).touch()"
    script = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', {child!r}])\ntime.sleep(60)"
    )
    started = time.monotonic()
    assert run_errand(errand(made, script, seconds=0.5)) == made.task.masked_file
    assert time.monotonic() - started < 10
    time.sleep(2.5)
    assert not mark.exists()


def test_a_program_that_cannot_be_started_or_takes_the_file_away(made: Made) -> None:
    missing = Errand(("/nonexistent/agent",), {"a.py": b""}, "a.py", "utf-8", 5.0)
    with pytest.raises(ModelError, match="cannot be started"):
        run_errand(missing)
    with pytest.raises(ModelError, match=r"left no readable scaling/core\.py"):
        run_errand(errand(made, f"import os; os.remove('{made.task.target_file}')"))


def test_files_do_not_leave_the_folder() -> None:
    for path in ("../x", "/x"):
        with pytest.raises(InputError, match="a path leaves its folder"):
            run_errand(Errand(("true",), {path: b""}, path, "utf-8", 5.0))


def test_keys_reach_a_program_only_when_they_are_named() -> None:
    mine = {"PATH": "/bin", "OPENAI_API_KEY": "a", "MY_KEY": "b"}
    assert program_environment(mine) == {"PATH": "/bin"}
    named = program_environment({**mine, "RECODEH_PASS_ENV": "MY_KEY, NOT_SET"})
    assert named == {"PATH": "/bin", "MY_KEY": "b"}


def test_the_folder_holds_task_feedback_and_the_last_attempt(made: Made) -> None:
    agent = CommandAgent(("agent",))
    view = TaskView(made.task, {made.task.target_file: made.task.masked_file.encode()})
    first = next(agent.turn(view, ()))
    assert isinstance(first, Errand)
    assert HOLE.encode() in first.files[made.task.target_file]
    assert b"Feedback" not in first.files[TASK_FILE]
    past = Turn((), Extracted("        return 1\n", "strict"), "1 of 2 tests pass.")
    second = next(agent.turn(view, (past,)))
    assert isinstance(second, Errand)
    assert b"        return 1\n" in second.files[made.task.target_file]
    assert second.files[TASK_FILE].endswith(b"# Feedback on attempt 1\n\n1 of 2 tests pass.\n")


def test_a_program_plays_a_run_that_replays_without_it(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    script = tmp_path / "coder.py"
    script.write_text(CODER)
    spec = f"command:{sys.executable} {script}"
    agent = choose_agent(spec)
    settings = Settings(models=("external/coder",), agent=spec, levels=(1,), turns=2)
    model = ExternalModel("external/coder")
    summary = run(dataset, settings, tmp_path / "run", parts(model, agent=agent))
    assert (summary.infra, summary.unfinished) == (0, 0)
    rows = list(read(tmp_path / "run/events.jsonl"))
    code = [row["code"].strip() for row in rows if row["event"] == "submitted"]
    assert sorted(code) == ["return list(values)"] * 2 + ["return values"] * 2
    script.unlink()
    again = replay(tmp_path / "run", dataset, agent, DeterministicResearcher())
    assert (again.turns, again.calls) == (4, 0)


def test_a_program_that_is_not_there_is_infra(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    agent = choose_agent("command:/nonexistent/agent --fast")
    settings = Settings(models=("external/none",), agent="command:/nonexistent/agent --fast")
    run(dataset, settings, tmp_path, parts(ExternalModel("external/none"), agent=agent))
    assert {row.verdict for row in read_results(tmp_path / "results.jsonl")} == {Verdict.INFRA}


def test_an_external_model_answers_nobody() -> None:
    with pytest.raises(ModelError, match="asked by its own program only"):
        ExternalModel("external/x").answer(Request("external/x", (Message("user", "Hi"),)))


@pytest.mark.parametrize("spec", ["command:", "command:'agent"])
def test_what_is_no_command_line_is_refused(spec: str) -> None:
    with pytest.raises(InputError):
        choose_agent(spec)
