"""Zygotes kept warm per environment and hash seed behind one wall, and the runs that they serve."""

import atexit
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from recodeh.data.errors import RoomError
from recodeh.data.records import Report, Verdict
from recodeh.eval.rooms.job import Job
from recodeh.eval.rooms.opening import Rooms, fresh_rooms, send_job, submission_job
from recodeh.eval.rooms.warm import Lent, Warm
from recodeh.eval.rooms.watch import watched
from recodeh.eval.walls.wall import Wall

MOST_WARM = 4


class Pool:
    """Runs jobs behind one wall, at most `workers` at a time; thread-safe."""

    def __init__(self, wall: Wall, *, workers: int = 4) -> None:
        self.wall = wall
        self.slots = threading.BoundedSemaphore(workers)
        self.warm: dict[tuple[str, int], Warm] = {}
        self.lock = threading.Lock()
        self.owner = os.getpid()
        atexit.register(self.close)

    def run(self, job: Job) -> Report:
        """Run `job`; the same promise as `recodeh.eval.rooms.runner.run`."""
        with self.slots:
            started = time.monotonic()
            report = self._forked_run(job, started)
            if report is not None and report.verdict is not Verdict.INFRA:
                return report
            # Forking is unsafe here, a zygote crashed, or the tests do not load: one fresh try.
            with fresh_rooms(job, self.wall) as rooms:
                return watched(rooms, job, self.wall.name, started)

    def close(self) -> None:
        """End every zygote."""
        atexit.unregister(self.close)
        if os.getpid() != self.owner:
            return  # a fork of this process must not end what is not its own
        with self.lock:
            for warm in self.warm.values():
                warm.close()
            self.warm.clear()

    def _forked_run(self, job: Job, started: float) -> Report | None:
        """The report of a run in forked rooms; None where no rooms can be forked."""
        try:
            with self._environment(job) as warm, warm.lend(job) as lent, ExitStack() as stack:
                return watched(_fork(job, lent, stack), job, self.wall.name, started)
        except RoomError:
            return None

    @contextmanager
    def _environment(self, job: Job) -> Iterator[Warm]:
        key = (str(job.python), job.seed % 2**32)
        with self.lock:
            warm = self.warm[key] = self.warm.pop(key) if key in self.warm else Warm(self.wall)
            warm.users += 1
            idle = [old for old, one in self.warm.items() if not one.users]
            for old in idle[: max(0, len(self.warm) - MOST_WARM)]:
                self.warm.pop(old).close()
        try:
            yield warm
        finally:
            with self.lock:
                warm.users -= 1


def _fork(job: Job, lent: Lent, stack: ExitStack) -> Rooms:
    nonce = secrets.token_hex(16)
    ends = socket.socketpair()
    with ends[0], ends[1]:
        submission = lent.zygote.open(ends[1], job.limits.file_mb)
        stack.callback(submission.close)
        send_job(submission, submission_job(job))
        judge = lent.bench.open(ends[0], job, nonce)
        stack.callback(judge.close)
    return Rooms(judge, submission, nonce)
