"""How many calls a provider gets at once: halved when it refuses, slowly raised when it answers."""

import threading
from functools import cache
from types import TracebackType
from typing import Self


class Throttle:
    """A gate for threads, open as wide as the provider lets it be (additive up, halved down)."""

    def __init__(self, most: int = 32) -> None:
        self._most = float(most)
        self._width = float(most)
        self._inside = 0
        self._changed = threading.Condition()

    @property
    def width(self) -> int:
        """How many may be inside now."""
        return max(1, int(self._width))

    def narrow(self) -> None:
        """The provider refused a call because there were too many."""
        with self._changed:
            self._width = max(1.0, self._width / 2)

    def widen(self) -> None:
        """The provider answered: about one more call at once per `width` answers."""
        with self._changed:
            self._width = min(self._most, self._width + 1 / self._width)
            self._changed.notify_all()

    def __enter__(self) -> Self:
        with self._changed:
            self._changed.wait_for(lambda: self._inside < self.width)
            self._inside += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()


@cache
def throttle_of(address: str, most: int) -> Throttle:
    """The one gate to a server: its models share what it allows."""
    return Throttle(most)
