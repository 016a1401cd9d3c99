"""A wrong answer and the feedback on it → the next answer; the reference is nowhere in here.

All single edits of the first answer are put into one seeded order. Each level looks for repairs
along that order, and what it tells only ever leaves edits out:

- L0 has one list, of all edits, and keeps one when more tests pass;
- L1 has a list per family of faults that is named, and keeps an edit when fewer of them are left;
- L2 has a list per place and kind;
- L3 tries first what the instruction asks for;
- L4 shows the statement itself, which is put in its place.

Lists are walked side by side, one edit a turn, and only one edit in any statement at a time, so
an edit is never reached later at a level than at the level below.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from recodeh.eval.models.corrections import Correction, corrected
from recodeh.eval.models.edits import Edit, apply, edits
from recodeh.eval.models.instructions import obeyed
from recodeh.eval.researcher.phrases import (
    FORMS,
    Family,
    Kind,
    Place,
    Relation,
    read_analysis,
    read_family,
    read_guidance,
)
from recodeh.eval.researcher.reveal import Reading, Remark, read
from recodeh.eval.researcher.syntax import Unparsable

Fault = tuple[int, Kind] | Family | None
"""What a list of edits is for: a kind at a line, a family, or anything."""


def repair(code: str, feedback: Sequence[str], seed: str) -> str:
    """The answer after `feedback`, one text per turn since the first answer `code`."""
    search = Search(code, seed)
    for text in feedback:
        if (reading := read(text)) is not None:
            search = search.after(reading)
    return search.answer


@dataclass(frozen=True)
class Search:
    """How far the search for repairs is: kept edits, and the one on trial for each fault."""

    code: str
    seed: str
    kept: tuple[Edit, ...] = ()
    tried: dict[Fault, int] = field(default_factory=dict)
    trials: dict[Fault, Edit] = field(default_factory=dict)
    faults: Counter[Fault] = field(default_factory=Counter)
    """How often each fault is named now."""
    best: dict[Fault, int] = field(default_factory=dict)
    """How often each fault was named with nothing but what is kept."""
    hints: dict[Fault, str] = field(default_factory=dict)
    """The first instruction on each fault: it speaks of the code as it was."""

    @property
    def answer(self) -> str:
        """The code with what is kept and what is on trial."""
        return apply(self.code, (*self.kept, *self.trials.values()))

    def after(self, reading: Reading) -> "Search":
        """The search after one more turn's feedback."""
        if shown := list(_corrections(reading)):
            return self._corrected(shown)
        faults = _faults(reading)
        proven = self._proven(faults)
        fewer = {fault: faults[fault] for fault in proven}
        return replace(
            self,
            kept=(*self.kept, *proven.values()),
            faults=faults,
            best={**faults, **self.best, **fewer},
            hints={**_hints(reading), **self.hints},
        )._next()

    def _corrected(self, shown: list[Correction]) -> "Search":
        try:
            return Search(corrected(self.answer, shown), self.seed)
        except Unparsable:
            return self

    def _proven(self, faults: Counter[Fault]) -> dict[Fault, Edit]:
        """The edits on trial whose fault is now named less often than without them."""
        return {
            fault: edit
            for fault, edit in self.trials.items()
            if faults[fault] < self.best.get(fault, 0)
        }

    def _next(self) -> "Search":
        """Put the next edit for each fault on trial; in one statement the earlier in order."""
        try:
            order = _ordered(edits(self.code), self.seed)
        except Unparsable:
            return replace(self, trials={})
        upcoming = {}
        for fault in self.faults:
            queue = self._queue(fault, order)
            at = self.tried.get(fault, 0)
            if self.faults[fault] and at < len(queue):
                upcoming[fault] = queue[at]
        rank = {id(edit): at for at, edit in enumerate(order)}
        trials: dict[Fault, Edit] = {}
        for fault in sorted(upcoming, key=lambda name: rank.get(id(upcoming[name]), -1)):
            if upcoming[fault].line not in {edit.line for edit in trials.values()}:
                trials[fault] = upcoming[fault]
        tried = {**self.tried, **{fault: self.tried.get(fault, 0) + 1 for fault in trials}}
        return replace(self, trials=trials, tried=tried)

    def _queue(self, fault: Fault, order: list[Edit]) -> list[Edit]:
        """The edits that may mend a fault, in the one order."""
        fitting = [edit for edit in order if _fits(edit, fault)]
        if not isinstance(fault, tuple) or fault not in self.hints:
            return fitting
        change = read_guidance(fault[1], self.hints[fault])
        if change is None:
            return fitting
        first = [edit for edit in fitting if edit.change == change]
        first = first or _ordered(obeyed(self.code, fault[0], change), self.seed)
        return [*first, *(edit for edit in fitting if edit not in first)]


def _ordered(found: Sequence[Edit], seed: str) -> list[Edit]:
    """The edits in the order of this seed."""
    return sorted(found, key=lambda edit: _draw(seed, edit.text))


def _draw(seed: str, text: str) -> str:
    return hashlib.sha256(f"{seed}\n{text}".encode()).hexdigest()


def _fits(edit: Edit, fault: Fault) -> bool:
    match fault:
        case None:
            return True
        case Family():
            return FORMS[edit.change.kind].family is fault
        case (line, kind):
            return edit.line == line and edit.change.kind is kind


def _faults(reading: Reading) -> Counter[Fault]:
    """How often each fault is named; where nothing is named, how many tests fail."""
    named = Counter(map(_fault, reading.remarks))
    if not reading.remarks or None in named:
        named[None] = reading.total - reading.passed
    return named


def _fault(remark: Remark) -> Fault:
    place = read_analysis(remark.analysis or "")
    if place is not None and place[0].relation is Relation.AT:
        return place[0].line, place[1]
    return read_family(remark.description or "")


def _hints(reading: Reading) -> dict[Fault, str]:
    return {_fault(remark): remark.guidance for remark in reading.remarks if remark.guidance}


def _corrections(reading: Reading) -> Iterator[Correction]:
    for remark in reading.remarks:
        place = read_analysis(remark.analysis or "")
        if remark.correction is not None and place is not None:
            yield Correction(place[0], remark.correction)
        elif remark.correction is not None:
            yield Correction(Place(Relation.WHOLE), remark.correction)
