"""A wrong answer and the feedback on it → the next answer; the reference is nowhere in here.

All single edits of the first answer are put into one seeded order. Each level looks for repairs
along that order, and what it tells only ever leaves edits out:

- L0 has one list, of all edits, and keeps one when more tests pass;
- L1 leaves out all families of faults that are not named, and keeps an edit when fewer are left;
- L2 has a list for each place and kind, and walks the lists side by side;
- L3 tries first what the instruction asks for;
- L4 shows the statement itself, which is put in its place.

So the edit that mends a fault is never reached later at a level than at the level below.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

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
    return _search(code, tuple(feedback), seed).answer


@lru_cache(maxsize=256)
def _search(code: str, feedback: tuple[str, ...], seed: str) -> "Search":
    """The fold over the feedback; the turns before the last one are likely to be known."""
    if not feedback:
        return Search(code, seed)
    before, reading = _search(code, feedback[:-1], seed), read(feedback[-1])
    return before if reading is None else before.after(reading)


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
        """The code with what is kept and what is on trial; as it is when it is not Python."""
        try:
            return apply(self.code, (*self.kept, *self.trials.values()))
        except Unparsable:
            return self.code

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
            whole = [one.code for one in shown if one.place.relation is Relation.WHOLE]
            return Search(whole[0], self.seed) if whole else self

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
            order = _order(self.code, self.seed)
        except Unparsable:
            return replace(self, trials={})
        rank = {id(edit): at for at, edit in enumerate(order)}
        trials: dict[Fault, Edit] = {}
        for fault, edit in sorted(
            self._upcoming(order), key=lambda pair: rank.get(id(pair[1]), -1)
        ):
            if _goes_with(fault, edit, trials):
                trials[fault] = edit
        tried = {**self.tried, **{fault: self.tried.get(fault, 0) + 1 for fault in trials}}
        return replace(self, trials=trials, tried=tried)

    def _upcoming(self, order: Sequence[Edit]) -> Iterator[tuple[Fault, Edit]]:
        """The next edit of each list whose fault is still named."""
        for fault in +self.faults:
            queue = self._queue(fault, order)
            if (at := self.tried.get(fault, 0)) < len(queue):
                yield fault, queue[at]

    def _queue(self, fault: Fault, order: Sequence[Edit]) -> list[Edit]:
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


def _goes_with(fault: Fault, edit: Edit, trials: Mapping[Fault, Edit]) -> bool:
    """Whether an edit may be tried beside others: a wrong one would hide what a right one does.

    Where the place is not known, there is one trial at a time; where it is, one a statement.
    """
    if not isinstance(fault, tuple):
        return all(isinstance(other, tuple) for other in trials)
    return edit.line not in {other.line for other in trials.values()}


@lru_cache(maxsize=64)
def _order(code: str, seed: str) -> tuple[Edit, ...]:
    """All single edits of a code in the order of a seed: kinds by turns, as mistakes are made."""
    groups: dict[Kind, list[Edit]] = {}
    for edit in _ordered(edits(code), seed):
        groups.setdefault(edit.change.kind, []).append(edit)
    rounds = ((at, edit) for group in groups.values() for at, edit in enumerate(group))
    return tuple(edit for _, edit in sorted(rounds, key=lambda pair: pair[0]))


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
        elif remark.correction is not None and len(reading.remarks) == 1:
            # Code without a place, as for an answer that does not parse, is the whole answer.
            yield Correction(Place(Relation.WHOLE), remark.correction)
