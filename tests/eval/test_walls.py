"""Walls by name, and what a room sees behind bubblewrap."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest
from uv import find_uv_bin

from recodeh.data.errors import InputError, RoomError
from recodeh.eval.walls import choose
from recodeh.eval.walls.bubblewrap import BubblewrapWall
from recodeh.eval.walls.choose import wall_named
from recodeh.eval.walls.process import ProcessWall
from recodeh.eval.walls.wall import Interpreter, Opening


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


def test_packages_of_a_system_python_are_hidden_without_a_clash(tmp_path: Path) -> None:
    wall = BubblewrapWall()
    if not wall.available().works:
        pytest.skip("bubblewrap does not work here")
    packages = (Path("/usr/local/lib/python3/dist-packages"), Path("/usr/lib/python3"))
    known = tuple(path for path in packages if path.is_dir())
    usr = Path("/usr")
    system = Interpreter(usr / "bin/python3", tmp_path, usr, (*known, packages[0]), (3, 11))
    opening = Opening(system, (), {}, tmp_path, 1)
    command = wall.command(("/usr/bin/ls", *map(str, known), "/usr/local"), opening)
    done = subprocess.run(
        command.arguments, env=dict(command.environment), capture_output=True, check=False
    )
    assert done.returncode in (0, 2), done.stderr  # 2: a folder that is hidden with its parent
    assert b"bwrap" not in done.stderr
    assert not [line for line in done.stdout.decode().split() if not line.startswith("/usr")]


def test_a_normal_user_gets_the_same_verdicts() -> None:
    """The wall has two forms; this is the one that root does not see."""
    python = Path("/usr/bin/python3")
    if os.geteuid() != 0 or not python.exists() or not BubblewrapWall().available().works:
        pytest.skip("needs root, to become somebody else, and a python that everybody may run")
    if _version(python) != sys.version_info[:2]:
        pytest.skip("the system's python cannot load this environment's packages")
    folder = Path(tempfile.mkdtemp(prefix="recodeh-test-", dir="/var/tmp"))
    folder.chmod(0o755)
    try:
        subprocess.run([find_uv_bin(), "venv", "-q", "-p", python, folder / "venv"], check=True)
        inside = folder / "venv" / "bin" / "python"
        install = [find_uv_bin(), "pip", "install", "-q", "-p", str(inside), "pytest"]
        subprocess.run(install, check=True)
        (folder / "as_user.py").write_text(AS_USER)
        paths = f"{Path(__file__).parents[2] / 'typings'}:{sysconfig.get_paths()['purelib']}"
        words = ["setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups"]
        done = subprocess.run(
            [*words, str(python), "-B", str(folder / "as_user.py"), str(inside)],
            env={"PATH": "/usr/bin:/bin", "HOME": "/var/tmp", "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(folder)
    if "ModuleNotFoundError" in done.stderr or "PermissionError" in done.stderr:
        pytest.skip(f"this checkout is not readable by others: {done.stderr[-200:]}")
    assert done.stdout.split() == ["passed", "failed", "passed", "failed", "passed"], done.stderr


AS_USER = '''
import subprocess
import sys
from pathlib import Path
from recodeh.data.records import TestFile
from recodeh.eval.rooms.job import Job, Limits
from recodeh.eval.rooms.runner import close_pools, run, run_fresh
from recodeh.eval.walls.bubblewrap import BubblewrapWall
from recodeh.eval.walls.process import ProcessWall

TEST = "def test_it(submission): assert submission('paper:f') == [65534, '0' * 16, False]"
CODE = """
import os
def f():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return [os.getuid(), status["CapEff"].strip(), os.path.exists("/etc/passwd")]
"""
def job(code):
    tests = (TestFile(path="test_x.py", content=TEST),)
    return Job({"paper.py": code}, ".", tests, ("test_x.py::test_it",), Path(sys.argv[1]))
for runner in (run, run_fresh):
    for code in (CODE.encode(), b"def f(): return 2"):
        print(runner(job(code), BubblewrapWall()).verdict)
close_pools()

# A user with many processes: a room behind no wall shares the kernel's count with them.
sleepers = [subprocess.Popen(["sleep", "60"]) for _ in range(40)]
THREAD = """
import threading
def f():
    started = []
    for _ in range(30):
        try:
            threading.Thread(target=lambda: threading.Event().wait(5), daemon=True).start()
            started.append(1)
        except RuntimeError:
            break
    return 5 < len(started) < 25
"""
CALL = "def test_it(submission): assert submission('paper:f')"
tests = (TestFile(path="test_x.py", content=CALL),)
few = Job({"paper.py": THREAD.encode()}, ".", tests, ("test_x.py::test_it",), Path(sys.argv[1]),
          Limits(processes=15))
print(run_fresh(few, ProcessWall()).verdict)
for one in sleepers:
    one.kill()
'''


def _version(python: Path) -> tuple[int, ...]:
    ask = "import sys; print(*sys.version_info[:2])"
    said = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, said.split()))
