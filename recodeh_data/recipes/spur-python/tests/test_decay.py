"""The decay c with mean(exp(-c d)) = rho over the pairs of different places."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

CBAR = "spur.utils.dist:get_cbar"
WITHIN = {"abs": 1.1e-3}  # the summary asks for 1e-3


def matrix(seed, n):
    places = np.random.default_rng(seed).uniform(0, 1, (n, 2))
    return np.linalg.norm(places[:, None, :] - places[None, :, :], axis=2)


def solved(rho, apart):
    pairs = apart[np.triu_indices(len(apart), 1)]
    return brentq(lambda c: np.mean(np.exp(-c * pairs)) - rho, 0, 1e5, xtol=1e-9)


@pytest.mark.parametrize("rho", [0.999, 0.9, 0.5, 0.03, 0.001])
def test_one_distance_has_a_closed_form(submission, rho):
    apart = np.array([[0.0, 0.25], [0.25, 0.0]])
    assert submission(CBAR, rho, apart) == pytest.approx(-math.log(rho) / 0.25, **WITHIN)


@pytest.mark.parametrize("rho", [0.95, 0.6, 0.2, 0.01, 0.004])
@pytest.mark.parametrize("n", [3, 15])
def test_solves_the_equation(submission, rho, n):
    apart = matrix(n, n)
    assert submission(CBAR, rho, apart) == pytest.approx(solved(rho, apart), **WITHIN)


def test_very_slow_and_very_fast_decays_are_reached(submission):
    # Solutions near 0.01 and near 5,000 lie far from any first guess.
    slow, fast = matrix(1, 6) * 0.02, matrix(2, 6) * 1e-3
    for rho, apart in ((0.9999, slow), (0.1, fast)):
        found = submission(CBAR, rho, apart)
        assert found == pytest.approx(solved(rho, apart), **WITHIN)
    assert solved(0.9999, slow) < 0.05
    assert solved(0.1, fast) > 2000


def test_a_place_is_no_pair_with_itself(submission):
    # With the diagonal counted in, an average of 0.4 over three places would be out of reach.
    apart = np.ones((3, 3)) - np.eye(3)
    assert submission(CBAR, 0.2, apart) == pytest.approx(-math.log(0.2), **WITHIN)


def test_longer_distances_need_slower_decay(submission):
    apart = matrix(3, 10)
    near, far = submission(CBAR, 0.3, apart), submission(CBAR, 0.3, 4 * apart)
    assert 4 * far == pytest.approx(near, abs=5e-3)


def test_falls_with_the_wanted_correlation(submission):
    apart = matrix(4, 10)
    found = [submission(CBAR, rho, apart) for rho in (0.05, 0.2, 0.5, 0.8, 0.97)]
    assert max(np.diff(found)) < 0
    assert min(found) > 0


def test_correlations_that_no_decay_gives_are_refused(submission):
    assert submission(CBAR, 0.5, matrix(5, 4)) > 0
    for rho in (1.0, 1.5):
        with pytest.raises(ValueError):
            submission(CBAR, rho, matrix(5, 4))
