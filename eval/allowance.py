"""What one episode may use up, looked at before each of its calls.

What the log says of the calls before decides, so that a run that is taken up again, or replayed,
stops at the same call.
"""

from collections.abc import Iterable
from typing import Final

from recodeh.data.records import Record
from recodeh.eval.models.model import Reply


class Allowance(Record):
    """Upper bounds of an episode's calls; None is no bound."""

    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    """That its calls take together, as they were timed when they were answered."""

    def used_up(self, replies: Iterable[Reply]) -> str:
        """What these calls used up, in words; empty while another call is allowed."""
        calls = tuple(replies)
        if self.tokens is not None and sum(call.tokens for call in calls) >= self.tokens:
            return f"the episode's {self.tokens} tokens are used up"
        if self.usd is not None and sum(call.usd or 0.0 for call in calls) >= self.usd:
            return f"the episode's {self.usd:g} USD are used up"
        if self.seconds is not None and sum(call.seconds for call in calls) >= self.seconds:
            return f"the episode's {self.seconds:g} seconds are used up"
        return ""


UNLIMITED: Final = Allowance()
