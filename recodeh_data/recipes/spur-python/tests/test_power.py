"""Power of the ratio y' om0^-1 y / y' om1^-1 y, from draws y = chol(om) e under each hypothesis."""

import numpy as np
import pytest

POWER = "spur.utils.inference:get_pow_qf"


def by_draws(om0, om1, e):
    def ratio(omega):
        y = np.linalg.cholesky(omega) @ e
        return [(v @ np.linalg.solve(om0, v)) / (v @ np.linalg.solve(om1, v)) for v in y.T]

    ordered, count = np.sort(ratio(om0)), e.shape[1]
    place = 0.95 * (count - 1)
    low = int(place)
    critical = ordered[low] + (place - low) * (ordered[min(low + 1, count - 1)] - ordered[low])
    return np.mean(np.array(ratio(om1)) > critical)


def covariance(seed, q):
    root = np.random.default_rng(seed).normal(size=(q, q))
    return root @ root.T + 0.3 * np.eye(q)


def draws(seed, q, count=400):
    return np.random.default_rng(seed).normal(size=(q, count))


@pytest.mark.parametrize("q", [2, 4, 7])
@pytest.mark.parametrize("seed", [1, 2])
def test_equals_the_ratio_draw_by_draw(submission, q, seed):
    om0, om1 = covariance(seed, q), covariance(seed + 50, q)
    e = draws(seed, q)
    # One draw of 400 may sit on the critical value.
    assert submission(POWER, om0, om1, e) == pytest.approx(by_draws(om0, om1, e), abs=1 / 400)


def test_hypotheses_are_not_exchangeable(submission):
    om0, om1, e = np.eye(3), np.diag([9.0, 1.0, 1.0]), draws(3, 3, 2000)
    there, back = submission(POWER, om0, om1, e), submission(POWER, om1, om0, e)
    assert there == pytest.approx(by_draws(om0, om1, e), abs=1e-3)
    assert back == pytest.approx(by_draws(om1, om0, e), abs=1e-3)
    assert abs(there - back) > 0.02


def test_close_alternatives_have_hardly_more_power_than_size(submission):
    om0 = np.eye(4)
    om1 = om0 + 1e-3 * np.diag([1.0, 0.0, 0.0, 0.0])
    assert submission(POWER, om0, om1, draws(4, 4, 4000)) == pytest.approx(0.05, abs=0.01)


def test_far_alternatives_are_always_found(submission):
    om1 = np.diag([1e8, 1.0, 1.0, 1.0])
    assert submission(POWER, np.eye(4), om1, draws(5, 4)) > 0.98


def test_power_grows_with_the_distance(submission):
    e = draws(6, 3, 1000)
    powers = [submission(POWER, np.eye(3), np.diag([1 + s, 1.0, 1.0]), e) for s in (0.5, 2, 8, 32)]
    assert min(np.diff(powers)) > 0


def test_the_scale_of_either_covariance_and_of_the_draws_is_idle(submission):
    om0, om1, e = covariance(7, 3), covariance(8, 3), draws(7, 3)
    plain = submission(POWER, om0, om1, e)
    for other in ((5 * om0, om1, e), (om0, 0.01 * om1, e), (om0, om1, 3 * e)):
        assert submission(POWER, *other) == pytest.approx(plain, abs=1 / 400)


def test_a_diagonal_pair_by_hand(submission):
    # One draw decides the critical value, the other one is compared with it.
    om0, om1 = np.eye(2), np.diag([4.0, 1.0])
    e = np.array([[1.0, 0.0], [0.0, 1.0]])
    # Null: 1 / (1/4) = 4 and 1; the 95 percent quantile is 1 + 0.95 * 3. Alternative: 4 and 1.
    assert submission(POWER, om0, om1, e) == 0.5
    # Swapped: null 1/4 and 1, quantile below 1; alternative again 1/4 and 1.
    assert submission(POWER, om1, om0, e) == 0.5
