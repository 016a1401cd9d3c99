"""A run: many episodes side by side, written to one log that any number of runs may go on with."""

import fcntl
import os
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from recodeh.data.errors import InputError, RecodehError
from recodeh.data.log import EventLog, read
from recodeh.data.records import Result, Verdict
from recodeh.eval.agents.agent import Agent
from recodeh.eval.budget import UNBOUNDED, Budget, Exhausted, Purse
from recodeh.eval.dataset import Dataset
from recodeh.eval.episode import START, Episode, play
from recodeh.eval.events import EpisodeEnded, Event, State, TurnEnded, row
from recodeh.eval.frozen import Frozen
from recodeh.eval.grade import Grader
from recodeh.eval.history import History, history, learn
from recodeh.eval.live import Live
from recodeh.eval.models.model import Model
from recodeh.eval.models.prices import Prices
from recodeh.eval.plan import plan, schedule
from recodeh.eval.researcher.researcher import Researcher
from recodeh.eval.results import UNFINISHED, result_rows, write_results
from recodeh.eval.settings import Settings, claim, resolved

DURABLE = ("model_called", "action", "turn_ended", "episode_ended")
"""Events that must be on disk before anything else happens: they were paid for, or end a turn.
The others are written at once too, but a loss of power may take them away."""


class Stopped(Exception):
    """The run was told to stop; an episode that stands here is taken up by the next run."""


@dataclass(frozen=True)
class Parts:
    """What a run is made of, chosen by name or given by a caller."""

    agent: Agent
    models: Mapping[str, Model]
    researcher: Researcher | Frozen
    grader: Grader


@dataclass(frozen=True)
class Summary:
    """How a run ended."""

    folder: Path
    episodes: int
    played: int
    """Episodes that this run brought to an end, `infra` ones too."""
    solved: int
    infra: int
    unfinished: int
    stopped: str
    """Why the run stopped before its end, if it did."""
    tokens: int
    usd: float
    """What the calls cost, over all the times that the run was taken up."""


def run(
    dataset: Dataset,
    settings: Settings,
    out: Path,
    parts: Parts,
    *,
    jobs: int | None = None,
    progress: Callable[[], None] = lambda: None,
    known: Sequence[Path] = (),
    budget: Budget = UNBOUNDED,
    prices: Prices | None = None,
) -> Summary:
    """Play every episode of `settings` that `out` does not already hold, and write the results.

    Kill it at any point and call it again: finished turns are kept, answered calls are not asked
    again, episodes without a verdict are tried again. `progress` is called once per episode.
    What was answered in the runs `known` is not asked again either. Where the `budget` does not
    allow another call the run stops, and can be taken up with a larger one.

    Raises InputError when `out` belongs to a run with other settings, LogError when the log cannot
    be read or written. A model or a room that fails ends its episode as `infra`, and no more.
    """
    named = (parts.researcher.name, parts.grader.name)
    claim(out, resolved(settings, dataset, parts.agent, *named))
    episodes = plan(dataset, settings, parts.agent, parts.researcher.name)
    path = out / "events.jsonl"
    with _alone(out), EventLog(path) as log:
        past = history(read(path), {one.key: one for one in episodes}, parts.grader.name)
        for other in known:
            learn(other, dataset.tasks, past.ledgers)
        purse = Purse(budget, settings.models, prices, by_money=settings.allowance.usd is not None)
        purse.count_log(read(path), {one.key: one.model for one in episodes})
        campaign = _Campaign(dataset, parts, past, log, purse, progress)
        try:
            campaign.run(episodes, jobs or os.cpu_count() or 1)
        except KeyboardInterrupt:
            write_results(out / "results.jsonl", result_rows(read(path), episodes, dataset))
            raise
        finally:
            _each(parts.models.values(), "close")
        results = list(result_rows(read(path), episodes, dataset))
        write_results(out / "results.jsonl", results)
    return _summary(out, results, campaign)


@dataclass
class _Campaign:
    """The episodes of one call of `run`, on their way."""

    dataset: Dataset
    parts: Parts
    past: History
    log: EventLog
    purse: Purse
    progress: Callable[[], None]
    stop: threading.Event = field(default_factory=threading.Event)
    ended: int = 0
    stopped: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _open: Counter[str] = field(default_factory=Counter)

    def run(self, episodes: Sequence[Episode], jobs: int) -> None:
        """Play what is not over; the first error that is the run's own stops all of them."""
        todo = [one for one in schedule(episodes, jobs) if one.key not in self.past.over]
        self._open.update(one.task.task_id for one in todo)
        for _ in range(len(episodes) - len(todo)):
            self.progress()
        with ThreadPoolExecutor(jobs, thread_name_prefix="episode") as pool:
            futures = [pool.submit(self._play, one) for one in todo]
            try:
                for future in as_completed(futures):
                    future.result()
            except BaseException:
                # An interrupt too: what is being played stops at its next event.
                self.stop.set()
                _each(self.parts.models.values(), "stop")
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _play(self, episode: Episode) -> None:
        try:
            self._write(episode, self.past.states.pop(episode.key, START))
        except Stopped:
            return
        except Exhausted as error:
            self.stopped = str(error)
            self.stop.set()
            return
        with self._lock:
            self.ended += 1
            self._open[episode.task.task_id] -= 1
            if not self._open[episode.task.task_id]:
                self.past.ledgers.forget(episode.task.task_id)
            self.progress()

    def _write(self, episode: Episode, state: State) -> None:
        """Play the episode and write each event as it comes."""
        turn = len(state.turns)
        for event in self._events(episode, state):
            ended = isinstance(event, EpisodeEnded)
            stopping = self.stop.is_set() and not _final(event)
            if not (stopping and ended):  # a call that fails because all stops is nobody's fault
                told = row(event, episode=episode.key, turn=turn)
                self.log.append(told, sync=stopping or event.kind in DURABLE)
            turn += isinstance(event, TurnEnded)
            if stopping:
                raise Stopped

    def _events(self, episode: Episode, state: State) -> Iterator[Event]:
        """The episode's events; a fault in somebody's agent or researcher ends only this one."""
        live = Live(
            self.dataset,
            self.parts.models,
            self.parts.grader,
            self.parts.researcher,
            self.past.ledgers,
            self.purse,
            self._before_call,
        )
        try:
            yield from play(episode, live, state)
        except (RecodehError, Stopped, Exhausted):
            raise
        except Exception as error:
            # Agents, models and researchers may be anybody's code, so anything can come out.
            place = traceback.extract_tb(error.__traceback__)[-1]
            reason = (
                f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}: {error}"
            )
            yield EpisodeEnded(Verdict.INFRA, reason)

    def _before_call(self) -> None:
        if self.stop.is_set():
            raise Stopped


def _final(event: Event) -> bool:
    """Whether an event ends its episode with a verdict."""
    return isinstance(event, EpisodeEnded) and event.verdict is not Verdict.INFRA


def _each(models: Iterable[Model], method: str) -> None:
    """Call a method of the models that have it: not every model has connections."""
    for model in models:
        getattr(model, method, lambda: None)()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the run's folder; a process that is killed lets go of it.

    Raises InputError when another process plays the run.
    """
    try:
        handle = (folder / "lock").open("w")
    except OSError as error:
        raise InputError(
            f"cannot be written to: {error.strerror}", where=folder, mend="name another with -o"
        ) from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(
                "another process is playing this run", where=folder, mend="wait until it is done"
            ) from error
        yield


def _summary(folder: Path, results: Sequence[Result], campaign: _Campaign) -> Summary:
    unfinished = sum(result.reason == UNFINISHED for result in results)
    return Summary(
        folder=folder,
        episodes=len(results),
        played=campaign.ended,
        solved=sum(result.verdict is Verdict.PASSED for result in results),
        infra=sum(result.verdict is Verdict.INFRA for result in results) - unfinished,
        unfinished=unfinished,
        stopped=campaign.stopped,
        tokens=campaign.purse.spent.tokens,
        usd=round(campaign.purse.spent.usd, 6),
    )
