"""From recipes to verified tasks, stage by stage; every drop is a row with its reason.

recipes → sources → candidates → environments → drafts → verified tasks
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from recodeh.builders.drafts import Draft, canary_of, drafts
from recodeh.builders.gates import verify
from recodeh.builders.material import Material, material
from recodeh.builders.proofs import Proofs
from recodeh.curation.inventory import inventory
from recodeh.curation.ranking import Candidate, rank
from recodeh.data.cache import cache_root
from recodeh.data.errors import RecodehError
from recodeh.data.recipe import Recipe
from recodeh.data.records import Drop, PaperRow, Reference, SourceFile, Task
from recodeh.eval.environment import interpreter
from recodeh.eval.walls.wall import Wall

MINE = "mine"
A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True)
class Stage:
    """The summary of one stage: how many went in, came out, and why the rest did not."""

    name: str
    went_in: int
    came_out: int
    what: str
    """What came out, e.g. `verified tasks`."""
    seconds: float
    drops: tuple[Drop, ...] = ()


@dataclass(frozen=True)
class Built:
    """All rows of a dataset that is ready to be written, and the way to them."""

    name: str
    release: str
    tasks: tuple[Task, ...]
    references: tuple[Reference, ...]
    files: tuple[SourceFile, ...]
    papers: tuple[PaperRow, ...]
    candidates: tuple[Candidate, ...] = ()
    stages: tuple[Stage, ...] = ()

    @property
    def drops(self) -> tuple[Drop, ...]:
        """Everything that did not come through, stage by stage."""
        return tuple(drop for stage in self.stages for drop in stage.drops)

    @property
    def faults(self) -> tuple[Drop, ...]:
        """What a recipe asked for and did not get; a rejected candidate is no fault."""
        asked = (stage for stage in self.stages if stage.name != MINE)
        return tuple(drop for stage in asked for drop in stage.drops)


@dataclass(frozen=True)
class Builder:
    """Where and how to build."""

    wall: Wall
    cache: Path = field(default_factory=cache_root)
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    keep_proofs: bool = True
    report: Callable[[Stage], None] = lambda _: None

    def build(self, recipes: Sequence[Recipe], *, name: str, release: str) -> Built:
        """Build the tasks of `recipes`; a recipe that fails is dropped, the rest go on."""
        return _Build(self).run(recipes, name, release)


@dataclass
class _Build:
    """One build on its way through the stages."""

    how: Builder
    stages: list[Stage] = field(default_factory=list)

    def run(self, recipes: Sequence[Recipe], name: str, release: str) -> Built:
        with ThreadPoolExecutor(self.how.workers) as pool:
            materials = self._sources(recipes, pool)
            candidates = self._candidates(materials, pool)
            ready = self._environments(materials, pool)
            drafted = self._drafts(ready, canary_of(name, release), pool)
            proven = self._verified(drafted, pool)
        sources = {draft.task.source_key: source for draft, source, _ in drafted}
        kept = sorted({task.source_key for task, _ in proven})
        return Built(
            name=name,
            release=release,
            tasks=tuple(task for task, _ in proven),
            references=tuple(reference for _, reference in proven),
            files=tuple(row for key in kept for row in sources[key].file_rows()),
            papers=tuple(sources[key].paper_row() for key in kept),
            candidates=tuple(candidates),
            stages=tuple(self.stages),
        )

    def _sources(self, recipes: Sequence[Recipe], pool: Executor) -> list[Material]:
        start = time.monotonic()
        names = [(recipe.name, recipe) for recipe in recipes]
        found, drops = _sort(
            _tried("fetch", names, lambda r: material(r, cache=self.how.cache), pool)
        )
        self._end("fetch", len(recipes), found, "pinned sources", start, drops)
        return found

    def _candidates(self, materials: list[Material], pool: Executor) -> list[Candidate]:
        start = time.monotonic()
        mined = list(pool.map(_mine, materials))
        candidates = [candidate for found, _ in mined for candidate in found]
        rejected = tuple(drop for _, drops in mined for drop in drops)
        functions = len(candidates) + len(rejected)
        self._end(MINE, functions, candidates, "candidates", start, rejected)
        return candidates

    def _environments(
        self, materials: list[Material], pool: Executor
    ) -> list[tuple[Material, Path]]:
        start = time.monotonic()
        names = [(source.recipe.name, source) for source in materials]
        tried = _tried("environment", names, self._interpreter, pool)
        ready, drops = _sort(tried)
        what = f"recipes ready in {len({python for _, python in ready})} environment(s)"
        self._end("environment", len(materials), ready, what, start, drops)
        return ready

    def _interpreter(self, source: Material) -> tuple[Material, Path]:
        return source, interpreter(source.environment, cache=self.how.cache)

    def _drafts(
        self, ready: list[tuple[Material, Path]], canary: str, pool: Executor
    ) -> list[tuple[Draft, Material, Path]]:
        start = time.monotonic()
        wanted = sum(len(source.recipe.snippets) for source, _ in ready)
        made = list(pool.map(lambda pair: list(drafts(pair[0], pair[1], canary)), ready))
        found = [
            (item, *pair)
            for pair, items in zip(ready, made, strict=True)
            for item in items
            if isinstance(item, Draft)
        ]
        drops = [item for items in made for item in items if isinstance(item, Drop)]
        self._end("mask and instruct", wanted, found, "drafts with tests", start, drops)
        return found

    def _verified(
        self, drafted: list[tuple[Draft, Material, Path]], pool: Executor
    ) -> list[tuple[Task, Reference]]:
        start = time.monotonic()
        names = [(item[0].task.task_id, item) for item in drafted]
        proven, drops = _sort(_tried("verify", names, self._prove, pool))
        self._end("verify", len(drafted), proven, "verified tasks", start, drops)
        return proven

    def _prove(self, item: tuple[Draft, Material, Path]) -> tuple[Task, Reference] | Drop:
        draft, source, python = item
        task, code = draft.task, draft.reference.code
        proof = Proofs(self.how.cache / "proofs" if self.how.keep_proofs else None).get_or(
            task,
            python,
            self.how.wall.name,
            lambda: verify(task, code, source.files, python=python, wall=self.how.wall),
        )
        if not proof.passed:
            return Drop(stage="verify", item=task.task_id, reason=proof.fault)
        verified = task.model_copy(update={"verification": proof.verification})
        return verified, draft.reference

    def _end(
        self,
        name: str,
        went_in: int,
        came_out: Sequence[object],
        what: str,
        start: float,
        drops: Iterable[Drop],
    ) -> None:
        seconds = time.monotonic() - start
        stage = Stage(name, went_in, len(came_out), what, seconds, tuple(drops))
        self.stages.append(stage)
        self.how.report(stage)


def _mine(source: Material) -> tuple[list[Candidate], list[Drop]]:
    text = "\n\n".join(
        (source.snapshot.root / name).read_text("utf-8", "replace") for name in source.recipe.text
    )
    return rank(inventory(source.snapshot.root), text)


def _tried(
    stage: str,
    items: Iterable[tuple[str, A]],
    work: Callable[[A], B | Drop],
    pool: Executor,
) -> Iterator[B | Drop]:
    """Do the work on each item in the pool; an error becomes a row with its reason."""

    def attempt(item: tuple[str, A]) -> B | Drop:
        try:
            return work(item[1])
        except RecodehError as error:
            return Drop(stage=stage, item=item[0], reason=str(error))

    return pool.map(attempt, items)


def _sort(results: Iterable[B | Drop]) -> tuple[list[B], list[Drop]]:
    """The results and the drops, each in their order."""
    found: list[B] = []
    drops: list[Drop] = []
    for result in results:
        if isinstance(result, Drop):
            drops.append(result)
        else:
            found.append(result)
    return found, drops
