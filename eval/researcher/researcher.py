"""What a researcher is: it looks at a failed answer and says what is wrong, for every level."""

from typing import Protocol

from recodeh.data.records import Feedback, Report, Task


class Researcher(Protocol):
    """Who gives feedback; called from several threads at once."""

    @property
    def name(self) -> str:
        """Name in results."""

    def feedback(
        self, task: Task, reference: str, submission: str | None, report: Report
    ) -> Feedback:
        """Remarks on `submission`, the region's text, which gave `report`.

        `reference` is the true text of the region; `submission` is None when no code could be
        taken from the answer. There is no item when every test passed.
        """
