"""`external/NAME`: the name in results of a model that an agent program brings along."""

from recodeh.data.errors import ModelError
from recodeh.eval.models.model import Reply, Request


class ExternalModel:
    """Answers nobody: only its own program asks it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def answer(self, request: Request) -> Reply:
        """Always an error: the agent of the run was to ask for itself."""
        raise ModelError(
            "this model is asked by its own program only",
            where=self.name,
            mend="use it with --agent command:PROGRAM, or name a model that can be asked",
        )
