"""The runner's side of a zygote: start one behind a wall, and have it fork rooms."""

import contextlib
import json
import os
import secrets
import select
import signal
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from recodeh.data.errors import RoomError
from recodeh.eval.rooms.boot import boot
from recodeh.eval.rooms.channel import Channel, Closed
from recodeh.eval.rooms.launch import END_SECONDS, wait_for
from recodeh.eval.rooms.wire import WireError
from recodeh.eval.walls.wall import Interpreter, Wall

START_SECONDS = 120.0
FORK_SECONDS = 10.0
FIRST_USER = 2_000_000
USERS = 1_000_000


@dataclass
class ForkedRoom:
    """A room that a zygote forked; its supervisor ends it and tells how it ended."""

    kind: str
    control: Channel
    output: int
    watch: int
    """Of the supervisor's process."""
    cpu_seconds: float = 0.0
    exit_code: int | None = None
    closed: bool = False
    supervised: bool = True
    """Whether hanging up ends it; else only a signal does."""

    def kill(self) -> None:
        """Hang up, so that the supervisor ends the room; kill the supervisor where it does not."""
        if self.supervised:
            with contextlib.suppress(OSError):
                self.control.sock.shutdown(socket.SHUT_WR)
            wait_for([self.watch], END_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(self.watch, signal.SIGKILL)
        wait_for([self.watch], END_SECONDS)

    def wait(self, seconds: float) -> None:
        """Wait until the room ends by itself, at most so long."""
        wait_for([self.watch], seconds)

    def told(self, event: dict[str, object]) -> None:
        """Note what the supervisor said last."""
        self.exit_code = int(str(event["code"]))
        self.cpu_seconds = float(str(event["cpu"]))

    def reap(self) -> int:
        """The exit code that the supervisor told, or a kill where it could not."""
        self.control.sock.settimeout(END_SECONDS)
        with contextlib.suppress(Closed, WireError, KeyError, ValueError):
            while self.exit_code is None:
                event, _ = self.control.receive()
                if event["event"] == "ended":
                    self.told(event)
        if self.exit_code is None:
            self.exit_code = -signal.SIGKILL
        return self.exit_code

    def close(self) -> None:
        """End the room and close every descriptor."""
        if not self.closed:
            self.closed = True
            self.kill()
            self.control.sock.close()
            os.close(self.output)
            os.close(self.watch)


class Zygote:
    """A warm process of one environment behind one wall; thread-safe."""

    def __init__(
        self, kind: str, interpreter: Interpreter, wall: Wall, *, preload: Sequence[str], seed: int
    ) -> None:
        self.kind = kind
        self.wall = wall
        self.preload = frozenset(preload)
        self.runs = 0
        self.users = 0
        self.missing: frozenset[str] = frozenset()
        """What could not be imported."""
        self.lock = threading.Lock()
        self.booted = boot(interpreter, wall, seed)
        self.control = self.booted.control
        try:
            self.unsafe = self._greet()
        except RoomError:
            self.close()
            raise

    def _greet(self) -> str:
        """Name what to preload; returns why this zygote must not fork, empty where it may."""
        self.control.settimeout(START_SECONDS)
        try:
            setup = {"kind": self.kind, "preload": sorted(self.preload)}
            self.control.send(json.dumps(setup).encode())
            answer = json.loads(self.control.recv(1 << 18))
        except (OSError, ValueError) as error:
            what = f"the zygote does not start: {error} {self.booted.said()}"
            raise RoomError(what, where=self.wall.name) from None
        self.control.settimeout(FORK_SECONDS)
        self.missing = frozenset(answer["missing"])
        return str(answer["unsafe"])

    def open(self, link: socket.socket, disk_mb: int, *, serve: str = "serve") -> ForkedRoom:
        """Fork a room that holds `link`; raises `RoomError` when the zygote is gone."""
        ours, theirs = socket.socketpair()
        shown, printed = os.pipe()
        if serve != "serve":
            # Nobody listens to what lives longer than a run.
            os.close(printed)
            printed = os.open(os.devnull, os.O_WRONLY)
        with theirs:
            try:
                watch = self._request(
                    link, theirs, printed, {**self._plan(disk_mb), "serve": serve}
                )
            except (OSError, ValueError, IndexError) as error:
                ours.close()
                os.close(shown)
                raise RoomError(f"the zygote is gone: {error}", where=self.wall.name) from None
            finally:
                os.close(printed)
        os.set_blocking(shown, False)
        return ForkedRoom(self.kind, Channel(ours), shown, watch, supervised=not self.wall.nests)

    def _plan(self, disk_mb: int) -> dict[str, object]:
        work, user = self.booted.work, None
        if self.wall.nests:
            user = FIRST_USER + secrets.randbelow(USERS)
        else:
            work = f"{self.booted.work}/{secrets.token_hex(8)}"
        return {
            "namespaces": self.wall.nests,
            "user": user,
            "work": work,
            "scratch": self.booted.scratch,
            "disk_mb": disk_mb,
        }

    def _request(
        self, link: socket.socket, control: socket.socket, printed: int, plan: dict[str, object]
    ) -> int:
        descriptors = [link.fileno(), control.fileno(), printed]
        with self.lock:
            self.runs += 1
            socket.send_fds(self.control, [json.dumps(plan).encode()], descriptors)
            _, received, _, _ = socket.recv_fds(self.control, 64, 1)
        return received[0]

    def alive(self) -> bool:
        """Whether the process still listens."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        return not poll.poll(0)

    def close(self) -> None:
        """Hang up; the zygote and everything below it end."""
        self.booted.close()
