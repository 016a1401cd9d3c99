"""The researcher that needs no model: failing tests and the difference to the reference, in words.

The same task, answer and report give the same bytes.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from recodeh.data.records import Feedback, FeedbackItem, Report, Task, Verdict
from recodeh.eval.researcher.difference import Difference, differences
from recodeh.eval.researcher.leaks import checked
from recodeh.eval.researcher.phrases import (
    FORMS,
    Family,
    Kind,
    analysis_sentence,
    family_sentence,
    guidance_sentence,
)
from recodeh.eval.researcher.symptoms import Symptoms, symptoms
from recodeh.eval.researcher.syntax import Unparsable

MOST = 5
Category = Literal["T0", "T1", "T2", "T3", "T4"]
_INTEGRATION = ("ImportError", "ModuleNotFoundError", "AttributeError", "NameError")
_CONVENTIONS = (
    Kind.CONSTANT,
    Kind.INDEX,
    Kind.KEYWORD,
    Kind.KEYWORD_MISSING,
    Kind.KEYWORD_EXTRA,
    Kind.CALL_MISSING,
    Kind.CALL_EXTRA,
    Kind.IN_PLACE,
    Kind.ATTRIBUTE,
)


class DeterministicResearcher:
    """Names the smallest differences between an answer and the reference, five at most."""

    name = "deterministic"

    def feedback(
        self, task: Task, reference: str, submission: str | None, report: Report
    ) -> Feedback:
        """The counts of `report`, and an item for each difference as long as tests fail."""
        total = len(report.tests) or len(task.test_ids)
        solved = report.verdict is Verdict.PASSED
        items = () if solved else tuple(_items(task, reference, submission, report))
        feedback = Feedback(
            researcher=self.name, passed=report.passed_tests, total=total, items=items
        )
        return checked(feedback, reference)


def _items(
    task: Task, reference: str, submission: str | None, report: Report
) -> Iterator[FeedbackItem]:
    seen = symptoms(report)
    interface = seen.interface or task.symbol
    if submission is None:
        yield _no_answer(interface, reference)
        return
    try:
        found = differences(submission, reference)
    except Unparsable as fault:
        yield _unparsable(interface, reference, fault)
        return
    if not found:
        yield _no_difference(interface, reference, seen)
    for difference in most_useful(found):
        yield _item(interface, difference, seen)


def most_useful(found: Sequence[Difference]) -> list[Difference]:
    """At most five: what is computed before what is raised or imported, else in order."""
    return sorted(found, key=lambda difference: difference.aside)[:MOST]


def _item(interface: str, difference: Difference, seen: Symptoms) -> FeedbackItem:
    kind = difference.change.kind
    return FeedbackItem(
        interface=interface,
        category=_category(kind, seen),
        description=f"{seen.text} {family_sentence(FORMS[kind].family)}",
        analysis=analysis_sentence(difference.place, kind),
        guidance=guidance_sentence(difference.change),
        correction=difference.correction,
    )


def _category(kind: Kind, seen: Symptoms) -> Category:
    """RECODE-H's order of decision: run time, integration, structure, then the paper's content."""
    if seen.crashes:
        return "T4" if all(name in _INTEGRATION for name in seen.exceptions) else "T1"
    if FORMS[kind].family is Family.STEPS and kind is not Kind.IN_PLACE:
        return "T0"
    return "T3" if kind in _CONVENTIONS else "T2"


def _no_answer(interface: str, reference: str) -> FeedbackItem:
    return FeedbackItem(
        interface=interface,
        category="T0",
        description="No code was handed in, so nothing could be tested.",
        analysis="The answer holds no code block that could take the place of the missing region.",
        guidance="Give the whole region, and nothing else, in one fenced code block.",
        correction=reference,
    )


def _unparsable(interface: str, reference: str, fault: Unparsable) -> FeedbackItem:
    where = "The answer" if fault.line is None else f"Line {fault.line} of the answer"
    return FeedbackItem(
        interface=interface,
        category="T1",
        description="The answer cannot be run: it is not valid Python.",
        analysis=f"{where} does not parse: {fault.what}.",
        guidance="Write that part again with balanced brackets, quotes and indentation.",
        correction=reference,
    )


def _no_difference(interface: str, reference: str, seen: Symptoms) -> FeedbackItem:
    return FeedbackItem(
        interface=interface,
        category="T4",
        description=seen.text,
        analysis="The answer has no difference to the solution that could explain the failure.",
        guidance="Keep the code as it is and hand it in again.",
        correction=reference,
    )
