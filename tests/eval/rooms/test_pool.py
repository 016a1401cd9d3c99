"""Zygotes: private worlds per run, what happens when one dies, and when forking is unsafe."""

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from recodeh.data.records import Outcome, TestFile, Verdict
from recodeh.eval.rooms.job import Job, Limits
from recodeh.eval.rooms.launch import descendants
from recodeh.eval.rooms.pool import Pool
from recodeh.eval.rooms.preload import imports
from recodeh.eval.rooms.runner import arun, close_pools, run, shared_pool
from recodeh.eval.rooms.zygote import Zygote
from recodeh.eval.walls.wall import Wall

MakeJob = Callable[..., Job]
CALL = "def test_it(submission): assert submission('paper:f') == 1"
RIGHT = "def f(): return 1"


@pytest.fixture
def pool(wall: Wall) -> Iterator[Pool]:
    made = Pool(wall)
    yield made
    made.close()


def pid_of(zygote: Zygote) -> int:
    return zygote.booted.pid


def warm_of(pool: Pool) -> dict[str, int]:
    """The pids of the pool's zygotes."""
    (warm,) = pool.warm.values()
    return {kind: pid_of(zygote) for kind, zygote in warm.zygotes.items()}


def test_runs_share_zygotes_and_a_tasks_tests_are_collected_once(pool: Pool, job: MakeJob) -> None:
    tests = "import os\nLOADED = os.getpid()\n" + CALL + " + LOADED * 0, LOADED"
    first = pool.run(job("def f(): return 2", tests))
    pids = warm_of(pool)
    second = pool.run(job("def f(): return 3", tests))
    assert warm_of(pool) == pids
    assert first.verdict is second.verdict is Verdict.FAILED
    loaded = {report.tests[0].message.splitlines()[0] for report in (first, second)}
    assert len(loaded) == 1  # both judges are forks of the process that loaded the tests


def test_nothing_of_a_run_reaches_the_next(pool: Pool, job: MakeJob) -> None:
    code = """
        import builtins, glob, os, tempfile
        import numpy as np
        seen = [hasattr(builtins, "trace"), os.path.exists("trace"), "TRACE" in os.environ,
                np.pi != 3.141592653589793, glob.glob(tempfile.gettempdir() + "/trace*")]
        builtins.trace = np.pi = 1
        os.environ["TRACE"] = "1"
        open("trace", "w").write("x")
        tempfile.mkdtemp(prefix="trace")
        def f(): return 1 if not any(seen) else seen
        """
    for _ in range(3):
        report = pool.run(job(code, CALL))
        assert report.verdict is Verdict.PASSED, report.reason


def test_tests_that_change_their_module_do_not_touch_the_next_run(pool: Pool, job: MakeJob) -> None:
    tests = "calls = []\n" + CALL + "; calls.append(1); assert len(calls) == 1"
    assert [pool.run(job(RIGHT, tests)).verdict for _ in range(3)] == [Verdict.PASSED] * 3


@pytest.mark.parametrize("kind", ["judge", "submission"])
def test_a_zygote_that_died_is_started_again(pool: Pool, job: MakeJob, kind: str) -> None:
    assert pool.run(job(RIGHT, CALL)).verdict is Verdict.PASSED
    victim = warm_of(pool)[kind]
    for pid in reversed(list(descendants(victim))):
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.1)
    assert pool.run(job(RIGHT, CALL)).verdict is Verdict.PASSED
    assert pool.run(job(RIGHT, CALL)).verdict is Verdict.PASSED
    assert warm_of(pool)[kind] != victim


def test_what_starts_threads_is_not_preloaded_or_runs_in_fresh_processes(
    wall: Wall, job: MakeJob, python: Path
) -> None:
    packages = next((python.parent.parent / "lib").glob("python*/site-packages"))
    module = packages / "restless.py"
    module.write_text(
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()\n"
    )
    pool = Pool(wall)
    restless = job("import restless\n" + RIGHT, CALL)
    try:
        with pytest.warns(UserWarning, match="preloads less: importing started 1 threads"):
            assert pool.run(restless).verdict is Verdict.PASSED
        assert pool.run(restless).verdict is Verdict.PASSED
        assert warm_of(pool)
        pool.close()
        needed = replace(job(RIGHT, CALL), preload=("restless",))
        with pytest.warns(UserWarning, match="fresh processes: importing started 1 threads"):
            assert pool.run(needed).verdict is Verdict.PASSED
        assert not warm_of(pool)
    finally:
        pool.close()
        module.unlink()


def test_a_module_that_fails_to_import_is_the_rooms_matter(pool: Pool, job: MakeJob) -> None:
    code = "try:\n    import numpy.nowhere\nexcept ImportError:\n    pass\n" + RIGHT
    assert pool.run(job(code, CALL)).verdict is Verdict.PASSED


def test_what_is_preloaded_is_never_of_the_workspace(job: MakeJob) -> None:
    made = job(
        "import numpy as np, helper, os.path as p\nfrom scipy.stats import norm\n"
        "from . import x\nfrom .y import z\nfrom pkg.sub import w\n",
        "import pytest\nfrom math import pi",
        files={"helper.py": b"import json", "pkg/sub.py": b""},
    )
    names = imports(made, "submission")
    assert {"numpy", "os.path", "scipy.stats", "json"} <= names
    assert not {"helper", "pkg.sub", "paper", "pytest"} & names
    assert {"pytest", "math"} <= imports(made, "judge")


def test_tests_that_do_not_load_are_told_like_in_fresh_rooms(pool: Pool, job: MakeJob) -> None:
    for tests in ("import nowhere\n" + CALL, "def test_it(: pass", "import os; os._exit(3)"):
        assert pool.run(job(RIGHT, tests)).verdict is Verdict.INFRA
    assert pool.run(job(RIGHT, CALL)).verdict is Verdict.PASSED


def test_many_tasks_keep_few_benches(pool: Pool, job: MakeJob) -> None:
    for number in range(12):
        tests = f"def test_it(submission): assert submission('paper:f') == 1  # {number}"
        assert pool.run(job(RIGHT, tests)).verdict is Verdict.PASSED
    (warm,) = pool.warm.values()
    assert len(warm.benches) <= 8


def test_many_threads_get_their_own_verdicts(pool: Pool, job: MakeJob) -> None:
    right, wrong = job(RIGHT, CALL), job("def f(): return 2", CALL)
    slow = job("import time\ndef f(): time.sleep(60)", CALL, limits=Limits(wall_seconds=1))
    jobs = [right, wrong, slow, right, wrong] * 3
    with ThreadPoolExecutor(5) as threads:
        verdicts = [report.verdict for report in threads.map(pool.run, jobs)]
    passed, failed = Verdict.PASSED, Verdict.FAILED
    assert verdicts == [passed, failed, failed, passed, failed] * 3


def test_a_hundred_runs_leave_nothing_and_change_no_verdict(pool: Pool, job: MakeJob) -> None:
    codes = [
        RIGHT,
        "def f(): return 2",
        "import os\ndef f(): os._exit(0)",
        "import os, time\ndef f():\n if not os.fork(): os.setsid(); time.sleep(99)\n return 1",
    ]
    first = [pool.run(job(code, CALL)).verdict for code in codes]
    before = _state(pool)
    for _ in range(25):
        assert [pool.run(job(code, CALL)).verdict for code in codes] == first
    time.sleep(0.2)
    after = _state(pool)
    assert after[0] == before[0], "descriptors"
    assert after[1] <= before[1], "processes"
    assert after[2] <= before[2], "folders"
    assert after[3] < before[3] + 4000, "kilobytes of the zygotes"


def _state(pool: Pool) -> tuple[int, int, int, int]:
    below = [pid for zygote in warm_of(pool).values() for pid in descendants(zygote)]
    memory = sum(_kilobytes(pid) for pid in below)
    zygotes = [zygote for warm in pool.warm.values() for zygote in warm.zygotes.values()]
    folders = sum(len(os.listdir(zygote.booted.folder)) for zygote in zygotes)  # noqa: PTH208
    return len(os.listdir("/proc/self/fd")), len(below), folders, memory  # noqa: PTH208


def _kilobytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def test_the_same_from_asyncio(job: MakeJob, wall: Wall) -> None:
    async def both() -> list[Verdict]:
        jobs = (job(RIGHT, CALL), job("def f(): return 2", CALL))
        return [
            report.verdict for report in await asyncio.gather(*(arun(one, wall) for one in jobs))
        ]

    assert asyncio.run(both()) == [Verdict.PASSED, Verdict.FAILED]


def test_a_missing_test_is_no_verdict_when_warm(pool: Pool, job: MakeJob) -> None:
    made = job(RIGHT, CALL)
    asked = replace(made, test_ids=(*made.test_ids, "test_paper.py::test_more"))
    report = pool.run(asked)
    assert report.verdict is Verdict.INFRA
    assert report.tests[1].outcome is Outcome.MISSING
    extra = replace(made, tests=(*made.tests, TestFile(path="test_z.py", content=CALL)))
    assert pool.run(extra).verdict is Verdict.PASSED  # files that no id names are not collected


def test_a_fork_of_the_evaluator_gets_zygotes_of_its_own(job: MakeJob, wall: Wall) -> None:
    right = job(RIGHT, CALL)
    assert run(right, wall).verdict is Verdict.PASSED
    mine = warm_of(shared_pool(wall))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as fork:
        verdict, theirs = fork.submit(_run_and_name, right, wall).result()
    assert verdict is Verdict.PASSED
    assert not set(theirs.values()) & set(mine.values())
    assert run(right, wall).verdict is Verdict.PASSED
    assert warm_of(shared_pool(wall)) == mine


def _run_and_name(job: Job, wall: Wall) -> tuple[Verdict, dict[str, int]]:
    verdict = run(job, wall).verdict
    pids = warm_of(shared_pool(wall))
    close_pools()
    return verdict, pids
