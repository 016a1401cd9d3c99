"""Agents by name, and agents of one's own."""

from pathlib import Path

import pytest
from tests.eval.conftest import Made

from recodeh.data.errors import InputError
from recodeh.eval.agents.agent import TaskView, Turn
from recodeh.eval.agents.choose import choose_agent
from recodeh.eval.extract import Extracted
from recodeh.eval.models.model import Reply

OWN = """
from recodeh.eval.models.model import Message

class Mine:
    name = "mine"

    def turn(self, view, history):
        reply = yield (Message("user", view.task_prompt),)
        return view.extract(reply.text)

ready = Mine()
not_an_agent = 3
"""


def test_an_agent_in_a_file_is_named_by_the_file_s_content(tmp_path: Path, made: Made) -> None:
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    agent, ready = choose_agent(f"{path}:Mine"), choose_agent(f"{path}:ready")
    assert (agent.name, agent.version) == ("mine", ready.version)
    turn = agent.turn(TaskView(made.task, made.files), ())
    messages = next(turn)
    assert isinstance(messages, tuple)
    assert "Scaler.scale" in messages[0].content
    path.write_text(OWN + "\n# changed\n")
    assert choose_agent(f"{path}:Mine").version != agent.version


def test_the_prompt_of_researchcodebench_is_one_message_with_the_paper_first(made: Made) -> None:
    view = TaskView(made.task, {})
    messages = next(choose_agent("researchcodebench").turn(view, ()))
    assert isinstance(messages, tuple)
    (message,) = messages
    parts = ["On scaling", "We divide x", made.task.masked_file.rstrip(), "Give only the missing"]
    places = [message.content.index(part) for part in parts]
    assert places == sorted(places)


def test_an_agent_in_a_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "my_agents_for_a_test.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    assert choose_agent("my_agents_for_a_test:Mine").name == "mine"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("twoshot", "no agent is called 'twoshot' (agents are oneshot, researchcodebench"),
        ("{}/nothing.py:Mine", "no such file"),
        ("{}/mine.py:Yours", "there is no Yours in it"),
        ("{}/mine.py:not_an_agent", "an agent has a name and a method turn"),
        ("no_such_package_here:Mine", "cannot import it"),
        (":Mine", "no agent is called"),
    ],
)
def test_what_is_no_agent_is_refused(spec: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    with pytest.raises(InputError) as caught:
        choose_agent(spec.format(tmp_path))
    assert said in str(caught.value)


def test_a_view_holds_neither_tests_nor_the_answer(made: Made) -> None:
    view = TaskView(made.task, {made.task.target_file: made.task.masked_file.encode()})
    assert "def test_norm" not in repr(view)
    assert "test_scale.py" not in repr(view)
    public = [name for name in dir(view) if not name.startswith("_")]
    assert sorted(public) == [
        *("extract", "files", "instruction", "masked_file", "paper", "researchcodebench_prompt"),
        *("seed", "snippet", "steps", "submission", "symbol", "system_prompt", "target_file"),
        *("task_id", "task_prompt"),
    ]


def test_an_answer_that_was_cut_off_says_so(made: Made) -> None:
    view = TaskView(made.task, {})
    cut = view.submission(Reply("```python\n        return values", "length"))
    assert cut.code == "        return values\n"
    assert cut.how == "repaired: closed the fence; the answer was cut off at its token limit"
    none = view.submission(Reply("Let me think", "length"))
    assert none.reason.endswith("; the answer was cut off at its token limit")


def test_a_turn_without_code_leads_its_feedback_with_the_reason() -> None:
    turn = Turn((Reply(""),), Extracted(None, "none", "no fenced block"), "0 of 2 tests pass.")
    assert turn.answer == "(no text)"
    assert turn.remark.splitlines()[0].endswith("no test was run: no fenced block.")
    assert turn.remark.endswith("\n\n0 of 2 tests pass.")
