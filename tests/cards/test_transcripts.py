import pytest

from recodeh.cards.transcripts import Event, fold
from recodeh.data.errors import LogError


def event(kind: str, turn: int = 0, episode: str = "e", **more: object) -> Event:
    return {"event": kind, "episode": episode, "turn": turn, **more}


def test_events_are_grouped_by_episode_and_turn() -> None:
    first, second = fold(
        [
            event("episode_started", task_id="t"),
            event("episode_started", episode="f", task_id="u"),
            event("turn_started"),
            event("model_called", step=0),
            event("model_called", step=1),
            event("submitted", code="x"),
            event("turn_started", episode="f"),
            event("tested", report={}),
            event("feedback_given", text="no"),
            event("turn_ended"),
            event("turn_started", 1),
            event("submitted", 1, code="y"),
            event("episode_ended", 2, verdict="failed"),
        ]
    )
    assert (first.key, second.key) == ("e", "f")
    assert [call["step"] for call in first.turns[0].calls] == [0, 1]
    assert [turn.submitted and turn.submitted["code"] for turn in first.turns.values()] == [
        "x",
        "y",
    ]
    assert first.turns[0].feedback is not None
    assert first.turns[1].tested is None
    assert first.ended is not None
    assert (len(second.turns), second.ended) == (1, None)


def test_a_turn_that_began_again_shows_its_last_start() -> None:
    [one] = fold(
        [
            event("episode_started"),
            event("turn_started"),
            event("model_called", step=0, reply={"text": "lost"}),
            event("turn_started"),
            event("model_called", step=0, reply={"text": "kept"}),
        ]
    )
    assert [call["reply"]["text"] for call in one.turns[0].calls] == ["kept"]


def test_an_end_without_a_verdict_is_taken_back_by_what_follows() -> None:
    [one] = fold(
        [
            event("episode_started"),
            event("episode_ended", 1, verdict="infra"),
            event("turn_started", 1),
        ]
    )
    assert one.ended is None


def test_unknown_events_are_passed_over() -> None:
    [one] = fold([event("episode_started"), event("turn_started"), event("weather", cloudy=True)])
    assert list(one.turns) == [0]


def test_an_event_without_its_episode_is_an_error() -> None:
    with pytest.raises(LogError, match="never started"):
        list(fold([event("turn_started")]))
