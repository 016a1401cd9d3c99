"""A person as model or researcher, with what they type before and what is recorded after."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.eval.conftest import Made, MadeDataset, Scripted, judged

from recodeh.data.errors import ModelError
from recodeh.data.log import read
from recodeh.data.records import Verdict
from recodeh.eval.campaign import Parts, run
from recodeh.eval.human import HumanModel, HumanResearcher
from recodeh.eval.models.choose import choose
from recodeh.eval.models.model import Message, Request
from recodeh.eval.parts import choose_researcher
from recodeh.eval.replay import replay
from recodeh.eval.results import read_results
from recodeh.eval.settings import Settings

Build = Callable[..., Parts]


class Typed:
    """A dialogue with somebody who types a script and then leaves."""

    def __init__(self, *lines: str) -> None:
        self._lines = iter(lines)
        self.told: list[str] = []

    def tell(self, text: str) -> None:
        self.told.append(text)

    def line(self, prompt: str) -> str | None:
        return next(self._lines, None)


def request(*said: str) -> Request:
    roles = ("system", "user", "assistant", "user")
    return Request("human", tuple(map(Message, roles, said)))  # type: ignore[arg-type]


def test_a_person_answers_with_code_and_sees_only_what_is_new() -> None:
    dialogue = Typed("    x = 1", "", "    return x", ".", "return 2", ".")
    model = HumanModel(dialogue)
    assert (
        model.answer(request("rules", "task")).text == "```python\n    x = 1\n\n    return x\n```"
    )
    assert [text.strip() for text in dialogue.told[:2]] == ["rules", "task"]
    model.answer(request("rules", "task", "answer", "feedback"))
    assert dialogue.told[3].strip() == "feedback"


def test_a_person_who_leaves_is_no_answer() -> None:
    with pytest.raises(ModelError, match="the person has left"):
        HumanModel(Typed("x = 1")).answer(request("rules", "task"))


REMARK = ("Scaler.scale", "t2", "Wrong norm.", "It is not p.", "Use the power.", "norm = 1", ".")


def test_a_person_s_remarks_become_feedback(made: Made) -> None:
    code = "        return values\n"
    dialogue = Typed(*REMARK[:1], "wrong", *REMARK[1:], "")
    report = judged(made.task, code, made.region)
    feedback = HumanResearcher(dialogue).feedback(made.task, made.region, code, report)
    assert (feedback.researcher, feedback.passed, feedback.total) == ("human", 1, 2)
    assert [tuple(item.row().values()) for item in feedback.items] == [
        ("Scaler.scale", "T2", "Wrong norm.", "It is not p.", "Use the power.", "norm = 1")
    ]
    assert "-        return values" in dialogue.told[0]
    assert "+        norm = math.pow(total, 1 / self.power)" in dialogue.told[0]


def test_a_run_with_a_person_s_feedback_replays_without_the_person(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    model = Scripted("```python\nreturn values\n```")
    researcher = HumanResearcher(Typed(*REMARK, ""))
    settings = Settings(
        models=(model.name,), researcher="human", levels=(4,), turns=2, tasks=("*scale",)
    )
    made = replace(parts(model), researcher=researcher)
    run(dataset, settings, tmp_path, made)
    (given,) = (row for row in read(tmp_path / "events.jsonl") if row["event"] == "feedback_given")
    assert "norm = 1" in given["text"]
    again = replay(tmp_path, dataset, made.agent, choose_researcher("human"))
    assert again.turns == 2


def test_a_person_who_leaves_in_the_middle_leaves_an_episode_to_go_on_with(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    settings = Settings(models=("human",), levels=(0,), turns=2, tasks=("*mean",))
    run(dataset, settings, tmp_path, parts(HumanModel(Typed("return 0", "."))), jobs=1)
    (row,) = read_results(tmp_path / "results.jsonl")
    assert (row.verdict, len(row.turns)) == (Verdict.INFRA, 1)
    code = ("    total = sum(values)", "    return total / len(values)", ".")
    run(dataset, settings, tmp_path, parts(HumanModel(Typed(*code))), jobs=1)
    (row,) = read_results(tmp_path / "results.jsonl")
    assert (row.verdict, row.solved_at) == (Verdict.PASSED, 2)


def test_a_terminal_is_read_and_its_output_left_alone(dataset: MadeDataset) -> None:
    assert choose("human", dataset).name == "human"
    script = (
        "from recodeh.eval.human import HumanModel\n"
        "from recodeh.eval.models.model import Message, Request\n"
        "reply = HumanModel().answer(Request('human', (Message('user', 'Task'),)))\n"
        "print(reply.text)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input="return 1\n.\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "```python\nreturn 1\n```\n"
    assert "Task" in done.stderr
