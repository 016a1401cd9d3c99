"""The episodes of a run: in the order of its results, and in the order of play."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from recodeh.eval.agents.agent import Agent
from recodeh.eval.dataset import Dataset
from recodeh.eval.episode import Episode
from recodeh.eval.settings import Settings


def plan(dataset: Dataset, settings: Settings, agent: Agent, researcher: str) -> list[Episode]:
    """Every episode of a run in the order of its results: task, model, level, seed."""
    return [
        Episode(
            task=dataset.tasks[task_id],
            model=model,
            agent=agent,
            researcher=researcher,
            level=level,
            seed=seed,
            turns=settings.turns,
            steps=settings.steps,
            parameters=settings.parameters,
            log=settings.log,
            fork=settings.fork,
            allowance=settings.allowance,
        )
        for task_id in settings.task_ids(dataset.tasks)
        for model in settings.models
        for level in settings.levels
        for seed in settings.seeds
    ]


def schedule(episodes: Sequence[Episode], width: int) -> Iterator[Episode]:
    """The order of play: `width` chats are begun before their other levels follow.

    Levels of one chat share their first call, so that playing them side by side would only let
    them wait for each other; and tasks stay together, so that few are in memory at once.
    """
    chats: dict[tuple[str, str, int], list[Episode]] = {}
    for one in episodes:
        chats.setdefault((one.task.task_id, one.model, one.seed), []).append(one)
    groups = list(chats.values())
    for start in range(0, len(groups), width):
        for levels in zip_longest(*groups[start : start + width]):
            yield from (one for one in levels if one is not None)
