"""The agent that acts: what each command shows, how a turn ends, and what it remembers."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.eval.conftest import Made, MadeDataset

from recodeh.data.log import read
from recodeh.eval.agents.agent import Ask, Scratch, TaskView, Turn
from recodeh.eval.agents.memory import FEEDBACK, Memory, size
from recodeh.eval.agents.recodeagent import RecodeAgent
from recodeh.eval.agents.workshop import MOST_LINES, Workshop
from recodeh.eval.campaign import Parts, run
from recodeh.eval.extract import Extracted
from recodeh.eval.models.model import Message, Reply, Request, ToolCall
from recodeh.eval.replay import replay
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.settings import Settings

Build = Callable[..., Parts]
ROOT = "/" + "etc/passwd"


@pytest.fixture
def view(made: Made) -> TaskView:
    files = {
        **{made.task.target_file: made.task.masked_file.encode()},
        **{"scaling/__init__.py": b"", "README.md": b"Scaling of values\n", "w.bin": b"\0\1"},
        "long.txt": b"".join(b"line %d\n" % number for number in range(1, 501)),
    }
    return TaskView(made.task, files, steps=6)


@pytest.fixture
def workshop(view: TaskView) -> Workshop:
    return Workshop(view, None, None)


WRITTEN = "        total = 1\n        return values\n"


def test_files_are_listed_and_read(workshop: Workshop) -> None:
    assert workshop.do("list", "", "").splitlines() == [
        *("README.md", "long.txt", "scaling/__init__.py", "scaling/core.py", "w.bin")
    ]
    assert workshop.do("list", "./scaling/", "") == "scaling/__init__.py\nscaling/core.py"
    assert workshop.do("read", "README.md", "") == "    1 Scaling of values"
    assert workshop.do("read", "long.txt 3-4", "") == (
        "    3 line 3\n    4 line 4\n… lines 3 to 4 of 500"
    )
    whole = workshop.do("read", "long.txt", "").splitlines()
    assert (len(whole), whole[-1]) == (MOST_LINES + 1, "… lines 1 to 200 of 500")


@pytest.mark.parametrize(
    ("command", "argument", "said"),
    [
        ("read", "../canonical.py", "there is no file '../canonical.py'"),
        ("read", ROOT, "there is no file"),
        ("read", "scaling/cor.py", "near: scaling/core.py"),
        ("read", "README.md 5-9", "there are no lines 5 to 9 among 1"),
        ("read", "README.md first", "lines are given as 10 or 10-20"),
        ("list", "..", "there is no folder '..'"),
        ("search", "", "search needs a text"),
        ("undo", "", "nothing was changed in this turn"),
        ("edit", "1", "nothing was written yet"),
    ],
)
def test_what_cannot_be_done_is_said(
    workshop: Workshop, command: str, argument: str, said: str
) -> None:
    answer = workshop.do(command, argument, "x = 1\n")
    assert answer.startswith("Not done: ")
    assert said in answer


def test_text_and_symbols_are_found_and_binary_files_passed_over(workshop: Workshop) -> None:
    assert "scaling/core.py:16: def mean(values: list[float]) -> float:" in workshop.do(
        "search", "MEAN(", ""
    )
    assert workshop.do("search", "\1", "").startswith("No line holds")
    assert workshop.do("symbol", "scale", "") == "scaling/core.py:12-14: def Scaler.scale"
    assert workshop.do("symbol", "Scaler", "").startswith("scaling/core.py:6-14: class Scaler")
    assert workshop.do("symbol", "nothing", "").startswith("Nothing is called")


def test_the_region_is_written_edited_compared_and_taken_back(workshop: Workshop) -> None:
    assert workshop.shown() == "The region is still the placeholder."
    assert "    1         total = 1" in workshop.do("write", "", WRITTEN)
    assert "return values" in workshop.do("read", "scaling/core.py", "")
    block = "<<<<<<< SEARCH\ntotal = 1\n=======\ntotal = 2\n>>>>>>> REPLACE"
    workshop.do("edit", "", block.replace("total = 1\n", "        total = 1\n"))
    assert workshop.region is not None
    workshop.do("edit", "2", "        return [total]\n")
    assert workshop.region == "total = 2\n        return [total]\n".replace(
        "total = 2", "        total = 2"
    )
    assert "+        return [total]" in workshop.do("diff", "", "")
    workshop.do("undo", "", "")
    workshop.do("undo", "", "")
    assert workshop.region == WRITTEN


@pytest.mark.parametrize(
    ("argument", "body", "said"),
    [
        ("", "total = 2\n", "edit takes"),
        ("", "<<<<<<< SEARCH\nnone\n=======\nx\n>>>>>>> REPLACE", "there 0 times, not once"),
        ("", "<<<<<<< SEARCH\n        \n=======\nx\n>>>>>>> REPLACE", "there 0 times"),
        ("9", "x = 1\n", "there are no lines 9 to 9 among 2"),
        ("2", "        return (\n", "was never closed"),
    ],
)
def test_an_edit_that_does_not_fit_changes_nothing(
    workshop: Workshop, argument: str, body: str, said: str
) -> None:
    workshop.do("write", "", WRITTEN)
    assert said in workshop.do("edit", argument, body)
    assert workshop.region == WRITTEN


def actions(*script: str | Reply) -> "Say":
    lines = iter(script)
    return lambda messages: next(lines)


Say = Callable[[tuple[Message, ...]], str | Reply]


def play(
    view: TaskView,
    say: Say,
    history: tuple[Turn, ...] = (),
    memory: Memory | None = None,
    *,
    native: bool = False,
) -> tuple[Extracted, list[tuple[Message, ...]], list[Scratch]]:
    """One turn with a scripted model; scripts print how long they are."""
    turn = RecodeAgent(memory, native=native).turn(view, history)
    calls: list[tuple[Message, ...]] = []
    ran: list[Scratch] = []
    wanted = next(turn)
    while True:
        if isinstance(wanted, Scratch):
            ran.append(wanted)
            answer = Reply(f"printed {len(wanted.code)}")
        else:
            assert isinstance(wanted, Ask | tuple)
            messages = wanted.messages if isinstance(wanted, Ask) else wanted
            calls.append(messages)
            said = say(messages)
            answer = said if isinstance(said, Reply) else Reply(said)
        try:
            wanted = turn.send(answer)
        except StopIteration as done:
            return done.value, calls, ran


def act(inner: str) -> str:
    return f"Now this.\n<act>\n{inner}\n</act>"


def test_a_turn_looks_writes_runs_and_submits(view: TaskView) -> None:
    say = actions(
        *(act("read README.md"), act(f"write\n{WRITTEN}"), act("run\nprint(1)"), act("submit"))
    )
    found, calls, ran = play(view, say)
    assert found == Extracted(WRITTEN, "strict")
    assert ran == [Scratch("print(1)\n", WRITTEN)]
    assert calls[1][-1].content.startswith("    1 Scaling of values")
    assert calls[3][-1].content.startswith("printed 9")
    assert calls[3][-1].content.endswith("(3 steps left in this turn.)")
    assert [message.role for message in calls[3]] == ["system", *["user", "assistant"] * 3, "user"]


def test_after_the_last_step_the_region_is_handed_in_as_it_stands(view: TaskView) -> None:
    found, calls, _ = play(view, lambda messages: act(f"write\n{WRITTEN}"))
    assert (found.code, len(calls)) == (WRITTEN, view.steps)
    assert found.how == "repaired: handed in after the last step"
    nothing, _, _ = play(view, lambda messages: "I think about it.")
    assert (nothing.code, nothing.reason) == (None, "nothing was written into the region")


def test_a_bare_block_of_code_is_written_all_the_same(view: TaskView) -> None:
    found, calls, _ = play(view, actions(f"```python\n{WRITTEN}```", act("submit")))
    assert found.code == WRITTEN
    assert "there is no action" in calls[1][-1].content
    assert "Your block was written." in calls[1][-1].content


def test_the_next_turn_goes_on_with_chat_feedback_and_region(view: TaskView) -> None:
    first, calls, _ = play(view, actions(act(f"write\n{WRITTEN}"), act("submit")))
    replies = (Reply("a"), Reply(act("submit")))
    history = (Turn(replies, first, "1 of 2 tests pass.", calls[-1]),)
    again, calls, _ = play(view, actions(act("undo"), act("diff"), act("submit")), history)
    opening = calls[0][-1].content
    assert opening.startswith(f"{FEEDBACK}\n\n1 of 2 tests pass.")
    assert "    1         total = 1" in opening
    assert calls[1][-1].content.startswith("Not done: nothing was changed in this turn.")
    assert calls[2][-1].content.startswith("The region is as it was submitted last.")
    assert again.code == WRITTEN


def test_a_chat_that_grows_too_long_is_summed_up_and_keeps_its_feedback(view: TaskView) -> None:
    chat = tuple(
        message
        for number in range(8)
        for message in (
            Message("assistant", act(f"read long.txt {number + 1}")),
            Message("user", f"{FEEDBACK}\n\nremark {number}" if number < 2 else "x" * 400),
        )
    )
    opening = (Message("system", "rules"), Message("user", "task"))
    history = (Turn((Reply("r"),), Extracted(WRITTEN, "strict"), "2 of 2.", (*opening, *chat)),)
    memory = Memory(tokens=600, keep=4)
    found, calls, _ = play(view, actions("I read a lot.", act("submit")), history, memory)
    assert found.code == WRITTEN
    assert calls[0][0].content.startswith("You keep the notes")
    told = calls[1][1].content
    assert "I read a lot." in told
    assert "remark 0" in told
    assert "remark 1" in told
    assert size(calls[1]) < 600
    roles = [message.role for message in calls[1]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


def test_a_run_of_the_agent_is_recorded_and_replays(
    dataset: MadeDataset, parts: Build, tmp_path: Path
) -> None:
    class Acts:
        name = "test/acts"
        asked = 0

        def answer(self, request: Request) -> Reply:
            Acts.asked += 1
            script = [act("write\nreturn values"), act("run\nprint(1)"), act("submit")]
            return Reply(script[len(request.messages) // 2 % 3 - 1])

    settings = Settings(models=("test/acts",), agent="recodeagent", levels=(0, 3), turns=2)
    run(dataset, settings, tmp_path, parts(Acts(), agent=RecodeAgent()))
    rows = [row for row in read(tmp_path / "events.jsonl") if row["event"] == "action"]
    assert {row["result"] for row in rows} <= {
        "22 characters, 1 lines",
        "18 characters, 1 lines",
        "14 characters, 1 lines",
        "0 characters, 1 lines",
    }
    assert rows
    asked = Acts.asked
    again = replay(tmp_path, dataset, RecodeAgent(), DeterministicResearcher())
    assert (again.episodes, again.turns) == (4, 8)
    assert Acts.asked == asked


def called(*calls: tuple[str, object], text: str = "") -> Reply:
    made = (
        ToolCall(f"c{number}", name, given if isinstance(given, str) else json.dumps(given))
        for number, (name, given) in enumerate(calls)
    )
    return Reply(text, "tool_calls", calls=tuple(made))


def test_native_tool_calls_do_what_the_text_protocol_does(view: TaskView) -> None:
    say = actions(
        called(("read", {"path": "long.txt", "lines": "3-4"}), ("list", {})),
        called(("write", {"code": WRITTEN})),
        called(("run", {"code": "print(1)"})),
        called(("submit", {}), text="That should do."),
    )
    found, calls, ran = play(view, say, native=True)
    assert found == Extracted(WRITTEN, "strict")
    assert ran == [Scratch("print(1)\n", WRITTEN)]
    assert [message.role for message in calls[1]] == [
        *("system", "user", "assistant", "tool", "tool")
    ]
    assert calls[1][3].content.startswith("    3 line 3")
    assert [message.call_id for message in calls[1][3:]] == ["c0", "c1"]
    assert calls[1][4].content == "Not done: one action per step."


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("dance", {}), "there is no tool 'dance'"),
        (("read", "{"), "the arguments of read are no JSON"),
        (("read", [1]), "the arguments of read are an object of texts"),
        (("read", {"lines": "3"}), "read needs path"),
        (("write", {"code": "  "}), "write needs code"),
    ],
)
def test_a_tool_call_that_makes_no_sense_says_why(
    view: TaskView, call: tuple[str, object], said: str
) -> None:
    _, calls, _ = play(view, actions(called(call), called(("submit", {}))), native=True)
    assert said in calls[1][-1].content


def test_a_turn_that_ended_with_a_tool_call_is_gone_on_with(view: TaskView) -> None:
    last = called(("submit", {}))
    chat = (Message("system", "rules"), Message("user", "task"))
    history = (Turn((last,), Extracted(WRITTEN, "strict"), "1 of 2 tests pass.", chat),)
    _, calls, _ = play(view, actions(called(("submit", {}))), history, native=True)
    assert [message.role for message in calls[0]] == [
        *("system", "user", "assistant", "tool", "user")
    ]
    assert calls[0][3].call_id == calls[0][2].calls[0].call_id


def test_a_chat_is_not_cut_between_a_tool_call_and_its_answer() -> None:
    pair = (
        Message("assistant", "", (ToolCall("c", "list", "{}"),)),
        Message("tool", "x" * 99, call_id="c"),
    )
    chat = (Message("system", "r"), Message("user", "t"), *pair * 6)
    for keep in range(2, 8):
        trimming = Memory(tokens=1, keep=keep).trimmed(chat)
        next(trimming)
        with pytest.raises(StopIteration) as ended:
            trimming.send(Reply("notes"))
        assert [message.role for message in ended.value.value[2:]] == ["assistant", "tool"] * (
            keep // 2
        )


def test_the_version_tells_memories_apart() -> None:
    versions = {RecodeAgent().version, RecodeAgent(Memory(tokens=99)).version}
    assert len(versions | {RecodeAgent(native=True).version}) == 3
    assert replace(Memory(), keep=2).keep == 2
