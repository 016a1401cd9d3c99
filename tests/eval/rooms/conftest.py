"""An environment with numpy, scipy and pytest, the walls that work here, and short jobs."""

import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from textwrap import dedent

import pytest

from recodeh.data.records import Report, TestFile
from recodeh.eval.rooms.job import Job, Limits
from recodeh.eval.rooms.runner import close_pools, run, run_fresh
from recodeh.eval.walls.bubblewrap import BubblewrapWall
from recodeh.eval.walls.docker import DockerWall
from recodeh.eval.walls.process import ProcessWall
from recodeh.eval.walls.wall import Wall

WALLS: Mapping[str, Wall] = {
    "process": ProcessWall(),
    "bubblewrap": BubblewrapWall(),
    "docker": DockerWall(),
}

Play = Callable[..., Report]


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with numpy, scipy and pytest, and without recodeh."""
    from uv import find_uv_bin

    folder = tmp_path_factory.mktemp("environment") / "venv"
    uv = find_uv_bin()
    subprocess.run([uv, "venv", "--quiet", "--python", "3.11", folder], check=True)
    place = str(folder / "bin" / "python")
    install = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", place]
    subprocess.run([*install, "numpy", "scipy", "pytest"], check=True)
    return Path(place)


@pytest.fixture(scope="session", autouse=True)
def _no_zygotes_left() -> Iterator[None]:
    yield
    close_pools()


@lru_cache
def refusal(name: str) -> str:
    """Why a wall does not work on this machine; empty when it does."""
    tried = WALLS[name].available()
    return "" if tried.works else tried.reason


@pytest.fixture(params=list(WALLS))
def wall(request: pytest.FixtureRequest) -> Wall:
    """Each wall that works on this machine."""
    if refusal(request.param):
        pytest.skip(f"the wall {request.param} does not work here: {refusal(request.param)}")
    return WALLS[request.param]


@pytest.fixture
def job(python: Path) -> Callable[..., Job]:
    """Makes a job from the text of module `paper` and of the tests."""

    def make(
        code: str,
        tests: str,
        *,
        ids: tuple[str, ...] = ("test_it",),
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        seed: int = 0,
    ) -> Job:
        return Job(
            files={"paper.py": dedent(code).encode(), **(files or {})},
            import_root=".",
            tests=(TestFile(path="test_paper.py", content=dedent(tests)),),
            test_ids=tuple(f"test_paper.py::{name}" for name in ids),
            python=python,
            limits=limits or Limits(cpu_seconds=10, wall_seconds=20),
            seed=seed,
        )

    return make


@pytest.fixture(params=[run, run_fresh], ids=["warm", "fresh"])
def play(job: Callable[..., Job], wall: Wall, request: pytest.FixtureRequest) -> Play:
    """Runs such a job behind the wall, from zygotes and in fresh processes."""

    def once(code: str, tests: str, **more: object) -> Report:
        report: Report = request.param(job(code, tests, **more), wall)
        return report

    return once


@pytest.fixture(scope="module", autouse=True)
def own_pools() -> None:
    """Zygotes that tests of other modules left warm in this process are not looked at here."""
    close_pools()
