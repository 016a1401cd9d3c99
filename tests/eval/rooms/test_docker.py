"""Containers of ours: shut, labelled, removed, and swept when their evaluator was killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from recodeh.data.errors import RoomError
from recodeh.data.records import Verdict
from recodeh.eval.rooms.job import Job
from recodeh.eval.rooms.pool import Pool
from recodeh.eval.walls.docker import DockerWall, listed, prune

MakeJob = Callable[..., Job]
CALL = "def test_it(submission): assert submission('paper:f') == 1"


@pytest.fixture
def wall() -> DockerWall:
    """The wall, where an engine answers."""
    made = DockerWall()
    tried = made.available()
    if not tried.works:
        pytest.skip(f"no container engine here: {tried.reason}")
    return made


def ours() -> list[str]:
    return [identity for identity, _, owner in listed() if owner.startswith(f"{os.getpid()}:")]


def test_a_room_in_a_container_has_nothing(wall: DockerWall, job: MakeJob, python: Path) -> None:
    code = f"""
        import os, socket
        def f():
            status = dict(line.split(":", 1) for line in open("/proc/self/status"))
            links = os.listdir("/sys/class/net")
            written = []
            for path in ("/", "/usr", "/etc", "/recodeh", {str(python.parent)!r}):
                try:
                    open(path + "/x", "w")
                    written.append(path)
                except OSError:
                    pass
            return [os.getuid(), status["CapEff"].strip(), status["CapBnd"].strip(),
                    status["NoNewPrivs"].strip(), links, written, "DOCKER_HOST" in os.environ]
        """
    tests = """
        def test_it(submission):
            none = "0" * 16
            assert submission("paper:f") == [65534, none, none, "1", ["lo"], [], False]
        """
    pool = Pool(wall)
    try:
        report = pool.run(job(code, tests))
    finally:
        pool.close()
    assert report.verdict is Verdict.PASSED, report.reason


def test_one_container_per_kind_serves_many_runs_and_goes(wall: DockerWall, job: MakeJob) -> None:
    before = len(ours())
    pool = Pool(wall)
    for _ in range(3):
        assert pool.run(job("def f(): return 1", CALL)).verdict is Verdict.PASSED
        assert len(ours()) == before + 2
    pool.close()
    assert len(ours()) == before


def test_a_killed_evaluator_leaves_no_container(wall: DockerWall, python: Path) -> None:
    script = f"""
import sys, time
from pathlib import Path
from recodeh.eval.rooms.interpreter import interpreter
from recodeh.eval.rooms.zygote import Zygote
from recodeh.eval.walls.docker import DockerWall
Zygote("submission", interpreter(Path({str(python)!r})), DockerWall(), preload=(), seed=0)
print("started", flush=True)
time.sleep(600)
"""
    evaluator = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert evaluator.stdout is not None
    with evaluator, evaluator.stdout:
        assert evaluator.stdout.readline() == b"started\n"
        owner = f"{evaluator.pid}:"
        assert any(one[2].startswith(owner) for one in listed())
        evaluator.send_signal(signal.SIGKILL)
    time.sleep(0.5)
    assert prune() >= 1
    assert not any(one[2].startswith(owner) for one in listed())


def test_an_engine_that_is_not_there_is_a_room_error(tmp_path: Path, python: Path) -> None:
    wall = DockerWall(f"unix://{tmp_path}/nobody.sock")
    assert not wall.available().works
    assert "dockerd" in wall.available().mend
    with pytest.raises(RoomError, match="no engine answers"):
        listed(wall.address)
