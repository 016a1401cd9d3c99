"""The real root of y^3 + p y + q = 0 for a positive discriminant, by a binomial series.

Cardano's sum of two cube roots, expanded in s = q / (2 sqrt(delta)) or in its inverse, keeps the
odd or the even binomial coefficients of 1/3.
"""

import math

import numpy as np
import pytest
from scipy.special import binom

SOLVE = "fmcubic.core:solve_cubic"
# p > 0 gives ratios q^2 / (4 delta) below one; p < 0, with delta still positive, ratios above.
# None is within 0.05 of one, where the solver takes another way.
SMALL = [(1.0, 0.4), (3.0, -2.0), (0.5, -0.1), (2.0, 1.5)]
LARGE = [(-1.0, 1.0), (-1.0, -1.2), (-3.0, 2.3), (-2.0, 3.0)]


def ratio(p, q):
    return q * q / 4 / (q * q / 4 + p**3 / 27)


def cardano(p, q):
    root = math.sqrt(q * q / 4 + p**3 / 27)
    return float(np.cbrt(-q / 2 + root) + np.cbrt(-q / 2 - root))


def partial_sums(p, q, terms):
    """The root after 1, 2, ... terms, straight from the two expansions."""
    root, k = math.sqrt(q * q / 4 + p**3 / 27), np.arange(terms)
    if ratio(p, q) < 1:
        scaled = binom(1 / 3, 2 * k + 1) * (q / 2 / root) ** (2 * k + 1)
        return -2 * np.cbrt(root) * np.cumsum(scaled)
    scaled = binom(1 / 3, 2 * k) * (2 * root / q) ** (2 * k)
    return -2 * np.cbrt(q / 2) * np.cumsum(scaled)


@pytest.mark.parametrize(("p", "q"), SMALL + LARGE)
def test_equals_cardano(submission, p, q):
    answer = submission(SOLVE, 1.0, 0.0, p, q)
    assert answer.roots[0].re == pytest.approx(cardano(p, q), rel=1e-10)
    assert answer.roots[0].im == 0


def test_the_series_is_chosen_by_the_ratio(submission):
    for p, q in SMALL:
        assert submission(SOLVE, 1.0, 0.0, p, q).branch == "series-A-Eq17"
    for p, q in LARGE:
        assert submission(SOLVE, 1.0, 0.0, p, q).branch == "series-B-Eq30"


@pytest.mark.parametrize(("p", "q"), SMALL + LARGE)
def test_the_trace_holds_the_partial_sums(submission, p, q):
    answer = submission(SOLVE, 1.0, 0.0, p, q)
    trace = answer.convergence_trace
    assert len(trace) == answer.iterations
    assert trace == pytest.approx(partial_sums(p, q, len(trace)), rel=1e-12)
    assert trace[-1] == pytest.approx(answer.roots[0].re, rel=1e-14)


@pytest.mark.parametrize(("p", "q"), SMALL + LARGE)
@pytest.mark.parametrize("tol", [1e-4, 1e-12])
def test_stops_at_the_first_small_term_after_the_third(submission, p, q, tol):
    z, k = ratio(p, q), np.arange(200)
    coefficients = binom(1 / 3, 2 * k + 1) * z**k if z < 1 else binom(1 / 3, 2 * k) / z**k
    small = np.flatnonzero((np.abs(coefficients) < tol) & (k > 2))
    assert submission(SOLVE, 1.0, 0.0, p, q, tol).iterations == small[0] + 1


def test_sums_at_least_four_terms(submission):
    for p, q in (SMALL[0], LARGE[0]):  # every term is below ten
        assert submission(SOLVE, 1.0, 0.0, p, q, 10.0).iterations == 4


def test_takes_no_more_terms_than_allowed(submission):
    for p, q in (SMALL[0], LARGE[0]):
        short = submission(SOLVE, 1.0, 0.0, p, q, 1e-12, 2)
        assert short.iterations == 2
        assert short.convergence_trace == pytest.approx(partial_sums(p, q, 2), rel=1e-12)


def test_a_vanishing_constant_has_the_root_zero(submission):
    answer = submission(SOLVE, 1.0, 0.0, 1.0, 0.0)
    assert answer.branch == "series-A-Eq17"
    roots = [complex(answer.roots[i].re, answer.roots[i].im) for i in range(3)]
    assert roots == pytest.approx([0, 1j, -1j], abs=1e-12)


@pytest.mark.parametrize("coefficients", [(2.0, -3.0, 5.0, 1.0), (1.0, 6.0, 9.0, 4.3)])
def test_general_cubics_are_shifted_back(submission, coefficients):
    answer = submission(SOLVE, *coefficients)
    assert answer.branch.startswith("series")
    roots = [complex(answer.roots[i].re, answer.roots[i].im) for i in range(3)]
    assert np.polyval(coefficients, roots) == pytest.approx(np.zeros(3), abs=1e-9)
    assert answer.convergence_trace[-1] == pytest.approx(roots[0].real, rel=1e-12)
    # x -> -x turns the cubic into one with the opposite root.
    a, b, c, d = coefficients
    assert submission(SOLVE, a, -b, c, -d).roots[0].re == pytest.approx(-roots[0].real, rel=1e-10)
