"""`replay/RUN`: answers as the models of a recorded run did; what was not asked is an error."""

from dataclasses import replace
from pathlib import Path

from recodeh.data.errors import InputError, ModelError
from recodeh.data.log import read
from recodeh.eval.models.model import Reply, Request, reply_of
from recodeh.eval.settings import read_run


class ReplayedModel:
    """Looks calls up by content in a run's log."""

    def __init__(self, folder: Path) -> None:
        settings = read_run(folder).get("settings", {})
        self._models: tuple[str, ...] = tuple(settings.get("models", ()))
        if not self._models or not (folder / "events.jsonl").is_file():
            raise InputError("no recorded run", where=folder, mend="name a folder of `recodeh run`")
        self.name = f"replay/{folder}"
        self._replies = _recorded(folder)

    def answer(self, request: Request) -> Reply:
        """The recorded reply to an equal request.

        Raises ModelError when the run holds none.
        """
        for model in self._models:
            reply = self._replies.get(replace(request, model=model).key)
            if reply is not None:
                return reply
        raise ModelError(
            "the recorded run holds no answer to this call",
            where=f"{self.name}, {request.task_id}",
            mend="use its agent, prompts, parameters and seed, or a model that can be asked",
        )


def _recorded(folder: Path) -> dict[str, Reply]:
    return {
        row["request_key"]: reply_of(row["reply"])
        for row in read(folder / "events.jsonl")
        if row["event"] == "model_called"
    }
