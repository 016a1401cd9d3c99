"""Regression along an order: what it may and must find in data of a known linear model."""

import numpy as np
import pytest

REGRESS = "CausalDisco.baselines:sort_regress"
WEIGHTS = np.array(
    [[0, 1.5, 0, -0.8], [0, 0, 2.0, 0], [0, 0, 0, 0.7], [0, 0, 0, 0]]
)  # row: cause, column: effect


def sample(weights, n, seed=0):
    noise = np.random.default_rng(seed).normal(size=(n, len(weights)))
    return noise @ np.linalg.inv(np.eye(len(weights)) - weights)


def test_finds_the_model_in_its_causal_order(submission):
    # Errors of the coefficients are about 1/sqrt(n) = 0.01 here.
    found = submission(REGRESS, sample(WEIGHTS, 10_000), np.arange(4.0))
    assert found == pytest.approx(WEIGHTS, abs=0.05)
    assert np.array_equal(found != 0, WEIGHTS != 0)


def test_the_order_is_that_of_the_scores(submission):
    data, shuffle = sample(WEIGHTS, 10_000), [2, 0, 3, 1]
    found = submission(REGRESS, data[:, shuffle], np.array([0.1, 0.2, 7.0, 9.0])[shuffle])
    assert found == pytest.approx(WEIGHTS[np.ix_(shuffle, shuffle)], abs=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_no_variable_depends_on_later_ones(submission, seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=5)
    found = submission(REGRESS, rng.normal(size=(60, 5)) @ rng.normal(size=(5, 5)), scores)
    rank = np.argsort(np.argsort(scores))
    assert not found[rank[:, None] >= rank[None, :]].any()
    assert found.any()


def test_two_variables_of_a_noiseless_line(submission):
    x = np.linspace(-1, 1, 41)
    found = submission(REGRESS, np.column_stack([x, 4 - 3 * x]), np.array([1.0, 2.0]))
    assert found == pytest.approx(np.array([[0, -3], [0, 0]]), abs=1e-6)
    back = submission(REGRESS, np.column_stack([x, 4 - 3 * x]), np.array([2.0, 1.0]))
    assert back == pytest.approx(np.array([[0, 0], [-1 / 3, 0]]), abs=1e-6)


def test_units_of_the_effect_scale_its_coefficients(submission):
    data = sample(WEIGHTS, 500)
    plain = submission(REGRESS, data, np.arange(4.0))
    scaled = submission(REGRESS, data * [1, 1, 1, 10.0], np.arange(4.0))
    assert scaled[:, 3] == pytest.approx(10 * plain[:, 3], rel=1e-6)
    assert scaled[:, :3] == pytest.approx(plain[:, :3], rel=1e-6)


def test_the_weights_make_small_coefficients_smaller(submission):
    # The penalty on a coefficient grows as its least-squares value shrinks: noise predictors
    # beside a strong one are dropped, and the strong one is hardly shrunk.
    rng = np.random.default_rng(5)
    data = rng.normal(size=(200, 7))
    data[:, 6] += 3 * data[:, 2]
    found = submission(REGRESS, data, np.arange(7.0))[:, 6]
    assert np.flatnonzero(found).tolist() == [2]
    plain = np.linalg.lstsq(np.column_stack([np.ones(200), data[:, :6]]), data[:, 6], rcond=None)[0]
    assert found[2] == pytest.approx(plain[3], abs=0.05)
