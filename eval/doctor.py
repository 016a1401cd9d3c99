"""What this machine has for running code: walls, interpreters and services, each really tried."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recodeh.eval.walls.bubblewrap import BubblewrapWall
from recodeh.eval.walls.docker import DockerWall
from recodeh.eval.walls.process import ProcessWall
from recodeh.eval.walls.wall import Availability

TRY_SECONDS = 10


@dataclass(frozen=True)
class Check:
    """One thing that was tried."""

    kind: Literal["wall", "interpreter", "service"]
    name: str
    works: bool
    detail: str
    """What was found, or why it does not work."""
    mend: str = ""
    """The command that would bring it."""


def examine() -> tuple[Check, ...]:
    """Try every wall, interpreter and service; never raises for what is missing."""
    return (*walls(), *interpreters(), *services())


def walls() -> Iterator[Check]:
    """Each wall, tried with a real process."""
    yield _wall("bubblewrap", BubblewrapWall().available())
    yield _wall("docker", DockerWall().available())
    yield _wall("process", ProcessWall().available())


def _wall(name: str, tried: Availability) -> Check:
    detail = tried.reason or "tried with a real process"
    return Check("wall", name, tried.works, detail, tried.mend)


def interpreters() -> Iterator[Check]:
    """uv, and each python that it finds, tried."""
    uv = shutil.which("uv") or _packaged_uv()
    if uv is None:
        yield Check("interpreter", "uv", False, "there is no uv command", "pip install uv")
        return
    said = _output([uv, "python", "list", "--only-installed", "--offline"])
    if said is None:
        yield Check("interpreter", "uv", False, "uv does not run", "pip install --upgrade uv")
        return
    yield Check("interpreter", "uv", True, (_output([uv, "--version"]) or "").strip())
    found = {}
    for line in said.splitlines():
        version, _, place = line.partition(" ")
        found[Path(place.strip().partition(" -> ")[0]).resolve()] = version
    for python, version in found.items():
        yield from _interpreter(version, python)


def _packaged_uv() -> str | None:
    from uv import find_uv_bin

    try:
        return find_uv_bin()
    except FileNotFoundError:
        return None


def _interpreter(version: str, python: Path) -> Iterator[Check]:
    if not version.startswith("cpython-3."):
        return
    said = _output([str(python), "-I", "-c", "import sys; print(sys.version_info >= (3, 11))"])
    if said is None:
        yield Check("interpreter", version, False, f"{python} does not run")
    elif said.strip() == "True":
        yield Check("interpreter", version, True, str(python))
    else:
        mend = "uv python install 3.11"
        yield Check("interpreter", version, False, f"{python} is older than 3.11", mend)


def services() -> Iterator[Check]:
    """Container engines that answer."""
    yield _engine("docker", _docker_socket(), "apt-get install docker.io, then start dockerd")
    yield _engine("podman", _podman_socket(), "apt-get install podman, then podman system service")


def _docker_socket() -> str:
    return os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")


def _podman_socket() -> str:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "/run")
    return f"unix://{runtime}/podman/podman.sock"


def _engine(name: str, address: str, mend: str) -> Check:
    try:
        version = _version(address)
    except OSError as error:
        return Check("service", name, False, f"no answer at {address}: {error}"[:300], mend)
    return Check("service", name, True, f"{version} at {address}")


def _version(address: str) -> str:
    """What the engine at `address` calls itself; raises OSError where none answers."""
    if address.startswith("unix://"):
        # The SDK would leave its own socket open when nobody listens.
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(address.removeprefix("unix://"))
    from docker import DockerClient
    from docker.errors import DockerException

    try:
        client = DockerClient(base_url=address, timeout=TRY_SECONDS)
        try:
            return str(client.version().get("Version", "unknown version"))
        finally:
            client.close()
    except DockerException as error:
        raise OSError(str(error).partition("\n")[0]) from None


def _output(command: list[str]) -> str | None:
    """What `command` prints; None when it fails or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=TRY_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace")
