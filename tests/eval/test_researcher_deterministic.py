"""The deterministic researcher: a report and an answer in, at most five remarks out."""

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recodeh.data.keys import canonical_json
from recodeh.data.records import (
    Environment,
    Instruction,
    Outcome,
    Paper,
    Report,
    Snippet,
    Source,
    Task,
    TestOutcome,
    Verdict,
)
from recodeh.eval.models.edits import apply, edits
from recodeh.eval.models.mistakes import mistaken
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.researcher.leaks import SHOWN_IN_WORDS, leaks, withheld
from recodeh.eval.researcher.reveal import LEVELS, reveal
from recodeh.eval.researcher.syntax import parse, render

REFERENCE = """\
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values)
    if limit < spread:
        raise ValueError("too wide")
    return mean, spread
"""
TASK = Task(
    task_id="paper/centre#body",
    task_key="",
    source_key="",
    paper=Paper(title="Centres", authors=()),
    source=Source(kind="folder", name="paper", version="1", sha256="0" * 64),
    domain="statistics",
    target_file="paper/path.py",
    symbol="paper.path.centre",
    snippet=Snippet(name="body", start=1, end=5, mask_start=1, mask_end=1, indent="    ", loc=5),
    masked_file="",
    instruction=Instruction(summary="", signature=""),
    tests=(),
    test_ids=("test_a", "test_b"),
    environment=Environment(python=">=3.11", requirements_lock=""),
    verification=None,
    canary="",
    built_with="",
)


def report(exception: str = "AssertionError", message: str = "assert 1 == 2") -> Report:
    failed = TestOutcome(
        test_id="test_a",
        outcome=Outcome.FAILED,
        interfaces=("paper.path:centre",),
        exception=exception,
        message=message,
    )
    passed = TestOutcome(
        test_id="test_b", outcome=Outcome.PASSED, interfaces=("paper.path:centre",)
    )
    return Report(verdict=Verdict.FAILED, reason="1 test failed", tests=(failed, passed))


def feedback(answer: str | None, run: Report | None = None) -> "list[dict[str, str]]":
    said = DeterministicResearcher().feedback(TASK, REFERENCE, answer, run or report())
    assert (said.passed, said.total) == (1, 2)
    return [item.model_dump() for item in said.items]


def regions() -> dict[str, str]:
    """The bodies of the methods beside this file."""
    text = Path(__file__).with_name("methods.py").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {
        node.name: "".join(lines[node.body[0].lineno - 1 : node.end_lineno]) for node in functions
    }


def test_a_wrong_operator_is_told_level_by_level() -> None:
    assert feedback(REFERENCE.replace("- mean", "+ mean")) == [
        {
            "interface": "paper.path:centre",
            "category": "T2",
            "description": "1 of the 2 tests that call it fail: a value differs from the expected"
            " one. What goes wrong is an arithmetic operation.",
            "analysis": "In the statement that assigns `spread` (line 2 of the answer),"
            " an operator is wrong.",
            "guidance": "Use subtraction instead of addition there.",
            "correction": "spread = sum(((value - mean) ** 2 for value in values))",
        }
    ]


def test_a_solved_task_has_no_remark() -> None:
    solved = Report(
        verdict=Verdict.PASSED,
        reason="",
        tests=(TestOutcome(test_id="test_a", outcome=Outcome.PASSED),),
    )
    said = DeterministicResearcher().feedback(TASK, REFERENCE, "pass", solved)
    assert said.items == ()
    assert said.passed == said.total == 1


def test_no_answer_is_told() -> None:
    (item,) = feedback(None)
    assert item["category"] == "T0"
    assert item["correction"] == REFERENCE


def test_an_answer_that_does_not_parse_is_told_with_its_line() -> None:
    (item,) = feedback(REFERENCE.replace("len(values)", "len(values"))
    assert item["category"] == "T1"
    assert item["analysis"] == "Line 1 of the answer does not parse: '(' was never closed."


def test_a_failure_without_a_difference_is_told_as_such() -> None:
    (item,) = feedback(REFERENCE)
    assert item["category"] == "T4"
    assert "no difference" in item["analysis"]


@pytest.mark.parametrize(
    ("right", "wrong", "exception", "category"),
    [
        ("- mean", "+ mean", "AssertionError", "T2"),
        ("** 2", "** 3", "AssertionError", "T3"),
        ("    return mean, spread\n", "", "AssertionError", "T0"),
        ("- mean", "- means", "TypeError", "T1"),
        ("- mean", "- means", "NameError", "T4"),
        ("sum((", "np.sum((", "ModuleNotFoundError", "T4"),
    ],
)
def test_the_category_follows_the_exception_then_the_difference(
    right: str, wrong: str, exception: str, category: str
) -> None:
    items = feedback(REFERENCE.replace(right, wrong), report(exception))
    assert {item["category"] for item in items} == {category}


def test_at_most_five_remarks_and_what_is_computed_before_what_is_raised() -> None:
    answer = (
        REFERENCE.replace('"too wide"', '"wide"')
        .replace("/ len", "* len")
        .replace("** 2", "** 3")
        .replace("- mean", "+ mean")
        .replace("limit < spread", "limit > mean")
        .replace("mean, spread\n", "spread, mean, 1\n")
    )
    items = feedback(answer)
    assert len(items) == 5
    assert not any("raises" in item["analysis"] for item in items)
    (raised,) = feedback(REFERENCE.replace('"too wide"', '"wide"'))
    assert "raises" in raised["analysis"]


def test_an_exceptions_message_that_shows_the_reference_is_withheld() -> None:
    answer, shown = REFERENCE.replace("- mean", "+ mean"), "mean = sum(values) / len(values)"
    said = DeterministicResearcher().feedback(TASK, REFERENCE, answer, report("KeyError", shown))
    assert withheld(said) == 1


@given(st.text(), st.text(), st.text())
@settings(max_examples=200, deadline=None)
def test_any_answer_and_any_message_get_a_remark(answer: str, exception: str, message: str) -> None:
    said = DeterministicResearcher().feedback(TASK, REFERENCE, answer, report(exception, message))
    assert 1 <= len(said.items) <= 5
    assert reveal(said, 4).startswith(reveal(said, 3))


@given(st.text(alphabet=" \n()[]:=+-*/.,'\"#abfx01", max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_scribble_of_code_gets_a_remark(answer: str) -> None:
    said = DeterministicResearcher().feedback(TASK, REFERENCE, answer, report())
    assert 1 <= len(said.items) <= 5


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_no_level_below_the_last_shows_a_line_of_the_reference(data: st.DataObject) -> None:
    code = regions()[data.draw(st.sampled_from(sorted(regions())))]
    plain = render(parse(code))
    chosen = data.draw(st.lists(st.sampled_from(edits(plain)), min_size=1, max_size=8))
    answer = apply(plain, chosen)
    said = DeterministicResearcher().feedback(TASK, code, answer, report())
    for item in said.items:
        assert not any(leaks(getattr(item, field), code) for field in SHOWN_IN_WORDS)
    assert withheld(said) == 0


@pytest.mark.parametrize("name", regions())
def test_the_same_answer_gets_the_same_bytes(name: str) -> None:
    code = regions()[name]
    texts = set()
    for _ in range(2):
        answer = mistaken(code, "seed")
        said = DeterministicResearcher().feedback(TASK, code, answer, report())
        texts.add(canonical_json(said.row()))
        assert [reveal(said, level) for level in LEVELS]
    assert len(texts) == 1
