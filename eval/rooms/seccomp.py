"""A filter of system calls for a room: no tracing, mounting, namespaces, keys or network.

Stand-alone. The program is written by hand as classic BPF (seccomp(2)), since no environment has a
library for it; on a machine whose call numbers are not listed here there is no filter.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
LOAD, EQUAL, ABOVE, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
KILL, REFUSE, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
NEW_NAMESPACES = 0x7E020000
UNIX_SOCKETS = 1
EVERYBODY = 0xFFFFFFFF
X32 = 0x40000000

# io_uring, the new mount interface, pidfd_getfd and process_madvise have one number everywhere.
COMMON = (425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 440, 442)
CLONE3 = 435
# ptrace, mounts, roots, namespaces, swap, reboot, host names, modules, kexec, bpf, perf,
# userfaultfd, memory of others, kcmp, keys, file handles, quotas, accounting, clocks, ports
X86_64 = (101, 165, 166, 155, 161, 272, 308, 167, 168, 169, 170, 171, 175, 176, 313, 246, 320, 321)
X86_64_MORE = (298, 323, 310, 311, 312, 248, 249, 250, 303, 304, 179, 163, 164, 227, 159, 172, 173)
AARCH64 = (117, 40, 39, 41, 51, 97, 268, 224, 225, 142, 161, 162, 105, 106, 273, 104, 294, 280, 241)
AARCH64_MORE = (282, 270, 271, 272, 217, 218, 219, 264, 265, 60, 89, 170, 112, 171)
MACHINES = {
    "x86_64": (0xC000003E, {"clone": 56, "socket": 41, "kill": 62}, (*X86_64, *X86_64_MORE)),
    "aarch64": (0xC00000B7, {"clone": 220, "socket": 198, "kill": 129}, (*AARCH64, *AARCH64_MORE)),
}

LIBC = ctypes.CDLL(None)
Step = tuple[int, int, str, str]


def refuse_calls() -> bool:
    """Install the filter for this process and its children; False where there is none."""
    program = _program()
    if program is None:
        return False
    return bool(LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program[0], 0, 0) == 0)


def prepare() -> None:
    """Write the program now, for children that will install it."""
    _program()


@lru_cache(maxsize=1)
def _program() -> tuple[Any, Any] | None:
    """The filter as the kernel wants it, and the memory that it points to."""
    known = MACHINES.get(os.uname().machine)
    if known is None:
        return None
    code = assemble(list(_steps(*known)))
    text = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(text))
    return ctypes.create_string_buffer(program), text


def _steps(architecture: int, special: dict[str, int], refused: tuple[int, ...]) -> Iterator[Step]:
    yield (LOAD, ARCHITECTURE, "", "")
    yield (EQUAL, architecture, "", "end")
    yield (LOAD, NUMBER, "", "")
    if architecture == MACHINES["x86_64"][0]:
        yield (ABOVE, X32, "refuse", "")
    for number in (*refused, *COMMON):
        yield (EQUAL, number, "refuse", "")
    # C libraries fall back to clone, whose flags a filter can see.
    yield (EQUAL, CLONE3, "absent", "")
    for name in special:
        yield (EQUAL, special[name], name, "")
    yield (RETURN, ALLOW, "", "")
    yield from _argument("clone", ANY_BIT, NEW_NAMESPACES, "refuse", "allow")
    yield from _argument("socket", EQUAL, UNIX_SOCKETS, "allow", "refuse")
    yield from _argument("kill", EQUAL, EVERYBODY, "refuse", "allow")
    yield (-RETURN, ALLOW, "allow", "")
    yield (-RETURN, REFUSE | errno.EPERM, "refuse", "")
    yield (-RETURN, REFUSE | errno.ENOSYS, "absent", "")
    yield (-RETURN, KILL, "end", "")


def _argument(name: str, test: int, value: int, true: str, false: str) -> Iterator[Step]:
    yield (-LOAD, FIRST_ARGUMENT, name, "")
    yield (test, value, true, false)


def assemble(steps: list[Step]) -> bytes:
    """Instructions for `steps`; a negative code carries its own label in the third place."""
    places = {step[2]: place for place, step in enumerate(steps) if step[0] < 0}
    code = b""
    for place, (operation, value, true, false) in enumerate(steps):
        jumps = (
            (0, 0) if operation < 0 else (_jump(places, place, true), _jump(places, place, false))
        )
        code += struct.pack("HBBI", abs(operation), *jumps, value)
    return code


def _jump(places: dict[str, int], here: int, label: str) -> int:
    return places[label] - here - 1 if label else 0
