"""The doctor tries what it reports, and names the command that would bring what is missing."""

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from recodeh.eval.doctor import Check, examine, interpreters, services, walls


def named(name: str, checks: Iterable[Check]) -> Check:
    return next(check for check in checks if check.name == name)


def test_everything_is_tried_once_and_failures_carry_a_mend() -> None:
    checks = examine()
    assert {"wall", "interpreter", "service"} == {check.kind for check in checks}
    assert all(check.detail for check in checks)
    assert all(check.mend for check in checks if not check.works)


def test_a_machine_without_bubblewrap_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    check = named("bubblewrap", walls())
    assert not check.works
    assert "bubblewrap" in check.mend


def test_a_bubblewrap_that_cannot_work_here_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bwrap", "setpriv"):
        (tmp_path / name).write_text("#!/bin/sh\necho no namespaces here >&2\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    check = named("bubblewrap", walls())
    assert not check.works
    assert "no namespaces here" in check.detail


def test_the_interpreter_of_this_process_is_found() -> None:
    version = ".".join(map(str, sys.version_info[:3]))
    names = [check.name for check in interpreters() if check.works]
    assert any(version in name for name in names)


def test_an_engine_that_does_not_answer_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    check = named("docker", services())
    assert not check.works
    assert "nobody.sock" in check.detail
    assert "docker" in check.mend
