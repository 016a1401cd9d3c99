"""The mutant and the deterministic researcher play whole episodes: more told, sooner solved."""

import ast
import hashlib
import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from recodeh.data.records import (
    Environment,
    Instruction,
    Outcome,
    Paper,
    Report,
    Snippet,
    Source,
    Task,
    TestOutcome,
    Verdict,
)
from recodeh.eval.models.mistakes import mistaken
from recodeh.eval.models.repair import repair
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.researcher.difference import differences
from recodeh.eval.researcher.leaks import withheld
from recodeh.eval.researcher.reveal import LEVELS, reveal

HERE = Path(__file__).parent
TURNS, SEEDS = 10, ("one", "two")
NEVER = TURNS + 1
Judge = Callable[[str, str], Sequence[bool]]
"""Name of a method and its region → which of its tests pass."""


@cache
def regions() -> dict[str, str]:
    """The bodies of the methods, indented as they stand."""
    text = (HERE / "methods.py").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {
        node.name: "".join(lines[node.body[0].lineno - 1 : node.end_lineno]) for node in functions
    }


def task(name: str) -> Task:
    return Task(
        task_id=f"methods/{name}#body",
        task_key="",
        source_key="",
        paper=Paper(title="Methods", authors=()),
        source=Source(kind="folder", name="methods", version="1", sha256="0" * 64),
        domain="statistics",
        target_file="methods.py",
        symbol=name,
        snippet=Snippet(
            name="body", start=1, end=1, mask_start=1, mask_end=1, indent="    ", loc=1
        ),
        masked_file="",
        instruction=Instruction(summary="", signature=""),
        tests=(),
        test_ids=(),
        environment=Environment(python=">=3.11", requirements_lock=""),
        verification=None,
        canary="",
        built_with="",
    )


def report(name: str, passes: Sequence[bool]) -> Report:
    tests = tuple(
        TestOutcome(
            test_id=f"test_{number}",
            outcome=Outcome.PASSED if passed else Outcome.FAILED,
            interfaces=(f"methods:{name}",),
            exception="" if passed else "AssertionError",
        )
        for number, passed in enumerate(passes)
    )
    verdict = Verdict.PASSED if all(passes) else Verdict.FAILED
    return Report(verdict=verdict, reason="", tests=tests)


@cache
def first_answer(name: str, seed: str) -> str:
    return mistaken(regions()[name], seed)


def episode(name: str, level: int, seed: str, judge: Judge) -> Iterator[tuple[str, str]]:
    """The answers and the texts on them, turn by turn, until the last one passes every test."""
    reference, texts = regions()[name], list[str]()
    first = answer = first_answer(name, seed)
    for _ in range(TURNS):
        run = report(name, judge(name, answer))
        feedback = DeterministicResearcher().feedback(task(name), reference, answer, run)
        assert withheld(feedback) == 0
        yield answer, reveal(feedback, level)
        if run.verdict is Verdict.PASSED:
            return
        texts.append(reveal(feedback, level))
        answer = repair(first, texts, seed)


def solved_at(name: str, level: int, seed: str, judge: Judge) -> int:
    """The rank of the turn that solved it; one more than there are turns when none did."""
    turns = [answer for answer, _ in episode(name, level, seed, judge)]
    return len(turns) if all(judge(name, turns[-1])) else NEVER


@cache
def by_form(name: str, answer: str) -> Sequence[bool]:
    """Four tests, as many of them failing as there are differences to the reference."""
    faults = len(differences(answer, regions()[name]))
    return [number >= faults for number in range(4)]


@pytest.fixture(scope="module")
def by_value(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    """A judge that runs answers in another process and compares values with the method's own."""
    folder = tmp_path_factory.mktemp("answers")
    command = [sys.executable, str(HERE / "outcomes.py"), str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    reader, writer = process.stdout, process.stdin
    assert reader is not None
    assert writer is not None

    @cache
    def outcomes(name: str, answer: str) -> tuple[str, ...]:
        writer.write(json.dumps({"name": name, "code": module(name, answer)}) + "\n")
        writer.flush()
        return tuple(json.loads(reader.readline()))

    def judge(name: str, answer: str) -> Sequence[bool]:
        pairs = zip(outcomes(name, answer), outcomes(name, regions()[name]), strict=True)
        return [mine == theirs for mine, theirs in pairs]

    yield judge
    writer.close()
    process.wait(timeout=10)
    reader.close()


def module(name: str, answer: str) -> str:
    """The file of the methods with `answer` as the body of one of them."""
    text = (HERE / "methods.py").read_text(encoding="utf-8")
    assert text.count(regions()[name]) == 1
    return text.replace(regions()[name], answer)


def curve(ranks: Sequence[int]) -> list[float]:
    """Recall after each turn."""
    return [sum(rank <= turn for rank in ranks) / len(ranks) for turn in range(1, TURNS + 1)]


@pytest.fixture(scope="module")
def ranks_by_form() -> dict[int, list[int]]:
    episodes = [(name, seed) for name in regions() for seed in SEEDS]
    return {
        level: [solved_at(name, level, seed, by_form) for name, seed in episodes]
        for level in LEVELS
    }


def test_an_episode_is_never_solved_later_at_a_higher_level(
    ranks_by_form: dict[int, list[int]],
) -> None:
    assert len(ranks_by_form[0]) >= 30
    for below, above in pairwise(LEVELS):
        pairs = zip(ranks_by_form[below], ranks_by_form[above], strict=True)
        assert all(above <= below for below, above in pairs)


def test_each_level_solves_more_than_the_one_below(ranks_by_form: dict[int, list[int]]) -> None:
    recall = [curve(ranks_by_form[level])[-1] for level in LEVELS]
    assert recall == sorted(recall)
    assert recall[1] < recall[2] < recall[3] < recall[4] == 1.0


def test_the_first_answer_is_wrong_at_every_level(ranks_by_form: dict[int, list[int]]) -> None:
    assert all(curve(ranks)[0] == 0.0 for ranks in ranks_by_form.values())


def test_recall_rises_with_the_level_when_real_values_are_compared(by_value: Judge) -> None:
    curves = {
        level: curve([solved_at(name, level, "one", by_value) for name in regions()])
        for level in LEVELS
    }
    for below, above in pairwise(LEVELS):
        turns = zip(curves[below], curves[above], strict=True)
        assert all(lower <= higher for lower, higher in turns)
    assert curves[4][-1] == 1.0
    assert curves[0][-1] <= curves[4][-1] - 0.5


def test_a_run_is_the_same_in_another_process() -> None:
    script = textwrap.dedent(
        """
        import hashlib, runpy, sys
        module = runpy.run_path(sys.argv[1])
        turns = list(module["episode"]("attention", 2, "one", module["by_form"]))
        print(hashlib.sha256(repr(turns).encode()).hexdigest())
        """
    )
    here = repr(list(episode("attention", 2, "one", by_form)))
    there = subprocess.run(
        [sys.executable, "-c", script, __file__],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7"},
    )
    assert there.stdout.strip() == hashlib.sha256(here.encode()).hexdigest()
