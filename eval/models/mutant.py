"""`builtin/mutant`: a seeded coder that starts wrong and repairs what the feedback names.

It proves that the harness reacts to feedback. The reference is read for the first answer alone;
every later answer is made from the chat, by `repair`.
"""

from collections.abc import Sequence

from recodeh.data.errors import InputError
from recodeh.eval.dataset import Dataset
from recodeh.eval.models.mistakes import mistaken
from recodeh.eval.models.model import Message, Reply, Request
from recodeh.eval.models.repair import repair
from recodeh.eval.researcher.syntax import Unparsable

_OPEN, _CLOSE = "```python\n", "\n```"


class MutantModel:
    """A model without a network; the same chat and seed give the same answer."""

    name = "builtin/mutant"

    def __init__(self, dataset: Dataset, seed: int = 0) -> None:
        self._dataset = dataset
        self._seed = seed

    def answer(self, request: Request) -> Reply:
        """The first answer, wrong; or the next one after the feedback in the chat.

        Raises InputError for a task that is not in the dataset.
        """
        seed = f"{self._seed}/{request.seed}/{request.task_id}"
        first, feedback = _chat(request.messages)
        code = (
            self._first(request.task_id, seed) if first is None else repair(first, feedback, seed)
        )
        return Reply(f"{_OPEN}{code.rstrip()}{_CLOSE}")

    def _first(self, task_id: str, seed: str) -> str:
        task = self._dataset.tasks.get(task_id)
        if task is None:
            raise InputError(f"no task {task_id!r} in this dataset", mend="run it on its own")
        code = self._dataset.reference(task).code
        try:
            return mistaken(code, seed)
        except Unparsable:
            # Not Python: there is nothing to mutate, and an empty region is wrong enough.
            return f"{task.snippet.indent}pass\n"


def _chat(messages: Sequence[Message]) -> tuple[str | None, list[str]]:
    """The code of the first answer, if there is one, and what the user said after it."""
    answers = [at for at, message in enumerate(messages) if message.role == "assistant"]
    if not answers:
        return None, []
    said = [message.content for message in messages[answers[0] :] if message.role == "user"]
    return _code(messages[answers[0]].content), said


def _code(answer: str) -> str:
    """The code of an answer as this model writes it."""
    return answer.removeprefix(_OPEN).removesuffix(_CLOSE) + "\n"
