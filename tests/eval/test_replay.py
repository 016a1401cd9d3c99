"""A recorded run replays to the same bytes; what was tampered with is found and named."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.eval.conftest import MadeDataset, Scripted

from recodeh.data.errors import InputError, ModelError, ReplayError
from recodeh.data.log import read
from recodeh.data.records import Verdict
from recodeh.eval.agents.agent import Steps, TaskView, Turn
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.campaign import Parts, run
from recodeh.eval.fork import fork_settings
from recodeh.eval.models.model import Message, Model
from recodeh.eval.models.replayed import ReplayedModel
from recodeh.eval.parts import choose_researcher
from recodeh.eval.replay import Replayed, replay
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.results import read_results
from recodeh.eval.settings import Settings

Build = Callable[..., Parts]
WRONG = "```python\nreturn sum(values)\n```"


def again(folder: Path, dataset: MadeDataset) -> Replayed:
    return replay(folder, dataset, OneShot(), DeterministicResearcher())


def played(folder: Path, dataset: MadeDataset, parts: Build, model: Model, turns: int = 3) -> None:
    run(dataset, Settings(models=(model.name,), turns=turns), folder, parts(model), jobs=4)


def test_a_run_replays_to_equal_rows(dataset: MadeDataset, parts: Build, tmp_path: Path) -> None:
    played(tmp_path, dataset, parts, Scripted("no code", WRONG))
    assert again(tmp_path, dataset) == Replayed(episodes=10, turns=30, calls=30)


def test_a_run_that_was_broken_off_and_taken_up_replays(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    played(tmp_path, dataset, parts, Scripted(WRONG, ModelError("down")))
    assert again(tmp_path, dataset).turns == 10
    log = tmp_path / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[: len(lines) // 2]))
    played(tmp_path, dataset, parts, Scripted(WRONG))
    assert again(tmp_path, dataset).turns == 30


class Thinker:
    """An agent of two calls per turn."""

    name = "thinker"
    version = "1"

    def turn(self, view: TaskView, history: tuple[Turn, ...]) -> Steps:
        chat = tuple(message for turn in history for message in turn.said)
        plan = yield (Message("user", f"Plan {len(history)}."), *chat)
        reply = yield (Message("user", "Write."), Message("assistant", plan.text), *chat)
        return view.submission(reply)


def test_a_turn_broken_off_between_two_calls_asks_only_the_second_again(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    settings = Settings(models=("test/scripted",), levels=(2,), turns=2)
    broken = Scripted("A plan.", ModelError("down"))
    run(dataset, settings, tmp_path, parts(broken, agent=Thinker()))
    mended = Scripted("A plan.", WRONG)
    summary = run(dataset, settings, tmp_path, parts(mended, agent=Thinker()))
    assert (summary.infra, summary.unfinished) == (0, 0)
    first = [request.key for request in broken.asked if len(request.messages) == 1]
    assert set(first).isdisjoint(request.key for request in mended.asked)
    again = replay(tmp_path, dataset, Thinker(), DeterministicResearcher())
    assert again.turns == 4


@pytest.mark.parametrize(
    ("kind", "change", "said"),
    [
        ("model_called", {"request_key": "0" * 64}, "the model is asked something else now"),
        ("submitted", {"code": "return 1\n"}, "submitted has another code now"),
        ("feedback_given", {"text": "Nearly."}, "feedback_given has another text now"),
        ("turn_ended", {"solved": True}, "turn_ended has another solved now"),
        ("tested", None, "the log has feedback_given where tested comes now"),
    ],
)
def test_a_log_that_was_tampered_with_is_found(
    dataset: MadeDataset,
    parts: Build,
    tmp_path: Path,
    kind: str,
    change: dict[str, object] | None,
    said: str,
) -> None:
    played(tmp_path, dataset, parts, Scripted(WRONG))
    rows = list(read(tmp_path / "events.jsonl"))
    index = next(i for i, row in enumerate(rows) if row["event"] == kind)
    rows[index : index + 1] = [] if change is None else [{**rows[index], **change}]
    lines = [json.dumps(row) + "\n" for row in rows]
    (tmp_path / "events.jsonl").write_text("".join(lines))
    with pytest.raises(ReplayError) as caught:
        again(tmp_path, dataset)
    assert said in str(caught.value)
    assert "test/scripted, level" in str(caught.value)
    assert "turn 0" in str(caught.value)


def test_results_that_do_not_follow_from_the_log_are_found(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    played(tmp_path, dataset, parts, Scripted(WRONG))
    path = tmp_path / "results.jsonl"
    path.write_text(path.read_text().replace('"failed"', '"passed"', 1))
    with pytest.raises(ReplayError, match="the replay gives other rows"):
        again(tmp_path, dataset)


def test_a_run_of_another_dataset_is_refused(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    played(tmp_path, dataset, parts, Scripted(WRONG))
    half = MadeDataset(*list(dataset._made.values())[:1])
    with pytest.raises(InputError, match="made with another dataset"):
        again(tmp_path, half)


def test_the_model_of_a_run_answers_again_and_nothing_else(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    played(tmp_path / "first", dataset, parts, Scripted(WRONG), turns=2)
    model = ReplayedModel(tmp_path / "first")
    played(tmp_path / "second", dataset, parts, model, turns=2)
    first, second = ((tmp_path / name / "results.jsonl") for name in ("first", "second"))
    assert [row.turns for row in read_results(first)] == [row.turns for row in read_results(second)]
    played(tmp_path / "longer", dataset, parts, model, turns=3)
    rows = list(read_results(tmp_path / "longer/results.jsonl"))
    assert {row.verdict for row in rows} == {Verdict.INFRA}
    assert "holds no answer to this call" in rows[0].reason


def test_a_fork_asks_only_from_its_turn_on_and_replays(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    source, out = tmp_path / "source", tmp_path / "fork"
    played(source, dataset, parts, Scripted(WRONG), turns=4)
    settings = fork_settings(source, turn=2, level=4, before=0)
    model = Scripted(WRONG)
    run(dataset, settings, out, parts(model), known=[source])
    assert sorted(len(request.messages) for request in model.asked) == [6, 6, 8, 8]
    assert again(out, dataset) == Replayed(episodes=2, turns=8, calls=8)
    calls = [row for row in read(out / "events.jsonl") if row["event"] == "model_called"]
    assert [sum(row["reused"] for row in calls if row["turn"] == turn) for turn in range(4)] == [
        *(2, 2, 0, 0)
    ]


@pytest.mark.parametrize(
    ("turn", "before", "said"),
    [
        (2, 7, "did not play level 7"),
        (2, None, "the run has several levels"),
        (9, 0, "a fork needs a turn that another turn comes before"),
    ],
)
def test_a_fork_of_what_was_not_played_is_refused(
    dataset: MadeDataset, parts: Build, tmp_path: Path, turn: int, before: int | None, said: str
) -> None:
    played(tmp_path, dataset, parts, Scripted(WRONG), turns=3)
    with pytest.raises(InputError, match=said):
        fork_settings(tmp_path, turn=turn, level=4, before=before)


def test_another_model_hears_the_recorded_feedback(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    source, out = tmp_path / "source", tmp_path / "frozen"
    played(source, dataset, parts, Scripted(WRONG), turns=3)
    researcher = choose_researcher(f"recorded/{source}")
    other = Scripted("```python\nreturn 0\n```", "no code", name="test/other")
    made = replace(parts(other), researcher=researcher)
    settings = Settings(
        models=(other.name,), levels=(0, 4), turns=4, researcher=f"recorded/{source}"
    )
    run(dataset, settings, out, made)
    heard = [
        [item["description"] for item in row["feedback"]["items"]]
        for folder in (source, out)
        for row in read(folder / "events.jsonl")
        if row["event"] == "feedback_given" and row["turn"] == 0 and row["level"] == 4
    ]
    assert heard[0]
    assert sorted(heard[:2]) == sorted(heard[2:])
    late = [row for row in read(out / "events.jsonl") if row["event"] == "feedback_given"]
    assert {row["turn"] for row in late} == {0, 1, 2}  # the recorded one had only two
    assert all(row["feedback"]["items"] for row in late)
    assert replay(out, dataset, OneShot(), researcher).episodes == 4
    assert researcher.name == choose_researcher(f"recorded/{source}").name


def test_recorded_feedback_for_what_was_not_played_is_refused(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    played(source, dataset, parts, Scripted(WRONG), turns=2)
    made = replace(parts(Scripted(WRONG)), researcher=choose_researcher(f"recorded/{source}"))
    with pytest.raises(InputError, match="no feedback for this episode"):
        run(dataset, Settings(models=("test/scripted",), seed=5), tmp_path / "out", made)
    with pytest.raises(InputError, match="no researcher is called 'oracle'"):
        choose_researcher("oracle")


def test_a_folder_without_a_run_is_refused(tmp_path: Path, dataset: MadeDataset) -> None:
    for use in (lambda: again(tmp_path, dataset), lambda: ReplayedModel(tmp_path)):
        with pytest.raises(InputError, match="no run here"):
            use()
