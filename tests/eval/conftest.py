"""A small task by hand, so that the engine can be tested without rooms, tags or a built dataset."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import dedent

import pytest

from recodeh.data.keys import content_key
from recodeh.data.records import (
    Argument,
    Environment,
    Excerpt,
    Instruction,
    Outcome,
    Paper,
    Reference,
    Report,
    Snippet,
    Source,
    Task,
    TestFile,
    TestOutcome,
    Verdict,
)
from recodeh.data.regions import lines_of
from recodeh.eval.agents.agent import Agent
from recodeh.eval.agents.oneshot import OneShot
from recodeh.eval.campaign import Parts
from recodeh.eval.models.model import Model, Reply, Request
from recodeh.eval.researcher.deterministic import DeterministicResearcher

SCALE = '''
    """Scaling from the paper."""

    import math


    class Scaler:
        """Scales values."""

        def __init__(self, power: float) -> None:
            self.power = power

        def scale(self, values: list[float], floor: float = 0.0) -> list[float]:
            """The values over their norm, as in equation 3."""
    ####
            total = sum(abs(value) ** self.power for value in values)
            norm = math.pow(total, 1 / self.power)
            # values of zero stay zero
            if norm <= floor:
                return [0.0 for _ in values]
            return [value / norm for value in values]
    ####

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)
'''

MEAN = """
    def mean(values: list[float]) -> float:
    ####
        total = sum(values)
        return total / len(values)
    ####
"""


def task_from(text: str, *, name: str, symbol: str, path: str = "scaling/core.py") -> "Made":
    """A task whose region stands between two lines of `####` in `text`."""
    before, region, after = dedent(text).lstrip("\n").split("####\n")
    code = next(line for line in lines_of(region) if line.strip())
    indent = code[: len(code) - len(code.lstrip())]
    masked = f"{before}{indent}raise NotImplementedError\n{after}"
    first, size = before.count("\n") + 1, region.count("\n")
    snippet = Snippet(
        name=name,
        start=first,
        end=first + size - 1,
        mask_start=first,
        mask_end=first,
        indent=indent,
        loc=size,
    )
    task = Task(
        task_id=f"scaling/{symbol}#{name}",
        task_key="",
        source_key=content_key(before + region + after),
        paper=Paper(title="On scaling", authors=("A. Author",)),
        source=Source(kind="folder", name="scaling", version="1", sha256="0" * 64),
        domain="statistics",
        target_file=path,
        symbol=symbol,
        snippet=snippet,
        masked_file=masked,
        instruction=Instruction(
            summary="Divide the values by their norm.",
            signature="def scale(self, values: list[float], floor: float = 0.0) -> list[float]",
            arguments=(Argument(name="values", annotation="list[float]", description="Numbers."),),
            returns="The scaled values.",
            paper_excerpts=(Excerpt(section="3 Method", text="We divide x by its p-norm."),),
        ),
        tests=(TestFile(path="test_scale.py", content="def test_norm(submission): ..."),),
        test_ids=("test_scale.py::test_norm", "test_scale.py::test_zero"),
        environment=Environment(python=">=3.11", requirements_lock=""),
        verification=None,
        canary="recodeh canary 7d0f",
        built_with="hand",
    ).keyed()
    return Made(task, region, {path: (before + region + after).encode()})


@dataclass(frozen=True)
class Made:
    """A task with its answer and its source's files."""

    task: Task
    region: str
    files: Mapping[str, bytes]


class MadeDataset:
    """A dataset of tasks made by hand."""

    name = "made"
    version = "v0"

    def __init__(self, *made: Made) -> None:
        self._made = {one.task.task_id: one for one in made}
        self.digest = content_key([one.task.task_key for one in made])

    @property
    def tasks(self) -> Mapping[str, Task]:
        return {name: one.task for name, one in self._made.items()}

    def reference(self, task: Task) -> Reference:
        code = self._made[task.task_id].region
        return Reference(task_key=task.task_key, task_id=task.task_id, code=code)

    def files(self, task: Task) -> Mapping[str, bytes]:
        return self._made[task.task_id].files


def judged(task: Task, code: str, reference: str) -> Report:
    """A verdict without rooms: a test passes for each half of the answer that is right."""
    wanted = ast.dump(ast.parse(dedent(reference)))
    right = ast.dump(ast.parse(dedent(code))) == wanted
    kept = "return" in code
    outcomes = [Outcome.PASSED if good else Outcome.FAILED for good in (right, right or kept)]
    return Report(
        verdict=Verdict.PASSED if right else Verdict.FAILED,
        reason="all tests passed" if right else f"{outcomes.count(Outcome.FAILED)} tests failed",
        tests=tuple(
            _outcome(name, outcome) for name, outcome in zip(task.test_ids, outcomes, strict=True)
        ),
        output="hello\n",
        wall="none",
    )


def _outcome(name: str, outcome: Outcome) -> TestOutcome:
    if outcome is not Outcome.FAILED:
        return TestOutcome(test_id=name, outcome=outcome)
    return TestOutcome(
        test_id=name,
        outcome=outcome,
        exception="AssertionError",
        message="0.5 is not\n0.6",
        traceback=">   assert x == 0.6\n",
    )


@pytest.fixture
def made() -> Made:
    """The task of the class method `Scaler.scale`."""
    return task_from(SCALE, name="scale", symbol="Scaler.scale")


class Grader:
    """Judges by syntax tree, and counts how often it was asked."""

    name = "none"

    def __init__(self, dataset: MadeDataset) -> None:
        self.dataset = dataset
        self.asked: list[tuple[str, str]] = []

    def grade(self, task: Task, code: str) -> Report:
        self.asked.append((task.task_id, code))
        return judged(task, code, self.dataset.reference(task).code)

    def scratch(self, task: Task, script: str, region: str | None) -> str:
        self.asked.append((task.task_id, script))
        return f"{len(region or '')} characters, {script.count(chr(10))} lines"


class Scripted:
    """A model that reads from a script: reply, or the error to raise; the last one is repeated."""

    def __init__(self, *script: str | Exception, name: str = "test/scripted") -> None:
        self.name = name
        self.script = script
        self.asked: list[Request] = []

    def answer(self, request: Request) -> Reply:
        said = sum(message.role == "assistant" for message in request.messages)
        self.asked.append(request)
        line = self.script[min(said, len(self.script) - 1)]
        if isinstance(line, Exception):
            raise line
        return Reply(line, input_tokens=10, output_tokens=5)


@pytest.fixture
def dataset(made: Made) -> MadeDataset:
    """Two tasks of one source."""
    other = task_from(MEAN, name="mean", symbol="mean")
    return MadeDataset(made, other)


@pytest.fixture
def parts(dataset: MadeDataset) -> Callable[..., Parts]:
    """The parts of a run with the given models, and a grader that needs no rooms."""

    def build(*models: Model, agent: Agent | None = None) -> Parts:
        return Parts(
            agent=agent or OneShot(),
            models={model.name: model for model in models},
            researcher=DeterministicResearcher(),
            grader=Grader(dataset),
        )

    return build
