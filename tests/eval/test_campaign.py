"""A run: what is asked, what is shared, what is written, and what a second call does."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.eval.conftest import Grader, MadeDataset, Scripted

from recodeh.data.errors import InputError, ModelError, RoomError
from recodeh.data.log import read
from recodeh.data.records import Report, Task, Verdict
from recodeh.eval.agents.agent import Steps, TaskView, Turn
from recodeh.eval.campaign import Parts, run
from recodeh.eval.models.model import Message
from recodeh.eval.models.reference import ReferenceModel
from recodeh.eval.models.stub import StubModel
from recodeh.eval.plan import plan, schedule
from recodeh.eval.results import read_results
from recodeh.eval.settings import Settings

Build = Callable[..., Parts]
WRONG = "```python\nreturn 0\n```"


def test_the_reference_solves_everything_in_one_call_per_task(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    settings = Settings(models=("builtin/reference",))
    summary = run(dataset, settings, tmp_path, parts(ReferenceModel(dataset)))
    rows = list(read_results(tmp_path / "results.jsonl"))
    assert (summary.episodes, summary.solved, summary.infra) == (10, 10, 0)
    assert [(row.task_id, row.level) for row in rows] == [
        (task_id, level) for task_id in dataset.tasks for level in range(5)
    ]
    assert {(row.verdict, row.solved_at, len(row.turns)) for row in rows} == {
        (Verdict.PASSED, 1, 1)
    }


def test_the_stub_plays_all_turns_and_stays_in_the_table(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    run(dataset, Settings(models=("builtin/stub",), turns=3), tmp_path, parts(StubModel()))
    rows = list(read_results(tmp_path / "results.jsonl"))
    assert {(row.verdict, row.solved_at, len(row.turns)) for row in rows} == {
        (Verdict.FAILED, None, 3)
    }


def test_turn_0_is_paid_once_for_all_levels_and_equal_code_is_tested_once(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    model = Scripted(WRONG)
    made = parts(model)
    run(dataset, Settings(models=(model.name,), turns=2), tmp_path, made, jobs=4)
    assert isinstance(made.grader, Grader)
    first = [request.key for request in model.asked if len(request.messages) == 2]
    assert len(first) == len(set(first)) == 2
    assert len(made.grader.asked) == 2
    calls = [row for row in read(tmp_path / "events.jsonl") if row["event"] == "model_called"]
    assert sum(row["turn"] == 0 and not row["reused"] for row in calls) == 2
    tested = [row for row in read(tmp_path / "events.jsonl") if row["event"] == "tested"]
    assert (len(tested), sum(not row["reused"] for row in tested)) == (20, 2)


def test_results_do_not_depend_on_how_many_threads_play(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    for jobs in (1, 7):
        model = Scripted("no code", WRONG)
        settings = Settings(models=(model.name,), turns=4, repeats=2)
        run(dataset, settings, tmp_path / str(jobs), parts(model), jobs=jobs)
    one, seven = (tmp_path / jobs / "results.jsonl" for jobs in ("1", "7"))
    assert one.read_bytes() == seven.read_bytes()
    assert json.loads((tmp_path / "1/run.json").read_text())["dataset"]["digest"] == dataset.digest


def test_a_second_call_asks_nobody(dataset: MadeDataset, parts: Build, tmp_path: Path) -> None:
    model = Scripted(WRONG)
    settings = Settings(models=(model.name,), turns=2)
    run(dataset, settings, tmp_path, parts(model))
    before = (tmp_path / "results.jsonl").read_bytes(), (tmp_path / "events.jsonl").read_bytes()
    asked, again = len(model.asked), parts(model)
    summary = run(dataset, settings, tmp_path, again)
    assert (summary.played, len(model.asked)) == (0, asked)
    assert isinstance(again.grader, Grader)
    assert again.grader.asked == []
    after = (tmp_path / "results.jsonl").read_bytes(), (tmp_path / "events.jsonl").read_bytes()
    assert after == before


def test_a_model_that_fails_is_infra_and_is_tried_again_from_where_it_stood(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    broken = Scripted(WRONG, ModelError("the server is down"))
    settings = Settings(models=(broken.name,), levels=(1,), turns=3)
    summary = run(dataset, settings, tmp_path, parts(broken))
    rows = list(read_results(tmp_path / "results.jsonl"))
    assert (summary.infra, summary.unfinished) == (2, 0)
    assert {(row.verdict, row.reason, len(row.turns)) for row in rows} == {
        (Verdict.INFRA, "the server is down", 1)
    }
    mended = Scripted(WRONG)
    assert run(dataset, settings, tmp_path, parts(mended)).infra == 0
    assert min(len(request.messages) for request in mended.asked) == 4  # turn 0 is not asked again
    run(dataset, settings, tmp_path / "never-broken", parts(Scripted(WRONG)))
    assert (tmp_path / "results.jsonl").read_bytes() == (
        tmp_path / "never-broken/results.jsonl"
    ).read_bytes()


def test_a_room_that_fails_is_infra_and_not_remembered(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    class Shut(Grader):
        def grade(self, task: Task, code: str) -> Report:
            super().grade(task, code)
            raise RoomError("no room is free")

    settings = Settings(models=("builtin/reference",), levels=(0, 4))
    model = ReferenceModel(dataset)
    made = parts(model)
    shut = Parts(made.agent, made.models, made.researcher, Shut(dataset))
    assert run(dataset, settings, tmp_path, shut, jobs=1).infra == 4
    assert run(dataset, settings, tmp_path, parts(model)).solved == 4


def test_a_fault_in_somebodys_agent_ends_its_own_episode_only(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    class Clumsy:
        name = "clumsy"
        version = "1"

        def turn(self, view: TaskView, history: tuple[Turn, ...]) -> Steps:
            reply = yield (Message("user", view.task_prompt),)
            if view.symbol == "mean":
                raise ZeroDivisionError("oh")
            return view.extract(reply.text)

    model = ReferenceModel(dataset)
    summary = run(
        dataset,
        Settings(models=(model.name,), levels=(0,)),
        tmp_path,
        parts(model, agent=Clumsy()),
    )
    assert (summary.solved, summary.infra) == (1, 1)
    reason = list(read_results(tmp_path / "results.jsonl"))[1].reason
    assert reason.startswith("ZeroDivisionError in test_campaign.py:")


@pytest.mark.parametrize(
    ("change", "named"),
    [({"turns": 2}, "turns was 10, is 2"), ({"levels": (0,)}, "levels was [0, 1, 2, 3, 4]")],
)
def test_a_folder_of_another_run_is_refused(
    dataset: MadeDataset, parts: Build, tmp_path: Path, change: dict[str, object], named: str
) -> None:
    settings = Settings(models=("builtin/reference",))
    run(dataset, settings, tmp_path, parts(ReferenceModel(dataset)))
    before = (tmp_path / "events.jsonl").read_bytes()
    other = Settings.model_validate({**settings.row(), **change})
    with pytest.raises(InputError) as caught:
        run(dataset, other, tmp_path, parts(ReferenceModel(dataset)))
    assert named in str(caught.value)
    assert "another folder with -o" in str(caught.value)
    assert (tmp_path / "events.jsonl").read_bytes() == before


def test_a_run_with_another_dataset_is_refused(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    settings = Settings(models=("builtin/reference",))
    run(dataset, settings, tmp_path, parts(ReferenceModel(dataset)))
    half = MadeDataset(*list(dataset._made.values())[:1])
    with pytest.raises(InputError, match="dataset was"):
        run(half, settings, tmp_path, parts(ReferenceModel(half)))


def test_two_processes_do_not_play_one_run(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    started, go_on = threading.Event(), threading.Event()

    class Waiting(Scripted):
        def answer(self, request: object) -> object:  # type: ignore[override]
            started.set()
            go_on.wait(20)
            return super().answer(request)  # type: ignore[arg-type]

    settings = Settings(models=("test/scripted",), levels=(0,), turns=1)
    first = threading.Thread(target=run, args=(dataset, settings, tmp_path, parts(Waiting(WRONG))))
    first.start()
    try:
        assert started.wait(20)
        with pytest.raises(InputError, match="another process is playing this run"):
            run(dataset, settings, tmp_path, parts(Scripted(WRONG)))
    finally:
        go_on.set()
        first.join(20)


FULL = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.eval.conftest import MEAN, SCALE, Grader, MadeDataset, Scripted, task_from
from recodeh.data.errors import LogError
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.campaign import Parts, run
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.settings import Settings

scale = task_from(SCALE, name="scale", symbol="Scaler.scale")
data = MadeDataset(scale, task_from(MEAN, name="mean", symbol="mean"))
model = Scripted("```python\\nreturn 0\\n```")
parts = Parts(OneShot(), {model.name: model}, DeterministicResearcher(), Grader(data))
settings = Settings(models=(model.name,), turns=3)
free = resource.RLIM_INFINITY
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, free))
try:
    run(data, settings, Path(sys.argv[2]), parts, jobs=4)
except LogError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (free, free))
print(run(data, settings, Path(sys.argv[2]), parts, jobs=4).unfinished)
print(len(model.asked), len({request.key for request in model.asked}))
"""


def test_a_disk_that_is_full_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    """The log may not grow over 20 kB at first, which the system refuses as it does a full disk."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FULL, str(root), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    error, unfinished, asked = done.stdout.splitlines()
    assert "cannot write to the log" in error
    assert "run the same command again; nothing recorded is lost" in error
    assert unfinished == "0"
    calls, different = map(int, asked.split())
    # At most the calls that were under way in the four threads could not be written down.
    assert different <= calls <= different + 4


@pytest.mark.filterwarnings("ignore::recodeh.data.log.TornLine")
def test_a_log_cut_at_any_byte_is_gone_on_with(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    settings = Settings(models=("test/scripted",), levels=(0, 3), turns=2)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    run(dataset, settings, whole, parts(Scripted(WRONG)))
    log, wanted = (whole / name for name in ("events.jsonl", "results.jsonl"))
    data = log.read_bytes()
    cut.mkdir()
    (cut / "run.json").write_bytes((whole / "run.json").read_bytes())
    for size in [0, 1, *range(97, len(data), len(data) // 40), len(data) - 1]:
        (cut / "events.jsonl").write_bytes(data[:size])
        known = {
            row["request_key"]
            for row in read(cut / "events.jsonl")
            if row["event"] == "model_called"
        }
        model = Scripted(WRONG)
        run(dataset, settings, cut, parts(model), jobs=1)
        assert known.isdisjoint(request.key for request in model.asked)
        assert (cut / "results.jsonl").read_bytes() == wanted.read_bytes()


def test_chats_are_begun_before_their_other_levels(dataset: MadeDataset, parts: Build) -> None:
    made = parts(StubModel())
    settings = Settings(models=("builtin/stub",), levels=(0, 1), repeats=2)
    episodes = plan(dataset, settings, made.agent, "deterministic")
    order = [(one.level, one.seed) for one in schedule(episodes, 2)]
    assert order == [(0, 0), (0, 1), (1, 0), (1, 1)] * 2
    assert sorted(one.key for one in schedule(episodes, 3)) == sorted(one.key for one in episodes)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"levels": (7,)}, "there is no level [7]"),
        ({"levels": ()}, "no level is given"),
        ({"models": ()}, "no model is given"),
        ({"turns": 0}, "0 turns are too few"),
        ({"levels": (1, 1)}, "given twice"),
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        Settings.model_validate({"models": ("builtin/stub",), **wrong})
    assert said in str(caught.value)


def test_patterns_choose_tasks_and_a_pattern_without_any_is_refused(
    dataset: MadeDataset,
) -> None:
    ids = list(dataset.tasks)
    assert Settings(models=("m",), tasks=("*mean*",)).task_ids(ids) == ["scaling/mean#mean"]
    with pytest.raises(InputError, match="no task is called 'median'"):
        Settings(models=("m",), tasks=("median",)).task_ids(ids)
