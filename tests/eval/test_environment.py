"""Environments are built by uv from a lock, kept by its content, and see no secret."""

import subprocess
from pathlib import Path

import pytest

from recodeh.data.errors import EnvironmentFault
from recodeh.data.records import Environment
from recodeh.eval.environment import base_python, interpreter, uv_environment

# Without hashes a lock is satisfied by copies of what is installed here; pytest needs iniconfig.
UNPINNED = Environment(python=">=3.11", requirements_lock="iniconfig\n")


def test_the_environment_has_what_the_lock_names_and_nothing_of_ours(tmp_path: Path) -> None:
    python = interpreter(UNPINNED, cache=tmp_path)
    program = "import iniconfig, importlib.util as u; print(u.find_spec('recodeh'))"
    done = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"


def test_the_same_lock_is_the_same_environment(tmp_path: Path) -> None:
    python = interpreter(UNPINNED, cache=tmp_path)
    made = python.stat().st_ctime_ns
    assert interpreter(UNPINNED, cache=tmp_path) == python
    assert python.stat().st_ctime_ns == made


def test_another_lock_is_another_environment(tmp_path: Path) -> None:
    other = UNPINNED.model_copy(update={"requirements_lock": "iniconfig\npluggy\n"})
    assert interpreter(UNPINNED, cache=tmp_path) != interpreter(other, cache=tmp_path)


def test_a_half_built_environment_is_built_again(tmp_path: Path) -> None:
    python = interpreter(UNPINNED, cache=tmp_path)
    (python.parents[2] / "ready").unlink()
    python.unlink()
    assert interpreter(UNPINNED, cache=tmp_path).exists()


def test_a_lock_that_cannot_be_installed_names_the_package(tmp_path: Path) -> None:
    lock = "no-such-distribution-anywhere==1.0 --hash=sha256:" + "0" * 64 + "\n"
    with pytest.raises(EnvironmentFault, match="no-such-distribution-anywhere"):
        interpreter(Environment(python=">=3.11", requirements_lock=lock), cache=tmp_path)


def test_a_hash_that_differs_is_refused(tmp_path: Path) -> None:
    lock = "iniconfig==2.0.0 --hash=sha256:" + "0" * 64 + "\n"
    with pytest.raises(EnvironmentFault):
        interpreter(Environment(python=">=3.11", requirements_lock=lock), cache=tmp_path)


def test_no_python_fits() -> None:
    with pytest.raises(EnvironmentFault, match=r"no Python >=9\.1"):
        base_python(">=9.1")


def test_not_a_version_specifier() -> None:
    with pytest.raises(EnvironmentFault, match="not a version specifier"):
        base_python("the newest")


def test_uv_gets_paths_and_its_own_settings_but_no_keys() -> None:
    seen = uv_environment(
        {"PATH": "/bin", "UV_DEFAULT_INDEX": "i", "OPENAI_API_KEY": "k", "HF_TOKEN": "t"}
    )
    assert seen == {"PATH": "/bin", "UV_DEFAULT_INDEX": "i"}


def test_a_lock_without_hashes_takes_what_is_installed_here(tmp_path: Path) -> None:
    lock = Environment(python=">=3.11", requirements_lock="pytest\nnumpy\n")
    python = interpreter(lock, cache=tmp_path)
    program = "import numpy, pytest; print(numpy.arange(3).sum(), pytest.__version__)"
    done = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == f"3 {pytest.__version__}\n"


@pytest.mark.parametrize("lock", ["no-such-distribution-anywhere\n", "pytest<1\n"])
def test_what_is_not_installed_here_is_named(tmp_path: Path, lock: str) -> None:
    with pytest.raises(EnvironmentFault, match=lock.strip()):
        interpreter(Environment(python=">=3.11", requirements_lock=lock), cache=tmp_path)
