"""What has been answered, by key: asked for once, whoever asks first, and shared by the rest."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

V = TypeVar("V")


class Ledger(Generic[V]):
    """Values by scope and key. A scope is what is forgotten at once: here, a task."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, Future[V]]] = {}

    def get(self, scope: str, key: str, make: Callable[[], V]) -> tuple[V, bool]:
        """The value of `key`, and whether it was known or being made already.

        Of callers at the same time one makes the value and the others wait for it. When making it
        fails all of them get the error, and the next caller tries again.
        """
        with self._lock:
            known = self._known.setdefault(scope, {})
            found = known.get(key)
            mine = known.setdefault(key, Future()) if found is None else found
        if found is None:
            self._fill(mine, scope, key, make)
        return mine.result(), found is not None

    def learn(self, scope: str, key: str, value: V) -> None:
        """Take a value from a log."""
        future: Future[V] = Future()
        future.set_result(value)
        with self._lock:
            self._known.setdefault(scope, {})[key] = future

    def forget(self, scope: str) -> None:
        """Let go of a scope that nobody will ask about any more."""
        with self._lock:
            self._known.pop(scope, None)

    def _fill(self, future: "Future[V]", scope: str, key: str, make: Callable[[], V]) -> None:
        try:
            future.set_result(make())
        except BaseException as error:
            # Whatever it is, and be it an interrupt: those who wait must not wait for ever.
            with self._lock:
                self._known.get(scope, {}).pop(key, None)
            future.set_exception(error)
