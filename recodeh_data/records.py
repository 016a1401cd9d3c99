"""The records that flow from a paper to a result, frozen and checked where text comes in.

A `Task` is one row of the default config of a dataset. Its `Reference` and its `SourceFile`s are
rows of their own configs, joined by `task_key` and `source_key`, so that a prompt built from a
task cannot leak the answer.
"""

from datetime import date
from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict

from recodeh.data.keys import content_key


class Record(BaseModel):
    """Base of all records: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def row(self) -> dict[str, Any]:
        """The record as JSON-ready values."""
        return self.model_dump(mode="json")


class Paper(Record):
    """Bibliographic record of one publication."""

    title: str
    authors: tuple[str, ...]
    venue: str | None = None
    url: str | None = None
    arxiv: str | None = None
    doi: str | None = None
    published: date | None = None


class Source(Record):
    """A pinned snapshot of a paper's repository."""

    kind: Literal["pypi", "git", "folder"]
    name: str
    """Distribution, repository or folder name."""
    version: str
    """Version of the distribution, commit of the repository, or tree hash of the folder."""
    url: str | None = None
    sha256: str
    """Of the archive for `pypi`, of the tree for the others."""
    licence: str | None = None
    """SPDX id; unknown stays unknown."""
    first_public: date | None = None


class Snippet(Record):
    """The masked region of a task, in the masked file and in the original one (lines from 1)."""

    name: str
    start: int
    """First line of the region in the original file."""
    end: int
    """Last line of the region in the original file."""
    mask_start: int
    """First line of the placeholder in the masked file."""
    mask_end: int
    """Last line of the placeholder in the masked file."""
    indent: str
    """White space in front of the region's statements."""
    loc: int
    """Lines of the region that are neither blank nor comment."""
    depth: int = 1
    parent: str | None = None
    language: str = "python"
    encoding: str = "utf-8"
    """Codec of the target file on disk."""


class Argument(Record):
    """One argument of the target."""

    name: str
    annotation: str = ""
    default: str = ""
    description: str = ""


class Dependencies(Record):
    """What the target uses: names in its file, names from the source's other files, and others'."""

    in_file: tuple[str, ...] = ()
    across_files: tuple[str, ...] = ()
    external: tuple[str, ...] = ()


class Excerpt(Record):
    """A passage of the paper or its README that speaks about the target."""

    section: str
    text: str


class Instruction(Record):
    """What a model is told about the code that is missing."""

    summary: str
    signature: str
    arguments: tuple[Argument, ...] = ()
    returns: str = ""
    dependencies: Dependencies = Dependencies()
    paper_excerpts: tuple[Excerpt, ...] = ()
    missing_in_paper: tuple[str, ...] = ()
    contradicts_paper: tuple[str, ...] = ()
    hint: str = ""


class TestFile(Record):
    """A pytest file that speaks to the code under test through the `submission` fixture."""

    __test__ = False  # pytest must not take the record for a test class

    path: str
    content: str


class Environment(Record):
    """Where a task runs: interpreter, locked requirements and limits per run."""

    python: str
    """Version specifier, e.g. `>=3.11`."""
    requirements_lock: str
    """A requirements file with hashes; its sha256 names the environment."""
    import_root: str = "."
    """Folder of the source that is put on the import path, relative to its root."""
    cpu_seconds: int = 30
    wall_seconds: int = 120
    memory_mb: int = 2048


class Gate(Record):
    """One check that a task had to pass, with its evidence."""

    name: str
    passed: bool
    evidence: str


class Verification(Record):
    """The proof that a task's tests tell right from wrong."""

    reference_passes: int
    reference_runs: int
    stub_fails: bool
    mutants_killed: int | None = None
    mutants_total: int | None = None
    mutants_equivalent: int | None = None
    rewrites_passed: int | None = None
    rewrites_total: int | None = None
    seconds: int
    """CPU seconds of one run, rounded up to a step of 5 so that two builds give the same bytes."""
    gates: tuple[Gate, ...] = ()


class Task(Record):
    """One masked snippet with instruction, tests, environment and proof."""

    task_id: str
    """Readable and stable: `source/symbol#snippet`."""
    task_key: str
    """sha256 of the canonical JSON of what defines the task (see `task_key`)."""
    source_key: str
    """Joins the task to its source's rows in the config `files`."""
    paper: Paper
    source: Source
    domain: str
    target_file: str
    symbol: str
    snippet: Snippet
    masked_file: str
    instruction: Instruction
    tests: tuple[TestFile, ...]
    test_ids: tuple[str, ...]
    environment: Environment
    verification: Verification | None
    canary: str
    built_with: str

    def keyed(self) -> Self:
        """This task with its `task_key` computed from its content."""
        return self.model_copy(update={"task_key": task_key(self)})


def task_key(task: Task) -> str:
    """The key of a task: all fields but the key itself, its proof, its canary and its builder."""
    aside = {"task_key", "verification", "canary", "built_with"}
    return content_key(task.model_dump(mode="json", exclude=aside))


class Reference(Record):
    """The true code of a task's snippet: a row of the config `references`."""

    task_key: str
    task_id: str
    code: str
    """The region as it stands in the original file, its indentation and newlines kept."""


class SourceFile(Record):
    """One file of a source: a row of the config `files`."""

    source_key: str
    path: str
    content: bytes


class Drop(Record):
    """Something that did not come through a stage, and why: a row of `dropped.jsonl`."""

    stage: str
    item: str
    reason: str


class Outcome(StrEnum):
    """What happened to one test."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    MISSING = "missing"


class TestOutcome(Record):
    """One test of a run, as the judge saw it."""

    __test__ = False

    test_id: str
    outcome: Outcome
    seconds: float = 0.0
    interfaces: tuple[str, ...] = ()
    """What the test called through the `submission` fixture, in order, without repeats."""
    exception: str = ""
    """Type name of the exception that ended the test."""
    message: str = ""
    """Its message, bounded."""
    traceback: str = ""
    """The judge's own frames, bounded: shown only where the log setting is `full`."""


class Verdict(StrEnum):
    """The end of a run; `infra` is no verdict and never counts as a failure of the submission."""

    PASSED = "passed"
    FAILED = "failed"
    TAMPERED = "tampered"
    INFRA = "infra"


class Report(Record):
    """What one run of a task's tests against one submission showed."""

    verdict: Verdict
    reason: str
    """One sentence: why this verdict."""
    tests: tuple[TestOutcome, ...] = ()
    """One row per expected test id, in their order."""
    output: str = ""
    """What the submission's process printed, bounded and without control sequences."""
    wall: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def passed_tests(self) -> int:
        """How many of the expected tests passed."""
        return sum(test.outcome is Outcome.PASSED for test in self.tests)


class FeedbackItem(Record):
    """One remark of a researcher; a level reveals a prefix of its fields."""

    interface: str
    category: Literal["T0", "T1", "T2", "T3", "T4"]
    """T0 structure, T1 syntax or run time, T2 misread paper, T3 missing knowledge, T4 integration
    (RECODE-H, arXiv 2510.06186)."""
    description: str
    """L1: what is wrong."""
    analysis: str
    """L2: why."""
    guidance: str
    """L3: how to fix it, in words."""
    correction: str
    """L4: the code."""


class Feedback(Record):
    """What a researcher says after a failed turn: the counts, and items for every level."""

    researcher: str
    passed: int
    total: int
    items: tuple[FeedbackItem, ...] = ()


class TurnResult(Record):
    """One turn of an episode, as it counts in the metrics."""

    turn: int
    """From 0, the turn before any feedback."""
    verdict: Verdict
    passed: int
    total: int
    submission_key: str
    """sha256 of the submitted code."""


class Result(Record):
    """One finished episode: a row of `results.jsonl`."""

    episode_key: str
    dataset: str
    dataset_digest: str
    task_id: str
    task_key: str
    paper: str
    """Name of the source; intervals cluster by it."""
    domain: str
    loc: int
    depth: int = 1
    """Of the task's snippet: 1 for one that no other encloses."""
    leaf: bool = True
    """Whether the snippet encloses that of no other task of the dataset."""
    language: str = "python"
    model: str
    agent: str
    researcher: str
    level: int
    seed: int
    turns: tuple[TurnResult, ...]
    verdict: Verdict
    """Of the last turn; `infra` when the episode has no verdict."""
    reason: str
    solved_at: int | None
    """Rank of the turn that solved the task, from 1; None when none did."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None
    """What its calls cost by the run's table of prices; unknown when one of them is."""


class PaperRow(Record):
    """One paper of a dataset with its source: a row of the config `papers`."""

    source_key: str
    paper: Paper
    source: Source
    licence_text: str
    """The source's own licence, with its copyright notice."""
