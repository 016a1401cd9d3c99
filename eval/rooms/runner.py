"""Run one job in two rooms behind a wall, and report: from warm zygotes, or in fresh processes."""

import asyncio
import os
import threading
import time

from recodeh.data.records import Report
from recodeh.eval.rooms.job import Job
from recodeh.eval.rooms.opening import fresh_rooms
from recodeh.eval.rooms.pool import Pool
from recodeh.eval.rooms.watch import watched
from recodeh.eval.walls.wall import Wall

_pools: dict[tuple[int, Wall], Pool] = {}
_lock = threading.Lock()


def run(job: Job, wall: Wall) -> Report:
    """Run `job` and report; whatever a submission does ends as a verdict, never as an exception.

    Returns within the limit on wall seconds, counted from the moment the tests are collected, plus
    one second. Zygotes of the environment stay warm until this process ends or `close_pools` is
    called. Raises `RoomError` only when the rooms themselves cannot be started.
    """
    return shared_pool(wall).run(job)


async def arun(job: Job, wall: Wall) -> Report:
    """`run` without blocking the event loop."""
    return await asyncio.to_thread(run, job, wall)


def run_fresh(job: Job, wall: Wall) -> Report:
    """`run` in two new processes, for environments that cannot fork and for comparison."""
    started = time.monotonic()
    with fresh_rooms(job, wall) as rooms:
        return watched(rooms, job, wall.name, started)


def shared_pool(wall: Wall) -> Pool:
    """The pool that every `run` behind `wall` in this process uses."""
    # A fork of this process would speak over the same sockets, so it gets a pool of its own.
    key = (os.getpid(), wall)
    with _lock:
        if key not in _pools:
            _pools[key] = Pool(wall)
        return _pools[key]


def close_pools() -> None:
    """End every zygote that `run` has started."""
    with _lock:
        for pool in _pools.values():
            pool.close()
        _pools.clear()
