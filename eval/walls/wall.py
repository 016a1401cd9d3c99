"""What every wall offers: a command line that starts a room inside it, and whether it works."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Opening:
    """What a room needs from outside: everything else is shut where the wall can shut it."""

    interpreter: "Interpreter"
    read_only: tuple[Path, ...]
    """Folders that the room reads, at their own paths."""
    environment: Mapping[str, str]
    """The room's whole environment."""
    folder: Path
    """A private, empty folder of the host, for walls that have no file system of their own."""
    disk_mb: int
    forks: bool = False
    """The process is a zygote: it outlives the call that starts it and gives each of its rooms
    what the wall gives a fresh one."""


@dataclass(frozen=True)
class Interpreter:
    """A python of an environment and the folders that it needs."""

    executable: Path
    prefix: Path
    """Root of the environment."""
    base_prefix: Path
    """Root of the installation that the environment was made from."""
    base_packages: tuple[Path, ...]
    """Packages of that installation, which are no part of the environment."""
    version: tuple[int, int]


@dataclass(frozen=True)
class Command:
    """How to start a room."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    """Where the command starts, on the host."""
    work: str
    """The room's writable folder, as the room sees it."""
    scratch: tuple[str, ...] = ()
    """Folders that a zygote makes anew for each of its rooms."""


@dataclass(frozen=True)
class Availability:
    """Whether a wall works on this machine, tried; if not, why and what would bring it."""

    works: bool
    reason: str = ""
    mend: str = ""


class Wall(Protocol):
    """Isolation of a room."""

    @property
    def name(self) -> str:
        """How users call it."""

    def command(self, arguments: tuple[str, ...], opening: Opening) -> Command:
        """The command line that runs `arguments` behind this wall."""

    @property
    def nests(self) -> bool:
        """Whether a zygote behind this wall can give every room namespaces and a user."""

    def available(self) -> Availability:
        """Try the wall with a real process."""

    def sweep(self, token: str) -> int:
        """Kill what a run marked `token` left behind; returns how many processes that were."""
