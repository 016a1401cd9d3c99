"""Sources of each kind to pinned snapshots, with real archives, repositories and a real index."""

import hashlib
import io
import json
import os
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from datetime import date
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from recodeh.curation.extras import Wanted
from recodeh.curation.source import fetch
from recodeh.data.errors import SourceError

MIT = Path(__file__).parents[2] / "LICENSE"
MODULE = b"def f():\r\n    return '\xe9'\r\n"


def sdist(path: Path, **files: bytes) -> str:
    """Write `demo-1.0.tar.gz` with the files given and return its sha256."""
    contents = {"src/demo.py": MODULE, "LICENSE": MIT.read_bytes(), **files}
    with tarfile.open(path, "w:gz") as tar:
        for name, data in contents.items():
            info = tarfile.TarInfo(f"demo-1.0/{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Quiet(SimpleHTTPRequestHandler):
    """An index over a folder that says JSON where the simple API does, and logs nothing."""

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        api = "application/vnd.pypi.simple.v1+json"
        return api if str(path).endswith("index.html") else super().guess_type(path)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (the base's name)
        """Say nothing."""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of an index on loopback that the environment names."""
    folder = tmp_path / "index"
    (folder / "simple" / "demo").mkdir(parents=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for key in ("UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple/")
    yield folder
    server.shutdown()
    server.server_close()


def publish(index: Path, *, said: str | None = None) -> str:
    """Put the sdist on the index with the digest it has, or with the one that is said."""
    digest = sdist(index / "demo-1.0.tar.gz")
    rows = [
        {"filename": name, "url": f"../../{name}", "hashes": {"sha256": said or digest},
         "upload-time": f"{day}T00:00:00Z", "requires-python": ">=3.8"}
        for name, day in (("demo-0.1.tar.gz", "2021-02-03"), ("demo-1.0.tar.gz", "2023-04-05"))
    ]  # fmt: skip
    page = {
        "meta": {"api-version": "1.1"},
        "name": "demo",
        "versions": ["0.1", "1.0"],
        "files": rows,
    }
    (index / "simple" / "demo" / "index.html").write_text(json.dumps(page))
    return digest


def test_a_distribution_is_pinned_by_its_digest_and_dated_by_its_project(
    index: Path, tmp_path: Path
) -> None:
    digest = publish(index)
    snapshot = fetch("pypi:demo==1.0", cache=tmp_path / "cache")

    source = snapshot.source
    assert (source.kind, source.name, source.version, source.sha256) == (
        "pypi", "demo", "1.0", digest,
    )  # fmt: skip
    assert (source.licence, source.first_public) == ("Apache-2.0", date(2021, 2, 3))
    assert (snapshot.licence_file, snapshot.licence_confidence) == ("LICENSE", 1.0)
    assert (snapshot.root / "src/demo.py").read_bytes() == MODULE


def test_a_pinned_distribution_in_the_cache_needs_no_network(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = publish(index)
    first = fetch("pypi:demo==1.0", cache=tmp_path / "cache")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")

    assert fetch("pypi:demo==1.0", cache=tmp_path / "cache", sha256=digest) == first
    with pytest.raises(SourceError, match="the package index cannot be reached"):
        fetch("pypi:demo==1.0", cache=tmp_path / "cache")


def test_what_was_changed_in_the_cache_is_unpacked_again(index: Path, tmp_path: Path) -> None:
    digest = publish(index)
    first = fetch("pypi:demo==1.0", cache=tmp_path / "cache")
    (first.root / "src/demo.py").write_bytes(b"tampered = True\n")

    again = fetch("pypi:demo==1.0", cache=tmp_path / "cache", sha256=digest)
    assert (again.root / "src/demo.py").read_bytes() == MODULE


def test_an_index_that_lies_is_refused(index: Path, tmp_path: Path) -> None:
    publish(index, said="0" * 64)

    with pytest.raises(SourceError, match="serves another file than it says"):
        fetch("pypi:demo==1.0", cache=tmp_path / "cache")
    assert not list((tmp_path / "cache").rglob("*.tar.gz"))


def test_what_the_index_does_not_have_is_an_error_with_what_it_has(
    index: Path, tmp_path: Path
) -> None:
    publish(index)
    for spec, what in (
        ("pypi:demo==2.0", r"no sdist or pure wheel of this version \(the index has 0\.1, 1\.0\)"),
        ("pypi:nothing==1.0", "the index has no such project"),
        ("pypi:demo", "not a pinned distribution"),
    ):
        with pytest.raises(SourceError, match=what):
            fetch(spec, cache=tmp_path / "cache")
    with pytest.raises(SourceError, match="no file of this digest"):
        fetch("pypi:demo==1.0", cache=tmp_path / "cache", sha256="1" * 64)


def git(folder: Path, *arguments: str) -> str:
    """Run git as somebody with no settings of their own."""
    environment = {
        "PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b", "GIT_COMMITTER_DATE": "2020-05-06T00:00:00Z",
        "GIT_AUTHOR_DATE": "2019-01-01T00:00:00Z",
    }  # fmt: skip
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env=environment, check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose attributes would change bytes and run a program if they were obeyed."""
    root = tmp_path / "paper"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "m.py").write_bytes(MODULE)
    (root / "tests").mkdir()
    (root / "tests" / "t.py").write_text("x = 1\n")
    (root / "away").symlink_to("/etc")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    (root / ".gitattributes").write_text("*.py text eol=lf filter=evil\ntests export-ignore\n")
    (root / "weights.bin").write_text("version https://git-lfs.github.com/spec/v1\noid x\n")
    git(root, "add", ".gitattributes", "weights.bin")
    git(root, "commit", "-qm", "two")
    git(root, "config", "filter.evil.smudge", f"touch {tmp_path}/ran; cat")
    hook = root / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    return root


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_commit_is_extracted_as_it_was_made_and_nothing_of_it_runs(
    repository: Path, tmp_path: Path, scheme: str
) -> None:
    snapshot = fetch(f"{scheme}{repository}@main", cache=tmp_path / "cache")

    source = snapshot.source
    assert (source.kind, source.name) == ("git", "paper")
    assert source.version == git(repository, "rev-parse", "HEAD")
    assert source.first_public == date(2020, 5, 6)
    assert (snapshot.root / "m.py").read_bytes() == MODULE
    assert (snapshot.root / "tests" / "t.py").exists()
    assert {(drop.item, drop.reason) for drop in snapshot.dropped} == {
        ("away", "a link"), ("weights.bin", "a Git LFS pointer"),
    }  # fmt: skip
    assert not (tmp_path / "ran").exists()


def test_an_older_commit_is_had_by_its_name(repository: Path, tmp_path: Path) -> None:
    snapshot = fetch(f"{repository}@HEAD~1", cache=tmp_path / "cache")

    assert not (snapshot.root / "weights.bin").exists()
    with pytest.raises(SourceError, match="check address and revision"):
        fetch(f"{repository}@nowhere", cache=tmp_path / "cache")


def test_a_commit_with_lost_objects_gives_the_rest(repository: Path, tmp_path: Path) -> None:
    lost = git(repository, "rev-parse", "HEAD:tests/t.py")
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    snapshot = fetch(f"{repository}@main", cache=tmp_path / "cache")

    assert (snapshot.root / "m.py").exists()
    reasons = {drop.item: drop.reason for drop in snapshot.dropped}
    assert reasons["tests/t.py"] == "its content is not in the repository"


@pytest.mark.parametrize("spec", ["ext::sh -c touch% ran", "--upload-pack=touch@x", "nowhere"])
def test_what_is_no_source_is_refused(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match="no such folder"):
        fetch(spec, cache=tmp_path / "cache")
    assert not (tmp_path / "ran").exists()


def test_a_folder_is_named_by_its_tree(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "m.py").write_bytes(MODULE)
    first = fetch(str(folder), cache=tmp_path / "cache")
    (folder / "__pycache__" / "m.pyc").write_bytes(b"later")
    second = fetch(str(folder), cache=tmp_path / "cache", sha256=first.source.sha256)
    (folder / "m.py").write_bytes(MODULE + b"\n")

    assert first == second
    assert (first.source.kind, first.source.licence) == ("folder", None)
    with pytest.raises(SourceError, match="the files have changed"):
        fetch(str(folder), cache=tmp_path / "cache", sha256=first.source.sha256)


def test_submodules_come_only_when_asked_for(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    add = ("-c", "protocol.file.allow=always", "submodule", "add", "-q")
    git(outer, *add, str(repository), "deps/paper")
    git(outer, *add, str(repository), "deps/lost")
    git(outer, "config", "-f", ".gitmodules", "submodule.deps/lost.url", str(tmp_path / "gone"))
    git(outer, "add", ".gitmodules")
    git(outer, "commit", "-qm", "one")
    plain = fetch(f"{outer}@main", cache=tmp_path / "cache")
    full = fetch(f"{outer}@main", cache=tmp_path / "cache", wanted=Wanted(submodules=True))

    assert [drop.reason for drop in plain.dropped] == ["a submodule", "a submodule"]
    assert (full.root / "deps/paper/m.py").read_bytes() == MODULE
    reasons = {drop.item: drop.reason for drop in full.dropped}
    assert reasons.pop("deps/lost").startswith("a submodule that cannot be had: ")
    assert reasons == {
        "deps/paper/away": "a link", "deps/paper/weights.bin": "a Git LFS pointer",
    }  # fmt: skip


def test_large_files_come_only_when_asked_for_and_are_checked(
    repository: Path, tmp_path: Path
) -> None:
    oid = hashlib.sha256(b"weights").hexdigest()
    for name, digest in (("weights.bin", oid), ("lost.bin", "0" * 64)):
        (repository / name).write_text(
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 7\n"
        )
    git(repository, "add", "weights.bin", "lost.bin")
    git(repository, "commit", "-qm", "three")
    kept = repository / ".git" / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"weights")
    full = fetch(f"{repository}@main", cache=tmp_path / "cache", wanted=Wanted(lfs=True))

    assert (full.root / "weights.bin").read_bytes() == b"weights"
    reasons = {drop.item: drop.reason for drop in full.dropped}
    assert reasons["lost.bin"].startswith("a Git LFS pointer that cannot be had: it is not in")


def test_a_snapshot_counts_its_files_and_languages(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c.R", "d.f90", "e.ipynb", "notes.txt"):
        (tmp_path / name).write_text("x\n")
    counted = fetch(str(tmp_path), cache=tmp_path / "cache").census

    assert (counted.files, counted.size) == (6, 12)
    assert counted.languages == {"python": 2, "r": 1, "Fortran": 1, "notebook": 1}
