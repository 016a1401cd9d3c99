"""What became of a remark: the statement it called right is there or not, its tests pass or not."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.eval.conftest import Made, MadeDataset

from recodeh.data.records import Feedback, FeedbackItem, Outcome, Report, TestOutcome, Verdict
from recodeh.eval.campaign import Parts, run
from recodeh.eval.models.mutant import MutantModel
from recodeh.eval.researcher.adoption import (
    Adoption,
    AdoptionRow,
    Attempt,
    adoption_rows,
    adoptions,
    adoptions_of_run,
)
from recodeh.eval.researcher.deterministic import DeterministicResearcher
from recodeh.eval.settings import Settings


def fate(made: Made, before: str, after: str) -> list[str]:
    """Whether each remark on `before` is adopted in `after`."""
    attempts = [Attempt(code, report(code == made.region)) for code in (before, after)]
    said = DeterministicResearcher().feedback(made.task, made.region, before, attempts[0].report)
    return [one.adopted for one in adoptions(said, *attempts)]


def test_a_statement_that_is_set_right_is_adopted(made: Made) -> None:
    wrong = made.region.replace("1 / self", "2 / self").replace("<= floor", "> floor")
    assert fate(made, wrong, made.region) == ["yes", "yes"]
    assert fate(made, wrong, made.region.replace("<= floor", "> floor")) == ["yes", "no"]
    assert fate(made, wrong, wrong) == ["no", "no"]


def test_a_statement_that_comes_nearer_is_partly_adopted(made: Made) -> None:
    wrong = made.region.replace("math.pow(total, 1 / self.power)", "total + floor + self.power")
    nearer = made.region.replace("math.pow(total, 1 / self.power)", "math.pow(total, floor)")
    assert set(fate(made, wrong, nearer)) == {"partly"}
    assert set(fate(made, wrong, wrong.replace("norm", "size"))) == {"no"}


def test_a_missing_and_a_superfluous_statement_are_adopted(made: Made) -> None:
    last = "            return [value / norm for value in values]\n".removeprefix("    ")
    assert made.region.endswith(last)
    short = made.region.removesuffix(last)
    assert fate(made, short, made.region) == ["yes"]
    longer = made.region.replace("# values", "floor = 0.0  # values")
    assert fate(made, longer, made.region) == ["yes"]
    assert fate(made, longer, longer) == ["no"]


def test_a_remark_on_the_whole_answer_is_adopted_when_the_answer_is_right(made: Made) -> None:
    other = "        return values\n"
    half = "".join(made.region.splitlines(keepends=True)[:2])
    assert fate(made, other, made.region) == ["yes"]
    assert fate(made, other, half) == ["partly"]
    assert fate(made, other, other) == ["no"]


def test_a_remark_on_an_answer_that_does_not_parse_is_adopted_when_the_next_is_right(
    made: Made,
) -> None:
    assert fate(made, "    x = (\n", made.region) == ["yes"]
    assert fate(made, "    x = (\n", "    x = (\n") == ["no"]


@pytest.mark.parametrize(
    ("passing", "resolved"),
    [((True, True), "yes"), ((True, False), "partly"), ((False,) * 2, "no")],
)
def test_a_remark_is_resolved_by_the_tests_that_it_was_about(
    passing: tuple[bool, bool], resolved: str
) -> None:
    item = FeedbackItem(
        interface="m:f", category="T2", description="", analysis="", guidance="", correction="x"
    )
    said = Feedback(researcher="anyone", passed=0, total=3, items=(item,))
    (one,) = adoptions(said, Attempt("", report(False, False)), Attempt("", report(*passing)))
    assert one.resolved == resolved


def report(*passing: bool) -> Report:
    """Tests that call `m:f`, and one more of another interface that passes."""
    tests = [("m:f", passed) for passed in passing] + [("m:g", True)]
    return Report(
        verdict=Verdict.FAILED,
        reason="",
        tests=tuple(
            TestOutcome(
                test_id=str(number),
                outcome=Outcome.PASSED if passed else Outcome.FAILED,
                interfaces=(name,),
            )
            for number, (name, passed) in enumerate(tests)
        ),
    )


def test_rows_count_by_level_and_category() -> None:
    told = [
        (4, Adoption("T2", "yes", "yes")),
        (1, Adoption("T0", "no", "no")),
        (4, Adoption("T2", "partly", "yes")),
        (4, Adoption("T2", "yes", "partly")),
    ]
    assert adoption_rows(told) == [
        AdoptionRow(1, "T0", 1, 0, 0, 0, 0),
        AdoptionRow(4, "T2", 3, 2, 1, 2, 1),
    ]


def test_the_mutant_adopts_everything_that_it_is_shown(
    dataset: MadeDataset, parts: Callable[..., Parts], tmp_path: Path
) -> None:
    settings = Settings(models=("builtin/mutant",), levels=(0, 4), turns=4)
    run(dataset, settings, tmp_path, parts(MutantModel(dataset)))
    rows = {
        row.level: row
        for row in adoption_rows(
            (level, Adoption("all", one.adopted, one.resolved))
            for level, one in adoptions_of_run(tmp_path)
        )
    }
    assert rows[4].adopted == rows[4].resolved == rows[4].remarks > 0
    assert rows[0].adopted < rows[0].remarks
