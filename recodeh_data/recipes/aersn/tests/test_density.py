"""The density of Z / R for a standard normal Z and the range R of an independent Brownian bridge.

Its value at x is E[R phi(x R)]; Kuiper: P(R > r) = 2 sum_k (4 k^2 r^2 - 1) exp(-2 k^2 r^2).
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import binom, kv, zeta

DENSITY = "aersn.scalar:scalar_density"
CDF = "aersn.scalar:scalar_cdf"


def zeta_series(x):
    """Minus half the derivative of 1 - x + 2 x^3 sum_k (x^2 + 4 k^2)^(-3/2), in powers of x < 2."""
    j = np.arange(400 if x > 1 else 60)
    terms = binom(-1.5, j) * (3 + 2 * j) * x ** (2 + 2.0 * j)
    return 0.5 - np.sum(terms * zeta(3 + 2 * j) / 2.0 ** (3 + 2 * j))


def by_kuiper(x):
    """Integrate r phi(x r) against the density of R, the derivative of Kuiper's series."""
    k = np.arange(1, 60)

    def law(r):
        kr = 2 * (k * r) ** 2
        return np.sum(8 * k**2 * r * (2 * kr - 3) * np.exp(-kr))

    def integrand(r):
        return r * math.exp(-((x * r) ** 2) / 2) / math.sqrt(2 * math.pi) * law(r)

    return quad(integrand, 0.15, 6, epsabs=1e-12, limit=300)[0]


@pytest.mark.parametrize("x", [0.0, 1e-4, 0.01, 0.0499, 0.05, 0.0501, 0.2, 0.7, 1.4])
def test_equals_its_expansion_in_zeta_values(submission, x):
    # 1e-10 is what the summary asks for; a good truncation of either series is ten times closer.
    assert submission(DENSITY, x) == pytest.approx(zeta_series(x), rel=0, abs=1e-10)


@pytest.mark.parametrize("x", [0.5, 1.0, 2.5, 4.0])
def test_equals_the_mean_over_kuipers_law(submission, x):
    assert submission(DENSITY, x) == pytest.approx(by_kuiper(x), rel=0, abs=1e-9)


def test_is_one_half_at_zero_and_symmetric(submission):
    assert submission(DENSITY, 0.0) == pytest.approx(0.5, abs=1e-12)
    x = np.array([0.01, 0.3, 2.0])
    assert np.array_equal(submission(DENSITY, x), submission(DENSITY, -x))


def test_integrates_to_one_over_the_line(submission):
    nodes, weights = np.polynomial.legendre.leggauss(60)
    total = 0.0
    for low, high in ((0, 0.05), (0.05, 2), (2, 12)):  # split where the series change
        x = (high + low) / 2 + (high - low) / 2 * nodes
        total += (high - low) / 2 * weights @ submission(DENSITY, x)
    assert 2 * total == pytest.approx(1, abs=1e-9)


def test_is_half_the_slope_of_the_distribution_of_the_absolute_ratio(submission):
    h = 1e-4  # central difference: error about h^2
    for x in (0.03, 0.4, 1.3):
        slope = (submission(CDF, x + h) - submission(CDF, x - h)) / (2 * h)
        assert submission(DENSITY, x) == pytest.approx(slope / 2, abs=1e-7)


def test_far_tail_follows_its_leading_bessel_terms(submission):
    x = 9.0
    leading = math.pi**2 * x**2 * kv(0, math.pi * x) - math.pi * x * kv(1, math.pi * x)
    assert submission(DENSITY, x) == pytest.approx(leading, rel=1e-9)
    assert submission(DENSITY, 251.0) == 0
    assert submission(DENSITY, -1e6) == 0


def test_keeps_shape_and_type(submission):
    grid = np.array([[0.0, 0.5, -0.02], [3.0, -0.5, 0.049]])
    values = submission(DENSITY, grid)
    assert values.shape == (2, 3)
    assert isinstance(submission(DENSITY, 0.7), float)
    for x, value in zip(grid.flat, values.flat, strict=True):
        assert submission(DENSITY, float(x)) == value


@pytest.mark.parametrize("bad", [math.nan, math.inf, [], ["a"]])
def test_input_that_is_no_real_number_is_refused(submission, bad):
    assert submission(DENSITY, [0.1, 0.2]).shape == (2,)
    with pytest.raises(ValueError):
        submission(DENSITY, bad)
