"""Run one job: two rooms behind a wall, joined by a socket, watched until the judge's last word."""

import os
import re
import secrets
import selectors
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recodeh.data.errors import RoomError
from recodeh.data.records import Report
from recodeh.eval.rooms.channel import Closed
from recodeh.eval.rooms.interpreter import interpreter
from recodeh.eval.rooms.job import Job
from recodeh.eval.rooms.launch import Room, launch
from recodeh.eval.rooms.verdict import Seen, judgement
from recodeh.eval.rooms.wire import WireError, pack
from recodeh.eval.walls.wall import Wall

START_SECONDS = 60.0
LAST_WORD_SECONDS = 0.6
CONTROL_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")
MEGABYTE = 1024 * 1024


def run(job: Job, wall: Wall) -> Report:
    """Run `job` and report; whatever a submission does ends as a verdict, never as an exception.

    Returns within the limit on wall seconds, counted from the moment the tests are collected, plus
    one second. Raises `RoomError` only when the rooms themselves cannot be started.
    """
    started = time.monotonic()
    with _rooms(job, wall) as rooms:
        watch = Watch(rooms, job.limits.wall_seconds, job.limits.output_kb * 1024)
        watch.run()
        return watch.report(job, wall.name, time.monotonic() - started)


@dataclass(frozen=True)
class Rooms:
    """The two rooms of a run."""

    judge: Room
    submission: Room
    nonce: str


@contextmanager
def _rooms(job: Job, wall: Wall) -> Iterator[Rooms]:
    python, token = interpreter(job.python), secrets.token_hex(16)
    with ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recodeh-run-")))
        stack.callback(wall.sweep, token)
        ends = socket.socketpair()
        with ends[0], ends[1]:
            opened = [
                _open(kind, job, wall, python=python, link=end, base=base, token=token, stack=stack)
                for kind, end in zip(("judge", "submission"), ends, strict=True)
            ]
        rooms = Rooms(opened[0], opened[1], secrets.token_hex(16))
        _hand_over(rooms, job)
        yield rooms


def _open(
    kind: str,
    job: Job,
    wall: Wall,
    *,
    python: Any,
    link: socket.socket,
    base: Path,
    token: str,
    stack: ExitStack,
) -> Room:
    folder = base / kind
    folder.mkdir(mode=0o700)
    room = launch(
        kind,
        python,
        wall,
        link=link,
        folder=folder,
        token=token,
        seed=job.seed,
        disk_mb=job.limits.file_mb,
    )
    stack.callback(room.close)
    return room


def _hand_over(rooms: Rooms, job: Job) -> None:
    limits = vars(job.limits)
    # The judge does its own work beside the submission's; real time bounds it in any case.
    ample = {
        "cpu_seconds": 2 * job.limits.cpu_seconds + 10,
        "memory_mb": job.limits.memory_mb + 1024,
        "open_files": max(job.limits.open_files, 256),
    }
    common = {
        "seed": job.seed,
        "preload": list(job.preload),
        "max_bytes": job.limits.memory_mb * MEGABYTE // 4,
    }
    tests = {test.path: test.content.encode() for test in job.tests}
    paths = list(dict.fromkeys(name.partition("::")[0] for name in job.test_ids))
    files = {"files": dict(job.files), "import_root": job.import_root}
    _send(rooms.submission, {**common, **files, "limits": limits})
    asked = {"tests": tests, "paths": paths, "nonce": rooms.nonce, "limits": {**limits, **ample}}
    _send(rooms.judge, {**common, **asked})


def _send(room: Room, job: dict[str, Any]) -> None:
    blobs: list[Any] = []
    packed = pack(job, blobs, _refuse)
    room.control.sock.settimeout(START_SECONDS)
    try:
        room.control.send({"job": packed}, blobs)
    except Closed as error:
        raise RoomError(f"the {room.kind} room took no job: {error}") from None


def _refuse(value: object) -> object:
    raise WireError(f"{type(value).__name__} is not plain data")


@dataclass
class Output:
    """The first bytes of what a room prints; the rest is read and thrown away."""

    descriptor: int
    most: int
    kept: bytearray = field(default_factory=bytearray)
    total: int = 0

    def drain(self) -> bool:
        """Read one piece; False at the end of the stream."""
        try:
            piece = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return True
        self.total += len(piece)
        self.kept += piece[: self.most - len(self.kept)]
        return bool(piece)

    def text(self) -> str:
        """What was kept, without control sequences, and how much was not."""
        text = CONTROL_SEQUENCE.sub("", self.kept.decode(errors="replace"))
        left = self.total - len(self.kept)
        return f"{text}\n[{left} more bytes]" if left else text


class Watch:
    """Waits for both rooms, bounded in time and memory, and ends them."""

    def __init__(self, rooms: Rooms, wall_seconds: float, most: int) -> None:
        self.rooms = rooms
        self.wall_seconds = wall_seconds
        self.outputs = {
            room.kind: Output(room.output, most) for room in (rooms.judge, rooms.submission)
        }
        self.events: list[dict[str, Any]] = []
        self.timed_out = False
        self.submission_exit: int | None = None
        self.deadline = time.monotonic() + START_SECONDS
        self.done = False
        self.selector = selectors.DefaultSelector()

    def run(self) -> None:
        """Watch until the judge has said its last word, ended, or run out of time."""
        judge, submission = self.rooms.judge, self.rooms.submission
        with self.selector:
            self.selector.register(judge.control.sock, selectors.EVENT_READ, self._hear)
            self.selector.register(judge.output, selectors.EVENT_READ, self._drainer(judge))
            self.selector.register(
                submission.output, selectors.EVENT_READ, self._drainer(submission)
            )
            self.selector.register(submission.watch, selectors.EVENT_READ, self._submission_ended)
            while not self.done:
                self._step()
        self._end()

    def _step(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            self._out_of_time()
            return
        for key, _ in self.selector.select(left):
            key.data()

    def _out_of_time(self) -> None:
        if self.timed_out or not self._collected():
            self.done = True
            return
        # The judge gets a moment to report the tests that its dead partner failed.
        self.timed_out = True
        self.deadline = time.monotonic() + LAST_WORD_SECONDS
        self.rooms.submission.kill()

    def _collected(self) -> bool:
        return any(event["event"] == "collected" for event in self.events)

    def _hear(self) -> None:
        try:
            event, _ = self.rooms.judge.control.receive()
        except (Closed, WireError):
            self.done = True
            # A room that ends by itself gets the moment in which its exit code becomes known.
            self.rooms.judge.wait(LAST_WORD_SECONDS)
            return
        self.events.append(event)
        if event["event"] == "collected":
            self.deadline = time.monotonic() + self.wall_seconds
        self.done = event["event"] == "finished"

    def _drainer(self, room: Room) -> Any:
        output = self.outputs[room.kind]

        def drain() -> None:
            if not output.drain():
                self.selector.unregister(room.output)

        return drain

    def _submission_ended(self) -> None:
        """The room's first process is gone: what it started goes too, so that the judge sees it."""
        self.selector.unregister(self.rooms.submission.watch)
        self.rooms.submission.kill()
        code = self.rooms.submission.reap()
        if not self.timed_out:
            self.submission_exit = code

    def _end(self) -> None:
        for room in (self.rooms.judge, self.rooms.submission):
            room.kill()
            room.reap()
            output = self.outputs[room.kind]
            for _ in range(16):
                if output.total >= output.most or not output.drain():
                    break

    def report(self, job: Job, wall: str, seconds: float) -> Report:
        """The verdict on what was seen."""
        finished = bool(self.events) and self.events[-1]["event"] == "finished"
        seen = Seen(
            expected=job.test_ids,
            nonce=self.rooms.nonce,
            events=self.events,
            timed_out=self.timed_out,
            submission_exit=None
            if finished and not self.events[-1]["gone"]
            else self.submission_exit,
            judge_exit=self.rooms.judge.reap(),
            judge_output=self.outputs["judge"].text(),
            wall_seconds=self.wall_seconds,
        )
        judged = judgement(seen)
        return Report(
            verdict=judged.verdict,
            reason=judged.reason,
            tests=judged.tests,
            output=self.outputs["submission"].text(),
            wall=wall,
            seconds=round(seconds, 6),
            cpu_seconds=round(self.rooms.judge.cpu_seconds + self.rooms.submission.cpu_seconds, 6),
        )
