"""The parts of a run by the names in its settings."""

import os
from pathlib import Path

from recodeh.data.errors import InputError
from recodeh.eval.agents.choose import choose_agent
from recodeh.eval.campaign import Parts
from recodeh.eval.dataset import Dataset
from recodeh.eval.frozen import Frozen
from recodeh.eval.grade import RoomGrader
from recodeh.eval.models.choose import choose
from recodeh.eval.researcher.researcher import Researcher
from recodeh.eval.settings import Settings
from recodeh.eval.walls.choose import wall_named


def parts_of(settings: Settings, dataset: Dataset, *, jobs: int = 2) -> Parts:
    """Agent, models, researcher and grader of `settings`; never more tests at once than cores.

    Raises InputError for a name that nothing has, RoomError for a wall that does not work here.
    """
    models = {
        name: choose(name, dataset, settings.base_url, settings.seed) for name in settings.models
    }
    return Parts(
        agent=choose_agent(settings.agent),
        models=models,
        researcher=choose_researcher(settings.researcher),
        grader=RoomGrader(
            dataset,
            wall_named(settings.wall),
            seed=settings.seed,
            jobs=min(jobs, os.cpu_count() or 1),
        ),
    )


def choose_researcher(name: str) -> Researcher | Frozen:
    """The researcher called `name`; `recorded/RUN` repeats what one said in another run.

    Raises InputError when there is none.
    """
    if name == "deterministic":
        from recodeh.eval.researcher.deterministic import DeterministicResearcher

        return DeterministicResearcher()
    if name == "human":
        from recodeh.eval.human import HumanResearcher

        return HumanResearcher()
    kind, _, rest = name.partition("/")
    if kind == "recorded" and rest:
        return Frozen(Path(rest))
    raise InputError(
        f"no researcher is called {name!r}",
        mend="researchers are deterministic, human, recorded/RUN",
    )
