"""Start a room behind a wall as a fresh process, and end it with everything that it started."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recodeh.data.errors import RoomError
from recodeh.eval.rooms.channel import Channel
from recodeh.eval.walls.wall import Interpreter, Opening, Wall

ROOMS = Path(__file__).parent
FLAGS = ("-P", "-s", "-u", "-B")
SINGLE = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "BLIS")
END_SECONDS = 1.0


@dataclass
class Room:
    """A running room: its process, its control channel and what it prints."""

    kind: str
    process: subprocess.Popen[bytes]
    control: Channel
    output: int
    watch: int
    """A descriptor that becomes readable when the process ends."""
    cpu_seconds: float = 0.0
    reaped: bool = False

    def kill(self) -> None:
        """Kill the room's process and its group; behind a real wall nothing outlives them."""
        if self.reaped:
            return
        self.cpu_seconds = max(self.cpu_seconds, cpu_seconds(self.process.pid))
        with ExitStack() as stack:
            family = [stack.enter_context(_watched(pid)) for pid in descendants(self.process.pid)]
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            for watch in family:
                _signal(watch)
            wait_for(family, END_SECONDS)

    def wait(self, seconds: float) -> None:
        """Wait until the process ends by itself, at most so long."""
        wait_for([self.watch], seconds)

    def told(self, event: dict[str, Any]) -> None:
        """A fresh room has no supervisor."""

    def reap(self) -> int:
        """Wait for the killed or ended process; returns its exit code, negative for a signal."""
        if not self.reaped:
            _, status, usage = os.wait4(self.process.pid, 0)
            self.reaped = True
            self.cpu_seconds = max(self.cpu_seconds, usage.ru_utime + usage.ru_stime)
            self.process.returncode = os.waitstatus_to_exitcode(status)
        return int(self.process.returncode)

    def close(self) -> None:
        """Kill, reap and close every descriptor."""
        self.kill()
        self.reap()
        self.control.sock.close()
        os.close(self.output)
        os.close(self.watch)


def cpu_seconds(pid: int) -> float:
    """CPU time of a live process, its live descendants and their ended children."""
    ticks = 0
    for member in descendants(pid):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> Iterator[int]:
    """A live process and everything below it; behind bubblewrap that is its whole namespace."""
    yield pid
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from descendants(int(child))


@contextmanager
def _watched(pid: int) -> Iterator[int]:
    """A descriptor that becomes readable when `pid` ends; -1 when it has already."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        yield -1
        return
    try:
        yield watch
    finally:
        os.close(watch)


def _signal(watch: int) -> None:
    if watch >= 0:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(watch, signal.SIGKILL)


def wait_for(watches: Sequence[int], seconds: float) -> None:
    """Wait until every process behind `watches` has ended, at most so long."""
    end = time.monotonic() + seconds
    for watch in watches:
        if watch >= 0:
            poll = select.poll()
            poll.register(watch, select.POLLIN)
            poll.poll(max(0.0, end - time.monotonic()) * 1000)


def launch(
    kind: str,
    interpreter: Interpreter,
    wall: Wall,
    *,
    link: socket.socket,
    folder: Path,
    token: str,
    seed: int,
    disk_mb: int,
) -> Room:
    """Start the room `kind`; raises `RoomError` when its command does not start."""
    ours, theirs = socket.socketpair()
    shown, printed = os.pipe()
    opening = Opening(interpreter, (ROOMS,), environment(token, seed), folder, disk_mb)
    descriptors = (link.fileno(), theirs.fileno())
    try:
        process = _start(kind, wall, opening, descriptors, printed)
    except OSError as error:
        ours.close()
        os.close(shown)
        raise RoomError(f"the {kind} room does not start: {error}", where=wall.name) from None
    finally:
        theirs.close()
        os.close(printed)
    os.set_blocking(shown, False)
    return Room(kind, process, Channel(ours), shown, os.pidfd_open(process.pid))


def _start(
    kind: str, wall: Wall, opening: Opening, descriptors: tuple[int, int], printed: int
) -> subprocess.Popen[bytes]:
    python = str(opening.interpreter.executable)
    work = wall.command((), opening).work
    script = (python, *FLAGS, str(ROOMS / "start.py"), kind, *map(str, descriptors), work)
    command = wall.command(script, opening)
    return subprocess.Popen(
        command.arguments,
        env=dict(command.environment),
        cwd=command.folder,
        stdin=subprocess.DEVNULL,
        stdout=printed,
        stderr=printed,
        pass_fds=descriptors,
        start_new_session=True,
    )


def environment(token: str, seed: int) -> dict[str, str]:
    """Everything a room finds in its environment; nothing of the host's."""
    single = {f"{name}_NUM_THREADS": "1" for name in SINGLE}
    fixed = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC", "USER": "nobody"}
    pytest = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return {**fixed, **single, **pytest, "PYTHONHASHSEED": str(seed % 2**32), "RECODEH_RUN": token}
