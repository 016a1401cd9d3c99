"""P(|Z| / R > x) for a standard normal Z and the range R of an independent Brownian bridge.

Kuiper: P(R > r) = 2 sum_k (4 k^2 r^2 - 1) exp(-2 k^2 r^2).
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import binom, kv, zeta

TAIL = "aersn.scalar:_tail"


def zeta_series(x):
    """1 - x + 2 x^3 sum_k (x^2 + 4 k^2)^(-3/2), each term expanded in powers of x; for x < 2."""
    j = np.arange(400 if x > 1 else 60)
    powers = binom(-1.5, j) * x ** (2.0 * j) * zeta(3 + 2 * j) / 2.0 ** (3 + 2 * j)
    return 1 - x + 2 * x**3 * powers.sum()


def by_kuiper(x):
    """Integrate P(R < |z| / x) over the normal law of Z."""
    k = np.arange(1, 60)

    def above(r):  # P(R > r); the series needs r away from 0, where the answer is 1
        kr = 2 * (k * r) ** 2
        return 1.0 if r < 0.2 else 2 * np.sum((2 * kr - 1) * np.exp(-kr))

    def integrand(z):
        return math.exp(-z * z / 2) * (1 - above(z / x))

    return 2 / math.sqrt(2 * math.pi) * quad(integrand, 0, 12, epsabs=1e-12, limit=400)[0]


@pytest.mark.parametrize("x", [1e-6, 1e-3, 0.004, 0.0199, 0.02, 0.0201, 0.05, 0.3, 1.0, 1.5])
def test_equals_its_expansion_in_zeta_values(submission, x):
    # 1e-11: the truncation errors of both series are below 1e-12.
    assert submission(TAIL, x) == pytest.approx(zeta_series(x), rel=0, abs=1e-11)


@pytest.mark.parametrize("x", [0.25, 0.8, 1.6, 3.0, 4.5])
def test_equals_the_integral_over_kuipers_law(submission, x):
    assert submission(TAIL, x) == pytest.approx(by_kuiper(x), rel=0, abs=1e-9)


def test_starts_at_one_with_slope_minus_one(submission):
    # The density of |Z| / R at 0 is 2 phi(0) E[R] = 1, since E[R] = sqrt(pi / 2).
    assert submission(TAIL, 0.0) == 1
    h = 1e-5
    assert (submission(TAIL, h) - 1) / h == pytest.approx(-1, abs=1e-9)


def test_far_tail_follows_its_leading_bessel_term(submission):
    # The next term is smaller by exp(-pi x), that is below 1e-10 from x = 8 on.
    for x in (8.0, 10.0):
        leading = 2 * math.pi * x * x * kv(1, math.pi * x)
        assert submission(TAIL, x) == pytest.approx(leading, rel=1e-9)


def test_vanishes_far_out(submission):
    assert submission(TAIL, 100.0) == pytest.approx(0, abs=1e-100)
    assert submission(TAIL, 251.0) == 0
    assert submission(TAIL, 1e6) == 0


def test_decreases_within_the_unit_interval(submission):
    values = [submission(TAIL, x) for x in np.r_[0, np.geomspace(1e-8, 9, 60)].tolist()]
    assert all(isinstance(value, float) for value in values)
    assert values[0] == 1
    assert min(values) > 0
    assert max(np.diff(values)) < 0


def test_quantiles_invert_it(submission):
    # scalar_quantile solves P(|Z| / R > x) = 1 - p with whatever `_tail` says.
    for p in (0.02, 0.5, 0.95, 0.999):
        x = submission("aersn.scalar:scalar_quantile", p)
        expected = zeta_series(x) if x < 1.5 else by_kuiper(x)
        assert expected == pytest.approx(1 - p, rel=0, abs=1e-9)
