"""A report → what a user sees go wrong: exceptions and values that differ, in words.

The expected values and the source of the tests stay out: only what the answer itself did is told.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recodeh.data.records import Outcome, Report, TestOutcome

_JUDGED = ("AssertionError", "Failed", "")
_LONGEST, _SHOWN = 160, 3
_MISMATCH = re.compile(r"Mismatched elements: (\d+) / (\d+)")
_LARGEST = re.compile(r"Max absolute difference[^:\n]*: *([-+.\w]+)")
_SHAPES = re.compile(r"shapes (\([\d, ]*\)), (\([\d, ]*\)) mismatch")
_UNRAISED = re.compile(r"DID NOT RAISE (?:any of )?(?:<class ')?[\w.]*?(\w+)(?:'>)?$", re.MULTILINE)


@dataclass(frozen=True)
class Symptoms:
    """What the failing tests of a run have in common."""

    interface: str
    """What most of the failing tests called; empty when none of them called anything."""
    text: str
    crashes: bool
    """Every failing test ended in an exception of the answer, not in a wrong value."""
    exceptions: tuple[str, ...]
    """The types of those exceptions."""


def symptoms(report: Report) -> Symptoms:
    """What goes wrong in `report`."""
    failing = [test for test in report.tests if test.outcome is not Outcome.PASSED]
    interface = _interface(failing)
    raised = tuple(dict.fromkeys(test.exception for test in failing if _is_crash(test)))
    crashes = bool(failing) and all(map(_is_crash, failing))
    return Symptoms(interface, _text(report, failing, interface), crashes, raised)


def _interface(failing: Sequence[TestOutcome]) -> str:
    calls = Counter(call for test in failing for call in test.interfaces)
    return min(calls, key=lambda call: (-calls[call], call), default="")


def _text(report: Report, failing: Sequence[TestOutcome], interface: str) -> str:
    if not failing:
        return _sentence(report.reason or "no test was run")
    seen = list(dict.fromkeys(text for test in failing for text in _symptom(test, report)))
    more = ["and more"] if len(seen) > _SHOWN else []
    return _sentence(f"{_count(report, failing, interface)}: {'; '.join(seen[:_SHOWN] + more)}")


def _count(report: Report, failing: Sequence[TestOutcome], interface: str) -> str:
    calling = [test for test in report.tests if interface in test.interfaces]
    if not interface or not calling:
        return f"{len(failing)} of {len(report.tests)} tests fail"
    bad = sum(interface in test.interfaces for test in failing)
    return f"{bad} of the {len(calling)} tests that call it fail"


def _symptom(test: TestOutcome, report: Report) -> Iterator[str]:
    if test.outcome is Outcome.MISSING:
        yield f"a test has no result ({_short(report.reason)})" if report.reason else "no result"
    elif test.outcome is Outcome.SKIPPED:
        yield "a test was skipped"
    elif _is_crash(test):
        yield f"{test.exception} is raised" + (f", {_quoted(test)}" if test.message else "")
    else:
        yield _difference(test.message)


def _difference(message: str) -> str:
    """What an assertion says of the answer's values; of the expected ones it says nothing."""
    if match := _UNRAISED.search(message):
        return f"{match[1]} is not raised where it must be"
    if match := _SHAPES.search(message):
        return f"an array of shape {match[1]} has the wrong shape"
    if "nan location mismatch" in message:
        return "not-a-number values stand at the wrong places"
    if match := _MISMATCH.search(message):
        largest = _LARGEST.search(message)
        words = f"{match[1]} of {match[2]} values differ from the expected ones"
        return words + (f", the largest difference is {largest[1]}" if largest else "")
    return "a value differs from the expected one"


def _is_crash(test: TestOutcome) -> bool:
    ended = test.outcome in (Outcome.FAILED, Outcome.ERROR)
    return ended and test.exception.rpartition(".")[2] not in _JUDGED


def _quoted(test: TestOutcome) -> str:
    return f'saying "{_short(test.message)}"'


def _short(text: str) -> str:
    first = " ".join(text.split())
    return first if len(first) <= _LONGEST else f"{first[:_LONGEST]}…"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
