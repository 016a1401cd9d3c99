"""`builtin/reference`: answers with the true code. What it does not solve, no model can."""

import re

from recodeh.data.errors import ModelError
from recodeh.eval.dataset import Dataset
from recodeh.eval.models.model import Reply, Request

_TICKS = re.compile(r"`{3,}")


class ReferenceModel:
    """Knows the answers of one dataset."""

    name = "builtin/reference"

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def answer(self, request: Request) -> Reply:
        """The reference of the request's task, fenced."""
        try:
            task = self._dataset.tasks[request.task_id]
        except KeyError as error:
            raise ModelError("no such task in the dataset", where=request.task_id) from error
        return Reply(fenced(self._dataset.reference(task).code))


def fenced(code: str) -> str:
    """The code as a model writes it, in a fence longer than any inside."""
    fence = "`" * (max([2, *map(len, _TICKS.findall(code))]) + 1)
    return f"{fence}python\n{code.rstrip()}\n{fence}"
