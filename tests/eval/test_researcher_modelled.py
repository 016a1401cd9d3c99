"""A model as the researcher: its reply is checked, sent back when faulty, and replaced at last."""

import json

import pytest
from tests.eval.conftest import Made, Scripted, judged

from recodeh.data.errors import ModelError
from recodeh.data.records import Feedback
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.researcher.modelled import TRIES, ModelResearcher
from recodeh.eval.researcher.researcher import Researcher

ITEM = {
    "interface": "Scaler.scale",
    "category": "T2",
    "description": "The values are scaled too little.",
    "analysis": "The norm is taken with the wrong power.",
    "guidance": "Take the root that belongs to the power.",
    "correction": "norm = math.pow(total, 1 / self.power)",
}


def reply(*items: dict[str, str], **more: object) -> str:
    return json.dumps({"items": list(items), **more})


def ask(made: Made, researcher: Researcher, answer: str | None = "        return 1\n") -> Feedback:
    report = judged(made.task, answer or "pass", made.region)
    return researcher.feedback(made.task, made.region, answer, report)


@pytest.mark.parametrize("text", [reply(ITEM), f"Here you are:\n```json\n{reply(ITEM)}\n```\n"])
def test_a_reply_as_asked_becomes_the_feedback(made: Made, text: str) -> None:
    model = Scripted(text)
    researcher = ModelResearcher(model)
    said = ask(made, researcher)
    assert [item.model_dump() for item in said.items] == [ITEM]
    assert said.researcher == researcher.name
    assert said.researcher.startswith("model/test/scripted@")
    assert len(model.asked) == 1


def test_the_model_is_told_the_answer_the_solution_and_what_the_tests_saw(made: Made) -> None:
    model = Scripted(reply(ITEM))
    ask(made, ModelResearcher(model), "        return 41\n")
    text = model.asked[0].messages[-1].content
    assert "return 41" in text
    assert made.region in text
    assert "0.5 is not\\n0.6" in text
    assert "Scaler.scale" in text


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("I cannot.", "no JSON object"),
        ("{'items': []}", "not as asked"),
        (reply(), "at least 1 item"),
        (reply(*[ITEM] * 6), "at most 5 items"),
        (reply({**ITEM, "category": "T9"}), "items.0.category"),
        (reply({**ITEM, "analysis": ""}), "items.0.analysis"),
        (reply({**ITEM, "more": "x"}), "items.0.more"),
        (reply(ITEM, mood="good"), "mood"),
        (reply({**ITEM, "interface": "numpy"}), "must be one of Scaler.scale"),
        (reply({**ITEM, "guidance": f"Write {ITEM['correction']}."}), "shows a line"),
    ],
)
def test_a_faulty_reply_is_sent_back_with_what_is_wrong(made: Made, text: str, fault: str) -> None:
    model = Scripted(text, reply(ITEM))
    said = ask(made, ModelResearcher(model))
    assert [item.model_dump() for item in said.items] == [ITEM]
    assert len(model.asked) == 2
    assert model.asked[1].messages[-2].content == text
    assert fault in model.asked[1].messages[-1].content


def test_a_model_that_stays_faulty_gives_way_with_a_mark(made: Made) -> None:
    model = Scripted("no")
    researcher = ModelResearcher(model)
    said = ask(made, researcher)
    assert said.items == ask(made, DeterministicResearcher()).items
    assert said.researcher == f"deterministic in place of {researcher.name}"
    assert len(model.asked) == TRIES


def test_a_model_that_cannot_be_reached_is_no_verdict(made: Made) -> None:
    with pytest.raises(ModelError):
        ask(made, ModelResearcher(Scripted(ModelError("no route"))))


def test_a_solved_task_costs_no_call(made: Made) -> None:
    model = Scripted("no")
    assert ask(made, ModelResearcher(model), made.region).items == ()
    assert model.asked == []


def test_an_answer_without_code_is_told_as_such(made: Made) -> None:
    model = Scripted(reply(ITEM))
    ask(made, ModelResearcher(model), None)
    assert "(no code was handed in)" in model.asked[0].messages[-1].content
