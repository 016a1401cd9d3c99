"""The loop itself: which events come, what the model is told, and how an episode ends."""

from collections.abc import Callable, Mapping
from itertools import pairwise

import pytest
from tests.eval.conftest import Made, MadeDataset, judged

from recodeh.data.errors import LogError, ModelError, RoomError
from recodeh.data.records import Feedback, Report, Task, Verdict
from recodeh.eval.agents.agent import Errand, Scratch, Steps, TaskView, Turn
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.allowance import Allowance
from recodeh.eval.episode import START, Episode, Fork, play
from recodeh.eval.events import EpisodeEnded, ModelCalled, Tested, fold, parse, row
from recodeh.eval.models.model import Message, Reply, Request
from recodeh.eval.researcher.deterministic import DeterministicResearcher

WRONG = "```python\nreturn values\n```"


class Outside:
    """Answers from a function; feedback and verdicts as in a run."""

    def __init__(self, made: Made, say: Callable[[Request], str]) -> None:
        self.made = made
        self.say = say
        self.requests: list[Request] = []

    def files(self, task: Task) -> Mapping[str, bytes]:
        return {**self.made.files, task.target_file: task.masked_file.encode()}

    def reply(self, request: Request) -> tuple[Reply, bool]:
        self.requests.append(request)
        return Reply(self.say(request)), False

    def scratch(self, task: Task, wanted: Scratch) -> tuple[str, bool]:
        return f"ran {len(wanted.code)}", False

    def errand(self, task: Task, wanted: Errand) -> tuple[str, bool]:
        return task.masked_file, False

    def report(self, task: Task, code: str) -> tuple[Report, bool]:
        return judged(task, code, self.made.region), False

    def feedback(self, episode: Episode, turn: int, code: str | None, report: Report) -> Feedback:
        return DeterministicResearcher().feedback(episode.task, self.made.region, code, report)


def episode(made: Made, level: int = 0, turns: int = 3) -> Episode:
    return Episode(made.task, "m", OneShot(), "deterministic", level=level, turns=turns)


def kinds(made: Made, outside: Outside, turns: int = 3) -> list[str]:
    return [event.kind for event in play(episode(made, turns=turns), outside)]


TURN = ["turn_started", "model_called", "submitted", "tested"]


def test_a_solved_task_stops_at_once(made: Made) -> None:
    outside = Outside(made, lambda request: f"```python\n{made.region}```")
    assert kinds(made, outside) == ["episode_started", *TURN, "turn_ended", "episode_ended"]


def test_an_unsolved_task_gets_feedback_after_every_turn_but_the_last(made: Made) -> None:
    told = [*TURN, "feedback_given", "turn_ended"]
    assert kinds(made, Outside(made, lambda request: WRONG)) == [
        "episode_started",
        *told,
        *told,
        *TURN,
        "turn_ended",
        "episode_ended",
    ]


def test_the_chat_holds_every_answer_and_the_feedback_on_it(made: Made) -> None:
    outside = Outside(made, lambda request: WRONG)
    list(play(episode(made, level=0), outside))
    roles = [[message.role for message in request.messages] for request in outside.requests]
    said = ["assistant", "user"]
    assert roles == [["system", "user"], ["system", "user", *said], ["system", "user", *said * 2]]
    assert outside.requests[1].messages[2] == Message("assistant", WRONG)
    assert outside.requests[1].messages[3] == Message("user", "1 of 2 tests pass.")


def test_a_level_tells_more_than_the_one_below(made: Made) -> None:
    texts = []
    for level in range(5):
        outside = Outside(made, lambda request: WRONG)
        list(play(episode(made, level=level), outside))
        texts.append(outside.requests[1].messages[3].content)
    assert all(more.startswith(less) for less, more in pairwise(texts))
    assert len(set(texts)) == 5


def test_the_test_log_is_shown_apart_from_the_level(made: Made) -> None:
    texts = {}
    for log in ("none", "summary", "full"):
        outside = Outside(made, lambda request: WRONG)
        shown = Episode(*(made.task, "m", OneShot(), "deterministic"), level=0, turns=2, log=log)
        list(play(shown, outside))
        texts[log] = outside.requests[1].messages[3].content
    assert texts["none"] == "1 of 2 tests pass."
    assert texts["summary"] == (
        "1 of 2 tests pass.\n\nVerdict: 1 tests failed\n"
        "test_scale.py::test_norm failed: AssertionError: 0.5 is not 0.6"
    )
    assert texts["full"] == f"{texts['summary']}\n>   assert x == 0.6\nPrinted:\nhello"


def test_a_reply_without_code_is_a_failed_turn_that_says_why(made: Made) -> None:
    outside = Outside(made, lambda request: "I would rather not.")
    events = list(play(episode(made), outside))
    tested = [event for event in events if isinstance(event, Tested)]
    assert {event.report.verdict for event in tested} == {Verdict.FAILED}
    assert {test.outcome for test in tested[0].report.tests} == {"missing"}
    assert outside.requests[1].messages[3].content == (
        "No code could be taken from your answer, so no test was run: "
        "no fenced block in the answer.\n\n0 of 2 tests pass."
    )


@pytest.mark.parametrize("error", [ModelError("down"), RoomError("full")])
def test_what_fails_outside_ends_the_episode_without_a_verdict(
    made: Made, error: Exception
) -> None:
    def fail(request: Request) -> str:
        raise error

    *_, end = play(episode(made), Outside(made, fail))
    assert end == EpisodeEnded(Verdict.INFRA, str(error))


def test_the_state_is_the_fold_of_the_events_and_goes_on_from_any_point(made: Made) -> None:
    whole = list(play(episode(made), Outside(made, lambda request: WRONG)))
    calls = [event for event in whole if isinstance(event, ModelCalled)]
    for cut in range(len(whole) + 1):
        state = START
        for event in whole[:cut]:
            state = fold(state, event)
        outside = Outside(made, lambda request: WRONG)
        rest = [] if state.over else list(play(episode(made), outside, state))
        finished = sum(event.kind == "turn_ended" for event in whole[:cut])
        assert len(outside.requests) == 3 - finished
        assert [request.key for request in outside.requests] == [
            call.request_key for call in calls[finished:]
        ]
        assert ([*whole[:cut], *rest])[-1] == whole[-1]


def test_events_and_rows_are_the_same_thing(made: Made) -> None:
    for event in play(episode(made, level=4), Outside(made, lambda request: WRONG)):
        assert parse(row(event, episode="k", turn=1)) == event


def test_a_row_of_no_known_kind_is_refused() -> None:
    for wrong in ({"event": "danced"}, {"event": "tested", "report": {}, "reused": False}, {}):
        with pytest.raises(LogError, match="not an event of this version"):
            parse(wrong)


def test_calls_are_logged_as_what_is_new_in_them(made: Made) -> None:
    events = list(play(episode(made), Outside(made, lambda request: WRONG)))
    calls = [event for event in events if isinstance(event, ModelCalled)]
    assert [(call.kept, len(call.messages)) for call in calls] == [(0, 2), (2, 2), (4, 2)]


class Talker:
    """An agent that never ends its turn."""

    name = "talker"
    version = "1"

    def turn(self, view: TaskView, history: tuple[Turn, ...]) -> Steps:
        number = 0
        while True:
            yield (Message("user", f"{number}"),)
            number += 1


class Thinker:
    """An agent of two calls per turn that looks at the repository."""

    name = "thinker"
    version = "1"

    def turn(self, view: TaskView, history: tuple[Turn, ...]) -> Steps:
        assert b"raise NotImplementedError" in view.files[view.target_file]
        plan = yield (Message("user", "Plan."),)
        reply = yield (Message("user", "Plan."), Message("assistant", plan.text))
        return view.extract(reply.text)


def test_an_agent_may_make_several_calls_but_not_for_ever(made: Made) -> None:
    outside = Outside(made, lambda request: WRONG)
    two = Episode(made.task, "m", Thinker(), "deterministic", level=0, turns=2)
    calls = [event for event in play(two, outside) if isinstance(event, ModelCalled)]
    assert [(call.step, call.kept) for call in calls] == [(0, 0), (1, 1), (0, 1), (1, 1)]
    endless = Episode(made.task, "m", Talker(), "deterministic", level=0, turns=1, steps=4)
    *_, end = play(endless, Outside(made, lambda request: WRONG))
    assert isinstance(end, EpisodeEnded)
    assert (end.verdict, end.reason) == (
        Verdict.FAILED,
        "no code in the answer: the turn did not end within 4 calls",
    )


def test_no_call_is_begun_once_the_tokens_are_used_up(made: Made) -> None:
    outside = Outside(made, lambda request: WRONG)
    poor = Episode(
        made.task, "m", OneShot(), "deterministic", level=0, turns=9, allowance=Allowance(tokens=14)
    )
    *_, end = play(poor, outside)
    assert len(outside.requests) == 2  # of 7 tokens each, guessed from the text
    assert isinstance(end, EpisodeEnded)
    assert end.verdict is Verdict.FAILED
    assert end.reason.endswith("the episode's 14 tokens are used up")


def test_tokens_also_bound_the_calls_of_one_turn(made: Made) -> None:
    outside = Outside(made, lambda request: WRONG)
    talk = Episode(
        made.task, "m", Talker(), "deterministic", level=0, turns=9, allowance=Allowance(tokens=28)
    )
    *_, end = play(talk, outside)
    assert len(outside.requests) == 4
    assert isinstance(end, EpisodeEnded)
    assert "did not end within 4 calls" in end.reason


def test_a_fork_reads_another_level_before_its_turn(made: Made) -> None:
    outside = Outside(made, lambda request: WRONG)
    forked = Episode(
        *(made.task, "m", OneShot(), "deterministic"),
        level=4,
        turns=4,
        fork=Fork(turn=2, level_before=0),
    )
    list(play(forked, outside))
    plain = Outside(made, lambda request: WRONG)
    list(play(episode(made, level=0, turns=4), plain))
    equal = [
        left.key == right.key for left, right in zip(outside.requests, plain.requests, strict=True)
    ]
    assert equal == [True, True, False, False]


def test_what_decides_an_episode_is_in_its_key(made: Made, dataset: MadeDataset) -> None:
    other = list(dataset.tasks.values())[1]
    base = episode(made)
    changes: list[dict[str, object]] = [
        {"level": 1},
        {"seed": 1},
        {"turns": 4},
        {"steps": 2},
        {"model": "n"},
        {"researcher": "human"},
        {"parameters": {"temperature": 1}},
        {"allowance": Allowance(tokens=1000)},
        {"allowance": Allowance(usd=1.0)},
        {"allowance": Allowance(seconds=60.0)},
        {"log": "full"},
        {"fork": Fork(turn=1, level_before=2)},
        {"agent": Talker()},
        {"task": other},
    ]
    fields = {name: getattr(base, name) for name in base.__dataclass_fields__}
    keys = {Episode(**{**fields, **change}).key for change in changes}
    assert len(keys | {base.key}) == len(changes) + 1
    assert episode(made).key == base.key
