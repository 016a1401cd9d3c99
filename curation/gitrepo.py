"""One commit of a git repository to plain files, byte for byte, with nothing of it being run."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath

from recodeh.data.errors import SourceError
from recodeh.data.records import Drop

# No hook, no configuration of the user or the repository that names a program, no prompt, and
# only transports that cannot run a command of the address's choosing.
_CONFIG = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "safe.directory=*")
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "https:http:ssh:git:file",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "LC_ALL": "C",
}


@dataclass(frozen=True)
class Commit:
    """A commit whose objects are on this machine."""

    repository: Path
    sha: str
    first_public: date | None
    """Committer's date of the oldest root commit that it descends from."""


def is_repository(path: Path) -> bool:
    """Whether a folder is a git directory or holds one."""
    return (path / ".git").exists() or all((path / name).exists() for name in ("HEAD", "objects"))


def local(path: Path, revision: str) -> Commit:
    """The commit of a repository on this machine; raises SourceError for an unknown revision."""
    sha = git(path, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    return Commit(path, sha.decode().strip(), _first_date(path, sha.decode().strip()))


def remote(url: str, revision: str, *, cache: Path) -> Commit:
    """The commit of a repository elsewhere, fetched alone, then its dates without its files."""
    import hashlib

    store = cache / "git" / hashlib.sha256(url.encode()).hexdigest()
    store.mkdir(parents=True, exist_ok=True)
    if not is_repository(store):
        git(store, "init", "--bare", "--quiet")
    options = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules")
    git(store, *options, "--depth", "1", "--end-of-options", url, revision, where=url)
    sha = git(store, "rev-parse", "FETCH_HEAD").decode().strip()
    try:
        git(store, *options, "--unshallow", "--filter=tree:0", "--end-of-options", url, sha)
    except SourceError:  # a server without partial clones: the code is here, its age is not known
        return Commit(store, sha, None)
    return Commit(store, sha, _first_date(store, sha))


def extract(commit: Commit, target: Path) -> list[Drop]:
    """Write the files of a commit into `target` as they were committed; links are left out.

    No attribute of the repository is obeyed: no filter, no conversion of line endings, no
    export rule. Raises SourceError when an entry names a path outside the folder.
    """
    target.mkdir(parents=True)
    return list(_extract(commit, target))


def _extract(commit: Commit, target: Path) -> Iterator[Drop]:
    listing = git(commit.repository, "ls-tree", "-r", "-z", "--full-tree", commit.sha)
    wanted: list[tuple[str, str]] = []
    for entry in filter(None, listing.split(b"\0")):
        head, _, raw = entry.partition(b"\t")
        mode, _, sha = head.decode().split()
        name = raw.decode("utf-8", "surrogateescape")
        if mode in ("100644", "100755", "100664"):
            wanted.append((sha, name))
        else:
            kind = {"120000": "a link", "160000": "a submodule"}.get(mode, f"mode {mode}")
            yield Drop(stage="source", item=_shown(name), reason=kind)
    with tempfile.TemporaryFile() as names:
        names.write("".join(f"{sha}\n" for sha, _ in wanted).encode())
        names.seek(0)
        command = _command(commit.repository, "cat-file", "--batch")
        with subprocess.Popen(
            command, stdin=names, stdout=subprocess.PIPE, env=_environment()
        ) as process:
            assert process.stdout is not None  # it is a pipe
            for _, name in wanted:
                header = process.stdout.readline().split()
                if len(header) != 3:  # a partial clone, or one that was cut down
                    reason = "its content is not in the repository"
                    yield Drop(stage="source", item=_shown(name), reason=reason)
                    continue
                data = process.stdout.read(int(header[2]))
                process.stdout.read(1)
                path = _inside(target, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                if data.startswith(b"version https://git-lfs.github.com/spec/"):
                    yield Drop(stage="source", item=_shown(name), reason="a Git LFS pointer")


def _shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _inside(target: Path, name: str) -> Path:
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or ".git" in {part.lower() for part in parts}:
        raise SourceError(f"an entry is named {_shown(name)!r}", mend="do not use this repository")
    return target.joinpath(*parts)


def _first_date(repository: Path, sha: str) -> date | None:
    if git(repository, "rev-parse", "--is-shallow-repository").strip() == b"true":
        return None
    dates = git(repository, "log", "--max-parents=0", "--format=%cs", sha, "--").split()
    return min(date.fromisoformat(text.decode()) for text in dates) if dates else None


def _command(repository: Path, *arguments: str) -> list[str]:
    return ["git", *_CONFIG, "-C", str(repository), *arguments]


def _environment() -> dict[str, str]:
    kept = ("PATH", "HOME", "SSH_AUTH_SOCK", "https_proxy", "http_proxy", "no_proxy",
            "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "GIT_SSL_CAINFO", "SSL_CERT_FILE")  # fmt: skip
    return {key: os.environ[key] for key in kept if key in os.environ} | _ENVIRONMENT


def git(repository: Path, *arguments: str, where: object = None) -> bytes:
    """Run git over a repository and return what it prints; raises SourceError where it fails."""
    try:
        done = subprocess.run(
            _command(repository, *arguments),
            env=_environment(), capture_output=True, check=False, timeout=900,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceError(
            f"git failed: {error}", where=repository, mend="install git 2.39 or later"
        ) from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise SourceError(
            f"git {arguments[0]}: {said[-1]}",
            where=where or repository,
            mend="check address and revision",
        )
    return done.stdout
