from collections.abc import Mapping
from typing import Any

from recodeh.cards.provenance import provenance
from recodeh.cards.runs import Run

DIGEST = "ab" * 32


def run(name: str, settings: Mapping[str, Any]) -> Run:
    return Run(name, settings, (), ())


def told(*runs: Run) -> dict[str, list[str]]:
    return {fact.label: [value.text for value in fact.values] for fact in provenance(runs)}


def test_known_settings_come_first_and_unknown_ones_are_told_too() -> None:
    settings = {
        "weather": {"cloud_cover": 0.5},
        "settings": {"turns": 10, "levels": [0, 4], "parameters": {"temperature": 0}},
        "recodeh": "0.1.0",
    }
    assert list(told(run("r", settings)).items()) == [
        ("run", ["r"]),
        ("recodeh", ["0.1.0"]),
        ("levels", ["0, 4"]),
        ("turns", ["10"]),
        ("weather.cloud cover", ["0.5"]),
        ("temperature", ["0"]),
    ]


def test_what_two_runs_share_is_told_once() -> None:
    first, second = ({"settings": {"seed": seed, "wall": "docker"}} for seed in (0, 1))
    assert told(run("a", first), run("b", second)) == {
        "run": ["a", "b"],
        "seed": ["0", "1"],
        "wall": ["docker"],
    }


def test_hashes_are_cut_short_and_kept_whole_aside() -> None:
    [_, digest] = provenance([run("r", {"dataset": {"digest": DIGEST}})])
    assert [(value.text, value.whole) for value in digest.values] == [(DIGEST[:12], DIGEST)]


def test_the_list_of_tasks_and_empty_settings_are_left_out() -> None:
    assert told(run("r", {"tasks": ["a", "b"], "settings": {"tasks": [], "agent": "x"}})) == {
        "run": ["r"]
    }
