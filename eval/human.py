"""A person at a terminal, as the model that answers or as the researcher who gives feedback."""

import sys
import threading
from collections.abc import Iterator
from difflib import unified_diff
from typing import Final, Protocol, get_args

from recodeh.data.errors import ModelError
from recodeh.data.records import Feedback, FeedbackItem, Outcome, Report, Task
from recodeh.eval.models.model import Reply, Request
from recodeh.eval.models.reference import fenced

END: Final = "."
"""A line with nothing else ends a text of several lines."""
_CATEGORIES = get_args(FeedbackItem.model_fields["category"].annotation)
_one_at_a_time = threading.Lock()


class Dialogue(Protocol):
    """Where a person reads and writes."""

    def tell(self, text: str) -> None:
        """Show a text."""

    def line(self, prompt: str) -> str | None:
        """One line of answer; None when the person has left."""


class Terminal:
    """Standard input for answers, standard error for what is shown: output stays the command's."""

    def tell(self, text: str) -> None:
        """Show a text."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def line(self, prompt: str) -> str | None:
        """One line of answer; None at the end of input."""
        sys.stderr.write(prompt)
        sys.stderr.flush()
        text = sys.stdin.readline()
        return text.rstrip("\r\n") if text else None


class HumanModel:
    """Shows the chat and takes the person's code for the answer."""

    name = "human"

    def __init__(self, dialogue: Dialogue | None = None) -> None:
        self._dialogue = dialogue or Terminal()

    def answer(self, request: Request) -> Reply:
        """What the person writes, up to a line with a lone full stop.

        Raises ModelError when the person leaves.
        """
        first = not any(message.role == "assistant" for message in request.messages)
        with _one_at_a_time:
            for message in request.messages if first else request.messages[-1:]:
                self._dialogue.tell(f"\n{message.content}")
            self._dialogue.tell(f"\nYour code for the region; a line with a lone {END} ends it.")
            text = _text(self._dialogue)
        return Reply(text if "```" in text else fenced(text))


class HumanResearcher:
    """Shows a failed answer beside the reference and takes the person's remarks on it."""

    name = "human"
    repeatable = False
    """A replay takes the remarks as they were recorded."""

    def __init__(self, dialogue: Dialogue | None = None) -> None:
        self._dialogue = dialogue or Terminal()

    def feedback(
        self, task: Task, reference: str, submission: str | None, report: Report
    ) -> Feedback:
        """The counts, and an item for each remark of the person.

        Raises ModelError when the person leaves.
        """
        with _one_at_a_time:
            self._dialogue.tell(_shown(task, reference, submission, report))
            items = tuple(_items(self._dialogue))
        total = len(report.tests) or len(task.test_ids)
        return Feedback(researcher=self.name, passed=report.passed_tests, total=total, items=items)


def _items(dialogue: Dialogue) -> Iterator[FeedbackItem]:
    while interface := _line(dialogue, "Interface that is wrong (empty to end): "):
        category = ""
        while category not in _CATEGORIES:
            category = _line(dialogue, f"Category ({', '.join(_CATEGORIES)}): ").upper()
        values = {
            "interface": interface,
            "category": category,
            "description": _line(dialogue, "What is wrong (level 1): "),
            "analysis": _line(dialogue, "Why (level 2): "),
            "guidance": _line(dialogue, "How to mend it, in words (level 3): "),
        }
        dialogue.tell(f"The code that belongs there (level 4); a lone {END} ends it.")
        yield FeedbackItem.model_validate({**values, "correction": _text(dialogue)})


def _shown(task: Task, reference: str, submission: str | None, report: Report) -> str:
    failed = [test for test in report.tests if test.outcome is not Outcome.PASSED]
    tests = [f"  {test.test_id} {test.outcome}: {test.message}" for test in failed]
    lines = (submission or "").splitlines(), reference.splitlines()
    difference = unified_diff(*lines, "submission", "reference", lineterm="")
    told = f"{task.task_id}: {report.passed_tests} of {len(report.tests)} tests pass"
    return "\n".join(["", told, *tests, "", *difference, ""])


def _line(dialogue: Dialogue, prompt: str) -> str:
    text = dialogue.line(prompt)
    if text is None:
        raise ModelError("the person has left", mend="run the same command again to go on")
    return text.strip()


def _text(dialogue: Dialogue) -> str:
    """Lines up to the end mark, white space kept."""
    lines: list[str] = []
    while (line := dialogue.line("")) != END:
        if line is None:
            raise ModelError("the person has left", mend="run the same command again to go on")
        lines.append(line)
    return "\n".join(lines)
