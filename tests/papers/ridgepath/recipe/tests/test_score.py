"""Generalised cross-validation from the hat matrix itself."""

import numpy as np


def data(rows=15, columns=3):
    rng = np.random.default_rng(8)
    return rng.normal(size=(rows, columns)), rng.normal(size=rows)


def by_hat_matrix(design, response, penalty):
    x = design - design.mean(axis=0)
    hat = x @ np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T)
    hat += np.ones((len(x), len(x))) / len(x)
    residual = response - hat @ response
    return np.mean(residual**2) / (1 - np.trace(hat) / len(x)) ** 2


def test_equals_the_score_of_the_hat_matrix(submission):
    design, response = data()
    path = submission("ridgepath.path:RidgePath", design, response)
    for penalty in (0.2, 1.0, 7.0):
        value = path.score(penalty)
        np.testing.assert_allclose(value, by_hat_matrix(design, response, penalty), rtol=1e-10)


def test_scales_with_the_square_of_the_response(submission):
    design, response = data()
    one = submission("ridgepath.path:RidgePath", design, response).score(2.0)
    three = submission("ridgepath.path:RidgePath", design, 3 * response).score(2.0)
    np.testing.assert_allclose(three, 9 * one, rtol=1e-10)


def test_a_shift_of_the_response_changes_nothing(submission):
    design, response = data()
    one = submission("ridgepath.path:RidgePath", design, response).score(2.0)
    two = submission("ridgepath.path:RidgePath", design, response + 100).score(2.0)
    np.testing.assert_allclose(two, one, rtol=1e-8)
