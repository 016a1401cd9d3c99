"""The folders at the top level are packaged as one namespace, with their data files."""

import shutil
import tomllib
import zipfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from setuptools import build_meta

ROOT = Path(__file__).parents[2]


def table() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def folders() -> dict[str, str]:
    return {folder: name for name, folder in table()["package-dir"].items()}


def test_every_folder_is_packaged() -> None:
    found = {
        ".".join([name, *init.parent.relative_to(ROOT / folder).parts])
        for folder, name in folders().items()
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert found == set(table()["packages"])


def test_the_links_for_type_checkers_point_at_the_folders() -> None:
    for folder, name in folders().items():
        assert (ROOT / "typings" / name.replace(".", "/")).resolve() == ROOT / folder


# Recipes are data beside the package `recodeh.data`; setuptools takes some for packages by name.
@pytest.mark.filterwarnings("ignore:.*is absent from the `packages` configuration")
def test_every_data_file_is_in_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    ignored = shutil.ignore_patterns(".*", "*.egg-info", "build", "tests")
    shutil.copytree(ROOT, copy, ignore=ignored, symlinks=True)
    monkeypatch.chdir(copy)
    wheel = tmp_path / build_meta.build_wheel(str(tmp_path))
    packed = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"{name.replace('.', '/')}/{path.relative_to(copy / folder).as_posix()}"
        for folder, name in folders().items()
        for path in (copy / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted <= packed
    top = {name.split("/")[0] for name in packed if not fnmatch(name, "*.dist-info/*")}
    assert top == {"recodeh", "recodeh_cli.py"}
