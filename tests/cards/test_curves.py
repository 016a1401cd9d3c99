import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from itertools import pairwise

from recodeh.cards.curves import BOTTOM, LABEL_GAP, TOP, highest, panel, whisker
from recodeh.data.records import Result, TurnResult, Verdict
from recodeh.eval.metrics import Score, score

TURN = TurnResult(turn=0, verdict=Verdict.FAILED, passed=0, total=1, submission_key="")


def scores(solved: Mapping[int, Sequence[int | None]], turns: int = 4) -> list[Score]:
    """One score per level; a task is given by the turn that solved it."""
    return score(
        (
            Result(
                episode_key=f"{level} {task}",
                dataset="d",
                dataset_digest="0",
                task_id=f"t{task}",
                task_key="",
                paper="p",
                domain="",
                loc=1,
                model="a <b> & c",
                agent="a",
                researcher="r",
                level=level,
                seed=0,
                turns=(TURN,),
                verdict=Verdict.PASSED if rank else Verdict.FAILED,
                reason="",
                solved_at=rank,
            )
            for level, ranks in solved.items()
            for task, rank in enumerate(ranks)
        ),
        turns=turns,
    )


def labels(svg: str) -> dict[str, float]:
    """The heights of the lines' labels."""
    return {
        name: float(y) for y, name in re.findall(r'class="name" x="[^"]+" y="([^"]+)">(L\d)<', svg)
    }


def test_a_panel_is_well_formed_and_says_every_point() -> None:
    svg = panel("a <b> & c", scores({0: [1, None], 4: [1, 3]}))
    root = ElementTree.fromstring(svg)
    assert "a <b> & c" in root.attrib["aria-label"]
    assert [title.text for title in root.iter("title")][-2:] == [
        "L4, turn 3: 2 of 2 solved (100.0%)",
        "L4, turn 4: 2 of 2 solved (100.0%)",
    ]


def test_heights_are_the_shares() -> None:
    svg = panel("m", scores({0: [None, None], 1: [1, None], 2: [1, 1]}))
    starts = [float(y) for y in re.findall(r'class="line" d="M[\d.]+ ([\d.]+)L', svg)]
    assert starts == [BOTTOM, (TOP + BOTTOM) / 2, TOP]


def test_labels_never_touch() -> None:
    for rank in (None, 1):
        solved = {level: [rank] for level in range(5)}
        heights = sorted(labels(panel("m", scores(solved))).values())
        assert all(low + LABEL_GAP <= high + 0.01 for low, high in pairwise(heights))
        assert heights[0] >= TOP
        assert heights[-1] <= BOTTOM + 5


def test_labels_far_apart_stay_at_their_lines() -> None:
    found = labels(panel("m", scores({0: [None, None], 4: [1, 1]})))
    assert found == {"L0": BOTTOM + 4, "L4": TOP + 4}


def test_one_turn_is_one_point_in_the_middle() -> None:
    svg = panel("m", scores({0: [1, None]}, turns=1))
    assert svg.count('class="dot"') == 1
    assert "nan" not in svg.lower()


def test_the_axis_ends_where_the_best_line_fits() -> None:
    assert highest(scores({0: [None] * 10})) == 0.25
    assert highest(scores({0: [1] + [None] * 2})) == 0.5
    assert highest(scores({0: [1], 1: [None]})) == 1.0


def test_a_whisker_spans_the_interval() -> None:
    [row] = scores({2: [1, None]})
    root = ElementTree.fromstring(whisker(row))
    span = next(one for one in root if one.attrib.get("class") == "span")
    assert float(span.attrib["x1"]) == round(100 * row.interval.low, 1)
    assert float(span.attrib["x2"]) == round(100 * row.interval.high, 1)
    assert "l2" in root.attrib["class"]
