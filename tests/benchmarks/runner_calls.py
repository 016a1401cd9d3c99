"""What crossing between the rooms costs: small calls in milliseconds, arrays in megabytes a second.

Usage: python tests/benchmarks/runner_calls.py PYTHON [WALL]
"""

import os
import sys
from pathlib import Path

from recodeh.data.records import TestFile
from recodeh.eval.rooms.job import Job
from recodeh.eval.rooms.pool import Pool
from recodeh.eval.walls.choose import wall_named

CODE = """
import numpy as np
made = np.random.default_rng(0).random(10_000_000)
def first(x): return float(x[0])
def make(): return made
def same(x): return x
"""
TEST = """
import time
import numpy as np

def test_it(submission):
    x = np.random.default_rng(0).random(10_000_000)
    said = []
    for name, times, arguments in (("first", 5, (x,)), ("make", 5, ()), ("same", 2000, (1.5,))):
        submission(f"paper:{name}", *arguments)
        start, spent = time.perf_counter(), time.process_time()
        for _ in range(times):
            submission(f"paper:{name}", *arguments)
        each = (time.perf_counter() - start) / times
        said.append(f"{each * 1000:.3f}")
        said.append(f"{(time.process_time() - spent) / times * 1000:.3f}")
    raise AssertionError(" ".join(said))
"""


def main(python: str, wall: str = "auto") -> None:
    job = Job(
        files={"paper.py": CODE.encode()},
        import_root=".",
        tests=(TestFile(path="test_paper.py", content=TEST),),
        test_ids=("test_paper.py::test_it",),
        python=Path(python),
    )
    pool = Pool(wall_named(wall))
    pool.run(job)
    there, _, back, _, small, busy = map(float, pool.run(job).tests[0].message.split())
    pool.close()
    sys.stdout.write(
        f"behind {pool.wall.name}: arrays {80 / there * 1000:.0f} MB/s there, "
        f"{80 / back * 1000:.0f} MB/s back; a small call {small:.3f} ms, "
        f"{busy:.3f} ms of the judge's CPU\nload average {os.getloadavg()[0]:.1f}\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
