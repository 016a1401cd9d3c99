"""Two regions before, how alike they are after."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.eval.conftest import MadeDataset, Scripted

from recodeh.eval.campaign import Parts, run
from recodeh.eval.likeness import likeness_of_run
from recodeh.eval.settings import Settings
from recodeh.eval.similarity import Similarity, code_tokens, similarity

REFERENCE = "    total = sum(values)  # of all\n    return total / len(values)\n"


def test_comments_layout_and_indentation_do_not_count() -> None:
    other = "total = sum(\n    values)\n# the mean\nreturn total / len(values)\n"
    assert similarity(other, REFERENCE) == Similarity(1.0, 1.0)
    assert similarity("x <- 1 # one", "x <- 1", "r") == Similarity(1.0, None)


def test_bleu_of_one_changed_token_by_hand() -> None:
    # a b c d e against a b c d f: 4/5, 3/4, 2/3 and 1/2 of the n-grams are shared
    found = similarity("a + b - c", "a + b - d", "r")
    assert found.tokens == pytest.approx((4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25, abs=1e-6)


def test_syntax_is_the_share_of_the_references_subtrees() -> None:
    same = similarity("total = sum(x)\nreturn total / len(x)\n", REFERENCE)
    assert same.syntax == 1.0
    half = similarity("total = sum(values)\n", REFERENCE)
    assert half.syntax is not None
    assert 0 < half.syntax < 1


@pytest.mark.parametrize("code", [None, "", "    # nothing\n"])
def test_no_code_is_like_nothing(code: str | None) -> None:
    assert similarity(code, REFERENCE) == Similarity(0.0, 0.0)


@pytest.mark.parametrize(
    "code", ["x = (", "  a\n b\n", "\0", "(" * 5000, "return '\\d'", "'''", "\ud800"]
)
def test_what_does_not_parse_is_compared_all_the_same(code: str) -> None:
    assert 0 <= similarity(code, REFERENCE).mean < 1


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_a_share_and_whole_of_itself(first: str, second: str) -> None:
    assert 0 <= similarity(first, second).mean <= 1
    assert math.isclose(similarity(first, first).mean, 1.0)


def test_tokens_hold_no_blanks() -> None:
    assert code_tokens('x = """a\n b"""') == ["x", "=", '"""a␣b"""']


def test_a_run_has_a_row_per_model_and_level(
    dataset: MadeDataset, parts: Callable[..., Parts], tmp_path: Path
) -> None:
    right, nothing = Scripted(f"```python\n{REFERENCE}```"), Scripted("no", name="test/mute")
    settings = Settings(
        models=("test/mute", "test/scripted"), levels=(0, 1), turns=2, tasks=("*mean",)
    )
    run(dataset, settings, tmp_path, parts(right, nothing))
    rows = likeness_of_run(tmp_path, dataset)
    assert [(row.model, row.level, row.episodes, row.similarity) for row in rows] == [
        ("test/mute", 0, 1, 0.0),
        ("test/mute", 1, 1, 0.0),
        ("test/scripted", 0, 1, 1.0),
        ("test/scripted", 1, 1, 1.0),
    ]
