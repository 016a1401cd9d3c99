"""Walls by name, and what a room sees behind bubblewrap."""

import subprocess
from pathlib import Path

import pytest

from recodeh.data.errors import InputError, RoomError
from recodeh.eval.walls import choose
from recodeh.eval.walls.bubblewrap import BubblewrapWall
from recodeh.eval.walls.choose import wall_named
from recodeh.eval.walls.process import ProcessWall


def test_walls_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wall_named("process").name == "process"
    with pytest.raises(InputError, match="no wall 'moat'"):
        wall_named("moat")


@pytest.fixture
def no_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    choose._tried.cache_clear()
    monkeypatch.setattr(choose, "_tried", choose._tried.__wrapped__)


@pytest.mark.usefixtures("no_bubblewrap")
def test_auto_falls_back_with_a_warning_and_by_name_it_is_an_error() -> None:
    with pytest.warns(UserWarning, match="without isolation"):
        assert wall_named("auto").name == "process"
    with pytest.raises(RoomError, match="apt-get install bubblewrap"):
        wall_named("bubblewrap")


def test_auto_is_bubblewrap_where_it_works() -> None:
    if not BubblewrapWall().available().works:
        pytest.skip("bubblewrap does not work here")
    assert wall_named().name == "bubblewrap"


def test_the_sweep_kills_what_carries_the_mark_and_nothing_else() -> None:
    marked = subprocess.Popen(["sleep", "60"], env={"RECODEH_RUN": "a1"}, start_new_session=True)
    other = subprocess.Popen(["sleep", "60"], env={"RECODEH_RUN": "b2"})
    try:
        assert ProcessWall().sweep("a1") == 1
        assert marked.wait(5) == -9
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
