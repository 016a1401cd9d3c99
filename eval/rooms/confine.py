"""What a room does to itself before it touches anybody's code: limits, no privileges, seeds.

Stand-alone: the rooms run it with the environment's interpreter, which has no recodeh.
"""

import contextlib
import ctypes
import os
import random
import resource
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from recodeh.eval.rooms import seccomp

PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 4, 24, 38
CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63
CAPABILITY_HEADER = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
NO_CAPABILITIES = (ctypes.c_uint32 * 6)()
LIBC = ctypes.CDLL(None)
LIBC.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
MEGABYTE = 1024 * 1024


def limit(limits: dict[str, Any]) -> None:
    """Set the resource limits of this process and its children, soft and hard."""
    if limits["cpu_seconds"] is not None:
        _lower(resource.RLIMIT_CPU, limits["cpu_seconds"], limits["cpu_seconds"] + 1)
    _lower(resource.RLIMIT_AS, limits["memory_mb"] * MEGABYTE)
    _lower(resource.RLIMIT_NPROC, _tasks_of_this_user() + limits["processes"])
    _lower(resource.RLIMIT_NOFILE, limits["open_files"])
    _lower(resource.RLIMIT_FSIZE, limits["file_mb"] * MEGABYTE)
    _lower(resource.RLIMIT_CORE, 0)


def _tasks_of_this_user() -> int:
    """What the kernel counts already: without a user of its own, a room shares the limit."""
    count, user = 0, os.geteuid()
    if not user:
        return 0  # the kernel does not hold root to this limit
    for name in os.listdir("/proc"):  # noqa: PTH208 - no pathlib in a room
        with contextlib.suppress(OSError):
            if name.isdecimal() and os.stat(f"/proc/{name}").st_uid == user:  # noqa: PTH116
                count += len(os.listdir(f"/proc/{name}/task"))  # noqa: PTH208
    return count


def _lower(kind: int, soft: int, hard: int | None = None) -> None:
    ceiling = resource.getrlimit(kind)[1]
    wanted = soft if hard is None else hard
    if ceiling != resource.RLIM_INFINITY:
        wanted, soft = min(wanted, ceiling), min(soft, ceiling)
    resource.setrlimit(kind, (soft, wanted))


def hide() -> None:
    """Keep processes of the same user from tracing this one or reading its memory."""
    _prctl(PR_SET_DUMPABLE, 0)


def show() -> None:
    """Let this process read its own /proc again, which a change of user takes away."""
    _prctl(PR_SET_DUMPABLE, 1)


def drop_privileges() -> None:
    """Give up every capability for good, so that this process may not trace one that has any."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    if os.geteuid():
        return  # a change to another user took them already, and that flag keeps it so
    for capability in range(LAST_CAPABILITY + 1):
        _prctl(PR_CAPBSET_DROP, capability)
    LIBC.capset(CAPABILITY_HEADER, NO_CAPABILITIES)


def _prctl(option: int, value: int) -> None:
    # Refusals are expected: a capability that this kernel does not know, or a process without any.
    LIBC.prctl(option, value, 0, 0, 0)


def prepare() -> None:
    """Do once in a zygote what each of its rooms would do again."""
    seccomp.prepare()


def refuse_calls() -> None:
    """Give up the system calls that neither tests nor research code need."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    seccomp.refuse_calls()


def seed(value: int) -> None:
    """Seed `random`, and numpy's global state where numpy is loaded."""
    random.seed(value)
    numpy_random: Any = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(value % 2**32)


def preload(names: list[str]) -> None:
    """Import the third-party modules of `names` that this environment has."""
    for name in names:
        if name not in sys.modules and find_spec(name.partition(".")[0]) is not None:
            import_module(name)


def write_files(folder: str, files: dict[str, bytes]) -> None:
    """Write `files`, by relative path, under `folder`."""
    made = set()
    for path, content in files.items():
        place = f"{folder}/{path}"
        parent = place.rpartition("/")[0]
        if parent not in made:
            os.makedirs(parent, exist_ok=True)  # noqa: PTH103 - pathlib costs 10 ms to import
            made.add(parent)
        with open(place, "wb") as file:  # noqa: PTH123
            file.write(content)
