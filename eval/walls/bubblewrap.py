"""The default wall: bubblewrap, with no network, no host files, no privilege and its own processes.

As root, `bwrap` alone keeps root's powers over the host, so a room there runs as a user id of its
own, set by `setpriv` inside, which also makes the limit on processes hold. As a normal user it runs
in a user namespace that cannot open another one.
"""

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from recodeh.eval.walls.wall import Availability, Command, Interpreter, Opening

WORK = "/room"
FIRST_USER = 1_000_000
USERS = 1_000_000
NAMESPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
ALWAYS = (*NAMESPACES, "--unshare-cgroup-try", "--new-session", "--clearenv")
FORKING = ("CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL")
"""What a zygote run by root needs to make worlds for its rooms, and to end them."""
HIDDEN = ("/usr/local", "/usr/src", "/usr/share", "/usr/games", "/usr/include", "/usr/sbin")
LIBRARIES = ("lib", "lib32", "lib64", "libx32", "bin", "sbin")
CONFIGURATION = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
TRY_SECONDS = 10


@dataclass(frozen=True)
class BubblewrapWall:
    """Rooms see an interpreter, an environment, our room scripts and nothing else of the host."""

    name: str = field(default="bubblewrap", init=False)

    @property
    def nests(self) -> bool:
        """As root, a zygote keeps what it takes to make namespaces; its rooms lose it again."""
        return os.geteuid() == 0

    def command(self, arguments: tuple[str, ...], opening: Opening) -> Command:
        """A `bwrap` command line around `arguments`."""
        words = [*_start(opening.forks), *_system(), *_writable(opening.disk_mb)]
        words += _bound((opening.interpreter.base_prefix,))
        words += _base_packages_hidden(opening.interpreter)
        words += _bound((opening.interpreter.prefix, *opening.read_only))
        environment = {**opening.environment, "HOME": WORK, "TMPDIR": "/tmp"}
        words += [word for pair in environment.items() for word in ("--setenv", *pair)]
        scratch = _scratch(opening) if opening.forks else ()
        if opening.forks and "/tmp" not in scratch:
            words += ["--remount-ro", "/tmp"]
        words += ["--remount-ro", "/", "--chdir", WORK, "--"]
        words += [*_unprivileged(opening.forks), *arguments]
        outside = {"PATH": os.environ.get("PATH", "/usr/bin")}
        return Command(tuple(words), outside, Path("/"), WORK, scratch)

    def available(self) -> Availability:
        """Start a real process behind the wall."""
        mend = "apt-get install bubblewrap"
        if shutil.which("bwrap") is None:
            return Availability(False, "there is no bwrap command", mend)
        if os.geteuid() == 0 and shutil.which("setpriv") is None:
            return Availability(False, "there is no setpriv command", "apt-get install util-linux")
        words = [*_start(), *_system(), *_writable(1), "--", *_unprivileged(), "/usr/bin/true"]
        try:
            tried = subprocess.run(words, capture_output=True, timeout=TRY_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return Availability(False, f"bwrap does not run: {error}", mend)
        if tried.returncode:
            said = tried.stderr.decode(errors="replace").strip()
            mend = "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1"
            return Availability(False, f"bwrap fails: {said}", mend)
        return Availability(True)

    def sweep(self, token: str) -> int:
        """Nothing outlives the process namespace of a room."""
        return 0


def _start(forks: bool = False) -> Iterator[str]:
    yield shutil.which("bwrap") or "bwrap"
    yield from ALWAYS
    if not forks:
        # A zygote must outlive the thread that started it; it ends when its control is closed.
        yield "--die-with-parent"
    if os.geteuid() == 0 and forks:
        yield from ("--cap-drop", "ALL")
        yield from (word for name in FORKING for word in ("--cap-add", name))
    elif os.geteuid() != 0:
        yield from ("--unshare-user", "--uid", "65534", "--gid", "65534")
        yield from ("--cap-drop", "ALL", "--disable-userns")


def _unprivileged(forks: bool = False) -> Iterator[str]:
    if os.geteuid() == 0 and not forks:
        # A number of its own per room: rooms of one user would share the limit on processes.
        user = str(FIRST_USER + secrets.randbelow(USERS))
        yield from (shutil.which("setpriv") or "setpriv", "--reuid", user, "--regid", user)
        yield from ("--clear-groups", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for path in HIDDEN:
        if Path(path).is_dir():
            yield from _hide(Path(path))
    for name in LIBRARIES:
        library = Path("/", name)
        if library.is_symlink():
            yield from ("--symlink", str(library.readlink()), str(library))
        elif library.is_dir():
            yield from ("--ro-bind", str(library), str(library))
    for file in CONFIGURATION:
        yield from ("--ro-bind-try", file, file)


def _writable(disk_mb: int) -> Iterator[str]:
    yield from ("--proc", "/proc", "--dev", "/dev")
    for path, size in (("/tmp", disk_mb), (WORK, disk_mb), ("/dev/shm", disk_mb)):
        yield from ("--perms", "0777", "--size", str(size << 20), "--tmpfs", path)
    yield from ("--remount-ro", "/dev")


def _base_packages_hidden(interpreter: Interpreter) -> Iterator[str]:
    """Packages beside the base interpreter are no part of the environment."""
    gone = [path for path in HIDDEN if not interpreter.base_prefix.is_relative_to(path)]
    for path in interpreter.base_packages:
        if not any(path.is_relative_to(hidden) for hidden in gone):
            yield from _hide(path)


def _scratch(opening: Opening) -> tuple[str, ...]:
    """A new /tmp for each room would cover an environment that lies below it."""
    bound = (opening.interpreter.prefix, opening.interpreter.base_prefix, *opening.read_only)
    covers = any(path.is_relative_to("/tmp") for path in bound)
    return (WORK, "/dev/shm") if covers else (WORK, "/dev/shm", "/tmp")


def _hide(path: Path) -> tuple[str, ...]:
    return ("--tmpfs", str(path), "--remount-ro", str(path))


def _bound(paths: Iterable[Path]) -> Iterator[str]:
    # An interpreter in /usr is there already; binding it again would uncover what is hidden.
    for path in paths:
        if path == Path("/usr"):
            continue
        # Folders above a bind are made here, since bwrap would shut them to others than root.
        for parent in reversed(path.parents[:-1]):
            yield from ("--perms", "0755", "--dir", str(parent))
        yield from ("--ro-bind", str(path), str(path))
