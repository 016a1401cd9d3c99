"""Result rows: a fold over a run's log, written in the order of the plan, not of the threads."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from recodeh.data.errors import LogError
from recodeh.data.keys import canonical_json
from recodeh.data.records import Outcome, Result, Task, TurnResult, Verdict
from recodeh.eval.dataset import Dataset
from recodeh.eval.episode import Episode
from recodeh.eval.events import Row
from recodeh.eval.nesting import leaves
from recodeh.eval.put import put

USAGE = ("input_tokens", "output_tokens", "usd")
"""What of a reply is summed up."""
PASSED = Outcome.PASSED.value
UNFINISHED = "not finished: run the same command again to go on"


def result_rows(
    rows: Iterable[Row], episodes: Sequence[Episode], dataset: Dataset
) -> Iterator[Result]:
    """One row per planned episode, in the order of `episodes`.

    An episode that was not finished has a row too, as `infra`: none leaves the denominator.
    """
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    for row in rows:
        tallies[row["episode"]].add(row)
    innermost = leaves(dataset.tasks.values())
    for episode in episodes:
        leaf = episode.task.task_id in innermost
        yield _result(episode, tallies.get(episode.key, Tally()), dataset, leaf=leaf)


def write_results(path: Path, results: Iterable[Result]) -> None:
    """Write `results.jsonl` whole or not at all."""
    put(path, results_bytes(results))


def results_bytes(results: Iterable[Result]) -> bytes:
    """The one text of the rows: canonical JSON, one row a line."""
    return b"".join(canonical_json(result.row()) + b"\n" for result in results)


def read_results(path: Path) -> Iterator[Result]:
    """The rows of a `results.jsonl`."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield Result.model_validate_json(line)
            except ValidationError as error:
                raise LogError(
                    f"line {number} is not a result",
                    where=path,
                    mend="delete the file and give the run's command again: the log has it all",
                ) from error


@dataclass
class Tally:
    """What counts of one episode; rows are looked at, not parsed, for there are many."""

    turns: list[TurnResult] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)
    """Sums over the calls of the turns that are over, unknown as soon as one is: half a sum would
    look like a whole one. A call that was shared counts for every episode."""
    end: tuple[str, str] | None = None
    _calls: list[Row] = field(default_factory=list)
    _submission: str = ""
    _tests: tuple[str, int, int] = ("", 0, 0)

    def add(self, row: Row) -> None:
        """Take one more row of the episode into account."""
        kind, self.end = row["event"], None
        if kind == "turn_started":
            self._calls = []
        elif kind == "model_called":
            self._calls.append(row["reply"])
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
        for reply in self._calls:
            self.usage = {name: _plus(self.usage.get(name, 0), reply.get(name)) for name in USAGE}
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
    passed = [test["outcome"] for test in tests].count(PASSED)
    return row["report"]["verdict"], passed, len(tests)


def _result(episode: Episode, tally: Tally, dataset: Dataset, *, leaf: bool) -> Result:
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
        depth=task.snippet.depth,
        leaf=leaf,
        language=task.snippet.language,
        model=episode.model,
        agent=episode.agent.name,
        researcher=episode.researcher,
        level=episode.level,
        seed=episode.seed,
        turns=tuple(tally.turns),
        verdict=Verdict(verdict),
        reason=reason,
        solved_at=len(tally.turns) if verdict == Verdict.PASSED.value else None,
        **tally.usage,
    )


def _plus(known: Any, more: Any) -> Any:
    if known is None or more is None:
        return None
    return known + more if isinstance(more, int) else round(known + more, 9)
