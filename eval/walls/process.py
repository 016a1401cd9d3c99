"""The wall for trusted code: a session of its own, limits and a scrubbed environment, no more.

A submission behind it can read and write what the user can; use it for code that you wrote.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from recodeh.eval.walls.wall import Availability, Command, Opening

SWEEPS = 20
MARK = "RECODEH_RUN"


@dataclass(frozen=True)
class ProcessWall:
    """Rooms are plain processes of the same user."""

    name: str = field(default="process", init=False)
    nests: bool = field(default=False, init=False)

    def command(self, arguments: tuple[str, ...], opening: Opening) -> Command:
        """`arguments` as they are, in the room's private folder."""
        work = str(opening.folder)
        environment = {**opening.environment, "HOME": work, "TMPDIR": work}
        return Command(arguments, environment, opening.folder, work)

    def available(self) -> Availability:
        """Works wherever processes do; finding leftovers needs /proc."""
        if Path("/proc/self/environ").exists():
            return Availability(True, "no isolation: for trusted code only")
        return Availability(False, "there is no /proc here", "run on Linux")

    def sweep(self, token: str) -> int:
        """Kill every process whose environment carries the run's mark, until none is left."""
        swept: set[int] = set()
        for _ in range(SWEEPS):
            found = set(_marked(f"{MARK}={token}".encode()))
            if not found:
                break
            swept |= found
            for pid in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        return len(swept)


def _marked(mark: bytes) -> Iterator[int]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            # A process may end, or belong to somebody else, while we look.
            with contextlib.suppress(OSError):
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    yield int(folder.name)
