"""Whether a remark was taken up: an answer, the feedback on it, and the next answer → rows.

A remark is adopted when the next answer has the statement that the remark called right, partly
when it comes nearer to it; it is resolved when the tests that it was about pass. RECODE-H
(arXiv 2510.06186) lets a model judge both; here the syntax tree and the tests decide, for every
level alike, whether or not the level showed the code.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal

from recodeh.data.log import read
from recodeh.data.records import Feedback, FeedbackItem, Outcome, Report
from recodeh.eval.researcher.alignment import align, alikeness
from recodeh.eval.researcher.canonical import kept, key
from recodeh.eval.researcher.difference import differences, header
from recodeh.eval.researcher.phrases import Relation, read_analysis
from recodeh.eval.researcher.syntax import Unparsable, parse, statements

Degree = Literal["yes", "partly", "no"]


@dataclass(frozen=True)
class Attempt:
    """An answer and what its tests showed."""

    code: str | None
    report: Report


@dataclass(frozen=True)
class Adoption:
    """What became of one remark."""

    category: str
    adopted: Degree
    resolved: Degree


@dataclass(frozen=True)
class AdoptionRow:
    """Remarks of one level and category, counted."""

    level: int
    category: str
    remarks: int
    adopted: int
    partly: int
    resolved: int
    adopted_and_resolved: int


def adoptions(feedback: Feedback, before: Attempt, after: Attempt) -> Iterator[Adoption]:
    """What became of each remark on `before` in `after`."""
    for item in feedback.items:
        yield Adoption(item.category, _adopted(item, before, after), _resolved(item, before, after))


def adoption_rows(told: Iterable[tuple[int, Adoption]]) -> list[AdoptionRow]:
    """Level and category by level and category, in order."""
    ordered = sorted(told, key=lambda pair: (pair[0], pair[1].category))
    groups = groupby(ordered, key=lambda pair: (pair[0], pair[1].category))
    return [_counted(*place, [adoption for _, adoption in group]) for place, group in groups]


def adoptions_of_run(folder: Path) -> Iterator[tuple[int, Adoption]]:
    """The level and fate of every remark in a run's log; the last turn's have none."""
    codes: dict[tuple[str, int], str | None] = {}
    attempts: dict[tuple[str, int], Attempt] = {}
    given: dict[tuple[str, int], tuple[int, Feedback]] = {}
    for row in read(folder / "events.jsonl"):
        place = (row["episode"], row["turn"])
        if row["event"] == "submitted":
            codes[place] = row["code"]
        elif row["event"] == "tested":
            attempts[place] = Attempt(codes[place], Report.model_validate(row["report"]))
        elif row["event"] == "feedback_given":
            given[place] = row["level"], Feedback.model_validate(row["feedback"])
    for (episode, turn), (level, feedback) in given.items():
        before, after = attempts.get((episode, turn)), attempts.get((episode, turn + 1))
        if before is not None and after is not None:
            yield from ((level, fate) for fate in adoptions(feedback, before, after))


def _adopted(item: FeedbackItem, before: Attempt, after: Attempt) -> Degree:
    try:
        was, now = _body(before.code), _body(after.code)
        wanted = _body(item.correction)
    except Unparsable:
        return "yes" if _equal(after.code, item.correction) else "no"
    place = read_analysis(item.analysis)
    if place is None or place[0].relation is Relation.WHOLE or len(wanted) > 1:
        return _nearer(was, now, wanted)
    if not wanted:
        return _left_out(place[0].line, before.code or "", now)
    return _has_statement(was, now, wanted[0])


def _equal(code: str | None, wanted: str) -> bool:
    try:
        return code is not None and differences(code, wanted) == ()
    except Unparsable:
        return False


def _has_statement(was: list[ast.stmt], now: list[ast.stmt], wanted: ast.stmt) -> Degree:
    """The statement is there once more than before, or something liker to it is."""
    right = _line(wanted)
    if _lines(now)[right] > _lines(was)[right]:
        return "yes"
    return "partly" if _nearest(now, wanted) > _nearest(was, wanted) else "no"


def _left_out(line: int, code: str, now: list[ast.stmt]) -> Degree:
    """The statement at `line` is there once less than before."""
    was = list(statements(_body(code)))
    gone = next((_line(node) for node in was if node.lineno == line), None)
    return "yes" if gone and _lines(now)[gone] < Counter(map(_line, was))[gone] else "no"


def _nearer(was: list[ast.stmt], now: list[ast.stmt], wanted: list[ast.stmt]) -> Degree:
    likeness = [alikeness(align(kept(body), kept(wanted))) for body in (was, now)]
    if key(kept(now)) == key(kept(wanted)):
        return "yes"
    return "partly" if likeness[1] > likeness[0] else "no"


def _nearest(body: list[ast.stmt], wanted: ast.stmt) -> float:
    return max((alikeness(align([node], [wanted])) for node in statements(body)), default=0.0)


def _lines(body: list[ast.stmt]) -> Counter[str]:
    return Counter(_line(node) for node in statements(body))


def _line(node: ast.stmt) -> str:
    """A statement without what is inside it, in canonical form."""
    return key(_body(header(node))) if hasattr(node, "body") else key(node)


def _body(code: str | None) -> list[ast.stmt]:
    """The statements of an answer or of a correction, which may be a first line alone."""
    try:
        return parse(code or "").body
    except Unparsable:
        return parse(f"{code}\n    pass").body


def _resolved(item: FeedbackItem, before: Attempt, after: Attempt) -> Degree:
    """How many of the tests that failed and called the interface pass now."""
    failed = {test.test_id: test for test in before.report.tests if not _passed(test.outcome)}
    about = {name for name, test in failed.items() if item.interface in test.interfaces}
    about = about or set(failed)
    passing = {test.test_id for test in after.report.tests if _passed(test.outcome)} & about
    if not passing:
        return "no"
    return "yes" if passing == about else "partly"


def _passed(outcome: Outcome) -> bool:
    return outcome is Outcome.PASSED


def _counted(level: int, category: str, fates: list[Adoption]) -> AdoptionRow:
    return AdoptionRow(
        level=level,
        category=category,
        remarks=len(fates),
        adopted=sum(fate.adopted == "yes" for fate in fates),
        partly=sum(fate.adopted == "partly" for fate in fates),
        resolved=sum(fate.resolved == "yes" for fate in fates),
        adopted_and_resolved=sum(fate.adopted == fate.resolved == "yes" for fate in fates),
    )
