"""Open the two rooms of a run, joined by a socket, and hand each its part of the job."""

import secrets
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from recodeh.data.errors import RoomError
from recodeh.eval.rooms.channel import Channel, Closed
from recodeh.eval.rooms.interpreter import interpreter
from recodeh.eval.rooms.job import Job
from recodeh.eval.rooms.launch import launch
from recodeh.eval.rooms.wire import WireError, pack
from recodeh.eval.rooms.zygote import Zygote
from recodeh.eval.walls.docker import DockerWall
from recodeh.eval.walls.wall import Wall

HAND_OVER_SECONDS = 60.0
MEGABYTE = 1024 * 1024
KINDS = ("judge", "submission")

Ends = tuple[socket.socket, socket.socket]


class Room(Protocol):
    """A running room, however it was started."""

    kind: str
    control: Channel
    output: int
    """What it prints."""
    watch: int
    """A descriptor that becomes readable when it has ended."""
    cpu_seconds: float

    def kill(self) -> None:
        """End the room and everything that it started."""

    def reap(self) -> int:
        """The exit code of the ended room, negative for a signal."""

    def wait(self, seconds: float) -> None:
        """Wait until it ends by itself, at most so long."""

    def told(self, event: dict[str, Any]) -> None:
        """Take what its supervisor says at the end."""

    def close(self) -> None:
        """Kill, reap and close every descriptor."""


@dataclass(frozen=True)
class Rooms:
    """The two rooms of a run."""

    judge: Room
    submission: Room
    nonce: str


@contextmanager
def fresh_rooms(job: Job, wall: Wall) -> Iterator[Rooms]:
    """Two new processes behind `wall`; raises `RoomError` when they do not start."""
    with ExitStack() as stack:
        ends = socket.socketpair()
        with ends[0], ends[1]:
            started = _contained if isinstance(wall, DockerWall) else _launched
            judge, submission = started(job, wall, ends, stack)
        rooms = Rooms(judge, submission, secrets.token_hex(16))
        hand_over(rooms, job)
        yield rooms


def _launched(job: Job, wall: Wall, ends: Ends, stack: ExitStack) -> Iterator[Room]:
    token = secrets.token_hex(16)
    base = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recodeh-run-")))
    stack.callback(wall.sweep, token)
    for kind, end in zip(KINDS, ends, strict=True):
        folder = base / kind
        folder.mkdir(mode=0o700)
        room = launch(
            kind,
            interpreter(job.python),
            wall,
            link=end,
            folder=folder,
            token=token,
            seed=job.seed,
            disk_mb=job.limits.file_mb,
        )
        stack.callback(room.close)
        yield room


def _contained(job: Job, wall: Wall, ends: Ends, stack: ExitStack) -> Iterator[Room]:
    """A container starts from a zygote: one that has loaded nothing is as good as a process."""
    for kind, end in zip(KINDS, ends, strict=True):
        zygote = Zygote(kind, interpreter(job.python), wall, preload=(), seed=job.seed)
        stack.callback(zygote.close)
        room = zygote.open(end, job.limits.file_mb)
        stack.callback(room.close)
        yield room


def hand_over(rooms: Rooms, job: Job) -> None:
    """Send each room its job; raises `RoomError` when one does not take it."""
    send_job(rooms.submission, submission_job(job))
    send_job(rooms.judge, {**judge_job(job), "nonce": rooms.nonce})


def submission_job(job: Job) -> dict[str, Any]:
    """What the submission's room is told: the workspace, never the tests."""
    files = {"files": dict(job.files), "import_root": job.import_root}
    return {**_common(job), **files, "limits": vars(job.limits)}


def judge_job(job: Job) -> dict[str, Any]:
    """What the judge is told: the tests, never the workspace."""
    # The judge does its own work beside the submission's; real time bounds it in any case.
    ample = {
        "cpu_seconds": 2 * job.limits.cpu_seconds + 10,
        "memory_mb": job.limits.memory_mb + 1024,
        "open_files": max(job.limits.open_files, 256),
    }
    tests = {test.path: test.content.encode() for test in job.tests}
    paths = list(dict.fromkeys(name.partition("::")[0] for name in job.test_ids))
    return {
        **_common(job),
        "tests": tests,
        "paths": paths,
        "limits": {**vars(job.limits), **ample},
    }


def _common(job: Job) -> dict[str, Any]:
    most = job.limits.memory_mb * MEGABYTE // 4
    return {"seed": job.seed, "preload": list(job.preload), "max_bytes": most}


def send_job(room: Room, job: dict[str, Any]) -> None:
    """Send a room its job; raises `RoomError` when it does not take it."""
    blobs: list[Any] = []
    packed = pack(job, blobs, _refuse)
    room.control.sock.settimeout(HAND_OVER_SECONDS)
    try:
        room.control.send({"job": packed}, blobs)
    except Closed as error:
        raise RoomError(f"the {room.kind} room took no job: {error}") from None


def _refuse(value: object) -> object:
    raise WireError(f"{type(value).__name__} is not plain data")
