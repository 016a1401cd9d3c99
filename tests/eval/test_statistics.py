import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recodeh.eval.statistics import (
    Interval,
    cluster_bootstrap,
    mcnemar,
    minimum_detectable_effect,
    pass_at_k,
    wilson,
)

Z = 1.959963984540054


def test_wilson_of_no_success_has_its_closed_form() -> None:
    interval = wilson(0, 10)
    assert interval.low == 0
    assert interval.high == pytest.approx(Z**2 / (10 + Z**2))


def test_wilson_of_one_half_is_symmetric() -> None:
    interval = wilson(5, 10)
    half = Z * math.sqrt(0.25 / 10 + Z**2 / 400) / (1 + Z**2 / 10)
    assert interval.low == pytest.approx(0.5 - half)
    assert interval.high == pytest.approx(0.5 + half)


def test_wilson_of_a_published_recall() -> None:
    interval = wilson(73, 102)  # 71.6 % of RECODE-H's 102 tasks
    assert (round(interval.low, 3), round(interval.high, 3)) == (0.622, 0.794)


def test_wilson_of_nothing_knows_nothing() -> None:
    assert wilson(0, 0) == Interval(0, 1)


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_holds_the_share_and_stays_a_share(total: int, share: float) -> None:
    interval = wilson(share * total, total)
    assert 0 <= interval.low <= share + 1e-12
    assert share - 1e-12 <= interval.high <= 1


def test_bootstrap_of_two_opposite_papers_spans_both() -> None:
    # Two papers are drawn twice: means 0, 1/2 and 1 with chances 1/4, 1/2 and 1/4.
    assert cluster_bootstrap([0, 0, 1, 1], ["a", "a", "b", "b"]) == Interval(0, 1)


def test_bootstrap_of_equal_papers_has_no_width() -> None:
    assert cluster_bootstrap([0, 1] * 6, list("aabbccddeeff")) == Interval(0.5, 0.5)


def test_bootstrap_over_independent_tasks_is_close_to_normal() -> None:
    values = [0.0, 1.0] * 200
    interval = cluster_bootstrap(values, [str(n) for n in range(400)])
    assert interval is not None
    half = Z * math.sqrt(0.25 / 400)
    assert interval.low == pytest.approx(0.5 - half, abs=0.004)
    assert interval.high == pytest.approx(0.5 + half, abs=0.004)


def test_bootstrap_weighs_a_paper_by_its_tasks() -> None:
    # Paper a has three of four tasks, so its mean pulls a mixed draw to 3/4.
    interval = cluster_bootstrap([1, 1, 1, 0], ["a", "a", "a", "b"], confidence=0.1)
    assert interval == Interval(0.75, 0.75)


def test_bootstrap_of_one_paper_says_nothing() -> None:
    assert cluster_bootstrap([0, 1, 1], ["a", "a", "a"]) is None


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 1)), min_size=2))
def test_bootstrap_does_not_depend_on_order(rows: list[tuple[str, float]]) -> None:
    turned = rows[::-1]
    intervals = [
        cluster_bootstrap([v for _, v in some], [c for c, _ in some], seed=3, resamples=50)
        for some in (rows, turned)
    ]
    assert intervals[0] == intervals[1]


def test_mcnemar_by_hand() -> None:
    assert mcnemar(1, 7) == mcnemar(7, 1) == 18 / 256  # 2 * (1 + 8) / 2**8
    assert mcnemar(0, 6) == 2 / 64
    assert mcnemar(5, 5) == 1
    assert mcnemar(0, 0) == 1
    assert 0 < mcnemar(900, 1000) < 0.03  # more tasks than a float has exponents


def test_detectable_effect_satisfies_the_sample_size_formula() -> None:
    effect = minimum_detectable_effect(100, 0.2)
    assert effect == pytest.approx(0.12382, abs=1e-4)
    assert effect is not None
    beta = NormalDist().inv_cdf(0.8)
    needed = ((Z * math.sqrt(0.2) + beta * math.sqrt(0.2 - effect**2)) / effect) ** 2
    assert needed == pytest.approx(100)


def test_too_few_tasks_detect_nothing() -> None:
    assert minimum_detectable_effect(10, 0.2) is None
    assert minimum_detectable_effect(10, 0.0) is None
    assert minimum_detectable_effect(0, 0.5) is None


def test_pass_at_k_by_hand() -> None:
    assert pass_at_k(5, 2, 1) == pytest.approx(2 / 5)
    assert pass_at_k(5, 2, 2) == pytest.approx(0.7)  # 1 - C(3, 2) / C(5, 2)
    assert pass_at_k(5, 2, 4) == 1
    with pytest.raises(ValueError, match="pass@6"):
        pass_at_k(5, 2, 6)
