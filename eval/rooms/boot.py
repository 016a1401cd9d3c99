"""Start the process of a zygote behind a wall, joined to this one by a datagram socket."""

import os
import secrets
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Protocol

from recodeh.data.errors import RoomError
from recodeh.eval.rooms.launch import END_SECONDS, FLAGS, ROOMS, environment
from recodeh.eval.walls.docker import Container, DockerWall
from recodeh.eval.walls.wall import Interpreter, Opening, Wall

DISK_MB = 64


class Booted(Protocol):
    """A started zygote process."""

    control: socket.socket
    work: str
    """Its writable folder, as it sees it."""
    scratch: tuple[str, ...]
    folder: Path
    """A private folder of the host, for what lies nowhere else."""
    pid: int
    """Of its first process, as the host sees it."""

    def said(self) -> str:
        """The end of what it printed."""

    def close(self) -> None:
        """Hang up and end it."""


def boot(interpreter: Interpreter, wall: Wall, seed: int) -> Booted:
    """Start a zygote behind `wall`; raises `RoomError` when that is refused."""
    folder = tempfile.TemporaryDirectory(prefix="recodeh-zygote-")
    marked = environment(secrets.token_hex(16), seed)
    base = Path(folder.name)
    opening = Opening(interpreter, (ROOMS,), marked, base, DISK_MB, forks=True)
    try:
        if isinstance(wall, DockerWall):
            return _boot_container(wall, opening, folder)
        return BootedProcess(wall, opening, folder)
    except (OSError, RoomError) as error:
        folder.cleanup()
        raise RoomError(f"the zygote does not start: {error}", where=wall.name) from None


def script(opening: Opening, link: str, control: str, work: str) -> tuple[str, ...]:
    """The command of a zygote as it stands inside the wall."""
    start = (str(opening.interpreter.executable), *FLAGS, str(ROOMS / "start.py"))
    return (*start, "zygote", link, control, work)


def _boot_container(
    wall: DockerWall, opening: Opening, folder: tempfile.TemporaryDirectory[str]
) -> Container:
    place = wall.socket_inside
    return wall.boot(script(opening, "none", f"unix:{place}", wall.work), opening, folder)


class BootedProcess:
    """A child process, behind a wall that is a command line."""

    def __init__(
        self, wall: Wall, opening: Opening, folder: tempfile.TemporaryDirectory[str]
    ) -> None:
        self._folder = folder
        self.folder = Path(folder.name)
        bare = wall.command((), opening)
        self.work, self.scratch = bare.work, bare.scratch
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            inside = script(opening, "none", str(theirs.fileno()), bare.work)
            command = wall.command(inside, opening)
            try:
                self.process = subprocess.Popen(
                    command.arguments,
                    env=dict(command.environment),
                    cwd=command.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=self._said,
                    stderr=self._said,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
            except OSError:
                self.control.close()
                self._said.close()
                raise
        self.pid = self.process.pid

    def said(self) -> str:
        """The end of what it printed."""
        size = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, size - 500))
        return self._said.read().decode(errors="replace")

    def close(self) -> None:
        """Hang up and end it."""
        self.control.close()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._said.close()
        self._folder.cleanup()
