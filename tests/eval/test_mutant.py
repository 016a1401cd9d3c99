"""The mutant: starts wrong, and mends only what the chat tells, never from the reference."""

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

from recodeh.data.errors import InputError
from recodeh.data.records import (
    Environment,
    Instruction,
    Paper,
    Reference,
    Snippet,
    Source,
    Task,
)
from recodeh.eval.extract import extract
from recodeh.eval.models import edits as edits_module
from recodeh.eval.models import repair as repair_module
from recodeh.eval.models.corrections import Correction, corrected
from recodeh.eval.models.edits import apply, edits
from recodeh.eval.models.instructions import obeyed
from recodeh.eval.models.mistakes import mistaken, mistakes
from recodeh.eval.models.model import Message, Request
from recodeh.eval.models.mutant import MutantModel
from recodeh.eval.models.repair import repair
from recodeh.eval.researcher.canonical import key
from recodeh.eval.researcher.difference import differences
from recodeh.eval.researcher.phrases import Change, Kind, Place, Relation
from recodeh.eval.researcher.syntax import parse, render

REFERENCE = """\
        total = path[-1].copy()
        centred = (path - nodes[:, None] * total) / np.sqrt(n)
        if not np.all(np.isfinite(centred)):
            raise ValueError("too large, at least 1e300")
        for row in range(1, n):
            if centred[row].max() > bound:
                count += 1
        return count, centred
"""
MASKED = '''\
import numpy as np


class Path:
    def centre(self, path, nodes, n, bound, count):
        """Centre the path."""
        raise NotImplementedError
'''


def the_task() -> Task:
    return Task(
        task_id="paper/Path.centre#body",
        task_key="k",
        source_key="s",
        paper=Paper(title="Paths", authors=()),
        source=Source(kind="folder", name="paper", version="1", sha256="0" * 64),
        domain="statistics",
        target_file="path.py",
        symbol="Path.centre",
        snippet=Snippet(
            name="body", start=7, end=14, mask_start=7, mask_end=7, indent=" " * 8, loc=8
        ),
        masked_file=MASKED,
        instruction=Instruction(summary="", signature=""),
        tests=(),
        test_ids=(),
        environment=Environment(python=">=3.11", requirements_lock=""),
        verification=None,
        canary="",
        built_with="",
    )


class Dataset:
    """One task; counts how often its reference is asked for."""

    name, version, digest = "one", "v0.0.1", "0" * 64

    def __init__(self, code: str = REFERENCE) -> None:
        self.tasks = {the_task().task_id: the_task()}
        self.code = code
        self.asked = 0

    def reference(self, task: Task) -> Reference:
        self.asked += 1
        return Reference(task_key=task.task_key, task_id=task.task_id, code=self.code)

    def files(self, task: Task) -> Mapping[str, bytes]:
        return {}


def ask(model: MutantModel, *chat: str, seed: int = 0) -> str:
    """The text of the answer to a chat; after the prompt, answers and feedback take turns."""
    said = [
        Message("assistant" if number % 2 == 0 else "user", text)
        for number, text in enumerate(chat)
    ]
    messages = (Message("system", "Rules."), Message("user", "The task."), *said)
    request = Request("builtin/mutant", messages, task_id=the_task().task_id, seed=seed)
    return model.answer(request).text


def test_the_first_answer_is_wrong_and_stands_as_asked() -> None:
    text = ask(MutantModel(Dataset()))
    extracted = extract(text, the_task())
    assert extracted.how == "strict"
    assert extracted.code is not None
    assert 1 <= len(differences(extracted.code, REFERENCE)) <= 3


def test_the_first_answer_depends_on_the_seeds_alone() -> None:
    first = {ask(MutantModel(Dataset(), seed=1), seed=2) for _ in range(2)}
    assert len(first) == 1
    others = {ask(MutantModel(Dataset(), seed=number)) for number in range(6)}
    others |= {ask(MutantModel(Dataset()), seed=number) for number in range(6)}
    assert len(others) > 4


def test_a_later_answer_is_made_from_the_chat_without_the_reference() -> None:
    dataset = Dataset()
    wrong = "```python\n        total = path[0]\n        return total + 1\n```"
    feedback = (
        "1 of 2 tests pass.\n\nWhat is wrong:\n1. `f`: What goes wrong is an arithmetic operation."
        "\n\nWhy:\n1. In the statement that returns (line 2 of the answer), an operator is wrong."
        "\n\nHow to mend it:\n1. Use subtraction instead of addition there."
    )
    answer = ask(MutantModel(dataset), wrong, f"Log: E assert 1 == 2\n\n{feedback}\n\nTry again.")
    assert answer == "```python\n        total = path[0]\n        return total - 1\n```"
    assert dataset.asked == 0


def test_repair_cannot_reach_a_reference() -> None:
    for module in (repair_module, edits_module):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not any(
            str(name).endswith(("mistakes", "dataset", "store", "records")) for name in modules
        )


def test_level_4_is_put_in_place() -> None:
    wrong = REFERENCE.replace("- nodes", "+ nodes").replace("        return count, centred\n", "")
    feedback = (
        "0 of 2 tests pass.\n\nWhy:\n"
        "1. In the statement that assigns `centred` (line 2 of the answer), an operator is wrong.\n"
        "2. After the `for` loop (line 5 of the answer), a result is not returned.\n\n"
        "The code that belongs there:\n"
        "1. centred = (path - nodes[:, None] * total) / np.sqrt(n)\n"
        "2. return (count, centred)"
    )
    assert differences(repair(wrong, [feedback], "seed"), REFERENCE) == ()


def test_level_0_keeps_an_edit_when_more_tests_pass() -> None:
    code = "x = a + b\ny = c * d\n"
    for seed in ("s", "t", "u"):
        first = repair(code, ["3 of 9 tests pass."], seed)
        kept = next(at for at in range(2) if first.split("\n")[at] != code.split("\n")[at])
        for turn in range(1, 8):
            later = repair(code, ["3 of 9 tests pass.", *["5 of 9 tests pass."] * turn], seed)
            assert later.split("\n")[kept] != code.split("\n")[kept]


def test_level_0_takes_an_edit_back_when_no_more_tests_pass() -> None:
    code = "return a + b\n"
    tries = [repair(code, ["3 of 9 tests pass."] * turn, "s") for turn in range(1, 5)]
    assert all(len(differences(answer, code)) == 1 for answer in tries)
    assert len(set(tries)) == len(tries)


def test_feedback_without_anything_to_read_changes_nothing() -> None:
    assert repair(REFERENCE, ["Well done, but no."], "s") == render(parse(REFERENCE))


def test_an_answer_that_is_not_python_is_given_again_or_replaced() -> None:
    feedback = "0 of 1 tests pass.\n\nThe code that belongs there:\n1. x = 1"
    assert repair("x = (\n", ["0 of 1 tests pass."], "s") == "x = (\n"
    assert repair("x = (\n", [feedback], "s") == "x = 1\n"


def test_a_region_that_is_not_python_starts_empty() -> None:
    assert ask(MutantModel(Dataset("SELECT *\n"))) == "```python\n        pass\n```"


@pytest.mark.parametrize("code", ["return self._value\n", "pass\n", "    # nothing\n", "x\n"])
def test_a_region_with_nothing_to_confuse_is_still_wrong_first(code: str) -> None:
    assert mistaken(code, "s").strip()
    if key(parse(code).body) != "[]":
        assert differences(mistaken(code, "s"), code) or code.strip() in ("pass", "x")


def test_mistakes_stay_away_from_messages_guards_and_tiny_constants() -> None:
    code = (
        "    if n < 2:\n        raise ValueError('at least 2')\n"
        "    assert n > 1, 'no'\n"
        "    share = x / (total + 1e-12)\n"
        "    warnings.warn('more than 1', stacklevel=2)\n"
        "    return share\n"
    )
    for edit in mistakes(code):
        wrong = apply(code, [edit])
        assert "at least 2" in wrong
        assert "+ 1e-12)" in wrong or edit.change.kind is Kind.TERM_EXTRA
        assert "assert n > 1, 'no'" in wrong
        assert "warnings.warn('more than 1', stacklevel=2)" in wrong
        assert "if n <= 2" not in wrong


def test_an_edit_can_be_taken_back_by_an_edit() -> None:
    code = render(parse(REFERENCE))
    strong = {Kind.OPERATOR, Kind.COMPARISON, Kind.CONSTANT, Kind.INDEX, Kind.FUNCTION}
    for edit in edits(code):
        if edit.change.kind in strong:
            wrong = apply(code, [edit])
            assert any(apply(wrong, [back]) == code for back in edits(wrong))


def test_two_edits_of_one_place_are_not_mixed() -> None:
    code = "return a + b\n"
    first, second = [edit for edit in edits(code) if edit.change.kind is Kind.OPERATOR]
    assert apply(code, [first, second]) == apply(code, [first])


@pytest.mark.parametrize(
    ("change", "made"),
    [
        (Change(Kind.TERM_MISSING, of="`a`", wanted="`d`", by="subtraction"), "a - d + f(b, c)"),
        (
            Change(Kind.TERM_MISSING, of="`a`", wanted="`d`", by="division from the left"),
            "d / a + f(b, c)",
        ),
        (Change(Kind.CALL_MISSING, of="`b`", wanted="`np.sqrt`"), "a + f(np.sqrt(b), c)"),
        (Change(Kind.CALL_MISSING, of="`b`", wanted="`.copy`"), "a + f(b.copy(), c)"),
        (
            Change(Kind.KEYWORD_MISSING, of="`f`", wanted="`0`", by="`axis`"),
            "a + f(b, c, axis=0)",
        ),
        (Change(Kind.NAME, found="`c`", wanted="`d.e`"), "a + f(b, d.e)"),
    ],
)
def test_an_instruction_in_words_is_carried_out(change: Change, made: str) -> None:
    code = "x = 1\nreturn a + f(b, c)\n"
    (edit,) = obeyed(code, 2, change)
    assert apply(code, [edit]) == f"x = 1\nreturn {made}\n"
    assert obeyed(code, 1, change) == ()


def test_an_instruction_that_describes_no_code_gives_no_edit() -> None:
    change = Change(Kind.NAME, found="`c`", wanted="a value from `d` by a call of `f`")
    assert obeyed("return a + c\n", 1, change) == ()


@pytest.mark.parametrize(
    ("place", "code", "made"),
    [
        (Place(Relation.AT, 1), "a = 2", "a = 2\nif a:\n    b = 1\n"),
        (Place(Relation.AT, 2), "if not a:", "a = 1\nif not a:\n    b = 1\n"),
        (Place(Relation.AT, 3), "# no statement here", "a = 1\nif a:\n    pass\n"),
        (Place(Relation.AFTER, 1), "c = 3\nd = 4", "a = 1\nc = 3\nd = 4\nif a:\n    b = 1\n"),
        (Place(Relation.TOP), "import math", "import math\na = 1\nif a:\n    b = 1\n"),
        (Place(Relation.INSIDE, 2, "", "body"), "c = 3", "a = 1\nif a:\n    c = 3\n    b = 1\n"),
        (
            Place(Relation.INSIDE, 2, "", "else part"),
            "c = 3",
            "a = 1\nif a:\n    b = 1\nelse:\n    c = 3\n",
        ),
        (Place(Relation.WHOLE), "return 1", "return 1\n"),
        (Place(Relation.AT, 9), "c = 3", "a = 1\nif a:\n    b = 1\n"),
        (Place(Relation.AT, 1), "no python (", "a = 1\nif a:\n    b = 1\n"),
    ],
)
def test_a_correction_goes_where_it_belongs(place: Place, code: str, made: str) -> None:
    assert corrected("a = 1\nif a:\n    b = 1\n", [Correction(place, code)]) == made


def test_corrections_of_one_gap_keep_their_order() -> None:
    gap = Place(Relation.AFTER, 1)
    both = [Correction(gap, "b = 2"), Correction(gap, "c = 3")]
    assert corrected("a = 1\n", both) == "a = 1\nb = 2\nc = 3\n"


def test_an_unknown_task_is_refused() -> None:
    request = Request("builtin/mutant", (Message("user", "Hello."),), task_id="no/such#task")
    with pytest.raises(InputError, match="no/such#task"):
        MutantModel(Dataset()).answer(request)


def test_a_sign_under_an_even_function_is_no_mistake() -> None:
    def signs(code: str) -> list[str]:
        found = [edit for edit in mistakes(code) if edit.change.kind is Kind.SIGN]
        return [apply(code, [edit]).strip() for edit in found]

    assert signs("return 1 + np.cos(psi)\n") == []
    assert signs("return 1 + abs(x) + y**2\n") == []
    assert signs("return 1 + np.sin(psi)\n") == ["return 1 + np.sin(-psi)"]
