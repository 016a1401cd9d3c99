"""Fork a room from a zygote, with a world of its own that ends with it.

Stand-alone. Behind bubblewrap run by root the room is the first process of a process namespace with
its own mounts, so that its end is the end of everything in it. Elsewhere a supervisor stands in
between, gathers what the room leaves behind (PR_SET_CHILD_SUBREAPER) and kills it.
"""

import contextlib
import ctypes
import os
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from recodeh.eval.rooms import confine
from recodeh.eval.rooms.channel import Channel, Closed

NEW_MOUNTS, NEW_IPC, NEW_NAMES, NEW_PROCESSES = 0x00020000, 0x08000000, 0x04000000, 0x20000000
NO_SUID_DEV = 0x6
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
GATHER_SECONDS = 1.0

Serve = Callable[[socket.socket, socket.socket, str], None]


def fork_room(
    serve: Serve, link: socket.socket, control: socket.socket, output: int, plan: dict[str, Any]
) -> int:
    """Fork the room, or the supervisor that forks it; returns that pid to the zygote."""
    if plan["namespaces"]:
        _unshare(NEW_PROCESSES)
    pid = os.fork()
    if pid:
        if plan["namespaces"]:
            _own_processes_again()
        return pid
    code = 70
    try:
        _settle(link, control, output)
        within = _alone if plan["namespaces"] else _supervised
        within(serve, link, control, plan)
        code = 0
    except Closed:
        code = 0  # nobody waits for this room any more
    # Whatever goes wrong here ends this process: it must never return into the zygote's loop.
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def _settle(link: socket.socket, control: socket.socket, output: int) -> None:
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    _only({0, output, link.fileno(), control.fileno()})
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)


def _alone(serve: Serve, link: socket.socket, control: socket.socket, plan: dict[str, Any]) -> None:
    """Be the first process of a namespace; the zygote tells how this ends."""
    _own_world(plan)
    _at_home(plan)
    _become(plan)
    serve(link, control, plan["work"])


def _supervised(
    serve: Serve, link: socket.socket, control: socket.socket, plan: dict[str, Any]
) -> None:
    gather_orphans()
    os.makedirs(plan["work"], mode=0o700)  # noqa: PTH103 - no pathlib in a room
    room = os.fork()
    if not room:
        _at_home(plan)
        serve(link, control, plan["work"])
        return
    link.close()
    try:
        _watch(room, control)
    finally:
        shutil.rmtree(plan["work"], ignore_errors=True)


def _at_home(plan: dict[str, Any]) -> None:
    os.chdir(plan["work"])
    os.environ["HOME"] = os.environ["TMPDIR"] = plan["work"]


def gather_orphans() -> None:
    """Become the parent of every orphan below this process."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _watch(room: int, control: socket.socket) -> None:
    """Wait until the room ends or the runner hangs up; then end all and tell how it went."""
    watch = os.pidfd_open(room)
    poll = select.poll()
    poll.register(watch, select.POLLIN)
    poll.register(control, select.POLLRDHUP)
    poll.poll()
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(watch, signal.SIGKILL)
    # A room that ended by itself is not changed by that signal.
    _, status, usage = os.wait4(room, 0)
    tell_end(control, status, usage.ru_utime + usage.ru_stime + _gather())


def tell_end(control: socket.socket, status: int, cpu: float) -> None:
    """Tell the runner how a room ended, and hang up."""
    ended = {"event": "ended", "code": os.waitstatus_to_exitcode(status), "cpu": cpu}
    with control, contextlib.suppress(Closed):
        Channel(control).send(ended, [])


def _gather() -> float:
    """Kill and reap everything below this process; returns the CPU seconds that it used."""
    spent, end = 0.0, time.monotonic() + GATHER_SECONDS
    while time.monotonic() < end:
        for child in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            pid, _, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid:
            spent += usage.ru_utime + usage.ru_stime
        else:
            time.sleep(0.0005)
    return spent


def _children() -> list[int]:
    try:
        with open("/proc/thread-self/children") as file:  # noqa: PTH123 - no pathlib in a room
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _only(kept: set[int]) -> None:
    """Close every descriptor but `kept`: the zygote's own must not reach a room."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        if int(name) not in kept and int(name) > 2:
            with contextlib.suppress(OSError):
                os.close(int(name))


def _own_world(plan: dict[str, Any]) -> None:
    _unshare(NEW_MOUNTS | NEW_IPC | NEW_NAMES)
    size = f"mode=0777,size={int(plan['disk_mb'])}m".encode()
    for place in plan["scratch"]:
        _mount(b"tmpfs", place.encode(), size)
    _mount(b"proc", b"/proc", None)


def _mount(kind: bytes, place: bytes, options: bytes | None) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(kind, place, kind, ctypes.c_ulong(NO_SUID_DEV), options):
        raise OSError(ctypes.get_errno(), f"mount {place.decode()}")


def _unshare(flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags):
        raise OSError(ctypes.get_errno(), f"unshare {flags:#x}")


def _own_processes_again() -> None:
    """Children of the zygote to come are in its own process namespace again."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(own, NEW_PROCESSES):
            raise OSError(ctypes.get_errno(), "setns")
    finally:
        os.close(own)


def _become(plan: dict[str, Any]) -> None:
    """A user of its own, so that the limit on processes is the room's alone."""
    if plan["user"] is not None:
        os.setgroups([])
        os.setresgid(plan["user"], plan["user"], plan["user"])
        os.setresuid(plan["user"], plan["user"], plan["user"])
        confine.show()
