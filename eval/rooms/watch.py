"""Watch the two rooms of a run, bounded in time and memory, until the judge's last word."""

import os
import re
import selectors
import time
from dataclasses import dataclass, field
from typing import Any

from recodeh.data.records import Report
from recodeh.eval.rooms.channel import Closed
from recodeh.eval.rooms.job import Job
from recodeh.eval.rooms.opening import Room, Rooms
from recodeh.eval.rooms.verdict import Seen, judgement
from recodeh.eval.rooms.wire import WireError

START_SECONDS = 60.0
LAST_WORD_SECONDS = 0.6
CONTROL_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


def watched(rooms: Rooms, job: Job, wall: str, started: float) -> Report:
    """Watch open rooms to their end and report."""
    watch = Watch(rooms, job.limits.wall_seconds, job.limits.output_kb * 1024)
    watch.run()
    return watch.report(job, wall, time.monotonic() - started)


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
        if event["event"] == "ended":
            self.rooms.judge.told(event)
            self.done = True
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
            spent=self.rooms.submission.cpu_seconds >= job.limits.cpu_seconds,
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
