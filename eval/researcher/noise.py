"""A researcher that is sometimes wrong: remarks get lost, or speak of the wrong statement.

How a model copes with imperfect feedback is a question of its own. The same task, answer and seed
lose and spoil the same remarks.
"""

import ast
import hashlib
from dataclasses import dataclass, replace

from recodeh.data.errors import InputError
from recodeh.data.records import Feedback, FeedbackItem, Report, Task
from recodeh.eval.researcher.difference import header
from recodeh.eval.researcher.leaks import checked
from recodeh.eval.researcher.phrases import Relation, analysis_sentence, read_analysis
from recodeh.eval.researcher.researcher import Researcher
from recodeh.eval.researcher.syntax import Unparsable, parse, statements
from recodeh.eval.researcher.words import statement


@dataclass(frozen=True)
class NoisyResearcher:
    """Another researcher, of whose remarks the share `noise` is lost or spoilt, half of each."""

    inner: Researcher
    noise: float
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.noise <= 1:
            raise InputError(
                f"noise is a share, not {self.noise}", mend="give a number from 0 to 1"
            )

    @property
    def name(self) -> str:
        """Name in results, with share and seed."""
        return f"{self.inner.name}+noise={self.noise:g}/{self.seed}"

    def feedback(
        self, task: Task, reference: str, submission: str | None, report: Report
    ) -> Feedback:
        """The inner researcher's remarks with the noise in them."""
        said = self.inner.feedback(task, reference, submission, report)
        place = f"{self.seed}/{task.task_id}/{submission}"
        items = (
            self._noisy(item, f"{place}/{number}", submission or "")
            for number, item in enumerate(said.items)
        )
        kept = tuple(item for item in items if item is not None)
        noisy = said.model_copy(update={"researcher": self.name, "items": kept})
        return checked(noisy, reference)

    def _noisy(self, item: FeedbackItem, place: str, answer: str) -> FeedbackItem | None:
        chance = _draw(place)
        if chance >= self.noise:
            return item
        return None if chance < self.noise / 2 else _misplaced(item, place, answer)


def _misplaced(item: FeedbackItem, place: str, answer: str) -> FeedbackItem | None:
    """The remark as if another statement were the faulty one; lost where there is no other."""
    known = read_analysis(item.analysis)
    others = [] if known is None else _others(answer, known[0].line)
    if known is None or not others:
        return None
    other = others[int(_draw(f"{place}/which") * len(others))]
    moved = replace(known[0], relation=Relation.AT, line=other.lineno, words=statement(other))
    told = {"analysis": analysis_sentence(moved, known[1]), "correction": header(other)}
    return item.model_copy(update=told)


def _others(answer: str, line: int) -> list[ast.stmt]:
    try:
        return [node for node in statements(parse(answer).body) if node.lineno != line]
    except Unparsable:
        return []


def _draw(text: str) -> float:
    """A number from 0 to below 1 that depends on the text alone."""
    return (
        int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:6]) / 2**48
    )
