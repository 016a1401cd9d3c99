"""Cutting and filling lines: what is not asked for does not change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recodeh.data.errors import MaskError
from recodeh.data.records import Snippet
from recodeh.data.regions import cut, encoded, fill, lines_of, newline_of


def snippet(start: int, end: int, *, encoding: str = "utf-8") -> Snippet:
    return Snippet(
        name="s", start=start, end=end, mask_start=start, mask_end=end, indent="", loc=1,
        encoding=encoding,
    )  # fmt: skip


@given(st.text(st.sampled_from("ab\r\n\f\x0b\u2028\x85 "), max_size=40))
def test_lines_join_to_the_text_and_end_only_where_python_ends_them(text: str) -> None:
    lines = lines_of(text)

    assert "".join(lines) == text
    assert len(lines) == len(text.replace("\r\n", "\n").replace("\r", "\n").splitlines()) or any(
        odd in text for odd in "\f\x0b\u2028\x85"
    )


@given(st.text(st.sampled_from("ab\r\n "), max_size=30), st.data())
def test_filling_in_what_was_cut_changes_nothing(text: str, data: st.DataObject) -> None:
    text += "end"
    count = len(lines_of(text))
    start = data.draw(st.integers(1, count))
    end = data.draw(st.integers(start, count))

    assert fill(text, snippet(start, end), cut(text, start, end)) == text


def test_a_line_ending_is_added_only_between_lines() -> None:
    masked = "a\r\nHOLE\r\nb"

    assert fill(masked, snippet(2, 2), "x") == "a\r\nx\r\nb"
    assert fill(masked, snippet(3, 3), "x") == "a\r\nHOLE\r\nx"


def test_a_byte_order_mark_stays_in_front() -> None:
    assert fill("\ufeffHOLE\nb\n", snippet(1, 1), "x\n") == "\ufeffx\nb\n"
    assert fill("\ufeffHOLE\nb\n", snippet(1, 1), "\ufeffx\n") == "\ufeffx\nb\n"


def test_lines_that_are_not_there_are_an_error() -> None:
    with pytest.raises(MaskError, match="no lines 2 to 3 in a text of 2 lines"):
        fill("a\nb\n", snippet(2, 3), "x")


def test_a_character_that_the_file_cannot_hold_is_an_error_with_its_line() -> None:
    with pytest.raises(MaskError, match="line 2: the file is written in latin-1, which lacks"):
        encoded("a\n\u03b2\n", snippet(1, 1, encoding="latin-1"))

    assert encoded("é\n", snippet(1, 1, encoding="latin-1")) == b"\xe9\n"


def test_the_first_ending_is_the_files() -> None:
    assert [newline_of(text) for text in ("a\r\nb\n", "a\rb", "a\n", "a")] == [
        "\r\n", "\r", "\n", "\n",
    ]  # fmt: skip
