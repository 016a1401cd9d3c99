"""What the engine itself costs: a canned model, no tests, CPU time per episode and per turn.

Run it as a script; it prints one line per number. The goals are those of the project: 3 ms of CPU
per episode, 1 ms per further turn, 0.1 s to read 500 logged episodes, memory flat in their number.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.eval.conftest import SCALE, Made, MadeDataset, task_from

from recodeh.data.log import read
from recodeh.data.records import Feedback, Report, Task, Verdict
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.campaign import Parts, run
from recodeh.eval.models.model import Reply, Request
from recodeh.eval.plan import plan
from recodeh.eval.results import result_rows
from recodeh.eval.settings import Settings
from recodeh.eval.untested import untested


class Canned:
    """Answers at once, each turn with other code."""

    name = "test/canned"

    def answer(self, request: Request) -> Reply:
        return Reply(f"```python\n        return {len(request.messages)}, {request.seed}\n```")


class NoTests:
    """Fails everything without running anything."""

    name = "none"

    def grade(self, task: Task, code: str) -> Report:
        return untested(task, Verdict.FAILED, "no tests were run")

    def scratch(self, task: Task, script: str, region: str | None) -> str:
        return ""


class Silent:
    """Counts only."""

    name = "silent"

    def feedback(
        self, task: Task, reference: str, submission: str | None, report: Report
    ) -> Feedback:
        return Feedback(researcher=self.name, passed=0, total=len(report.tests))


def tasks(count: int) -> Iterator[Made]:
    """As many tasks as there are episodes: what is learnt about one is forgotten after it."""
    made = task_from(SCALE, name="scale", symbol="Scaler.scale")
    for number in range(count):
        task = made.task.model_copy(update={"task_id": f"{made.task.task_id}-{number}"})
        yield replace(made, task=task.keyed())


def measure(episodes: int, turns: int) -> Mapping[str, float]:
    """CPU seconds of a run and of reading it back, its peak memory and the size of its log."""
    dataset = MadeDataset(*tasks(episodes))
    settings = Settings(models=("test/canned",), levels=(0,), turns=turns)
    parts = Parts(OneShot(), {"test/canned": Canned()}, Silent(), NoTests())
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        before = time.process_time()
        run(dataset, settings, out, parts, jobs=1)
        played = time.process_time() - before
        before = time.process_time()
        planned = plan(dataset, settings, parts.agent, parts.researcher.name)
        rows = list(result_rows(read(out / "events.jsonl"), planned, dataset))
        reading = time.process_time() - before
        size = (out / "events.jsonl").stat().st_size
    assert len(rows) == episodes
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu": played, "reading": reading, "peak_mb": peak, "log_mb": size / 1e6}


def main() -> None:
    """Print the numbers, also as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=100)
    count = parser.parse_args().episodes
    measure(20, 2)  # templates, imports and caches are warm from here on
    one, ten = measure(count, 1), measure(count, 10)
    many = measure(4 * count, 10)
    start = 1000 * one["cpu"] / count
    numbers = {
        "cpu_ms_per_episode_of_one_turn": start,
        "cpu_ms_per_further_turn": (1000 * ten["cpu"] / count - start) / 9,
        f"seconds_to_read_{count}_episodes_of_1_turn": one["reading"],
        f"seconds_to_read_{count}_episodes_of_10_turns": ten["reading"],
        "log_kb_per_turn": 1000 * ten["log_mb"] / count / 10,
        f"peak_mb_after_{count}_episodes": ten["peak_mb"],
        f"peak_mb_after_{4 * count}_episodes": many["peak_mb"],
    }
    sys.stdout.write(
        json.dumps({name: round(value, 3) for name, value in numbers.items()}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
