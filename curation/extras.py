"""What a git commit only points at, had when asked for: submodules, and files in Git LFS.

The LFS part speaks the batch API (https://github.com/git-lfs/git-lfs/tree/main/docs/api) itself,
so that no program of the repository's choosing runs.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

from recodeh.curation.gitrepo import Commit, extract, git, local, remote
from recodeh.data.errors import SourceError
from recodeh.data.records import Drop

SUBMODULE: Final = "a submodule"
POINTER: Final = "a Git LFS pointer"
_POINTER: Final = re.compile(rb"^oid sha256:([0-9a-f]{64})\r?\nsize (\d{1,18})\s*$", re.MULTILINE)
_WEB: Final = re.compile(r"(?:https?|ssh|git)://|[\w.-]+@[\w.-]+:")
_LARGEST: Final = 1 << 30
_DEEPEST: Final = 4


@dataclass(frozen=True)
class Wanted:
    """What of a commit is to be had besides its own files."""

    submodules: bool = False
    lfs: bool = False


def complete(
    commit: Commit, url: str | None, target: Path, *, wanted: Wanted, cache: Path, depth: int = 0
) -> list[Drop]:
    """Write a commit's files and what is wanted besides into `target`; what is missing is a row."""
    return list(_complete(commit, url, target, wanted, cache, depth))


def _complete(
    commit: Commit, url: str | None, target: Path, wanted: Wanted, cache: Path, depth: int
) -> Iterator[Drop]:
    origin = url or _origin(commit)
    for drop in extract(commit, target):
        try:
            if drop.reason == SUBMODULE and wanted.submodules and depth < _DEEPEST:
                inner, inner_url = _submodule(commit, origin, drop.item, cache, bool(url))
                rows = complete(
                    inner, inner_url, target / drop.item,
                    wanted=wanted, cache=cache, depth=depth + 1,
                )  # fmt: skip
                for row in rows:
                    yield row.model_copy(update={"item": f"{drop.item}/{row.item}"})
                continue
            if drop.reason == POINTER and wanted.lfs:
                path = target / drop.item
                path.write_bytes(_large(path.read_bytes(), commit, origin))
                continue
        except SourceError as error:
            yield drop.model_copy(update={"reason": f"{drop.reason} that cannot be had: {error}"})
            continue
        yield drop


def _origin(commit: Commit) -> str:
    """Where a repository on this machine came from, or its own folder."""
    try:
        return git(commit.repository, "config", "--get", "remote.origin.url").decode().strip()
    except SourceError:
        return str(commit.repository)


def _submodule(
    commit: Commit, origin: str, item: str, cache: Path, abroad: bool
) -> tuple[Commit, str | None]:
    """The commit that a submodule is pinned to, and its address if it is elsewhere."""
    settings = git(
        commit.repository, "config", "--blob", f"{commit.sha}:.gitmodules",
        "--null", "--get-regexp", r"^submodule\..*\.(path|url)$",
    ).decode("utf-8", "replace")  # fmt: skip
    pairs = dict(entry.split("\n", 1) for entry in settings.split("\0") if "\n" in entry)
    key = next((k for k, v in pairs.items() if k.endswith(".path") and v == item), "")
    url = pairs.get(key.removesuffix(".path") + ".url", "")
    if url.startswith(("./", "../")):
        url = urljoin(f"{origin.rstrip('/')}/", url)
    entry = git(commit.repository, "ls-tree", "--full-tree", commit.sha, "--", item).split()
    if not url or len(entry) < 3 or (abroad and not _WEB.match(url)):
        raise SourceError(f"no address that may be read: {url!r}", where=item)
    sha = entry[2].decode()
    if Path(url).is_dir():
        return local(Path(url), sha), None
    return remote(url, sha, cache=cache), url


def _large(pointer: bytes, commit: Commit, origin: str) -> bytes:
    """The content that a pointer stands for, checked."""
    match = _POINTER.search(pointer)
    if match is None or int(match[2]) > _LARGEST:
        raise SourceError("the pointer is malformed, or its file is larger than 1 GB")
    oid, size = match[1].decode(), int(match[2])
    place = f"lfs/objects/{oid[:2]}/{oid[2:4]}/{oid}"
    kept = (commit.repository / folder / place for folder in (".git", "."))
    found = next((path for path in kept if path.is_file()), None)
    data = found.read_bytes() if found else _downloaded(origin, oid, size)
    if hashlib.sha256(data).hexdigest() != oid:
        raise SourceError("its content is not the one that the pointer names")
    return data


def _downloaded(origin: str, oid: str, size: int) -> bytes:
    import httpx

    if not origin.startswith(("https://", "http://")):
        raise SourceError("it is not in the repository, whose address has no LFS server")
    base = origin.removesuffix("/").removesuffix(".git") + ".git/info/lfs/objects/batch"
    kind = "application/vnd.git-lfs+json"
    wanted: dict[str, Any] = {
        "operation": "download", "transfers": ["basic"], "objects": [{"oid": oid, "size": size}],
    }  # fmt: skip
    try:
        with httpx.Client(timeout=60, follow_redirects=True) as client:
            headers = {"Accept": kind, "Content-Type": kind}
            told = client.post(base, json=wanted, headers=headers).raise_for_status().json()
            action = told["objects"][0]["actions"]["download"]
            with client.stream("GET", action["href"], headers=action.get("header")) as answer:
                return _bounded(answer.raise_for_status().iter_bytes(), size)
    except (httpx.HTTPError, ValueError, LookupError, TypeError) as error:
        raise SourceError(f"its LFS server does not give it: {error}") from error


def _bounded(parts: Iterator[bytes], size: int) -> bytes:
    data = bytearray()
    for part in parts:
        data += part
        if len(data) > size:
            raise ValueError("more bytes than the pointer says")
    return bytes(data)
