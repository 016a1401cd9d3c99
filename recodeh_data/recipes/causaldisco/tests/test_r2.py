"""Coefficients of determination, against one least-squares regression per variable."""

import numpy as np
import pytest

R2 = "CausalDisco.analytics:r2coeff"


def by_regressions(data):
    """1 - residual variance / variance, with an intercept; one variable per row of `data`."""
    out = []
    for k, target in enumerate(data):
        others = np.column_stack([np.ones(data.shape[1]), np.delete(data, k, axis=0).T])
        fitted = others @ np.linalg.lstsq(others, target, rcond=None)[0]
        out.append(1 - np.var(target - fitted) / np.var(target))
    return np.array(out)


def sample(seed, d, n):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(d, d)) @ rng.normal(size=(d, n))) + rng.normal(size=(d, 1)) * 5


@pytest.mark.parametrize(("d", "n"), [(2, 30), (4, 50), (7, 200)])
def test_equals_the_regressions(submission, d, n):
    data = sample(d, d, n)
    assert submission(R2, data) == pytest.approx(by_regressions(data), abs=1e-8)


def test_two_variables_share_their_squared_correlation(submission):
    data = sample(1, 2, 40)
    squared = np.corrcoef(data)[0, 1] ** 2
    assert submission(R2, data) == pytest.approx([squared, squared], abs=1e-12)


def test_orthogonal_variables_explain_nothing(submission):
    data = np.array([[1.0, 1, -1, -1], [1, -1, 1, -1]])
    assert submission(R2, data) == pytest.approx([0, 0], abs=1e-12)


def test_units_and_offsets_are_idle(submission):
    data = sample(2, 4, 60)
    moved = data * np.array([[1e3], [-2.0], [0.1], [5.0]]) + np.array([[1.0], [2], [3], [4]])
    assert submission(R2, moved) == pytest.approx(submission(R2, data), abs=1e-9)


def test_values_follow_the_order_of_the_variables(submission):
    data, order = sample(3, 5, 80), [3, 0, 4, 1, 2]
    assert submission(R2, data[order]) == pytest.approx(submission(R2, data)[order], abs=1e-10)


def test_a_singular_correlation_matrix_falls_back_on_regressions(submission):
    # Two exact copies of integers and an unrelated variable: the copies explain each other fully.
    copied = np.array([1.0, -1, 1, -1])
    data = np.array([copied, copied, [1.0, 1, -1, -1]])
    assert submission(R2, data) == pytest.approx([1, 1, 0], abs=1e-12)
    lone = np.array([copied, copied, [3.0, 1, 1, -1]])
    assert submission(R2, lone) == pytest.approx([1, 1, by_regressions(lone)[2]], abs=1e-12)
