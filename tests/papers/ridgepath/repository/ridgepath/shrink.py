"""Shrinking weights toward zero."""

import numpy as np


def soft_threshold(weights, threshold):
    """Move each weight toward zero by the threshold; inside it the result is exactly zero.

    weights is an array of any shape, threshold a number that is not negative.
    """
    if threshold < 0:
        raise ValueError("the threshold must not be negative")
    weights = np.asarray(weights, dtype=float)
    size = np.abs(weights) - threshold
    return np.sign(weights) * np.maximum(size, 0.0)
