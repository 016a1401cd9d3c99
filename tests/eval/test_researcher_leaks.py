"""Nothing that levels 1 to 3 say shows a line of the reference."""

import pytest

from recodeh.data.records import Feedback, FeedbackItem
from recodeh.eval.researcher.leaks import WITHHELD, checked, leaks, tokens, withheld

REFERENCE = """\
    total = path[-1].copy()
    # scaled by the root of the sample size
    centred = (path - nodes[:, None] * total) / np.sqrt(n)
    if not np.all(np.isfinite(centred)):
        raise ValueError('too large')
    best = merge(
        first=centred, second=total, third=nodes, fourth=path,
    )
    n += 1
    return centred
"""


@pytest.mark.parametrize(
    "text",
    [
        "Write total = path[-1].copy() there.",
        "Write `total=path[ -1 ].copy( )` there.",
        "It must be\n\n    centred = (path - nodes[:, None]\n        * total) / np.sqrt(n)\n",
        "Test if not np.all(np.isfinite(centred)): and then raise.",
        'Say raise ValueError("too large") then.',
        "Scale (path - nodes[:, None] * total) / np.sqrt(n) once.",
        "Count with n += 1.",
        "merge(first=centred, second=total, third=nodes, fourth=path,)",
    ],
)
def test_a_line_of_the_reference_is_found_however_it_is_written(text: str) -> None:
    assert leaks(text, REFERENCE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Use `total` instead of `path` there.",
        "Add there a statement that returns `centred`.",
        "You must return centred.",
        "The path minus nodes times total, over the root of n.",
        "Use path - nodes[:, None] there.",
        "# scaled by the root of the sample size",
    ],
)
def test_words_and_short_pieces_are_no_leak(text: str) -> None:
    assert not leaks(text, REFERENCE)


def test_a_reference_that_does_not_parse_still_keeps_its_lines() -> None:
    assert leaks("so write x = f(y here", "if (:\n    x = f(y\n")
    assert not leaks("so write x = f there", "if (:\n    x = f(y\n")


def test_a_field_that_leaks_is_withheld_and_counted() -> None:
    item = FeedbackItem(
        interface="f",
        category="T2",
        description="The test says total = path[-1].copy() is wrong.",
        analysis="A sign is wrong.",
        guidance="Write centred = (path - nodes[:, None] * total) / np.sqrt(n).",
        correction="centred = (path - nodes[:, None] * total) / np.sqrt(n)",
    )
    said = Feedback(researcher="anyone", passed=0, total=1, items=(item,))
    safe = checked(said, REFERENCE)
    assert safe.items[0].description == safe.items[0].guidance == WITHHELD
    assert safe.items[0].analysis == item.analysis
    assert safe.items[0].correction == item.correction
    assert (withheld(said), withheld(safe)) == (0, 2)


def test_a_line_in_the_answers_own_names_is_withheld_too() -> None:
    item = FeedbackItem(
        interface="f",
        category="T2",
        description="",
        analysis="",
        guidance="Write t = p[-1].copy() there.",
        correction="t = p[-1].copy()",
    )
    said = Feedback(researcher="anyone", passed=0, total=1, items=(item,))
    assert withheld(checked(said, REFERENCE)) == 1


def test_tokens_do_not_depend_on_spaces_quotes_comments_or_backticks() -> None:
    assert tokens("x = f( 'a b' ) \n # words\n") == tokens('`x=f("a b")`')
