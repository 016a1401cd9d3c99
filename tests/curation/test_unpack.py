"""Archives that mean harm, and torn ones, are refused; what is odd in them is left out and said."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from recodeh.curation.unpack import Bounds, unpack
from recodeh.data.errors import SourceError


def tar_with(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w") as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def named(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize("name", ["../up.py", "/etc/up.py", "a/../../up.py", "C:/up.py", "a\\b.py"])
def test_a_path_outside_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    tar = tar_with(tmp_path / "a.tar", (named("fine.py"), b"x"), (named(name), b"x"))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.writestr(zipfile.ZipInfo(name), b"x")
    for archive in (tar, tmp_path / "a.zip"):
        with pytest.raises(SourceError, match="outside its folder"):
            unpack(archive, tmp_path / archive.suffix)
    assert not (tmp_path / "up.py").exists()


def test_links_are_left_out_and_nothing_is_written_through_them(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    archive = tar_with(
        tmp_path / "a.tar",
        (named("link", tarfile.SYMTYPE, str(outside)), b""),
        (named("hard", tarfile.LNKTYPE, "/etc/passwd"), b""),
        (named("link/written.py"), b"x"),
    )
    dropped = unpack(archive, tmp_path / "out")

    assert [drop.item for drop in dropped] == ["link", "hard"]
    assert (tmp_path / "out" / "link" / "written.py").read_bytes() == b"x"
    assert not list(outside.iterdir())


@pytest.mark.parametrize(
    ("bounds", "what"),
    [
        (Bounds(files=1), "more than 1 files"),
        (Bounds(file_mb=0), "more than 0 bytes in a"),
        (Bounds(total_mb=0, file_mb=9), "more than 0 bytes unpacked"),
    ],
)
def test_too_much_is_refused(bounds: Bounds, what: str, tmp_path: Path) -> None:
    archive = tar_with(tmp_path / "a.tar", (named("a"), b"x"), (named("b"), b"y"))

    with pytest.raises(SourceError, match=what):
        unpack(archive, tmp_path / "out", bounds=bounds)


def test_torn_repeated_and_foreign_files_are_refused(tmp_path: Path) -> None:
    whole = tar_with(tmp_path / "a.tar", (named("a"), b"x" * 4096)).read_bytes()
    (tmp_path / "torn.tar").write_bytes(whole[:2000])
    (tmp_path / "text.tar").write_text("not an archive")
    tar_with(tmp_path / "twice.tar", (named("a"), b"x"), (named("a"), b"y"))
    for name in ("torn", "text", "twice"):
        with pytest.raises(SourceError, match="cannot be unpacked"):
            unpack(tmp_path / f"{name}.tar", tmp_path / name)
