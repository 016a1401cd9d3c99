from recodeh.cards.grid import Cell, grid
from recodeh.data.records import Result, TurnResult, Verdict

TASKS = {"p/a#body": "p", "p/b#body": "p", "q/c#body": "q"}


def result(
    task: str, verdict: Verdict, counts: list[int], *, level: int = 0, seed: int = 0
) -> Result:
    turns = tuple(
        TurnResult(turn=n, verdict=Verdict.FAILED, passed=passed, total=4, submission_key="")
        for n, passed in enumerate(counts)
    )
    return Result(
        episode_key=f"{task} {level} {seed}",
        dataset="d",
        dataset_digest="0",
        task_id=task,
        task_key=task,
        paper=TASKS[task],
        domain="",
        loc=1,
        model="m",
        agent="a",
        researcher="r",
        level=level,
        seed=seed,
        turns=turns,
        verdict=verdict,
        reason="why",
        solved_at=len(counts) if verdict is Verdict.PASSED else None,
    )


def cells(*results: Result) -> dict[str, list[str]]:
    """The texts of each row, by the task's name without its paper."""
    found = grid("m", results, TASKS, {})
    return {row.name: [cell.text for cell in row.cells] for _, rows in found.papers for row in rows}


def test_rows_are_tasks_by_paper_and_columns_are_levels() -> None:
    found = grid("m", [result("p/a#body", Verdict.PASSED, [1, 4], level=2)], TASKS, {})
    assert found.levels == (2,)
    assert [(paper, len(rows)) for paper, rows in found.papers] == [("p", 2), ("q", 1)]


def test_a_cell_says_how_its_episode_ended() -> None:
    assert cells(
        result("p/a#body", Verdict.PASSED, [1, 4]),
        result("p/b#body", Verdict.FAILED, [1, 3, 2]),
        result("q/c#body", Verdict.INFRA, []),
        result("q/c#body", Verdict.TAMPERED, [4], level=1),
    ) == {"a#body": ["2", "·"], "b#body": ["3/4", "·"], "c#body": ["?", "!"]}


def test_repeats_show_the_best_and_how_many_solved_it() -> None:
    repeats = [
        result("p/a#body", Verdict.FAILED, [1]),
        result("p/a#body", Verdict.PASSED, [1, 4], seed=1),
    ]
    assert cells(*repeats)["a#body"] == ["2 (1/2)"]


def test_a_cell_links_to_its_episode_where_the_page_has_it() -> None:
    row = result("p/a#body", Verdict.PASSED, [4])
    [(_, [first, _]), _] = grid("m", [row], TASKS, {row.episode_key: "abc"}).papers
    assert first.cells == (Cell("solved", "1", "solved at turn 1", "abc"),)
