"""A warm process that has imported an environment's heavy modules and forks a room per run.

Stand-alone. It never sees a workspace or a test: modules under test are imported by its children
only. It speaks datagrams with the runner: a plan and three descriptors come in, the descriptor of
the supervisor's process goes back.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
from typing import Any

from recodeh.eval.rooms import confine, supervisor

MAX_PLAN = 1 << 16
FORK_UNSAFE = ("jax", "jaxlib")


def serve(link: None, control: socket.socket, work: str) -> None:
    """Preload, say what was loaded, and fork until the runner hangs up."""
    setup = json.loads(control.recv(1 << 18))
    supervisor.gather_orphans()
    room = importlib.import_module(f"recodeh.eval.rooms.{setup['kind']}_room")
    missing = [name for name in setup["preload"] if not _imported(name)]
    confine.prepare()
    gc.collect()
    gc.freeze()
    control.send(json.dumps({"missing": missing, "unsafe": _unsafe()}).encode())
    Zygote(room, control).loop()


def _imported(name: str) -> bool:
    try:
        importlib.import_module(name)
    # A module of the environment may fail in its own way; a room that needs it will say so.
    except Exception:
        return False
    return True


def _unsafe() -> str:
    """Why this process must not fork; empty where it may."""
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - no pathlib in a room
    if threads > 1:
        return f"importing started {threads - 1} threads"
    for name in FORK_UNSAFE:
        if name in sys.modules:
            return f"{name} does not survive a fork"
    torch: Any = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return "CUDA is initialised"
    return ""


class Zygote:
    """Forks rooms on request and reaps them or their supervisors."""

    def __init__(self, room: Any, control: socket.socket) -> None:
        self.room = room
        self.control = control
        self.running: dict[int, tuple[int, socket.socket | None, str]] = {}
        """By the descriptor of its process: pid, where to tell how a lone room ended, folder."""
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)

    def loop(self) -> None:
        """Serve until the runner hangs up; then everything below ends with this process."""
        while True:
            for descriptor, _ in self.poll.poll():
                if descriptor != self.control.fileno():
                    self._reap(descriptor)
                elif not self._open():
                    return

    def _open(self) -> bool:
        text, descriptors, _, _ = socket.recv_fds(self.control, MAX_PLAN, 3)
        if not text:
            return False
        link, control = (socket.socket(fileno=number) for number in descriptors[:2])
        plan = json.loads(text)
        serve = getattr(self.room, plan["serve"])
        pid = supervisor.fork_room(serve, link, control, descriptors[2], plan)
        link.close()
        os.close(descriptors[2])
        watch = os.pidfd_open(pid)
        if not plan["namespaces"]:
            control.close()
        self.running[watch] = (pid, control if plan["namespaces"] else None, plan["work"])
        self.poll.register(watch, select.POLLIN)
        socket.send_fds(self.control, [b"opened"], [watch])
        return True

    def _reap(self, watch: int) -> None:
        self.poll.unregister(watch)
        os.close(watch)
        pid, control, work = self.running.pop(watch)
        _, status, usage = os.wait4(pid, 0)
        if control is not None:
            supervisor.tell_end(control, status, usage.ru_utime + usage.ru_stime)
            return
        # A supervisor that was killed leaves its room's folder, and the room itself.
        shutil.rmtree(work, ignore_errors=True)
        if not self.running:
            self._sweep()

    def _sweep(self) -> None:
        """Kill rooms whose supervisor was killed: they became children of this process."""
        with contextlib.suppress(OSError), open("/proc/thread-self/children") as file:  # noqa: PTH123
            for word in file.read().split():
                os.kill(int(word), signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
