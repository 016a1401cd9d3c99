"""The ridge path of a linear model, from one singular value decomposition."""

import numpy as np


class RidgePath:
    """All ridge fits of one design and response.

    design is (n, p), response is (n,). Both are centred here.
    """

    def __init__(self, design, response):
        design = np.asarray(design, dtype=float)
        response = np.asarray(response, dtype=float)
        if design.ndim != 2 or response.shape != (design.shape[0],):
            raise ValueError("design must be (n, p) and response (n,)")
        self.centre = design.mean(axis=0)
        self.level = response.mean()
        self.left, self.singular, self.right = np.linalg.svd(
            design - self.centre, full_matrices=False
        )
        self.rotated = self.left.T @ (response - self.level)
        self.residual = float(np.sum((response - self.level) ** 2) - np.sum(self.rotated**2))
        self.size = len(response)

    def coefficients(self, penalty):
        """Coefficients at one penalty, shape (p,)."""
        if penalty < 0:
            raise ValueError("the penalty must not be negative")
        shrunk = self.singular / (self.singular**2 + penalty)
        return self.right.T @ (shrunk * self.rotated)

    def degrees(self, penalty):
        """Effective degrees of freedom at one penalty, the intercept not counted."""
        squared = self.singular**2
        return float(np.sum(squared / (squared + penalty)))

    def score(self, penalty):
        """Generalised cross-validation score at one penalty; the intercept takes one degree."""
        kept = penalty / (self.singular**2 + penalty)
        lost = self.residual + float(np.sum((kept * self.rotated) ** 2))
        share = 1.0 - (1.0 + self.degrees(penalty)) / self.size
        return lost / self.size / share**2

    def choose(self, penalties):
        """The penalty of the lowest score; the largest one among equals."""
        best = None
        for penalty in sorted(penalties, reverse=True):
            value = self.score(penalty)
            if best is None or value < best[0]:
                best = (value, penalty)
        if best is None:
            raise ValueError("no penalty to choose from")
        return best[1]
