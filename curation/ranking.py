"""The functions of a source in the order in which they may be the paper's contribution.

Every candidate has its reasons; every function that is none has one too, as a row.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from recodeh.curation.bm25 import Index
from recodeh.curation.callgraph import callees, callers
from recodeh.curation.effects import Effects, effects
from recodeh.curation.embedding import Embedder, likenesses
from recodeh.curation.encoding import codec_of
from recodeh.curation.functions import Function
from recodeh.curation.inventory import Skipped
from recodeh.curation.library_names import common_names, plain
from recodeh.curation.paper import Passage, passages, read_paper
from recodeh.curation.rejection import reason_against
from recodeh.curation.surroundings import Surroundings, surroundings
from recodeh.curation.words import words
from recodeh.data.records import Drop, Excerpt

Basis = Literal["paper", "readme", "docstrings"]

_WEIGHTS: Final = {
    "link": 0.40, "testability": 0.25, "size": 0.15, "centrality": 0.10, "novelty": 0.10,
}  # fmt: skip
_SHOWN: Final = 3


@dataclass(frozen=True)
class Candidate:
    """A function that may be the paper's contribution, and why."""

    function: Function
    score: float
    """From 0 to 1: the weighted sum of `parts`."""
    parts: dict[str, float]
    """link, testability, size, centrality, novelty; each from 0 to 1."""
    reasons: tuple[str, ...]
    passages: tuple[Excerpt, ...]
    """The passages that speak of it, best first."""
    basis: Basis
    """What it was compared with, since a source may come without its paper."""
    callers: tuple[str, ...] = ()
    """Other functions of the source that call it."""
    callees: tuple[str, ...] = ()
    """Other functions of the source that it calls."""

    def row(self) -> dict[str, Any]:
        """The candidate as JSON-ready values: a row of `candidates.jsonl`."""
        function, acts = self.function, effects(self.function)
        return {
            "path": function.path, "module": function.module, "symbol": function.address,
            "kind": function.kind, "start": function.start, "end": function.end,
            "start_byte": function.start_byte, "end_byte": function.end_byte,
            "cell": function.cell, "language": function.language,
            "signature": function.signature, "docstring": function.docstring,
            "decorators": list(function.decorators), "loc": function.loc,
            "calls": list(function.calls), "callers": list(self.callers),
            "callees": list(self.callees),
            "external": list(acts.external), "arrays": list(acts.arrays),
            "random": list(acts.random), "outside": list(acts.outside),
            "changes": list(function.changes),
            "score": round(self.score, 4),
            "parts": {name: round(part, 4) for name, part in self.parts.items()},
            "reasons": list(self.reasons),
            "passages": [excerpt.row() for excerpt in self.passages],
            "compared_with": self.basis,
        }  # fmt: skip


class Ranking(NamedTuple):
    """Candidates, best first, and a row for everything that is none."""

    candidates: list[Candidate]
    rejected: list[Drop]


def rank(
    functions: Iterable[Function | Skipped],
    paper_text: str = "",
    *,
    root: Path | None = None,
    embed: Embedder | None = None,
) -> Ranking:
    """Rank the functions of one source against the paper's text.

    Without one the README below `root` takes its place, and without that the docstrings of the
    source. With `root`, the words of the bodies are compared too. `embed` compares by
    the vectors of a model in place of BM25. No candidate is a clean answer.
    """
    rows = list(functions)
    skipped = [_unread(row) for row in rows if isinstance(row, Skipped)]
    found = [row for row in rows if isinstance(row, Function)]
    against = [(row, reason_against(row)) for row in found]
    rejected = [_drop(row, reason) for row, reason in against if reason]
    kept = [row for row, reason in against if not reason]
    texts, basis = _texts(paper_text, root, kept)
    ranker = _Ranker(found, kept, texts, basis, root, embed)
    return Ranking(sorted(ranker.candidates(), key=_order), [*skipped, *rejected])


def _order(candidate: Candidate) -> tuple[float, str, int]:
    return (-candidate.score, candidate.function.path, candidate.function.start_byte)


def _unread(row: Skipped) -> Drop:
    place = row.path if row.line is None else f"{row.path}:{row.line}"
    return Drop(stage="inventory", item=place, reason=row.reason)


def _drop(function: Function, reason: str) -> Drop:
    return Drop(stage="ranking", item=f"{function.path}:{function.address}", reason=reason)


def _texts(paper: str, root: Path | None, kept: Sequence[Function]) -> tuple[list[Passage], Basis]:
    found = passages(paper)
    if found:
        return found, "paper"
    readmes = sorted(root.glob("[Rr][Ee][Aa][Dd][Mm][Ee]*")) if root else []
    found = [part for path in readmes if path.is_file() for part in passages(read_paper(path))]
    if found:
        return found, "readme"
    return [Passage(f.target, "text", f.docstring) for f in kept if f.docstring], "docstrings"


@dataclass
class _Ranker:
    """One source's functions and texts, while they are compared."""

    found: Sequence[Function]
    kept: Sequence[Function]
    texts: Sequence[Passage]
    basis: Basis
    root: Path | None
    embed: Embedder | None
    _files: dict[str, bytes] = field(default_factory=dict)

    @cached_property
    def index(self) -> Index:
        return Index([words(f"{part.section} {part.text}") for part in self.texts])

    @cached_property
    def called(self) -> dict[Function, list[Function]]:
        return callees(self.found)

    @cached_property
    def callers(self) -> dict[Function, list[Function]]:
        return callers(self.called)

    def candidates(self) -> Iterable[Candidate]:
        roots = {function.module.partition(".")[0] for function in self.found}
        links = self._links()
        tops = sorted((scores[0][0] for scores in links if scores), reverse=True)
        # The third best, so that one outlier does not press all others down.
        high = tops[min(2, len(tops) - 1)] if tops else 1.0
        for function, scores in zip(self.kept, links, strict=True):
            yield self._candidate(function, scores, high, effects(function, roots))

    def _links(self) -> list[list[tuple[float, int]]]:
        """For each function, scores and numbers of the passages that speak of it, best first."""
        if self.embed is None:
            return [self.index.scores(self._query(function)) for function in self.kept]
        asked = [f"{f.symbol} {f.docstring}\n{self._body(f)}" for f in self.kept]
        return likenesses(asked, [f"{t.section}\n{t.text}" for t in self.texts], self.embed)

    @cached_property
    def needs(self) -> dict[Function, Surroundings]:
        """What each function takes from around it, where the files are at hand."""
        by_path: dict[str, list[Function]] = {}
        for function in self.kept if self.root else ():
            if function.cell is None:
                by_path.setdefault(function.path, []).append(function)
        found: dict[Function, Surroundings] = {}
        for path, functions in by_path.items():
            found |= surroundings(self._data(path), functions)
        return found

    def _data(self, path: str) -> bytes:
        if path not in self._files:
            # Rows come file by file, so one file at a time is enough.
            self._files.clear()
            self._files[path] = (self.root or Path()).joinpath(path).read_bytes()
        return self._files[path]

    def _candidate(
        self, function: Function, scores: list[tuple[float, int]], high: float, acts: Effects
    ) -> Candidate:
        callers = tuple(_place(other) for other in self.callers.get(function, ()))
        best = scores[0][0] if scores else 0.0
        testable, obstacles = _testability(function, acts)
        parts = {
            "link": min(1.0, best / high),
            "testability": testable,
            "size": _size(function.loc),
            "centrality": 1 - 0.6 ** min(len(callers), 6),
            "novelty": self._novelty(function, acts),
        }
        shown = [self.texts[number] for _, number in scores[:_SHOWN]]
        return Candidate(
            function=function,
            score=sum(_WEIGHTS[key] * part for key, part in parts.items()),
            parts=parts,
            reasons=tuple(self._reasons(function, shown, obstacles, callers)),
            passages=tuple(Excerpt(section=text.section, text=text.text) for text in shown),
            basis=self.basis,
            callers=callers[:20],
            callees=tuple(_place(other) for other in self.called[function])[:20],
        )

    def _query(self, function: Function) -> Counter[str]:
        """The words of a function; those of its name and docstring count double."""
        named = words(f"{function.symbol} {function.docstring}")
        parts = words(f"{function.signature} {' '.join(function.calls)}") + named + named
        return parts + words(self._body(function)) if self.root else parts

    def _body(self, function: Function) -> str:
        if function.cell is not None or self.root is None:
            return ""
        data = self._data(function.path)
        return data[function.start_byte : function.end_byte].decode(codec_of(data), "replace")

    def _novelty(self, function: Function, acts: Effects) -> float:
        """How much of a function is its own: rare words, and more code than library calls.

        None of it where a common library has a function of the same name.
        """
        rare = [self.index.rarity(word) for word in words(function.symbol)]
        wrapped = len(acts.external) / max(1, function.loc)
        if plain(function.symbol.rpartition(".")[2]) in common_names():
            return 0.0
        return max(0.0, min(1.0, sum(rare) / (4 * max(1, len(rare))))) * (1 - min(0.8, wrapped))

    def _reasons(
        self,
        function: Function,
        shown: list[Passage],
        obstacles: list[str],
        callers: tuple[str, ...],
    ) -> Iterable[str]:
        if shown:
            shared = words(function.symbol + " " + function.docstring) & words(shown[0].text)
            told = ", ".join(sorted(shared, key=self.index.rarity, reverse=True)[:5])
            yield f"section {shown[0].section or '(untitled)'!r} speaks of {told or 'its words'}"
        else:
            yield "no passage shares a word with it"
        yield f"{function.loc} lines of code"
        yield from obstacles or ["computes from its arguments alone, as far as its calls tell"]
        if plain(function.symbol.rpartition(".")[2]) in common_names():
            yield "has the name of a function of a common library"
        if callers:
            yield f"called by {len(callers)} others"
        if function in self.needs:
            yield from self.needs[function].told()


def _place(function: Function) -> str:
    return f"{function.path}:{function.address}"


def _size(loc: int) -> float:
    """Best from 8 to 40 lines; falling to both sides."""
    if loc < 8:
        return loc / 8
    return 1.0 if loc <= 40 else max(0.0, 1 - (loc - 40) / 80)


def _testability(function: Function, acts: Effects) -> tuple[float, list[str]]:
    """How easily a test can tell right from wrong, and what stands against it."""
    obstacles = [
        (0.5, f"touches the outside: {_few(acts.outside)}" if acts.outside else ""),
        (0.4, f"needs a GPU: {_few(acts.device)}" if acts.device else ""),
        (0.3, f"changes global state: {_few(function.changes)}" if function.changes else ""),
        (0.3, f"reads the clock: {_few(acts.clock)}" if acts.clock else ""),
        (0.2, f"draws at random: {_few(acts.random)}" if acts.random else ""),
        (0.15, "needs an object of its class" if function.kind == "method" else ""),
        (0.15, "is a coroutine" if function.is_async else ""),
    ]
    against = [(cost, why) for cost, why in obstacles if why]
    return max(0.0, 1 - sum(cost for cost, _ in against)), [why for _, why in against]


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" and more" if len(names) > 3 else "")
