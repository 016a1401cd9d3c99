"""The seam between an episode and the world: live in a campaign, recorded in a replay."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from recodeh.data.records import Feedback, Report, Task
from recodeh.eval.agents.agent import Errand, Scratch
from recodeh.eval.models.model import Reply, Request

if TYPE_CHECKING:
    from recodeh.eval.episode import Episode


class Outside(Protocol):
    """All that an episode asks for; each answer says whether it had been given before."""

    def files(self, task: Task) -> Mapping[str, bytes]:
        """The task's repository as an agent may see it."""

    def reply(self, request: Request) -> tuple[Reply, bool]:
        """The answer to a call, and whether it had been given before. Raises ModelError."""

    def scratch(self, task: Task, wanted: Scratch) -> tuple[str, bool]:
        """What a script of the agent prints, and whether it had been run before."""

    def errand(self, task: Task, wanted: Errand) -> tuple[str, bool]:
        """What a program leaves of the target file. Raises ModelError."""

    def report(self, task: Task, code: str) -> tuple[Report, bool]:
        """What the tests say, and whether they had said it before. Raises RoomError."""

    def feedback(self, episode: "Episode", turn: int, code: str | None, report: Report) -> Feedback:
        """What the researcher says about a failed turn. Raises ModelError."""
