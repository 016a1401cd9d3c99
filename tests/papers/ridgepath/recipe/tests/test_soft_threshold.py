"""Soft thresholding minimises (x - w)²/2 + t|x|."""

import numpy as np
import pytest

WEIGHTS = np.array([[-3.0, -0.5, 0.0], [0.2, 1.0, 4.0]])


def test_by_hand(submission):
    found = submission("ridgepath.shrink:soft_threshold", WEIGHTS, 1.0)
    np.testing.assert_array_equal(found, [[-2.0, 0.0, 0.0], [0.0, 0.0, 3.0]])


def test_minimises_the_penalised_distance(submission):
    grid = np.linspace(-5, 5, 20001)
    for weight in (-2.2, 0.4, 3.1):
        best = grid[np.argmin((grid - weight) ** 2 / 2 + 0.7 * np.abs(grid))]
        found = submission("ridgepath.shrink:soft_threshold", np.array([weight]), 0.7)
        assert abs(found[0] - best) < 1e-3


def test_no_threshold_keeps_the_weights(submission):
    np.testing.assert_array_equal(
        submission("ridgepath.shrink:soft_threshold", WEIGHTS, 0.0), WEIGHTS
    )


def test_a_negative_threshold_is_refused(submission):
    with pytest.raises(ValueError):
        submission("ridgepath.shrink:soft_threshold", WEIGHTS, -0.1)
