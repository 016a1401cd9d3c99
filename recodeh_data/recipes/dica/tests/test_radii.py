"""Radii r_j w_j with w_j proportional to (1 - beta) + beta z_j / max(z), averaging to one."""

import numpy as np
import pytest

RESHAPE = "conformal_ops.dica.radii:redistribute_radii"
CLOSE = {"rel": 1e-7}  # the guards of the denominators change results by far less


def test_two_items_by_hand(submission):
    # beta = 1/2 and allocations 4 : 1 give 1 and 0.625, with mean 0.8125.
    answer = submission(RESHAPE, np.array([2.0, 2.0]), np.array([4.0, 1.0]))
    assert answer == pytest.approx([2 / 0.8125, 1.25 / 0.8125], **CLOSE)


@pytest.mark.parametrize("beta", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_equals_the_formula(submission, beta):
    rng = np.random.default_rng(1)
    r, z = rng.uniform(0.1, 3, 9), rng.uniform(0, 5, 9)
    w = np.array([(1 - beta) + beta * part / z.max() for part in z])
    expected = r * w * 9 / w.sum()
    assert submission(RESHAPE, r, z, beta) == pytest.approx(expected, **CLOSE)


def test_no_strength_and_even_allocations_change_nothing(submission):
    r = np.array([0.5, 1.5, 0.2])
    assert submission(RESHAPE, r, np.array([3.0, 0.0, 1.0]), 0.0) == pytest.approx(r, **CLOSE)
    assert submission(RESHAPE, r, np.array([7.0, 7.0, 7.0]), 0.8) == pytest.approx(r, **CLOSE)


def test_equal_radii_keep_their_sum_and_follow_the_allocation(submission):
    z = np.array([0.1, 0.9, 0.4, 0.6])
    answer = submission(RESHAPE, np.full(4, 1.7), z, 0.6)
    assert answer.sum() == pytest.approx(4 * 1.7, **CLOSE)
    assert np.array_equal(np.argsort(answer), np.argsort(z))


def test_full_strength_is_proportional_to_the_allocation(submission):
    z = np.array([0.0, 1.0, 3.0])
    answer = submission(RESHAPE, np.ones(3), z, 1.0)
    assert answer == pytest.approx(z * 3 / 4, rel=1e-7, abs=1e-12)


def test_the_scale_of_the_allocation_is_idle(submission):
    r, z = np.array([1.0, 2.0, 0.5]), np.array([0.2, 1.0, 0.7])
    small, large = submission(RESHAPE, r, z), submission(RESHAPE, r, 1e4 * z)
    assert small == pytest.approx(large, **CLOSE)


def test_an_allocation_of_zeros_leaves_the_radii(submission):
    r = np.array([1.0, 2.0])
    assert submission(RESHAPE, r, np.zeros(2), 0.5) == pytest.approx(r, **CLOSE)
    assert np.isfinite(submission(RESHAPE, r, np.zeros(2), 1.0)).all()


def test_radii_are_never_negative(submission):
    answer = submission(RESHAPE, np.array([-1.0, 2.0]), np.array([1.0, 1.0]))
    assert answer == pytest.approx([0.0, 2.0], **CLOSE)
