"""Zygotes kept warm per environment, wall and hash seed, and the runs that they serve.

A run falls back to fresh processes where forking is unsafe, and says so once.
"""

import atexit
import re
import secrets
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from recodeh.data.errors import RoomError
from recodeh.data.records import Report, Verdict
from recodeh.eval.rooms.bench import Bench, bench_key
from recodeh.eval.rooms.interpreter import interpreter
from recodeh.eval.rooms.job import Job
from recodeh.eval.rooms.opening import Rooms, fresh_rooms, send_job, submission_job
from recodeh.eval.rooms.watch import watched
from recodeh.eval.rooms.zygote import Zygote
from recodeh.eval.walls.wall import Wall

IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w., \t]+))", re.M)
MOST_RUNS = 2000
MOST_BENCHES = 8
MOST_WARM = 4
KINDS = ("judge", "submission")


@dataclass
class Warm:
    """The zygotes of one environment behind one wall."""

    preload: dict[str, frozenset[str]] = field(default_factory=dict)
    zygotes: dict[str, Zygote] = field(default_factory=dict)
    fresh: str = ""
    """Why this environment runs in fresh processes instead."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    benches: dict[Any, Bench] = field(default_factory=dict)
    users: int = 0

    @contextmanager
    def bench(self, job: Job) -> Iterator[Bench]:
        """The bench of the job's tests, kept for the next submission to the same task."""
        key = bench_key(job)
        with self.lock:
            bench = self.benches.pop(key, None) or Bench(self.zygotes["judge"], job)
            self.benches[key] = bench
            bench.users += 1
        try:
            yield bench
        finally:
            with self.lock:
                bench.users -= 1
                self._trim()

    def _trim(self) -> None:
        idle = [key for key, bench in self.benches.items() if not bench.users]
        for key in idle[: max(0, len(self.benches) - MOST_BENCHES)]:
            self.benches.pop(key).close()

    def close(self, kind: str) -> None:
        """End a zygote, and with the judge's its benches."""
        if kind == "judge":
            for bench in self.benches.values():
                bench.close()
            self.benches.clear()
        zygote = self.zygotes.pop(kind, None)
        if zygote is not None:
            zygote.close()


class Pool:
    """Runs jobs behind one wall, at most `workers` at a time; thread-safe."""

    def __init__(self, wall: Wall, *, workers: int = 4) -> None:
        self.wall = wall
        self.slots = threading.BoundedSemaphore(workers)
        self.warm: dict[tuple[str, int], Warm] = {}
        self.lock = threading.Lock()
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
        with self.lock:
            for warm in self.warm.values():
                for kind in KINDS:
                    warm.close(kind)
            self.warm.clear()

    def _forked_run(self, job: Job, started: float) -> Report | None:
        """The report of a run in forked rooms; None where no rooms can be forked."""
        warm = self._warm(job)
        try:
            if warm.fresh:
                return None
            with ExitStack() as stack:
                rooms = self._forked(job, warm, stack)
                return watched(rooms, job, self.wall.name, started)
        except RoomError:
            return None
        finally:
            with self.lock:
                warm.users -= 1

    def _forked(self, job: Job, warm: Warm, stack: ExitStack) -> Rooms:
        nonce = secrets.token_hex(16)
        bench = stack.enter_context(warm.bench(job))
        ends = socket.socketpair()
        with ends[0], ends[1]:
            submission = warm.zygotes["submission"].open(ends[1], job.limits.file_mb)
            stack.callback(submission.close)
            send_job(submission, submission_job(job))
            judge = bench.open(ends[0], job, nonce)
            stack.callback(judge.close)
        return Rooms(judge, submission, nonce)

    def _warm(self, job: Job) -> Warm:
        key = (str(job.python), job.seed % 2**32)
        with self.lock:
            warm = self.warm[key] = self.warm.pop(key) if key in self.warm else Warm()
            warm.users += 1
            self._trim()
        with warm.lock:
            for kind in () if warm.fresh else KINDS:
                self._heat(job, warm, kind)
        return warm

    def _trim(self) -> None:
        idle = [key for key, warm in self.warm.items() if not warm.users]
        for key in idle[: max(0, len(self.warm) - MOST_WARM)]:
            warm = self.warm.pop(key)
            for kind in KINDS:
                warm.close(kind)

    def _heat(self, job: Job, warm: Warm, kind: str) -> None:
        wanted = warm.preload.get(kind, frozenset()) | imports(job, kind)
        zygote = warm.zygotes.get(kind)
        if zygote is not None:
            stale = not zygote.alive() or zygote.runs >= MOST_RUNS
            if not stale and wanted <= zygote.preload:
                return
            warm.close(kind)
        made = Zygote(
            kind, interpreter(job.python), self.wall, preload=sorted(wanted), seed=job.seed
        )
        warm.zygotes[kind], warm.preload[kind] = made, wanted
        if made.unsafe:
            warm.fresh = made.unsafe
            warnings.warn(f"runs start fresh processes: {made.unsafe}", stacklevel=6)


def imports(job: Job, kind: str) -> frozenset[str]:
    """Modules that a room of this kind will import, and that are none of the workspace's own."""
    own = {PurePosixPath(path).parts[0].removesuffix(".py") for path in _under_root(job)}
    tests = {test.path: test.content.encode() for test in job.tests}
    files = tests if kind == "judge" else job.files
    texts = [text for path, text in files.items() if path.endswith(".py")]
    found = {name for text in texts for name in _imported(text)} | set(job.preload)
    return frozenset(name for name in found if name.partition(".")[0] not in own)


def _under_root(job: Job) -> Iterator[str]:
    root = PurePosixPath(job.import_root)
    for path in job.files:
        pure = PurePosixPath(path)
        if pure.is_relative_to(root):
            yield str(pure.relative_to(root))


@lru_cache(maxsize=4096)
def _imported(text: bytes) -> frozenset[str]:
    names = set()
    for source, listed in IMPORT.findall(text):
        words = (
            [source] if source else [word.split()[0] for word in listed.split(b",") if word.strip()]
        )
        names |= {word.decode() for word in words if re.fullmatch(rb"[A-Za-z_][\w.]*", word)}
    return frozenset(name for name in names if not name.endswith("."))
