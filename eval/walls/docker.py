"""The wall for machines with a container engine: Docker, or Podman through the same API.

One container without network, capabilities or writable root holds a zygote, which comes to meet
the runner on a socket in a folder that both see; the rooms are its forks. Containers and images of
ours carry a label and the process that they belong to, so that what a killed evaluator left is
removed at the next start.
"""

import hashlib
import io
import os
import socket
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recodeh.data.errors import RoomError
from recodeh.eval.walls.wall import Availability, Command, Opening

LABEL = "recodeh.room"
OWNER = "recodeh.owner"
NOBODY = 65534
MEMORY = "8g"
PROCESSES = 1024
START_SECONDS = 60
API_SECONDS = 60
FOLDERS = ("dev", "etc", "proc", "recodeh", "room", "sys", "tmp", "usr")
LINKS = {"lib": "usr/lib", "lib64": "usr/lib64", "bin": "usr/bin", "sbin": "usr/sbin"}
HIDDEN = ("/usr/local", "/usr/src", "/usr/share", "/usr/include")
MEND = "apt-get install docker.io, then start dockerd, and set DOCKER_HOST where it listens"


@dataclass(frozen=True)
class DockerWall:
    """Rooms are processes of a container that sees the environment and nothing else."""

    address: str = ""
    """Of the engine; DOCKER_HOST or the usual socket where empty."""
    name: str = field(default="docker", init=False)
    nests: bool = field(default=False, init=False)
    work: str = field(default="/room", init=False)
    socket_inside: str = field(default="/recodeh/zygote.sock", init=False)

    def command(self, arguments: tuple[str, ...], opening: Opening) -> Command:
        """Containers are started through the engine's API, not by a command line."""
        raise RoomError("this wall starts containers only", where=self.name)

    def available(self) -> Availability:
        """Start a real container and wait for its end."""
        try:
            with _client(self.address) as client:
                image = _image(client)
                made = client.containers.create(
                    image, ["/usr/bin/true"], **_shut(), volumes=_volumes([Path("/usr")])
                )
                try:
                    made.start()
                    code = made.wait(timeout=START_SECONDS)["StatusCode"]
                finally:
                    made.remove(force=True)
        except (OSError, RoomError) as error:
            return Availability(False, str(error)[:300], MEND)
        if code:
            return Availability(False, f"a container ended with exit code {code}", MEND)
        return Availability(True)

    def sweep(self, token: str) -> int:
        """A container ends with everything in it."""
        return 0

    def boot(
        self,
        arguments: tuple[str, ...],
        opening: Opening,
        folder: "tempfile.TemporaryDirectory[str]",
    ) -> "Container":
        """Start a container that runs `arguments` and wait until its process comes to meet us."""
        place = Path(folder.name) / "meet"
        place.mkdir(mode=0o755)
        Path(folder.name).chmod(0o711)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(place / "zygote.sock"))
            (place / "zygote.sock").chmod(0o777)
            listener.listen(1)
            listener.settimeout(START_SECONDS)
            with _client(self.address) as client:
                _remove_orphans(client)
                made = _create(client, arguments, opening, place)
                made.start()
                control = _met(listener, self.address, made.id)
                made.reload()
            return Container(self, made, control, folder)


class Container:
    """A started zygote in its container."""

    def __init__(
        self,
        wall: DockerWall,
        made: Any,
        control: socket.socket,
        folder: "tempfile.TemporaryDirectory[str]",
    ) -> None:
        self.wall = wall
        self.identity = made.id
        self.pid = int(made.attrs["State"]["Pid"])
        self.control = control
        self.work = wall.work
        self.scratch: tuple[str, ...] = ()
        self._folder = folder
        self.folder = Path(folder.name)

    def said(self) -> str:
        """The end of what it printed."""
        with _client(self.wall.address) as client:
            log: bytes = client.containers.get(self.identity).logs(tail=10)
        return log.decode(errors="replace")[-500:]

    def close(self) -> None:
        """Hang up and remove the container."""
        self.control.close()
        with _client(self.wall.address) as client:
            _remove(client, self.identity)
        self._folder.cleanup()


def listed(address: str = "") -> list[tuple[str, str, str]]:
    """Containers of ours: id, status and owner."""
    with _client(address) as client:
        found = client.containers.list(all=True, filters={"label": LABEL})
        return [(one.id, one.status, one.labels.get(OWNER, "")) for one in found]


def prune(address: str = "") -> int:
    """Remove containers whose owner is gone, and our images; returns how many containers."""
    with _client(address) as client:
        count = _remove_orphans(client)
        for image in client.images.list(filters={"label": LABEL}):
            if not client.containers.list(all=True, filters={"ancestor": image.id}):
                client.images.remove(image.id, force=True)
    return count


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """A client of the engine; everything that it raises comes out as `RoomError`."""
    from docker import DockerClient
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    where = address or os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if where.startswith("unix://"):
        # The SDK would leave its own socket open when nobody listens.
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(where.removeprefix("unix://"))
            except OSError as error:
                raise RoomError(f"no engine answers: {error}", where=where, mend=MEND) from None
    try:
        with closing(DockerClient(base_url=where, timeout=API_SECONDS)) as client:
            yield client
    except (DockerException, RequestException) as error:
        raise RoomError(f"the engine refuses: {error}", where=where) from None


def _create(client: Any, arguments: tuple[str, ...], opening: Opening, place: Path) -> Any:
    interpreter = opening.interpreter
    bound = [Path("/usr"), interpreter.base_prefix, interpreter.prefix, *opening.read_only]
    volumes = _volumes(bound)
    volumes[str(place)] = {"bind": "/recodeh", "mode": "ro"}
    hidden = [*HIDDEN, *map(str, interpreter.base_packages)]
    shown = [path for path in bound if path != Path("/usr")]
    covered = [path for path in hidden if not any(one.is_relative_to(path) for one in shown)]
    tmpfs = {path: "size=1m,mode=0755" for path in covered if Path(path).is_dir()}
    room = f"size={max(opening.disk_mb, 1024)}m,mode=1777"
    return client.containers.create(
        _image(client),
        list(arguments),
        **_shut(),
        volumes=volumes,
        tmpfs={**tmpfs, "/tmp": room, "/room": room},
        environment={**opening.environment, "HOME": "/room", "TMPDIR": "/room"},
        working_dir="/room",
    )


def _volumes(paths: list[Path]) -> dict[str, dict[str, str]]:
    own = [path for path in dict.fromkeys(paths) if path == Path("/usr") or path.parts[1] != "usr"]
    return {str(path): {"bind": str(path), "mode": "ro"} for path in own}


def _shut() -> dict[str, Any]:
    """What every container of ours may not do."""
    return {
        # Podman ignores `network_disabled`.
        "network_mode": "none",
        "read_only": True,
        "user": f"{NOBODY}:{NOBODY}",
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "mem_limit": MEMORY,
        "pids_limit": PROCESSES,
        "labels": {LABEL: "1", OWNER: _me()},
        "detach": True,
    }


def _image(client: Any) -> str:
    """The image that holds empty folders only; made here, since no registry is needed for it."""
    from docker.errors import ImageNotFound

    data = _tar()
    name = f"recodeh-room-{hashlib.sha256(data).hexdigest()[:12]}"
    for known in (name, f"localhost/{name}", f"docker.io/library/{name}"):
        try:
            client.images.get(known)
        except ImageNotFound:
            continue
        return known
    made = client.api.import_image_from_data(data, repository=name, changes=[f"LABEL {LABEL}=1"])
    del made
    return _image(client)


def _tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in FOLDERS:
            entry = tarfile.TarInfo(name)
            # What is mounted there takes its mode from here, whatever the mount asks for.
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if name in ("room", "tmp") else 0o755
            archive.addfile(entry)
        for name, target in LINKS.items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
        passwd = b"nobody:x:65534:65534::/room:/usr/sbin/nologin\n"
        entry = tarfile.TarInfo("etc/passwd")
        entry.size, entry.mode = len(passwd), 0o644
        archive.addfile(entry, io.BytesIO(passwd))
    return buffer.getvalue()


def _met(listener: socket.socket, address: str, identity: str) -> socket.socket:
    try:
        control, _ = listener.accept()
    except OSError as error:
        with _client(address) as client:
            made = client.containers.get(identity)
            log = made.logs(tail=5).decode(errors="replace")
            _remove(client, identity)
        raise RoomError(f"its process did not come to meet us: {error} {log}") from None
    return control


def _me() -> str:
    return f"{os.getpid()}:{_started(os.getpid())}"


def _started(pid: int) -> str:
    """When a process started, in ticks since boot, so that a reused pid is not taken for it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _remove_orphans(client: Any) -> int:
    count = 0
    for one in client.containers.list(all=True, filters={"label": LABEL}):
        pid, _, started = one.labels.get(OWNER, "").partition(":")
        if not pid.isdecimal() or _started(int(pid)) != started:
            _remove(client, one.id)
            count += 1
    return count


def _remove(client: Any, identity: str) -> None:
    from docker.errors import NotFound

    try:
        client.containers.get(identity).remove(force=True)
    except NotFound:
        return
