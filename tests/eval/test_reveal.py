"""A level's text begins with the text of the level below, and reads back into its parts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recodeh.data.errors import InputError
from recodeh.data.records import Feedback, FeedbackItem
from recodeh.eval.researcher.reveal import LEVELS, Reading, Remark, read, reveal

FEEDBACK = Feedback(
    researcher="deterministic",
    passed=2,
    total=5,
    items=(
        FeedbackItem(
            interface="paper.path:centre",
            category="T2",
            description="3 of the 4 tests that call it fail: a value differs.",
            analysis="In the `for` loop (line 4 of the answer), a sign is wrong.",
            guidance="There, put a minus sign in front of `x`.",
            correction="total = -x",
        ),
        FeedbackItem(
            interface="paper.path:centre",
            category="T0",
            description="A result is missing.",
            analysis="After the `if` statement (line 9 of the answer), a result is not returned.",
            guidance="Add there a statement that returns `total`.",
            correction="if total:\n    return total\n\nreturn None",
        ),
    ),
)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
items = st.builds(
    FeedbackItem,
    interface=words,
    category=st.just("T2"),
    description=words,
    analysis=words,
    guidance=words,
    correction=words,
)
feedbacks = st.builds(
    Feedback,
    researcher=st.just("anyone"),
    passed=st.integers(0, 99),
    total=st.integers(0, 99),
    items=st.lists(items, max_size=5).map(tuple),
)


def test_level_0_shows_the_counts_alone() -> None:
    assert reveal(FEEDBACK, 0) == "2 of 5 tests pass."


def test_level_4_shows_everything_in_sections() -> None:
    assert reveal(FEEDBACK, 4) == (
        "2 of 5 tests pass.\n"
        "\n"
        "What is wrong:\n"
        "1. `paper.path:centre`: 3 of the 4 tests that call it fail: a value differs.\n"
        "2. `paper.path:centre`: A result is missing.\n"
        "\n"
        "Why:\n"
        "1. In the `for` loop (line 4 of the answer), a sign is wrong.\n"
        "2. After the `if` statement (line 9 of the answer), a result is not returned.\n"
        "\n"
        "How to mend it:\n"
        "1. There, put a minus sign in front of `x`.\n"
        "2. Add there a statement that returns `total`.\n"
        "\n"
        "The code that belongs there:\n"
        "1. total = -x\n"
        "2.\n"
        "    if total:\n"
        "        return total\n"
        "    \n"
        "    return None"
    )


@given(feedbacks)
def test_a_level_begins_with_the_level_below(feedback: Feedback) -> None:
    texts = [reveal(feedback, level) for level in LEVELS]
    for below, above in pairwise(texts):
        assert above.startswith(below)


@given(feedbacks, st.sampled_from(LEVELS))
def test_a_text_reads_back_into_what_its_level_shows(feedback: Feedback, level: int) -> None:
    said = f"No code could be taken from your answer.\n\n{reveal(feedback, level)}"
    fields = ("analysis", "guidance", "correction")[: max(level - 1, 0)]
    remarks = tuple(
        Remark(
            description=f"`{item.interface}`: {item.description}",
            **{field: getattr(item, field) for field in fields},
        )
        for item in feedback.items
        if level
    )
    assert read(said) == Reading(feedback.passed, feedback.total, remarks)


def test_without_items_every_level_shows_the_counts_alone() -> None:
    solved = FEEDBACK.model_copy(update={"items": ()})
    assert {reveal(solved, level) for level in LEVELS} == {"2 of 5 tests pass."}


def test_a_text_that_is_no_feedback_reads_as_nothing() -> None:
    assert read("Write the missing region.") is None


@pytest.mark.parametrize("level", [-1, 5, 7])
def test_another_level_is_refused(level: int) -> None:
    with pytest.raises(InputError, match="levels are 0 to 4"):
        reveal(FEEDBACK, level)
