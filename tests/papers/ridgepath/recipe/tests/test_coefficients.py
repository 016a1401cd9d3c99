"""The ridge fit solves (X'X + penalty I) b = X'y for the centred data."""

import numpy as np
import pytest


def data(rows=17, columns=4):
    rng = np.random.default_rng(5)
    return rng.normal(size=(rows, columns)), rng.normal(size=rows)


def normal_equations(design, response, penalty):
    x = design - design.mean(axis=0)
    y = response - response.mean()
    return np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ y)


@pytest.mark.parametrize("penalty", [0.0, 0.3, 12.5])
def test_solves_the_penalised_normal_equations(submission, penalty):
    design, response = data()
    path = submission("ridgepath.path:RidgePath", design, response)
    expected = normal_equations(design, response, penalty)
    np.testing.assert_allclose(path.coefficients(penalty), expected, atol=1e-10)


def test_a_huge_penalty_leaves_nothing(submission):
    path = submission("ridgepath.path:RidgePath", *data())
    assert np.abs(path.coefficients(1e12)).max() < 1e-9


def test_a_negative_penalty_is_refused(submission):
    path = submission("ridgepath.path:RidgePath", *data())
    with pytest.raises(ValueError):
        path.coefficients(-1.0)
