"""How much faster a warm run is than a fresh `python -m pytest`, on this machine, side by side.

Usage: python tests/benchmarks/runner.py PYTHON [numpy|torch] [ROUNDS] [WALL]
PYTHON is an environment's interpreter with pytest and numpy (and torch). Both sides judge the same
tests against the same code, by turns; wall and CPU milliseconds are per submission, and the CPU of
the warm side counts the zygotes and this process too.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from recodeh.data.records import TestFile, Verdict
from recodeh.eval.rooms.job import Job, Limits
from recodeh.eval.rooms.launch import descendants
from recodeh.eval.rooms.pool import Pool
from recodeh.eval.walls.choose import wall_named

NUMPY_CODE = """
import numpy as np

def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)

def whiten(x):
    values, vectors = np.linalg.eigh(np.cov(x.T))
    return (x - x.mean(0)) @ vectors / np.sqrt(values)
"""
NUMPY_TESTS = """
import numpy as np
import pytest

def test_rows_sum_to_one(submission):
    x = np.random.default_rng(0).normal(size=(20, 5))
    np.testing.assert_allclose(submission("paper:softmax", x).sum(-1), np.ones(20))

def test_axis(submission):
    x = np.arange(6.0).reshape(2, 3)
    assert submission("paper:softmax", x, axis=0).shape == (2, 3)
    np.testing.assert_allclose(submission("paper:softmax", x, axis=0).sum(0), np.ones(3))

def test_large_values(submission):
    assert np.isfinite(submission("paper:softmax", np.array([1e4, 0.0]))).all()

def test_whitened_covariance(submission):
    x = np.random.default_rng(1).normal(size=(50, 3)) @ np.diag([1.0, 2.0, 3.0])
    np.testing.assert_allclose(np.cov(submission("paper:whiten", x).T), np.eye(3), atol=1e-8)

def test_bad_axis(submission):
    with pytest.raises(ValueError):
        submission("paper:softmax", np.ones((2, 2)), axis=7)
"""
TORCH_CODE = """
import torch

def attention(q, k, v):
    q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (q, k, v))
    w = torch.softmax(q @ k.T / q.shape[-1] ** 0.5, -1)
    return (w @ v).numpy()

def slope(x):
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    torch.sum(torch.tanh(x) ** 2).backward()
    return x.grad.numpy()

def layers():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    return net(torch.ones(2, 4)).detach().numpy()
"""
TORCH_TESTS = """
import numpy as np

def test_attention(submission):
    q, k, v = np.random.default_rng(0).normal(size=(3, 6, 4))
    w = np.exp(q @ k.T / 2)
    expected = w / w.sum(-1, keepdims=True) @ v
    np.testing.assert_allclose(submission("paper:attention", q, k, v), expected)

def test_gradient(submission):
    x = np.linspace(-1, 1, 5)
    expected = 2 * np.tanh(x) * (1 - np.tanh(x) ** 2)
    np.testing.assert_allclose(submission("paper:slope", x), expected)

def test_layers(submission):
    assert submission("paper:layers").shape == (2, 1)
"""
SUITES = {"numpy": (NUMPY_CODE, NUMPY_TESTS), "torch": (TORCH_CODE, TORCH_TESTS)}


@dataclass(frozen=True)
class Cost:
    """Wall and CPU milliseconds of one submission."""

    wall: float
    cpu: float


def measured(work: Callable[[], None], spent: Callable[[], float]) -> Cost:
    before, started = spent(), time.perf_counter()
    work()
    return Cost((time.perf_counter() - started) * 1000, (spent() - before) * 1000)


def _ended_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def fresh_pytest(job: Job, folder: Path) -> Callable[[], None]:
    """What everybody does: a new interpreter, the source beside the tests."""
    import recodeh.eval.rooms.in_process_conftest as shipped

    for path, content in job.files.items():
        (folder / path).write_bytes(content)
    for test in job.tests:
        (folder / test.path).write_text(test.content)
    (folder / "conftest.py").write_text(Path(str(shipped.__file__)).read_text())
    command: list[str | Path] = [
        job.python,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        folder,
    ]
    environment = {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}

    def once() -> None:
        subprocess.run([*command, folder], env=environment, check=True, capture_output=True)

    return once


def warm(pool: Pool, job: Job) -> Callable[[], None]:
    """This project's way."""

    def once() -> None:
        report = pool.run(job)
        assert report.verdict is Verdict.PASSED, report.reason

    return once


def _repeat(work: Callable[[], None], times: int) -> None:
    for _ in range(times):
        work()


def _pool_seconds(pool: Pool) -> float:
    """CPU of this process and of every zygote with all that it has reaped."""
    ticks = 0
    for one in pool.warm.values():
        for zygote in one.zygotes.values():
            for pid in descendants(zygote.booted.pid):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK") + time.process_time()


def main(python: str, suite: str = "numpy", rounds: str = "20", wall: str = "auto") -> None:
    code, tests = SUITES[suite]
    ids = [line.split("def ")[1].split("(")[0] for line in tests.splitlines() if "def test" in line]
    job = Job(
        files={"paper.py": code.encode()},
        import_root=".",
        tests=(TestFile(path="test_paper.py", content=tests),),
        test_ids=tuple(f"test_paper.py::{name}" for name in ids),
        python=Path(python),
        limits=Limits(memory_mb=8192),
    )
    pool = Pool(wall_named(wall))
    with tempfile.TemporaryDirectory() as folder:
        slow, fast = fresh_pytest(job, Path(folder)), warm(pool, job)
        slow(), fast(), fast()
        old, new = [], []
        for _ in range(int(rounds)):
            old.append(measured(slow, _ended_children))
            # Ticks are coarse: ten warm runs are measured as one.
            ten = measured(lambda: _repeat(fast, 10), lambda: _pool_seconds(pool))
            new.append(Cost(ten.wall / 10, ten.cpu / 10))
    pool.close()
    for name in ("wall", "cpu"):
        before = statistics.median(getattr(cost, name) for cost in old)
        after = statistics.median(getattr(cost, name) for cost in new)
        sys.stdout.write(
            f"{suite} {name}: fresh pytest {before:.1f} ms, warm {after:.1f} ms behind "
            f"{pool.wall.name}, {before / after:.1f} times faster\n"
        )
    sys.stdout.write(f"load average {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
