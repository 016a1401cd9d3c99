"""A language model as the researcher: one structured call, checked, asked again when it is faulty.

A reply that is still faulty after the last try gives way to the deterministic researcher, and the
feedback says so; it is never empty. A model that cannot be reached raises ModelError: that is no
verdict on the answer, and the episode goes on later.
"""

import json
import re
from collections.abc import Sequence

from pydantic import Field, ValidationError

from recodeh.data.keys import content_key
from recodeh.data.records import Feedback, FeedbackItem, Outcome, Record, Report, Task, Verdict
from recodeh.eval.models.model import Message, Model, Request
from recodeh.eval.researcher.deterministic import MOST, DeterministicResearcher
from recodeh.eval.researcher.leaks import SHOWN_IN_WORDS, checked, leaks

TRIES = 3
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_RULES = f"""\
You help the author of research code. You are given the solution, an answer that fails hidden \
tests, and what the tests saw. Say what is wrong with the answer.

Reply with one JSON object and nothing else: {{"items": [...]}}, with 1 to {MOST} items, the most \
useful first. Speak only of what makes the tests fail. Each item has exactly these fields, all of \
them non-empty strings:
- "interface": one of the names under "Interfaces".
- "category": "T0" wrong structure or plan, "T1" syntax or run-time error, "T2" paper or \
instruction misread, "T3" unwritten convention or knowledge missing, "T4" misfit with the \
repository.
- "description": what is wrong, as a user sees it; neither cause nor remedy.
- "analysis": where and why; no code of the solution.
- "guidance": how to mend it, in words; no code of the solution.
- "correction": the code that belongs there.
The author has not seen the solution: never speak of a solution, reference or tests' source, and \
never show a line of it outside "correction"."""


class _Item(Record):
    """A remark as the model writes it."""

    interface: str = Field(min_length=1)
    category: str = Field(pattern="^T[0-4]$")
    description: str = Field(min_length=1)
    analysis: str = Field(min_length=1)
    guidance: str = Field(min_length=1)
    correction: str = Field(min_length=1)


class _Reply(Record):
    """What the model must reply."""

    items: tuple[_Item, ...] = Field(min_length=1, max_length=MOST)


class _Faulty(Exception):
    """A reply that cannot be used; the text is told to the model."""


class ModelResearcher:
    """Asks `model` once per failed answer; faulty replies are sent back `TRIES - 1` times."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._otherwise = DeterministicResearcher()

    @property
    def name(self) -> str:
        """Name in results, with the version of what the model is told."""
        return f"model/{self._model.name}@{content_key(_RULES)[:8]}"

    def feedback(
        self, task: Task, reference: str, submission: str | None, report: Report
    ) -> Feedback:
        """The model's remarks, or the deterministic ones with a mark.

        Raises ModelError when the model gives no reply at all.
        """
        if report.verdict is Verdict.PASSED:
            return _feedback(self.name, task, report, ())
        chat = [
            Message("system", _RULES),
            Message("user", _case(task, reference, submission, report)),
        ]
        for _ in range(TRIES):
            reply = self._model.answer(Request(self._model.name, tuple(chat))).text
            try:
                items = _items(reply, _interfaces(task, report), reference)
            except _Faulty as fault:
                chat += [Message("assistant", reply or "(no text)"), Message("user", str(fault))]
            else:
                return checked(_feedback(self.name, task, report, items), reference)
        said = self._otherwise.feedback(task, reference, submission, report)
        return said.model_copy(update={"researcher": f"{said.researcher} in place of {self.name}"})


def _feedback(name: str, task: Task, report: Report, items: tuple[FeedbackItem, ...]) -> Feedback:
    total = len(report.tests) or len(task.test_ids)
    return Feedback(researcher=name, passed=report.passed_tests, total=total, items=items)


def _items(reply: str, interfaces: Sequence[str], reference: str) -> tuple[FeedbackItem, ...]:
    """The items of a reply; raises _Faulty when it is not as asked."""
    found = _OBJECT.search(reply)
    if found is None:
        raise _Faulty("There is no JSON object in your reply. Reply with the object alone.")
    try:
        items = _Reply.model_validate_json(found.group()).items
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}"
            for fault in error.errors(include_url=False)[:5]
        )
        raise _Faulty(f"Your reply is not as asked: {faults}. Reply again.") from error
    for number, item in enumerate(items, start=1):
        _check(number, item, interfaces, reference)
    return tuple(FeedbackItem.model_validate(item.row()) for item in items)


def _check(number: int, item: _Item, interfaces: Sequence[str], reference: str) -> None:
    if item.interface not in interfaces:
        raise _Faulty(f"Item {number}: the interface must be one of {', '.join(interfaces)}.")
    shown = [field for field in SHOWN_IN_WORDS if leaks(getattr(item, field), reference)]
    if shown:
        raise _Faulty(f"Item {number}: {shown[0]} shows a line of the solution. Say it in words.")


def _interfaces(task: Task, report: Report) -> list[str]:
    """What the failing tests called; the task's own symbol where they called nothing."""
    failing = (test for test in report.tests if test.outcome is not Outcome.PASSED)
    return list(dict.fromkeys(call for test in failing for call in test.interfaces)) or [
        task.symbol
    ]


def _case(task: Task, reference: str, submission: str | None, report: Report) -> str:
    failing = [test for test in report.tests if test.outcome is not Outcome.PASSED]
    seen = [
        {"test": test.test_id, "exception": test.exception, "message": test.message[:2000]}
        for test in failing[:10]
    ]
    parts = {
        "Task": f"{task.symbol} in {task.target_file}: {task.instruction.summary}",
        "Interfaces": "\n".join(_interfaces(task, report)),
        "Solution": reference,
        "Answer": submission if submission is not None else "(no code was handed in)",
        "Result": f"{report.passed_tests} of {len(report.tests)} tests pass. {report.reason}",
        "Failing tests": json.dumps(seen, ensure_ascii=False, indent=1),
    }
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in parts.items())
