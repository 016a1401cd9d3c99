"""What a user sees of a failed run, in words, without the expected values."""

import numpy as np
import pytest

from recodeh.data.records import Outcome, Report, TestOutcome, Verdict
from recodeh.eval.researcher.symptoms import symptoms


def outcome(
    number: int, exception: str = "AssertionError", message: str = "", *calls: str
) -> TestOutcome:
    return TestOutcome(
        test_id=f"test_{number}",
        outcome=Outcome.FAILED if exception else Outcome.PASSED,
        interfaces=calls or ("paper.path:centre",),
        exception=exception,
        message=message,
    )


def report(*tests: TestOutcome, reason: str = "1 test failed") -> Report:
    return Report(verdict=Verdict.FAILED, reason=reason, tests=tests)


def mismatch(actual: object, desired: object) -> str:
    """What numpy itself says of two arrays that differ."""
    try:
        np.testing.assert_allclose(np.asarray(actual), np.asarray(desired))
    except AssertionError as error:
        return str(error)
    raise ValueError("they do not differ")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (mismatch([1.0, 2.5, 3.0], [1.0, 2.0, 3.0]), "1 of 3 values differ"),
        (mismatch([1.0, 2.5, 3.0], [1.0, 2.0, 3.0]), "the largest difference is 0.5"),
        (mismatch([1.0, 2.0], [1.0, 2.0, 3.0]), "an array of shape (2,) has the wrong shape"),
        (mismatch([np.nan, 2.0], [1.0, 2.0]), "not-a-number values stand at the wrong places"),
        ("assert 3.0 == 2.0", "a value differs from the expected one"),
        ("assert 3.0 == 2.0 ± 2.0e-06\n  comparison failed", "a value differs from the expected"),
    ],
)
def test_values_that_differ_are_told_without_the_expected_ones(message: str, said: str) -> None:
    text = symptoms(report(outcome(1, "AssertionError", message))).text
    assert said in text
    assert "2.0" not in text


def test_an_exception_is_told_with_its_message() -> None:
    seen = symptoms(report(outcome(1, "ValueError", "too few\nnodes"), outcome(2, "")))
    assert seen.text == (
        '1 of the 2 tests that call it fail: ValueError is raised, saying "too few nodes".'
    )
    assert seen.crashes
    assert seen.exceptions == ("ValueError",)


def test_an_exception_that_is_missing_is_told() -> None:
    seen = symptoms(report(outcome(1, "Failed", "DID NOT RAISE <class 'ValueError'>")))
    assert "ValueError is not raised where it must be" in seen.text
    assert not seen.crashes


def test_the_interface_is_the_one_that_most_failing_tests_called() -> None:
    seen = symptoms(
        report(
            outcome(1, "AssertionError", "", "m:load", "m:centre"),
            outcome(2, "AssertionError", "", "m:centre"),
            outcome(3, "", "", "m:load"),
        )
    )
    assert seen.interface == "m:centre"
    assert seen.text.startswith("2 of the 2 tests that call it fail")


def test_equal_symptoms_are_told_once_and_many_are_cut_short() -> None:
    tests = [outcome(number, f"Error{number // 2}", "no") for number in range(10)]
    text = symptoms(report(*tests)).text
    assert text.count("Error0") == 1
    assert text.endswith("and more.")


def test_tests_without_a_result_are_told_with_the_reason_of_the_run() -> None:
    lost = TestOutcome(test_id="test_1", outcome=Outcome.MISSING)
    text = symptoms(report(lost, reason="the wall time ran out")).text
    assert text == "1 of 1 tests fail: a test has no result (the wall time ran out)."
    assert symptoms(report(reason="the file does not import")).text == "the file does not import."


def test_a_long_message_is_cut() -> None:
    text = symptoms(report(outcome(1, "ValueError", "a " * 500))).text
    assert len(text) < 300
    assert "…" in text
