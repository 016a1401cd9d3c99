"""Append-only JSONL: one event a line, flushed at once; a torn last line is repaired.

In goes a JSON-ready mapping per event; out come the same mappings in the order they were written.
State is a fold over them, kept by the reader.
"""

import json
import os
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from recodeh.data.errors import LogError
from recodeh.data.keys import canonical_json

Event = Mapping[str, Any]


class TornLine(UserWarning):
    """The last line of a log was cut short by a crash and has been taken away."""


class EventLog:
    """A log that is open for appending; safe for threads, not for two processes."""

    def __init__(self, path: Path) -> None:
        repair(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._lock = threading.Lock()
        self._file = path.open("ab", buffering=0)

    def append(self, *events: Event, sync: bool = True) -> None:
        """Write the events and return once they are on disk.

        Without `sync` they are with the system alone, which a kill does not take away but a loss
        of power may; they are on disk with the next events that are. Raises LogError when the disk
        refuses them, for instance because it is full.
        """
        data = b"".join(canonical_json(event) + b"\n" for event in events)
        with self._lock:
            size = self._file.seek(0, os.SEEK_END)
            try:
                _write_all(self._file.fileno(), data)
                if sync:
                    os.fsync(self._file.fileno())
            except OSError as error:
                _cut_back(self._file.fileno(), size)
                raise LogError(
                    f"cannot write to the log: {error.strerror}",
                    where=self.path,
                    mend="free some space and run the same command again; nothing recorded is lost",
                ) from error

    def close(self) -> None:
        """Close the file; what was appended is already on disk."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def repair(path: Path) -> int:
    """Cut a torn last line off, warn about it, and return how many bytes were taken away."""
    if not path.exists():
        return 0
    with path.open("rb+") as file:
        whole = _end_of_last_whole_line(file.read())
        torn = file.seek(0, os.SEEK_END) - whole
        if torn:
            file.truncate(whole)
            warnings.warn(
                f"{path}: the last line was cut short by a crash; {torn} bytes taken away",
                TornLine,
                stacklevel=2,
            )
    return torn


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a log in order; a torn last line is left out.

    Raises LogError when a line in the middle is not a JSON object.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                yield _parse(line, path, number)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _cut_back(descriptor: int, size: int) -> None:
    """Take a half-written line away, so that a later append does not land behind it."""
    with suppress(OSError):  # where even that fails, `repair` does it at the next start
        os.ftruncate(descriptor, size)


def _parse(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        event = _loads(line)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise LogError(
            f"line {number} is not an event",
            where=path,
            mend="restore the file from a copy, or start a new run in another folder",
        )
    return event


def _loads(line: bytes) -> Any:
    """msgspec takes a fifth of the time, but no halves of surrogate pairs; integers stay exact."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return json.loads(line)


def _end_of_last_whole_line(data: bytes) -> int:
    return data.rfind(b"\n") + 1
