"""Result rows: a fold over a run's log, written in the order of the plan, not of the threads."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recodeh.data.keys import canonical_json
from recodeh.data.records import Outcome, Result, Task, TurnResult, Verdict
from recodeh.eval.dataset import Dataset
from recodeh.eval.episode import Episode
from recodeh.eval.events import Row

UNFINISHED = "not finished: run the same command again to go on"


def result_rows(
    rows: Iterable[Row], episodes: Sequence[Episode], dataset: Dataset
) -> Iterator[Result]:
    """One row per planned episode, in the order of `episodes`.

    An episode that was not finished has a row too, as `infra`: none leaves the denominator.
    """
    tallies: dict[str, Tally] = {}
    for row in rows:
        tallies.setdefault(row["episode"], Tally()).add(row)
    for episode in episodes:
        yield _result(episode, tallies.get(episode.key, Tally()), dataset)


def write_results(path: Path, results: Iterable[Result]) -> None:
    """Write `results.jsonl` whole or not at all."""
    draft = path.with_suffix(".jsonl.new")
    draft.write_bytes(results_bytes(results))
    draft.replace(path)


def results_bytes(results: Iterable[Result]) -> bytes:
    """The one text of the rows: canonical JSON, one row a line."""
    return b"".join(canonical_json(result.row()) + b"\n" for result in results)


def read_results(path: Path) -> Iterator[Result]:
    """The rows of a `results.jsonl`."""
    with path.open("rb") as file:
        for line in file:
            yield Result.model_validate_json(line)


@dataclass
class Tally:
    """What counts of one episode; rows are looked at, not parsed, for there are many."""

    turns: list[TurnResult] = field(default_factory=list)
    tokens: list[tuple[int | None, int | None]] = field(default_factory=list)
    """Per call of the turns that are over; a call that was shared counts for every episode."""
    end: tuple[str, str] | None = None
    _calls: list[tuple[int | None, int | None]] = field(default_factory=list)
    _submission: str = ""
    _tests: tuple[str, int, int] = ("", 0, 0)

    def add(self, row: Row) -> None:
        """Take one more row of the episode into account."""
        kind, self.end = row["event"], None
        if kind == "turn_started":
            self._calls = []
        elif kind == "model_called":
            self._calls.append((row["reply"]["input_tokens"], row["reply"]["output_tokens"]))
        elif kind == "submitted":
            self._submission = row["submission_key"]
        elif kind == "tested":
            self._tests = _counts(row)
        elif kind == "turn_ended":
            self._close_turn()
        elif kind == "episode_ended":
            self.end = (row["verdict"], row["reason"])

    def _close_turn(self) -> None:
        verdict, passed, total = self._tests
        self.tokens.extend(self._calls)
        self.turns.append(
            TurnResult(
                turn=len(self.turns),
                verdict=Verdict(verdict),
                passed=passed,
                total=total,
                submission_key=self._submission,
            )
        )


def _counts(row: Row) -> tuple[str, int, int]:
    tests = row["report"]["tests"]
    passed = sum(test["outcome"] == Outcome.PASSED.value for test in tests)
    return row["report"]["verdict"], passed, len(tests)


def _result(episode: Episode, tally: Tally, dataset: Dataset) -> Result:
    task: Task = episode.task
    verdict, reason = tally.end or (Verdict.INFRA.value, UNFINISHED)
    return Result(
        episode_key=episode.key,
        dataset=dataset.name,
        dataset_digest=dataset.digest,
        task_id=task.task_id,
        task_key=task.task_key,
        paper=task.source.name,
        domain=task.domain,
        loc=task.snippet.loc,
        model=episode.model,
        agent=episode.agent.name,
        researcher=episode.researcher,
        level=episode.level,
        seed=episode.seed,
        turns=tuple(tally.turns),
        verdict=Verdict(verdict),
        reason=reason,
        solved_at=len(tally.turns) if verdict == Verdict.PASSED.value else None,
        input_tokens=_sum([pair[0] for pair in tally.tokens]),
        output_tokens=_sum([pair[1] for pair in tally.tokens]),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    """The sum, unknown as soon as one count is: half a sum would look like a whole one."""
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
