"""The parts of a run by the names in its settings."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from recodeh.data.errors import InputError
from recodeh.data.records import Feedback, Report, Task
from recodeh.eval.agents.choose import choose_agent
from recodeh.eval.campaign import Parts
from recodeh.eval.dataset import Dataset
from recodeh.eval.frozen import Frozen
from recodeh.eval.grade import RoomGrader
from recodeh.eval.models.choose import choose
from recodeh.eval.models.external import ExternalModel
from recodeh.eval.models.model import Model
from recodeh.eval.models.providers import PROVIDERS
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
        researcher=researcher_of(
            settings, lambda name: choose(name, dataset, _serves(name, settings), settings.seed)
        ),
        grader=RoomGrader(
            dataset,
            wall_named(settings.wall),
            seed=settings.seed,
            jobs=min(jobs, os.cpu_count() or 1),
        ),
    )


def researcher_of(
    settings: Settings, make: Callable[[str], Model] = ExternalModel
) -> Researcher | Frozen:
    """The researcher of `settings`, who is noisy if they say so.

    `make` gives the model of a researcher who has one; for a replay nobody is asked, so that any
    will do. Raises InputError when there is no such researcher.
    """
    researcher = choose_researcher(settings.researcher, make)
    if not settings.noise:
        return researcher
    if isinstance(researcher, Frozen):
        raise InputError(
            "recorded feedback is given as it is, without noise",
            mend="leave --researcher-noise out, or record a run that has it",
        )
    from recodeh.eval.researcher.noise import NoisyResearcher

    noisy = NoisyResearcher(researcher, settings.noise, settings.seed)
    return noisy if getattr(researcher, "repeatable", True) else Said(noisy)


def choose_researcher(
    name: str, make: Callable[[str], Model] = ExternalModel
) -> Researcher | Frozen:
    """The researcher called `name`; `recorded/RUN` repeats what one said in another run.

    Raises InputError when there is none.
    """
    kind, _, rest = name.partition("/")
    if name == "deterministic":
        from recodeh.eval.researcher.deterministic import DeterministicResearcher

        return DeterministicResearcher()
    if name == "human":
        from recodeh.eval.human import HumanResearcher

        return HumanResearcher()
    if kind == "model" and rest:
        from recodeh.eval.researcher.modelled import ModelResearcher

        return Said(ModelResearcher(make(rest)))
    if kind == "recorded" and rest:
        return Frozen(Path(rest))
    raise InputError(
        f"no researcher is called {name!r}",
        mend="researchers are deterministic, model/PROVIDER/NAME, human, recorded/RUN",
    )


@dataclass(frozen=True)
class Said:
    """A researcher whose words nobody can compute again: a replay takes them as recorded."""

    inner: Researcher
    repeatable: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Name in results."""
        return self.inner.name

    def feedback(
        self, task: Task, reference: str, submission: str | None, report: Report
    ) -> Feedback:
        """What the researcher says."""
        return self.inner.feedback(task, reference, submission, report)


def _serves(name: str, settings: Settings) -> str | None:
    """The server of one's own serves only what no provider is named for."""
    return None if name.partition("/")[0] in PROVIDERS else settings.base_url
