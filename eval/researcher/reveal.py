"""Feedback and a level → the text that a model sees, and the same text back into its parts.

Level 0 shows the counts, 1 adds what is wrong, 2 why, 3 how to mend it in words, 4 the code
(the levels of RECODE-H, arXiv 2510.06186). The text of a level begins with the text of the level
below, so that nothing is ever taken back. Nothing of the test log is in it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from recodeh.data.errors import InputError
from recodeh.data.records import Feedback, FeedbackItem

LEVELS = range(5)
_COUNTS = re.compile(r"^(\d+) of (\d+) tests pass\.$", re.MULTILINE)
_NUMBER = re.compile(r"(\d+)\. ?(.*)")
_CODE = " " * 4
_SECTIONS: tuple[tuple[str, Callable[[FeedbackItem], str]], ...] = (
    ("What is wrong:", lambda item: f"`{item.interface}`: {item.description}"),
    ("Why:", lambda item: item.analysis),
    ("How to mend it:", lambda item: item.guidance),
    ("The code that belongs there:", lambda item: item.correction),
)


def reveal(feedback: Feedback, level: int) -> str:
    """What a model is told at `level`; without items that is the counts alone.

    Raises InputError for a level that is not 0 to 4.
    """
    if level not in LEVELS:
        raise InputError(f"there is no feedback level {level}", mend="levels are 0 to 4")
    counts = f"{feedback.passed} of {feedback.total} tests pass."
    shown = _SECTIONS[:level] if feedback.items else ()
    parts = [_section(title, list(map(part, feedback.items))) for title, part in shown]
    return "\n\n".join([counts, *parts])


@dataclass(frozen=True)
class Remark:
    """An item as far as a level shows it; None for what it hides."""

    description: str | None = None
    analysis: str | None = None
    guidance: str | None = None
    correction: str | None = None


@dataclass(frozen=True)
class Reading:
    """A level's text, taken apart."""

    passed: int
    total: int
    remarks: tuple[Remark, ...] = ()


def read(text: str) -> Reading | None:
    """The parts of the feedback in `text`, whatever stands around it; None when there is none."""
    counts = _COUNTS.search(text)
    if counts is None:
        return None
    rest = text[counts.end() :]
    columns = [_entries(rest, title) for title, _ in _SECTIONS]
    rows = range(1, max((max(column, default=0) for column in columns), default=0) + 1)
    remarks = tuple(Remark(*(column.get(row) for column in columns)) for row in rows)
    return Reading(int(counts[1]), int(counts[2]), remarks)


def _section(title: str, entries: list[str]) -> str:
    numbered = (_entry(number, text) for number, text in enumerate(entries, start=1))
    return "\n".join([title, *numbered])


def _entry(number: int, text: str) -> str:
    """One entry: on the line of its number, or, when it has several lines, set in below it."""
    if "\n" not in text and text == text.strip():
        return f"{number}. {text}"
    return "\n".join([f"{number}.", *(f"{_CODE}{line}" for line in text.split("\n"))])


def _entries(text: str, title: str) -> dict[int, str]:
    lines = iter(text.split("\n"))
    for line in lines:
        if line == title:
            return dict(_numbered(lines))
    return {}


def _numbered(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    number, parts = 0, list[str]()
    for line in lines:
        if match := _NUMBER.fullmatch(line):
            if number:
                yield number, "\n".join(parts)
            number, parts = int(match[1]), [match[2]] if match[2] else []
        elif line.startswith(_CODE) and number:
            parts.append(line.removeprefix(_CODE))
        else:
            break
    if number:
        yield number, "\n".join(parts)
