import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recodeh.cards.embedded import embedded_json
from recodeh.cards.transcripts import Event, fold


def events(said: str) -> list[Event]:
    """An episode of one turn in which every text is `said`."""
    test = {"test_id": said, "outcome": "failed", "exception": "", "message": said, "traceback": ""}
    report = {"verdict": "failed", "reason": said, "tests": [test], "output": said}
    kinds: dict[str, dict[str, Any]] = {
        "episode_started": {"task_id": said, "model": said, "level": 4, "seed": 0},
        "turn_started": {},
        "model_called": {
            "kept": 0,
            "messages": [{"role": "user", "content": said}],
            "reply": {"text": said, "finish": "stop", "input_tokens": 1, "output_tokens": None},
            "reused": False,
        },
        "submitted": {"code": said, "how": "", "reason": said},
        "tested": {"report": report},
        "feedback_given": {"level": 4, "text": said},
        "episode_ended": {"verdict": "failed", "reason": said},
    }
    return [{"event": kind, "episode": "e", "turn": 0, **more} for kind, more in kinds.items()]


def embedded(said: str) -> str:
    return embedded_json(fold(events(said)), ids={"e": "e"}, names={"e": said})


HOSTILE = st.sampled_from(["</script>", "<!--", "<img onerror=x>", "&lt;", "\u2028", "]]>"])


@given(st.lists(st.text() | HOSTILE, min_size=1).map("".join))
def test_any_text_comes_back_and_none_leaves_its_string(said: str) -> None:
    told = embedded(said)
    assert not set("<>&\u2028\u2029") & set(told)
    data = json.loads(told)
    assert data["episodes"][0]["task"] == said
    assert data["texts"] == ([said] if said else [])


def test_an_episode_that_never_ended_says_so() -> None:
    log = events("x")[:-1]
    data = json.loads(embedded_json(fold(log), ids={"e": "e"}, names={"e": "m"}))
    [episode] = data["episodes"]
    assert episode["verdict"] == "unfinished"
    assert "stopped" in data["texts"][episode["reason"]]


def test_a_turn_without_code_and_without_tests_has_none() -> None:
    log = [*events("x")[:2], *events("x")[-1:]]
    [episode] = json.loads(embedded_json(fold(log), ids={"e": "e"}, names={"e": "m"}))["episodes"]
    [turn] = episode["turns"]
    assert (turn["code"], turn["tests"], turn["calls"], turn["feedback"]) == (None, [], [], None)
