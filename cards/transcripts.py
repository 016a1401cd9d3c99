"""The events of a run in, one `Transcript` per episode out: what a reader wants to see of it.

Unknown events and fields are passed over, so that a page can be made of a newer run. A turn that
was broken off and started again shows only its last start.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from recodeh.data.errors import LogError

Event = Mapping[str, Any]


@dataclass
class TurnEvents:
    """The events of one turn, as they came."""

    calls: list[Event] = field(default_factory=list)
    submitted: Event | None = None
    tested: Event | None = None
    feedback: Event | None = None


@dataclass
class Transcript:
    """One episode: how it started, its turns, and how it ended, if it did."""

    key: str
    started: Event
    turns: dict[int, TurnEvents] = field(default_factory=dict)
    ended: Event | None = None


def fold(events: Iterable[Event]) -> Iterator[Transcript]:
    """Group the events by episode, in the order in which the episodes were started.

    Raises LogError when an event belongs to an episode that was never started.
    """
    episodes: dict[str, Transcript] = {}
    for event in events:
        key = str(event.get("episode"))
        if event.get("event") == "episode_started":
            episodes.setdefault(key, Transcript(key, event))
        elif key in episodes:
            _add(episodes[key], event)
        else:
            raise LogError(
                f"an event of an episode that was never started: {key}",
                mend="restore events.jsonl from a copy",
            )
    yield from episodes.values()


def _add(transcript: Transcript, event: Event) -> None:
    transcript.ended = event if event["event"] == "episode_ended" else None
    if transcript.ended:
        return
    number = int(event.get("turn", 0))
    if event["event"] == "turn_started":
        transcript.turns[number] = TurnEvents()
        return
    turn = transcript.turns.setdefault(number, TurnEvents())
    match event["event"]:
        case "model_called":
            turn.calls.append(event)
        case "submitted":
            turn.submitted = event
        case "tested":
            turn.tested = event
        case "feedback_given":
            turn.feedback = event
