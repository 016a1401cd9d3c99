"""Play a recorded run again without a model, a network or a room, and get the same rows.

The log is read once from top to bottom. Each of its rows is what the loop of `episode.play` must
yield next, given the recorded replies and reports; prompts, request keys, extraction and feedback
are computed anew. So a replay proves that the log is whole, and that the results follow from it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recodeh.data.errors import InputError, ReplayError
from recodeh.data.log import read
from recodeh.data.records import Feedback, Report, Task, Verdict
from recodeh.eval.agents.agent import Agent, Errand, Scratch
from recodeh.eval.dataset import Dataset
from recodeh.eval.episode import START, Episode, play
from recodeh.eval.events import Event, Row, State, TurnEnded, TurnStarted, fold, parse, row
from recodeh.eval.frozen import Frozen
from recodeh.eval.grade import visible
from recodeh.eval.identity import action_key
from recodeh.eval.models.model import Reply, Request, reply_of
from recodeh.eval.plan import plan
from recodeh.eval.researcher.researcher import Researcher
from recodeh.eval.results import result_rows, results_bytes
from recodeh.eval.settings import read_run, resolved, settings_of


@dataclass(frozen=True)
class Replayed:
    """What a replay went through."""

    episodes: int
    turns: int
    calls: int


def replay(
    folder: Path, dataset: Dataset, agent: Agent, researcher: Researcher | Frozen
) -> Replayed:
    """Replay the run in `folder` and compare its rows with `results.jsonl`, byte by byte.

    Feedback is computed anew by `researcher`, or taken as recorded where that says that it is not
    `repeatable`: nobody can compute again what a person or a model said.

    Raises InputError when the run is of another dataset, and ReplayError, naming episode and turn,
    at the first thing that is not as recorded.
    """
    recorded = read_run(folder)
    if "rescored" in recorded:
        raise InputError(
            "a run that was graded anew does not replay",
            where=folder,
            mend="replay the one it is of",
        )
    settings = settings_of(folder)
    here = resolved(settings, dataset, agent, researcher.name, settings.wall)
    _check_origin(recorded, here, folder)
    episodes = plan(dataset, settings, agent, researcher.name)
    seen: Counter[str] = Counter()
    rows = _rows(read(folder / "events.jsonl"), episodes, World(dataset, researcher), seen)
    data = results_bytes(result_rows(rows, episodes, dataset))
    if data != _results(folder):
        raise ReplayError("the replay gives other rows", where=folder / "results.jsonl", mend=_MEND)
    return Replayed(len(episodes), seen["turn_ended"], seen["model_called"])


@dataclass(frozen=True)
class World:
    """What is computed anew in a replay."""

    dataset: Dataset
    researcher: Researcher | Frozen


def _check_origin(recorded: Mapping[str, Any], here: Mapping[str, Any], folder: Path) -> None:
    for name in ("dataset", "prompts", "agent", "researcher"):
        if recorded.get(name) != here[name]:
            raise InputError(
                f"the run was made with another {name}: {recorded.get(name)}, not {here[name]}",
                where=folder,
                mend="give the dataset, agent and version of recodeh that it was made with",
            )


def _results(folder: Path) -> bytes:
    try:
        return (folder / "results.jsonl").read_bytes()
    except OSError as error:
        raise InputError(
            "the run has no results yet", where=folder, mend="finish it with `recodeh run`"
        ) from error


def _rows(
    rows: Iterable[Row], episodes: Sequence[Episode], world: World, seen: Counter[str]
) -> Iterator[Row]:
    """The rows as they come out of the loop this time."""
    by_key = {one.key: one for one in episodes}
    players: dict[str, _Player] = {}
    for recorded in rows:
        key = recorded["episode"]
        if key not in by_key:
            raise ReplayError("an episode that the settings do not make", where=key, mend=_MEND)
        player = players.setdefault(key, _Player(by_key[key], world))
        seen[recorded["event"]] += 1
        yield player.step(recorded)
        if player.state.over:
            del players[key]


class _Player:
    """One episode on its way through the log, and its `Outside`: the row that comes next."""

    def __init__(self, episode: Episode, world: World) -> None:
        self.state: State = START
        self._episode = episode
        self._world = world
        self._events = play(episode, self)
        self._in_turn = False
        self._row: Row = {}

    def step(self, recorded: Row) -> Row:
        """The row that the loop gives in the place of `recorded`: it must be equal to it."""
        self._row, kind = recorded, recorded["event"]
        if kind == "episode_ended" and recorded["verdict"] == Verdict.INFRA.value:
            # Why a model or a room failed cannot come out of a log: it is taken as it is.
            event = parse(recorded)
        else:
            if kind == "turn_started" and self._in_turn:
                self._events = play(self._episode, self, self.state)
            event = self._next()
        self._compare(event)
        self.state = fold(self.state, event)
        self._in_turn = isinstance(event, TurnStarted) or (
            self._in_turn and not isinstance(event, TurnEnded)
        )
        return recorded

    def files(self, task: Task) -> Mapping[str, bytes]:
        """The task's repository with the target file masked."""
        dataset = self._world.dataset
        return visible(task, dataset.files(task), dataset.tasks.values())

    def reply(self, request: Request) -> tuple[Reply, bool]:
        """The recorded reply, if this is the call that it answered."""
        self._expect("model_called")
        if self._row["request_key"] != request.key:
            raise self._miss("the model is asked something else now")
        return reply_of(self._row["reply"]), self._row["reused"]

    def scratch(self, task: Task, wanted: Scratch) -> tuple[str, bool]:
        """What the recorded script printed, if it is this one."""
        return self._acted(task, wanted)

    def errand(self, task: Task, wanted: Errand) -> tuple[str, bool]:
        """What the recorded program left, if it is this one on these files."""
        return self._acted(task, wanted)

    def _acted(self, task: Task, wanted: Scratch | Errand) -> tuple[str, bool]:
        self._expect("action")
        if self._row["action_key"] != action_key(task, wanted):
            raise self._miss("something else is to be run now")
        return self._row["result"], self._row["reused"]

    def report(self, task: Task, code: str) -> tuple[Report, bool]:
        """The recorded report."""
        self._expect("tested")
        return Report.model_validate(self._row["report"]), self._row["reused"]

    def feedback(self, episode: Episode, turn: int, code: str | None, report: Report) -> Feedback:
        """The feedback computed anew where it can be."""
        self._expect("feedback_given")
        researcher = self._world.researcher
        if isinstance(researcher, Frozen):
            return researcher.at(episode, turn, report)
        if not getattr(researcher, "repeatable", True):
            return Feedback.model_validate(self._row["feedback"])
        reference = self._world.dataset.reference(episode.task).code
        return researcher.feedback(episode.task, reference, code, report)

    def _next(self) -> Event:
        try:
            return next(self._events)
        except StopIteration:
            raise self._miss("the episode is over by now") from None

    def _compare(self, event: Event) -> None:
        again = row(event, episode=self._episode.key, turn=len(self.state.turns))
        differing = [name for name in again if again[name] != self._row.get(name)]
        if differing:
            raise self._miss(f"{event.kind} has another {differing[0]} now")

    def _expect(self, kind: str) -> None:
        if self._row["event"] != kind:
            raise self._miss(f"the log has {self._row['event']} where {kind} comes now")

    def _miss(self, what: str) -> ReplayError:
        one, turn = self._episode, self._row.get("turn")
        where = f"{one.task.task_id}, {one.model}, level {one.level}, seed {one.seed}, turn {turn}"
        return ReplayError(what, where=where, mend=_MEND)


_MEND = "was the log edited, or the run made with another version of recodeh?"
