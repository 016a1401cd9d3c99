"""`builtin/retrieval`: answers with the most similar function of the repository.

Functions are compared with the task by the words of their identifiers and docstrings, weighed by
how rare a word is in the repository. A floor for models: what this solves was there to be copied.
"""

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from textwrap import dedent

from recodeh.data.errors import MaskError, ModelError
from recodeh.data.records import Task
from recodeh.eval.dataset import Dataset
from recodeh.eval.models.model import Reply, Request
from recodeh.eval.models.reference import fenced
from recodeh.eval.place import parse

MOST_FILES = 2000
MOST_BYTES = 400_000
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@dataclass(frozen=True)
class Passage:
    """The body of one function of the repository, and the words that speak of it."""

    path: str
    name: str
    line: int
    body: str
    words: frozenset[str]


class RetrievalModel:
    """Copies from the visible part of one dataset's repositories."""

    name = "builtin/retrieval"

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._passages = lru_cache(maxsize=4)(self._read)

    def answer(self, request: Request) -> Reply:
        """The body of the nearest function, fenced; on a tie the first by path and line."""
        try:
            task = self._dataset.tasks[request.task_id]
        except KeyError as error:
            raise ModelError("no such task in the dataset", where=request.task_id) from error
        passages = self._passages(task.task_id)
        if not passages:
            return Reply("The repository holds no other function.")
        rarity = _rarity(passages)
        wanted = words(_query(task))
        best = min(
            passages, key=lambda one: (-_likeness(wanted, one.words, rarity), one.path, one.line)
        )
        return Reply(fenced(best.body))

    def _read(self, task_id: str) -> tuple[Passage, ...]:
        task = self._dataset.tasks[task_id]
        files = {**self._dataset.files(task), task.target_file: task.masked_file.encode()}
        return tuple(_passages(files, task))


def words(text: str) -> frozenset[str]:
    """The lower-case words of a text, identifiers taken apart at underscores and capitals."""
    return frozenset(word.lower() for word in _WORD.findall(text) if len(word) > 1)


def _query(task: Task) -> str:
    told = task.instruction
    uses = (
        *told.dependencies.in_file,
        *told.dependencies.across_files,
        *told.dependencies.external,
    )
    return " ".join([task.symbol, told.summary, told.signature, told.returns, *uses])


def _passages(files: Mapping[str, bytes], task: Task) -> Iterator[Passage]:
    paths = sorted(path for path in files if path.endswith(".py"))[:MOST_FILES]
    for path in paths:
        if len(files[path]) <= MOST_BYTES:
            yield from _functions(path, files[path].decode("utf-8", "replace"), task)


def _functions(path: str, text: str, task: Task) -> Iterator[Passage]:
    try:
        tree = parse(text)
    except MaskError:
        return  # a file that is no Python of this version has nothing to copy
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not (
            path == task.target_file and _is_target(node, task)
        ):
            yield _passage(path, text, node)


def _is_target(node: ast.FunctionDef | ast.AsyncFunctionDef, task: Task) -> bool:
    """Whether the function holds the placeholder itself."""
    return node.lineno <= task.snippet.mask_start <= (node.end_lineno or node.lineno)


def _passage(path: str, text: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Passage:
    statements = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
    lines = text.splitlines()[statements[0].lineno - 1 : statements[-1].end_lineno]
    known = f"{node.name} {ast.unparse(node.args)} {ast.get_docstring(node) or ''}"
    body = dedent("\n".join(lines))
    return Passage(path, node.name, node.lineno, body, words(f"{known} {body}"))


def _rarity(passages: tuple[Passage, ...]) -> Mapping[str, float]:
    """How much a word tells: the less of the functions hold it, the more (inverse frequency)."""
    seen = Counter(word for one in passages for word in one.words)
    return {word: math.log(1 + len(passages) / count) for word, count in seen.items()}


def _likeness(wanted: frozenset[str], have: frozenset[str], rarity: Mapping[str, float]) -> float:
    """Weighed overlap of two sets of words, from 0 to 1 (Jaccard)."""
    common = sum(rarity.get(word, 0.0) for word in sorted(wanted & have))
    return common / (sum(rarity.get(word, 0.0) for word in sorted(wanted | have)) or 1.0)
