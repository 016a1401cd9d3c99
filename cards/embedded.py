"""Transcripts in, the JSON text that the page's script reads out; every text is in it once."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recodeh.cards.transcripts import Event, Transcript, TurnEvents

HARMLESS = str.maketrans(
    {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
)
"""Inside JSON these occur in strings only, and so may be written as escapes: no text of a model can
then end the script element or open another one."""


def embedded_json(
    transcripts: Iterable[Transcript], *, ids: Mapping[str, str], names: Mapping[str, str]
) -> str:
    """The episodes as JSON that is safe inside a script element.

    `ids` gives the short id of an episode's key, `names` the reader's name of its model.
    """
    texts = _Texts()
    episodes = [_episode(one, ids[one.key], names[one.key], texts) for one in transcripts]
    plain = json.dumps({"texts": texts.known, "episodes": episodes}, separators=(",", ":"))
    return plain.translate(HARMLESS)


@dataclass
class _Texts:
    """A list of distinct texts; a text is named by its place in it."""

    known: list[str] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)

    def place(self, text: object) -> int | None:
        if text is None or text == "":
            return None
        found = self._places.setdefault(str(text), len(self.known))
        if found == len(self.known):
            self.known.append(str(text))
        return found


def _episode(one: Transcript, short: str, name: str, texts: _Texts) -> dict[str, Any]:
    ended = one.ended or {}
    return {
        "id": short,
        "model": name,
        "task": one.started["task_id"],
        "level": one.started["level"],
        "seed": one.started.get("seed", 0),
        "verdict": ended.get("verdict", "unfinished"),
        "reason": texts.place(ended.get("reason", "the run was stopped before the episode ended")),
        "turns": [_turn(one.turns[number], texts) for number in sorted(one.turns)],
    }


def _turn(turn: TurnEvents, texts: _Texts) -> dict[str, Any]:
    submitted, report = turn.submitted or {}, (turn.tested or {}).get("report") or {}
    return {
        "calls": [_call(call, texts) for call in turn.calls],
        "code": texts.place(submitted.get("code")),
        "reason": texts.place(submitted.get("reason")),
        "verdict": report.get("verdict"),
        "why": texts.place(report.get("reason")),
        "tests": [_test(test, texts) for test in report.get("tests", ())],
        "output": texts.place(report.get("output")),
        "feedback": texts.place((turn.feedback or {}).get("text")),
    }


def _call(call: Event, texts: _Texts) -> dict[str, Any]:
    reply = call.get("reply") or {}
    return {
        "kept": call.get("kept", 0),
        "messages": [_message(message, texts) for message in call.get("messages", ())],
        "reply": texts.place(reply.get("text")),
        "finish": reply.get("finish"),
        "tokens": [reply.get("input_tokens"), reply.get("output_tokens")],
        "reused": bool(call.get("reused")),
    }


def _message(message: Event, texts: _Texts) -> Sequence[Any]:
    return [message.get("role", ""), texts.place(message.get("content"))]


def _test(test: Event, texts: _Texts) -> Sequence[Any]:
    raised = ": ".join(part for part in (test.get("exception"), test.get("message")) if part)
    return [
        texts.place(test["test_id"]),
        test["outcome"],
        texts.place(raised),
        texts.place(test.get("traceback")),
    ]
