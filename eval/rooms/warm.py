"""The zygotes and benches of one environment behind one wall: lent to runs, renewed, retired."""

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from recodeh.data.errors import RoomError
from recodeh.eval.rooms.bench import Bench, bench_key
from recodeh.eval.rooms.interpreter import interpreter
from recodeh.eval.rooms.job import Job
from recodeh.eval.rooms.preload import imports
from recodeh.eval.rooms.zygote import Zygote
from recodeh.eval.walls.wall import Wall

KINDS = ("judge", "submission")
MOST_RUNS = 2000
MOST_BENCHES = 8
MOST_RENEWALS = 8


@dataclass(frozen=True)
class Lent:
    """What a run forks from."""

    bench: Bench
    zygote: Zygote


class Warm:
    """Thread-safe; a zygote that is renewed lives on until its last run has ended."""

    def __init__(self, wall: Wall) -> None:
        self.wall = wall
        self.fresh = ""
        """Why this environment runs in fresh processes instead."""
        self.users = 0
        self.zygotes: dict[str, Zygote] = {}
        self.benches: dict[Any, Bench] = {}
        self.retired: list[Bench | Zygote] = []
        self.refused: set[str] = set()
        """Modules that no zygote may import, because it could not fork any more."""
        self.renewals = 0
        self.heating = threading.Lock()
        self.counting = threading.Lock()

    @contextmanager
    def lend(self, job: Job) -> Iterator[Lent]:
        """A bench of the job's tests and a zygote; raises `RoomError` where there are none."""
        with self.heating:
            for kind in KINDS:
                self._heat(job, kind)
            lent = Lent(self._bench(job), self.zygotes["submission"])
            self._count(lent, 1)
        try:
            yield lent
        finally:
            self._count(lent, -1)

    def close(self) -> None:
        """End everything."""
        with self.heating, self.counting:
            for one in (*self.benches.values(), *self.zygotes.values(), *self.retired):
                one.close()
            self.benches.clear()
            self.zygotes.clear()
            self.retired.clear()

    def _count(self, lent: Lent, change: int) -> None:
        with self.counting:
            lent.bench.users += change
            lent.bench.zygote.users += change
            lent.zygote.users += change
            for one in [one for one in self.retired if not one.users]:
                self.retired.remove(one)
                one.close()

    def _bench(self, job: Job) -> Bench:
        key = bench_key(job)
        bench = self.benches.pop(key, None)
        if bench is None:
            bench = Bench(self.zygotes["judge"], job)
        self.benches[key] = bench
        with self.counting:
            for old in list(self.benches)[:-MOST_BENCHES]:
                self.retired.append(self.benches.pop(old))
        return bench

    def _heat(self, job: Job, kind: str) -> None:
        if self.fresh:
            raise RoomError(self.fresh)
        zygote = self.zygotes.get(kind)
        known = zygote.preload | zygote.missing if zygote is not None else frozenset[str]()
        wanted = imports(job, kind) - self.refused
        if zygote is not None and zygote.alive() and zygote.runs < MOST_RUNS:
            heavy = {name for name in wanted - known if name.partition(".")[0] not in STDLIB}
            if not heavy or self.renewals >= MOST_RENEWALS:
                return
            self.renewals += 1
        self._retire(kind)
        self.zygotes[kind] = self._zygote(job, kind, (known | wanted) - self.refused)

    def _retire(self, kind: str) -> None:
        with self.counting:
            if kind == "judge":
                self.retired += self.benches.values()
                self.benches.clear()
            if kind in self.zygotes:
                self.retired.append(self.zygotes.pop(kind))

    def _zygote(self, job: Job, kind: str, preload: frozenset[str]) -> Zygote:
        """A zygote that may fork: with `preload`, else with no more than the job itself names."""
        python = interpreter(job.python)
        made = Zygote(kind, python, self.wall, preload=sorted(preload), seed=job.seed)
        if not made.unsafe:
            return made
        made.close()
        least = frozenset(job.preload)
        if preload <= least:
            self.fresh = f"runs start fresh processes: {made.unsafe}"
            warnings.warn(self.fresh, stacklevel=9)
            raise RoomError(self.fresh)
        self.refused |= preload - least
        warnings.warn(f"a zygote could not fork and preloads less: {made.unsafe}", stacklevel=9)
        return self._zygote(job, kind, least)


STDLIB = frozenset(sys.stdlib_module_names)
