"""Kill -9 at any point of a run, call it again: nothing is lost and nothing is asked twice."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.eval.conftest import MadeDataset

from recodeh.data.log import read
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.replay import replay
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.results import UNFINISHED, read_results

ROOT = Path(__file__).parents[2]
KILLS = 50
PLAYERS = """
import os, sys, time, warnings
from pathlib import Path
sys.path.insert(0, sys.argv[1])
warnings.simplefilter("ignore")
from tests.eval.conftest import MEAN, SCALE, Grader, MadeDataset, task_from
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.campaign import Parts, run
from recodeh.eval.models.model import Reply
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.settings import Settings

class Slow:
    name = "test/slow"

    def __init__(self, calls):
        self.calls = open(calls, "a", buffering=1)

    def answer(self, request):
        time.sleep(0.004)
        said = sum(message.role == "assistant" for message in request.messages)
        self.calls.write(f"{request.key}\\n")
        return Reply(f"```python\\nreturn {said}, {request.seed}\\n```", input_tokens=3)

def play(folder):
    scale = task_from(SCALE, name="scale", symbol="Scaler.scale")
    data = MadeDataset(scale, task_from(MEAN, name="mean", symbol="mean"))
    settings = Settings(models=("test/slow",), turns=4, repeats=4)
    models = {"test/slow": Slow(folder / "calls")}
    parts = Parts(OneShot(), models, DeterministicResearcher(), Grader(data))
    run(data, settings, folder / "run", parts, jobs=4)

for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        try:
            play(Path(line.strip()))
        except KeyboardInterrupt:
            os._exit(130)
        os._exit(0)
    print(pid, flush=True)
    print(os.waitpid(pid, 0)[1], flush=True)
"""


class Players:
    """Starts each run of 40 episodes in a fresh fork, so that 50 starts take seconds."""

    def __init__(self, server: "subprocess.Popen[str]") -> None:
        self._server = server

    def start(self, folder: Path) -> int:
        assert self._server.stdin is not None
        folder.mkdir(exist_ok=True)
        self._server.stdin.write(f"{folder}\n")
        self._server.stdin.flush()
        return self._line()

    def status(self) -> int:
        return self._line()

    def _line(self) -> int:
        assert self._server.stdout is not None
        return int(self._server.stdout.readline())


@contextmanager
def players() -> Iterator[Players]:
    command = [sys.executable, "-c", PLAYERS, str(ROOT)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            yield Players(server)
        finally:
            server.kill()


def asked(folder: Path) -> list[str]:
    calls = folder / "calls"
    return calls.read_text().splitlines() if calls.exists() else []


def answered(folder: Path) -> set[str]:
    log = folder / "run/events.jsonl"
    rows = read(log) if log.exists() else iter(())
    return {row["request_key"] for row in rows if row["event"] == "model_called"}


def ended(folder: Path) -> int:
    log = folder / "run/events.jsonl"
    rows = read(log) if log.exists() else iter(())
    return sum(row["event"] == "episode_ended" for row in rows)


def test_a_run_killed_50_times_ends_as_one_that_was_not(
    tmp_path: Path, dataset: MadeDataset
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    chance, alive = random.Random(7), []
    with players() as server:
        server.start(whole)
        assert server.status() == 0
        for _ in range(KILLS):
            known, calls = answered(killed), len(asked(killed))
            pid = server.start(killed)
            time.sleep(chance.uniform(0.0, 0.06))
            os.kill(pid, signal.SIGKILL)
            alive.append(server.status() == signal.SIGKILL and ended(killed) < 40)
            assert known.isdisjoint(asked(killed)[calls:]), "an answered call was asked again"
            assert known <= answered(killed), "an event was lost"
        known, calls = answered(killed), len(asked(killed))
        server.start(killed)
        assert server.status() == 0
    assert sum(alive) > KILLS // 2, "most kills must hit a run at work"
    assert known.isdisjoint(asked(killed)[calls:])
    assert len(asked(whole)) == len(set(asked(whole)))
    results = [folder / "run/results.jsonl" for folder in (whole, killed)]
    assert results[0].read_bytes() == results[1].read_bytes()
    again = replay(killed / "run", dataset, OneShot(), DeterministicResearcher())
    assert again.episodes == 40


def test_an_interrupt_writes_what_is_there_and_stops_soon(tmp_path: Path) -> None:
    folder = tmp_path / "stopped"
    with players() as server:
        pid = server.start(folder)
        end = time.monotonic() + 20
        while ended(folder) < 3 and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(pid, signal.SIGINT)
        assert os.waitstatus_to_exitcode(server.status()) == 130
        rows = list(read_results(folder / "run/results.jsonl"))
        assert len(rows) == 40
        unfinished = [row for row in rows if row.reason == UNFINISHED]
        assert 0 < len(unfinished) <= 37
        server.start(folder)
        assert server.status() == 0
    rows = list(read_results(folder / "run/results.jsonl"))
    assert [row for row in rows if row.reason == UNFINISHED] == []
