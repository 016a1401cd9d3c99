"""A paper's repository, wherever it is, to a pinned snapshot of plain files.

pypi:NAME==VERSION      the sdist of a distribution, else its pure wheel
FOLDER                  the files as they stand
PATH@REVISION           a commit of a git repository on this machine
URL[@REVISION]          a commit of a git repository elsewhere (https, ssh, git, file)
"""

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from recodeh.curation import gitrepo, pypi
from recodeh.curation.census import Census, census
from recodeh.curation.extras import Wanted, complete
from recodeh.curation.licence import Licence, licence_of
from recodeh.curation.tree import put, tree_key
from recodeh.curation.unpack import unpack
from recodeh.data.errors import SourceError
from recodeh.data.records import Drop, Source

_PYPI: Final = re.compile(r"pypi:(?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>[\w.!+-]+)")
_REMOTE: Final = re.compile(
    r"(?:git\+)?(?P<url>(?:https?|ssh|git|file)://[^\s]+?|[\w.-]+@[\w.-]+:[^\s]+?)"
    r"(?:@(?P<revision>[\w./-]+))?"
)


@dataclass(frozen=True)
class Snapshot:
    """A source whose files are on this machine."""

    source: Source
    root: Path
    """The folder that holds the files; read it, never write to it."""
    tree: str
    """The sha256 over all paths and contents."""
    licence: Licence
    dropped: tuple[Drop, ...] = ()
    """What of the source is not in the folder: links, submodules, large-file pointers."""

    @cached_property
    def census(self) -> Census:
        """How many files there are, and in which languages."""
        return census(self.root)

    @property
    def licence_file(self) -> str | None:
        """The file that the licence was read from."""
        return self.licence.file

    @property
    def licence_confidence(self) -> float:
        """How surely, from 0 to 1."""
        return self.licence.confidence


def fetch(
    spec: str, *, cache: Path, sha256: str | None = None, wanted: Wanted | None = None
) -> Snapshot:
    """Bring the source that `spec` names into `cache` and pin it.

    `sha256` is that of the archive for a distribution and of the tree for all else; a source
    that does not have it is refused. A distribution whose digest is given is taken from the cache
    without any network. `wanted` says whether submodules and files in Git LFS of a commit are had
    too; by default they are not. Raises SourceError for everything that can go wrong.
    """
    if not spec.strip():
        raise SourceError(
            "no source is named", mend="name a folder, a git URL or pypi:NAME==VERSION"
        )
    if spec.startswith("pypi:"):
        return _from_index(spec, cache, sha256)
    snapshot = _from_git_or_folder(spec, cache, wanted or Wanted())
    if sha256 not in (None, snapshot.tree):
        raise SourceError(
            f"the tree has the sha256 {snapshot.tree}, not {sha256}",
            where=spec,
            mend="the files have changed: restore them, or pin the new digest",
        )
    return snapshot


def _from_index(spec: str, cache: Path, sha256: str | None) -> Snapshot:
    match = _PYPI.fullmatch(spec)
    if match is None:
        raise SourceError("not a pinned distribution", where=spec, mend="write pypi:NAME==VERSION")
    archive = pypi.archive(match["name"], match["version"], cache=cache, sha256=sha256)
    kept = _kept(cache, archive.sha256, lambda goal: unpack(archive.path, goal))
    folders = list(kept.root.iterdir())
    root = folders[0] if len(folders) == 1 and folders[0].is_dir() else kept.root
    licence = licence_of(root)
    source = Source(
        kind="pypi", name=match["name"], version=match["version"], sha256=archive.sha256,
        licence=licence.spdx, first_public=archive.first_public,
    )  # fmt: skip
    return Snapshot(source, root, kept.tree, licence, kept.dropped)


def _from_git_or_folder(spec: str, cache: Path, wanted: Wanted) -> Snapshot:
    match = _REMOTE.fullmatch(spec)
    if match is not None:
        commit = gitrepo.remote(match["url"], match["revision"] or "HEAD", cache=cache)
        return _from_commit(commit, match["url"], _name(match["url"]), cache, wanted)
    path, _, revision = spec.rpartition("@") if not Path(spec).exists() else (spec, "", "")
    folder = Path(path or spec)
    if not folder.is_dir():
        raise SourceError(
            "no such folder", where=spec, mend="give a folder, a git URL or pypi:NAME==VERSION"
        )
    if revision or (not (folder / ".git").exists() and gitrepo.is_repository(folder)):
        commit = gitrepo.local(folder, revision or "HEAD")
        return _from_commit(commit, None, _name(str(folder.resolve())), cache, wanted)
    tree, licence = tree_key(folder), licence_of(folder)
    source = Source(
        kind="folder", name=folder.resolve().name, version=tree, sha256=tree, licence=licence.spdx
    )
    return Snapshot(source, folder, tree, licence)


def _from_commit(
    commit: gitrepo.Commit, url: str | None, name: str, cache: Path, wanted: Wanted
) -> Snapshot:
    key = commit.sha + ("+submodules" if wanted.submodules else "") + ("+lfs" if wanted.lfs else "")
    kept = _kept(cache, key, lambda goal: complete(commit, url, goal, wanted=wanted, cache=cache))
    licence = licence_of(kept.root)
    source = Source(
        kind="git", name=name, version=commit.sha, url=url, sha256=kept.tree,
        licence=licence.spdx, first_public=commit.first_public,
    )  # fmt: skip
    return Snapshot(source, kept.root, kept.tree, licence, kept.dropped)


def _name(address: str) -> str:
    parts = [part for part in re.split(r"[/:]", address) if part not in ("", ".git")]
    return parts[-1].removesuffix(".git") or "repository"


@dataclass(frozen=True)
class _Kept:
    root: Path
    tree: str
    dropped: tuple[Drop, ...]


def _kept(cache: Path, key: str, unpack_into: Callable[[Path], list[Drop]]) -> _Kept:
    """The files of a source in `cache/sources/<key>/files`, unpacked once and checked each time."""
    place = cache / "sources" / key
    kept = _read(place)
    if kept is not None:
        return kept
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        fresh = Path(scratch, "new")
        dropped = tuple(unpack_into(fresh / "files"))
        tree = tree_key(fresh / "files")
        rows = "".join(f"{drop.model_dump_json()}\n" for drop in dropped)
        (fresh / "dropped.jsonl").write_text(rows)
        (fresh / "tree").write_text(tree)
        put(fresh, place)
    return _Kept(place / "files", tree, dropped)


def _read(place: Path) -> _Kept | None:
    """What was unpacked before, unless somebody has changed it since."""
    try:
        tree = (place / "tree").read_text()
        rows = (place / "dropped.jsonl").read_text().splitlines()
    except FileNotFoundError:
        return None
    if tree_key(place / "files") != tree:
        return None
    return _Kept(place / "files", tree, tuple(Drop.model_validate_json(row) for row in rows))
