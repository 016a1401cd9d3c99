"""A judge that has collected a task's tests once and forks for every submission to it."""

import json
import os
import socket
import threading
from typing import Any

from recodeh.data.errors import RoomError
from recodeh.eval.rooms.channel import Channel, Closed
from recodeh.eval.rooms.job import Job
from recodeh.eval.rooms.opening import judge_job, send_job
from recodeh.eval.rooms.wire import WireError
from recodeh.eval.rooms.zygote import FORK_SECONDS, ForkedRoom, Zygote

COLLECT_SECONDS = 60.0


class Bench:
    """The collected tests of one task; thread-safe."""

    def __init__(self, zygote: Zygote, job: Job) -> None:
        self.users = 0
        self.zygote = zygote
        self.lock = threading.Lock()
        unused, theirs = socket.socketpair()
        with unused, theirs:
            self.room = zygote.open(theirs, job.limits.file_mb, serve="serve_many")
        try:
            send_job(self.room, judge_job(job))
            self.room.control.sock.settimeout(COLLECT_SECONDS)
            event, _ = self.room.control.receive()
            if event["event"] != "waiting":
                raise RoomError("the judge could not load its tests")
        except (Closed, WireError, RoomError) as error:
            self.close()
            raise RoomError(f"the tests were not collected: {error}") from None
        self.room.control.sock.settimeout(FORK_SECONDS)

    def open(self, link: socket.socket, job: Job, nonce: str) -> ForkedRoom:
        """Fork a judge for one run; raises `RoomError` when the bench is gone."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                watch = self._request(link, theirs)
            except (OSError, IndexError) as error:
                ours.close()
                raise RoomError(f"the judge is gone: {error}") from None
        room = ForkedRoom("judge", Channel(ours), _nothing(), watch, supervised=False)
        asked = {key: judge_job(job)[key] for key in ("limits", "seed", "max_bytes")}
        try:
            room.control.send({"run": json.dumps({**asked, "nonce": nonce})}, [])
        except Closed as error:
            room.close()
            raise RoomError(f"the judge is gone: {error}") from None
        return room

    def close(self) -> None:
        """End the judge and every run of it."""
        self.room.close()

    def _request(self, link: socket.socket, control: socket.socket) -> int:
        with self.lock:
            sock = self.room.control.sock
            socket.send_fds(sock, [b"r"], [link.fileno(), control.fileno()])
            _, received, _, _ = socket.recv_fds(sock, 1, 1)
        return received[0]


def bench_key(job: Job) -> Any:
    """Jobs with one key can be judged on one bench."""
    return (job.tests, job.test_ids, job.limits.file_mb, job.limits.memory_mb)


def _nothing() -> int:
    """A descriptor that reads as empty: what tests print is not kept."""
    shown, printed = os.pipe()
    os.close(printed)
    return shown
