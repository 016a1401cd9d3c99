import io
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from recodeh.data.errors import InputError
from recodeh.data.records import (
    Environment,
    Instruction,
    Paper,
    Result,
    Snippet,
    Source,
    Task,
    TurnResult,
    Verdict,
)
from recodeh.eval.metrics import Score, distinct, score
from recodeh.eval.score_table import table
from recodeh.eval.statistics import wilson


def result(
    task: str,
    counts: list[int],
    *,
    total: int = 4,
    infra: bool = False,
    paper: str = "p",
    loc: int = 10,
    depth: int = 1,
    leaf: bool = True,
    language: str = "python",
    model: str = "m",
    level: int = 0,
    seed: int = 0,
    tokens: int | None = 100,
) -> Result:
    """An episode that passed `counts` of `total` tests, turn by turn."""
    turns = tuple(
        TurnResult(
            turn=number,
            verdict=Verdict.PASSED if passed == total else Verdict.FAILED,
            passed=passed,
            total=total,
            submission_key=f"{task}-{number}",
        )
        for number, passed in enumerate(counts)
    )
    solved = counts.index(total) + 1 if total in counts else None
    verdict = Verdict.INFRA if infra else turns[-1].verdict
    return Result(
        episode_key=f"{task}/{model}/{level}/{seed}",
        dataset="d",
        dataset_digest="0" * 64,
        task_id=task,
        task_key=f"key of {task}",
        paper=paper,
        domain="vision" if paper == "p" else "graphs",
        loc=loc,
        depth=depth,
        leaf=leaf,
        language=language,
        model=model,
        agent="oneshot",
        researcher="deterministic",
        level=level,
        seed=seed,
        turns=turns,
        verdict=verdict,
        reason="",
        solved_at=solved,
        input_tokens=tokens,
        output_tokens=tokens,
        usd=tokens and tokens / 1000,
    )


FOUR = [
    result("a", [4], loc=10),
    result("b", [2, 4], loc=20),
    result("c", [3, 1, 2], loc=30, paper="q"),
    result("d", [1], infra=True, loc=40, paper="q"),
]


def only(results: list[Result]) -> Score:
    [row] = score(results)
    return row


def test_four_tasks_by_hand() -> None:
    row = only(FOUR)
    assert (row.tasks, row.solved, row.papers, row.infra, row.missing) == (4, 2, 2, 1, 0)
    assert row.recall == (0.25, 0.5, 0.5)
    assert row.area == pytest.approx((0.25 + 0.5 + 0.5) / 3)
    assert row.mrr == (1 + 1 / 2) / 4
    assert row.tests_final == (1 + 1 + 2 / 4 + 1 / 4) / 4
    assert row.tests_best == (1 + 1 + 3 / 4 + 1 / 4) / 4
    assert row.recall_by_line == (10 + 20) / 100
    assert row.recall_by_paper == (1 + 0) / 2
    assert row.interval == wilson(2, 4)
    assert row.paper_interval is None
    assert (row.input_tokens, row.output_tokens) == (400, 400)
    assert row.usd == pytest.approx(0.4)
    assert row.tests_by_turn == (
        (1 + 2 / 4 + 3 / 4 + 1 / 4) / 4,
        (1 + 1 + 1 / 4 + 1 / 4) / 4,
        (1 + 1 + 2 / 4 + 1 / 4) / 4,
    )


def test_a_nested_snippet_counts_once_where_only_leaves_or_tops_do() -> None:
    nested = [
        result("outer", [4], loc=40, leaf=False),
        result("inner", [0], loc=10, depth=2),
        result("beside", [4], loc=5, depth=2),
        result("alone", [0], loc=20),
    ]
    row = only(nested)
    assert row.recall_by_line == (40 + 5) / (40 + 10 + 5 + 20)
    assert row.recall_by_leaf_line == 5 / (10 + 5 + 20)
    assert row.recall_by_top_line == 40 / (40 + 20)
    assert only(nested[:1]).recall_by_leaf_line is None
    assert only(nested[1:3]).recall_by_top_line is None


def test_languages_are_parts() -> None:
    rows = score([result("a", [4]), result("b", [0], language="r")], part="language")
    assert [(row.part, row.recall) for row in rows] == [("python", (1.0,)), ("r", (0.0,))]


def test_infra_has_both_brackets_and_a_coverage() -> None:
    row = only(FOUR)
    assert row.coverage == 3 / 4
    assert (row.recall[-1], row.recall_without_infra) == (2 / 4, 2 / 3)


def test_a_task_that_one_level_misses_stays_in_its_denominator() -> None:
    low, high = score([*FOUR, result("a", [4], level=4)])
    assert (low.setting.level, low.tasks, low.missing) == (0, 4, 0)
    assert (high.setting.level, high.tasks, high.missing) == (4, 4, 3)
    assert high.recall == (0.25, 0.25, 0.25)
    assert high.recall_without_infra == 1
    assert high.coverage == 1 / 4


def test_nothing_judged_has_no_upper_bracket() -> None:
    row = only([result("a", [0], infra=True)])
    assert (row.recall_without_infra, row.coverage, row.recall) == (None, 0, (0,))


def test_counts_of_a_tampered_turn_do_not_count() -> None:
    tampered = TurnResult(turn=0, verdict=Verdict.TAMPERED, passed=4, total=4, submission_key="x")
    row = only([FOUR[0].model_copy(update={"turns": (tampered,), "solved_at": None})])
    assert (row.recall, row.tests_final, row.tests_best) == ((0,), 0, 0)


def test_repeats_count_with_their_mean() -> None:
    row = only([result("a", [4]), result("a", [1, 2], seed=1), result("b", [0, 4])])
    assert row.recall == (0.25, 0.75)
    assert row.solved == 1.5
    assert row.pass_at == (0.25,)  # b was played once, so k stops at 1


def test_unbiased_pass_at_k_over_repeats() -> None:
    row = only([result("a", [4 if seed < 2 else 0], seed=seed) for seed in range(5)])
    assert row.pass_at == pytest.approx((0.4, 0.7, 0.9, 1, 1))


def test_one_unknown_cost_makes_the_sum_unknown() -> None:
    row = only([FOUR[0], result("z", [0], tokens=None)])
    assert row.input_tokens is None


def test_a_turn_that_was_never_played_costs_nothing() -> None:
    nothing = {"turns": (), "solved_at": None, "input_tokens": None, "output_tokens": None}
    named = {"task_id": "z", "episode_key": "z", "verdict": Verdict.INFRA}
    unplayed = FOUR[0].model_copy(update={**nothing, **named})
    row = only([FOUR[0], unplayed])
    assert (row.tasks, row.infra, row.input_tokens) == (2, 1, 100)


def test_papers_that_are_all_alike_prove_nothing_about_others() -> None:
    six = [result(name, [4], paper=name) for name in "uvwxyz"]
    assert only(six).paper_interval is None
    assert only([*six, result("a", [0], paper="a")]).paper_interval is not None


def test_tasks_of_the_dataset_that_were_not_played_stay_in_the_denominator() -> None:
    unplayed = task("q/z#body", loc=100)
    [row] = score(FOUR, tasks=[unplayed])
    assert (row.tasks, row.missing, row.papers) == (5, 1, 2)
    assert row.recall[-1] == 2 / 5
    assert row.recall_by_line == 30 / 200


def task(name: str, *, loc: int) -> Task:
    paper = Paper(title="", authors=())
    return Task(
        task_id=name,
        task_key=name,
        source_key="",
        paper=paper,
        source=Source(kind="git", name="q", version="", sha256=""),
        domain="graphs",
        target_file="",
        symbol="",
        snippet=Snippet(name="body", start=1, end=1, mask_start=1, mask_end=1, indent="", loc=loc),
        masked_file="",
        instruction=Instruction(summary="", signature=""),
        tests=(),
        test_ids=(),
        environment=Environment(python="", requirements_lock=""),
        verification=None,
        canary="",
        built_with="",
    )


EPISODES = st.builds(
    result,
    st.sampled_from("abcdef"),
    st.lists(st.integers(0, 4), min_size=1, max_size=4).map(
        lambda counts: counts[: counts.index(4) + 1] if 4 in counts else counts
    ),
    infra=st.just(False),
    paper=st.just("p"),
    level=st.integers(0, 1),
    seed=st.integers(0, 2),
)


@given(st.lists(EPISODES, min_size=1, max_size=12, unique_by=lambda row: row.episode_key))
def test_laws_of_every_score(rows: list[Result]) -> None:
    for row in score(rows):
        assert row.recall == tuple(sorted(row.recall))
        assert row.recall[0] <= row.area <= row.recall[-1] + 1e-12
        assert row.recall[0] <= row.mrr + 1e-12
        assert row.mrr <= row.recall[-1] + 1e-12
        assert row.tests_final <= row.tests_best + 1e-12
        assert row.recall[-1] <= row.tests_final + 1e-12
        assert row.interval.low <= row.recall[-1] <= row.interval.high
        assert row.recall_without_infra is None or row.recall[-1] <= row.recall_without_infra + 1e-9
        assert row.tasks == len({one.task_id for one in rows})


def test_an_episode_that_comes_twice_counts_once() -> None:
    assert tuple(distinct([*FOUR, *FOUR[:2]])) == tuple(FOUR)
    assert score([*FOUR, *FOUR]) == score(FOUR)


def test_parts_split_by_paper_and_by_domain() -> None:
    papers = score(FOUR, part="paper")
    assert [(row.part, row.tasks, row.solved) for row in papers] == [("p", 2, 2), ("q", 2, 0)]
    assert [row.part for row in score(FOUR, part="domain")] == ["graphs", "vision"]


def test_rows_come_in_one_order_whatever_the_order_of_results() -> None:
    many = [
        result(task, [n % 5], model=model, level=level, paper=task)
        for model in ("b", "a")
        for level in (4, 0, 2)
        for n, task in enumerate("stuvwxyz")
    ]
    rows = score(many)
    settings = [(row.setting.model, row.setting.level) for row in rows]
    assert settings == [("a", 0), ("a", 2), ("a", 4), ("b", 0), ("b", 2), ("b", 4)]
    assert rows[0].paper_interval is not None
    random.Random(1).shuffle(many)
    assert score(many) == rows


def test_no_results_give_no_rows_and_no_turns_are_an_error() -> None:
    assert score([]) == []
    with pytest.raises(InputError, match="turns must be at least 1"):
        score(FOUR, turns=0)


def test_asked_for_turns_lengthen_the_curve() -> None:
    assert score(FOUR, turns=5)[0].recall == (0.25, 0.5, 0.5, 0.5, 0.5)


def shown(rows: list[Result], width: int = 100) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(table(score(rows)))
    return console.export_text()


def test_the_table_fits_100_columns() -> None:
    many = [
        result(str(n), [n % 5], model=model, level=level)
        for model in ("builtin/x[bold]", "openrouter/a-rather-long-model-name-2026")
        for level in range(5)
        for n in range(120)
    ]
    text = shown([*many, result("0", [1], model="builtin/x[bold]", infra=True, seed=9)])
    assert max(map(len, text.splitlines())) <= 100
    assert re.search(r"L0 +24/120 +20\.0 +20\.0 +14-28 +0\.200 +50\.0 +0 *$", text, re.M)
    assert text.count("openrouter") == text.count("builtin/x[bold]") == 1
    assert "…" not in text


def test_a_narrow_terminal_keeps_every_number() -> None:
    rows = [
        result(
            name, [4 if name < "d" else 0], model="openrouter/a-rather-long-model-name", paper=name
        )
        for name in "abcdefgh"
    ]
    text = shown(rows, width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"L0 +3/8 +37\.5 +37\.5 +14-69 +\d+-\d+ +0\.375 +37\.5 +0 *$", text, re.M)


def test_the_table_names_agents_only_where_they_differ() -> None:
    row = result("a", [4])
    assert "oneshot" not in shown([row])
    other = row.model_copy(update={"agent": "command", "episode_key": "other"})
    assert "m · oneshot" in shown([row, other])
