import io

import pytest
from rich.console import Console

from recodeh.data.errors import InputError
from recodeh.data.records import Result, Verdict
from recodeh.eval.comparison import compare, compare_levels
from recodeh.eval.comparison_table import comparison_table
from recodeh.eval.statistics import mcnemar


def result(
    task: str,
    solved: bool,
    *,
    paper: str = "p",
    model: str = "m",
    level: int = 0,
    infra: bool = False,
    seed: int = 0,
) -> Result:
    return Result(
        episode_key=f"{task}/{model}/{level}/{seed}",
        dataset="d",
        dataset_digest="0" * 64,
        task_id=task,
        task_key=f"key of {task}",
        paper=paper,
        domain="",
        loc=1,
        model=model,
        agent="oneshot",
        researcher="deterministic",
        level=level,
        seed=seed,
        turns=(),
        verdict=Verdict.INFRA if infra else Verdict.PASSED if solved else Verdict.FAILED,
        reason="",
        solved_at=1 if solved and not infra else None,
    )


def side(solved: str, *, model: str = "m", level: int = 0) -> list[Result]:
    """Ten tasks, each of its own paper, of which those in `solved` were solved."""
    return [
        result(task, task in solved, paper=task, model=model, level=level) for task in "abcdefghij"
    ]


def test_comparison_by_hand() -> None:
    first = [result("a", True), result("b", False, paper="q"), result("c", False, paper="r")]
    second = [
        result("a", True, level=4),
        result("b", True, level=4, paper="q"),
        result("c", True, level=4, paper="r", infra=True),
    ]
    found = compare(first, second)
    assert (found.pairs, found.unpaired, found.papers) == (2, 1, 2)
    assert (found.only_first, found.only_second, found.difference) == (0, 1, 0.5)
    assert found.p_value == 1
    assert found.detectable is None


def test_a_difference_turns_its_sign_with_its_sides() -> None:
    there, back = compare(side("abc"), side("cdefg")), compare(side("cdefg"), side("abc"))
    assert (there.only_first, there.only_second) == (2, 4)
    assert there.difference == -back.difference == 0.2
    assert there.interval is not None
    assert back.interval is not None
    assert there.interval.low == pytest.approx(-back.interval.high)
    assert there.p_value == back.p_value == mcnemar(2, 4)


def test_repeats_of_a_task_are_one_pair() -> None:
    often = [result("a", seed < 2, seed=seed) for seed in range(3)]
    found = compare(often, [result("a", False, level=1)])
    assert (found.pairs, found.only_first) == (1, 1)
    assert found.difference == pytest.approx(-2 / 3)


def test_comparison_needs_common_tasks_and_one_setting_a_side() -> None:
    with pytest.raises(InputError, match="no judged task in common"):
        compare([result("a", True)], [result("b", True)])
    with pytest.raises(InputError, match="several models or levels"):
        compare([result("a", True), result("a", True, level=1)], [result("a", True)])


def test_runs_are_compared_level_by_level_and_model_by_model() -> None:
    first = [*side("ab"), *side("abc", level=4), *side("", model="only here")]
    second = [*side("abcd"), *side("abcdef", level=4), *side("abc", level=2)]
    pairs = compare_levels(first, second)
    assert [(pair.first, pair.second, pair.level) for pair in pairs] == [
        ("m", "m", 0),
        ("m", "m", 4),
    ]
    assert [pair.comparison.only_second for pair in pairs] == [2, 3]


def test_two_runs_of_one_model_each_need_no_common_model() -> None:
    [pair] = compare_levels(side("a", model="x"), side("ab", model="y"))
    assert (pair.first, pair.second, pair.comparison.difference) == ("x", "y", 0.1)


def test_runs_that_cannot_be_paired_are_refused() -> None:
    several = [*side("a", model="x"), *side("a", model="z")]
    with pytest.raises(InputError, match="not clear which models"):
        compare_levels(several, side("ab", model="y"))
    with pytest.raises(InputError, match="share no level"):
        compare_levels(side("a"), side("a", level=1))


def test_the_table_says_what_was_found() -> None:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(
        comparison_table(compare_levels(side("abc", model="x"), side("cdefghi", model="y")))
    )
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= 100
    [row] = [line.split() for line in text.splitlines() if line.lstrip().startswith("x → y")]
    assert row[3:6] == ["L0", "10", "+40.0"]
    assert row[7:10] == ["2", "6", "0.289"]
