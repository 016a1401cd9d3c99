"""Many runs in a row: whether anything leaks, and whether any verdict changes.

Usage: python tests/benchmarks/runner_endurance.py PYTHON [RUNS] [WALL]
Right, wrong, dying, daemonising and flooding submissions take turns; after each tenth of the runs
one line tells descriptors, processes and memory of this process and of the zygotes.
"""

import os
import sys
import time
from pathlib import Path

from recodeh.data.records import TestFile, Verdict
from recodeh.eval.rooms.job import Job, Limits
from recodeh.eval.rooms.launch import descendants
from recodeh.eval.rooms.pool import Pool
from recodeh.eval.walls.choose import wall_named

TEST = "def test_it(submission):\n    assert submission('paper:f', 2.0) == 4.0\n"
CODES = {
    "def f(x): return x * x": Verdict.PASSED,
    "def f(x): return x + x + 1": Verdict.FAILED,
    "import os\ndef f(x): os._exit(0)": Verdict.FAILED,
    "import os, time\ndef f(x):\n if not os.fork(): os.setsid(); time.sleep(99)\n return x * x": (
        Verdict.PASSED
    ),
    "def f(x): print('x' * 200_000); open('file', 'w').write('x' * 10**6); return x * x": (
        Verdict.PASSED
    ),
}


def state(pool: Pool) -> str:
    zygotes = [zygote for warm in pool.warm.values() for zygote in warm.zygotes.values()]
    below = [pid for zygote in zygotes for pid in descendants(zygote.booted.pid)]
    own = len(list(Path("/proc/self/fd").iterdir()))
    mounts = Path("/proc/mounts").read_text().count("\n")
    memory = [_megabytes(pid) for pid in (os.getpid(), *below)]
    return (
        f"{own} descriptors, {len(below)} processes, {mounts} mounts, "
        f"{memory[0]:.1f} + {sum(memory[1:]):.1f} MB"
    )


def _megabytes(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def main(python: str, runs: str = "1000", wall: str = "auto") -> None:
    pool = Pool(wall_named(wall))
    changed, started = 0, time.monotonic()
    for number in range(int(runs)):
        code, expected = list(CODES.items())[number % len(CODES)]
        job = Job(
            files={"paper.py": code.encode()},
            import_root=".",
            tests=(TestFile(path="test_paper.py", content=TEST),),
            test_ids=("test_paper.py::test_it",),
            python=Path(python),
            limits=Limits(cpu_seconds=10, wall_seconds=30),
        )
        report = pool.run(job)
        if report.verdict is not expected:
            changed += 1
            sys.stdout.write(f"run {number}: {report.verdict} ({report.reason})\n")
        if number == 20 or (number + 1) % max(1, int(runs) // 10) == 0:
            sys.stdout.write(f"after {number + 1} runs: {state(pool)}\n")
            sys.stdout.flush()
    seconds = time.monotonic() - started
    pool.close()
    sys.stdout.write(
        f"{runs} runs behind {pool.wall.name}: {changed} verdicts changed, "
        f"{seconds * 1000 / int(runs):.1f} ms each\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
