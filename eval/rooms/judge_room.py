"""The room that holds the tests: pytest in process, and a report that only the runner can read.

Stand-alone. It never loads the workspace; what it knows of the submission came through the link.
`serve` judges one submission. `serve_many` collects the tests once and forks a judge for each.
"""

import ctypes
import gc
import inspect
import json
import os
import select
import signal
import socket
import sys
from typing import Any

import pytest

from recodeh.eval.rooms import confine
from recodeh.eval.rooms.channel import Channel
from recodeh.eval.rooms.comparisons import refuse_empty
from recodeh.eval.rooms.judge import Judge
from recodeh.eval.rooms.remote import Link
from recodeh.eval.rooms.supervisor import tell_end
from recodeh.eval.rooms.wire import WireError, unpack

PR_SET_PDEATHSIG = 1
UNUSED = (
    "cacheprovider",
    "doctest",
    "junitxml",
    "pastebin",
    "setuponly",
    "setupplan",
    "stepwise",
    "debugging",
    "faulthandler",
    "nose",
    "legacypath",
    "tmpdir_factory",
    "terminalreporter",
    "logging",
    "threadexception",
    "unraisableexception",
)


def serve(link: socket.socket, control: socket.socket, work: str) -> None:
    """Take the job from `control`, run its tests against `link`, and report on `control`."""
    runner = Channel(control)
    job = _job(runner)
    confine.limit(job["limits"])
    judge = Judge(runner, Link(Channel(link, job["max_bytes"])), job["seed"])
    code = _collect(judge, job, work)
    judge.finish(job["nonce"], code)


def serve_many(link: socket.socket, control: socket.socket, work: str) -> None:
    """Collect the tests of the job once, then fork a judge for every pair of sockets that comes."""
    link.close()
    job = _job(Channel(control))
    confine.limit({**job["limits"], "cpu_seconds": None})
    judge = Judge(None, None, job["seed"])
    judge.loop = Many(judge, control).loop
    _collect(judge, job, work)


def _job(runner: Channel) -> Any:
    confine.hide()
    setup, blobs = runner.receive()
    return unpack(setup["job"], blobs, _refuse)


def _collect(judge: Judge, job: Any, work: str) -> int:
    sys.dont_write_bytecode = True
    confine.refuse_calls()
    confine.preload(job["preload"])
    refuse_empty([text.decode() for path, text in job["tests"].items() if path.endswith(".py")])
    root = f"{work}/tests"
    confine.write_files(root, job["tests"])
    os.chdir(root)
    return int(pytest.main(_arguments(root, job["paths"]), plugins=[judge]))


def _refuse(value: Any) -> Any:
    raise WireError("not plain data")


def _arguments(root: str, paths: list[str]) -> list[str]:
    unused = [flag for name in UNUSED for flag in ("-p", f"no:{name}")]
    where = ["--rootdir", root, "--confcutdir", root, "-c", "/dev/null", "--noconftest"]
    how = ["--import-mode=importlib", "--capture=no", "--tb=short", "-q"]
    return [*unused, *where, *how, *paths]


class Many:
    """A collected session that forks a judge per submission and tells how each ended."""

    def __init__(self, judge: Judge, control: socket.socket) -> None:
        self.judge = judge
        self.control = control
        self.running: dict[int, tuple[int, socket.socket]] = {}
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)

    def loop(self, session: Any) -> bool:
        """Fork until the runner hangs up."""
        # Filled once here, the map from files to modules need not be filled in every fork.
        inspect.getmodule(sys._getframe())
        gc.collect()
        gc.freeze()
        Channel(self.control).send({"event": "waiting"}, [])
        while True:
            for descriptor, _ in self.poll.poll():
                if descriptor in self.running:
                    self._reap(descriptor)
                elif not self._fork(session):
                    os._exit(0)

    def _fork(self, session: Any) -> bool:
        asked, descriptors, _, _ = socket.recv_fds(self.control, 1, 2)
        if not asked:
            return False
        link, control = (socket.socket(fileno=number) for number in descriptors)
        pid = os.fork()
        if not pid:
            self._judge(session, link, control)
        link.close()
        watch = os.pidfd_open(pid)
        self.running[watch] = (pid, control)
        self.poll.register(watch, select.POLLIN)
        socket.send_fds(self.control, [b"p"], [watch])
        return True

    def _judge(self, session: Any, link: socket.socket, control: socket.socket) -> None:
        code = 70
        try:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            self.control.close()
            for watch, (_, other) in self.running.items():
                os.close(watch)
                other.close()
            _run_all(self.judge, session, link, control)
            code = 0
        # Whatever goes wrong ends this process: it must never return into the loop.
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(code)

    def _reap(self, watch: int) -> None:
        pid, control = self.running.pop(watch)
        self.poll.unregister(watch)
        os.close(watch)
        _, status, usage = os.wait4(pid, 0)
        tell_end(control, status, usage.ru_utime + usage.ru_stime)


def _run_all(judge: Judge, session: Any, link: socket.socket, control: socket.socket) -> None:
    runner = Channel(control)
    setup, _ = runner.receive()
    job = json.loads(setup["run"])
    confine.limit(job["limits"])
    judge.attach(runner, Link(Channel(link, job["max_bytes"])), job["seed"])
    if not session.testsfailed:
        for place, item in enumerate(session.items):
            following = session.items[place + 1] if place + 1 < len(session.items) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    judge.finish(job["nonce"], 0)
