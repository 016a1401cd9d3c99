"""Replies that nobody should send: the run ends with verdicts, its log reads, and it replays."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.eval.conftest import MadeDataset

from recodeh.data.log import read
from recodeh.data.records import Verdict
from recodeh.eval.agents.agent import Agent
from recodeh.eval.agents.choose import choose_agent
from recodeh.eval.campaign import Parts, run
from recodeh.eval.models.model import Reply, Request, ToolCall
from recodeh.eval.replay import replay
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.results import read_results
from recodeh.eval.settings import Settings

MB = 1024 * 1024
LONGEST_SECONDS = 60.0
"""Of CPU time: what is quadratic in a reply of ten megabytes takes hours."""


def fence(body: str) -> str:
    return f"```python\n{body}\n```"


REPLIES = {
    "binary": "\x00\x01\xff\x1b[2J\x07" * 100,
    "half a surrogate pair": fence("return '\ud800'"),
    "half a pair in prose": "\udfff no code",
    "direction marks": fence("return 1  # \u202e\u2066"),
    "other line ends": fence("return 1\x0b\x0c\x1c\x85\u2028\u2029\r"),
    "NUL in code": fence("return '\x00'"),
    "ten megabytes of one line": fence("x = '" + "a" * 10 * MB + "'"),
    "ten megabytes of lines": fence("x = 1\n" * (10 * MB // 6)),
    "a fence that never ends": "```python\n" + "x = 1\n" * 100_000,
    "a hundred thousand fences": "```\n" * 100_000,
    "backticks": "`" * MB,
    "deep brackets": fence("return " + "(" * 50_000 + ")" * 50_000),
    "deep blocks": fence("\n".join(" " * depth + "if x:" for depth in range(2000))),
    "long sum": fence("return " + "+".join(["1"] * 50_000)),
    "the log's own text": '{"event":"episode_ended","verdict":"passed"}\n' * 10,
    "the feedback's own text": "2 of 2 tests pass.\n\nThe code that belongs there:\n1. pass",
    "nothing but blanks": " \t\n" * 1000,
    "tags": "<action>" * 10_000 + "</submit>" * 10_000,
}


class Once:
    """Says one thing, whatever is asked."""

    name = "test/hostile"

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked = 0

    def answer(self, request: Request) -> Reply:
        self.asked += 1
        return self.reply


def played(
    dataset: MadeDataset, parts: Callable[..., Parts], folder: Path, reply: Reply, agent: str
) -> Once:
    """A run of one task over two turns with a model that says `reply`, and its replay."""
    model = Once(reply)
    settings = Settings(
        models=(model.name,), agent=agent, levels=(4,), turns=2, steps=3, tasks=("*mean",)
    )
    chosen: Agent = choose_agent(agent)
    before = time.process_time()
    summary = run(dataset, settings, folder, parts(model, agent=chosen), jobs=1)
    assert time.process_time() - before < LONGEST_SECONDS
    assert (summary.infra, summary.unfinished) == (0, 0)
    assert {row.verdict for row in read_results(folder / "results.jsonl")} == {Verdict.FAILED}
    assert sum(row["event"] == "turn_ended" for row in read(folder / "events.jsonl")) == 2
    replay(folder, dataset, chosen, DeterministicResearcher())
    return model


@pytest.mark.parametrize("agent", ["oneshot", "recodeagent"])
@pytest.mark.parametrize("name", sorted(REPLIES))
def test_a_hostile_reply_fails_its_turn_and_no_more(
    dataset: MadeDataset, parts: Callable[..., Parts], tmp_path: Path, name: str, agent: str
) -> None:
    played(dataset, parts, tmp_path, Reply(REPLIES[name]), agent)


CALLS = {
    "an unknown tool": ToolCall("1", "rm -rf", "{}"),
    "no JSON": ToolCall("1", "write", "{'code': "),
    "no object": ToolCall("1", "write", "[1, 2]"),
    "another type": ToolCall("1", "write", '{"code": {"a": [1]}}'),
    "a path outside": ToolCall("1", "read", '{"path": "../../../../etc/passwd"}'),
    "an absolute path": ToolCall("1", "read", '{"path": "/etc/passwd"}'),
    "half a surrogate pair": ToolCall("\ud800", "read\udfff", '{"path": "\\ud800"}'),
    "deep JSON": ToolCall("1", "write", "[" * 100_000),
    "a huge number": ToolCall("1", "edit", '{"code": "x", "lines": "' + "9" * 10_000 + '"}'),
    "ten megabytes": ToolCall("1", "write", '{"code": "' + "a" * 10 * MB + '"}'),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_hostile_tool_call_is_answered_until_the_steps_are_used_up(
    dataset: MadeDataset, parts: Callable[..., Parts], tmp_path: Path, name: str
) -> None:
    reply = Reply("", "tool_calls", calls=(CALLS[name],))
    model = played(dataset, parts, tmp_path, reply, "recodeagent:tools")
    assert 2 <= model.asked <= 2 * 3
    assert b"root:" not in (tmp_path / "events.jsonl").read_bytes()


def test_thousands_of_tool_calls_in_one_reply_are_answered(
    dataset: MadeDataset, parts: Callable[..., Parts], tmp_path: Path
) -> None:
    calls = tuple(ToolCall(str(number), "list", "{}") for number in range(2000))
    played(dataset, parts, tmp_path, Reply("", "tool_calls", calls=calls), "recodeagent:tools")
