"""The other two roots of a cubic of which one real root is known, from its first coefficients.

The quadratic that is left is A x^2 + (B + A r) x + (C + B r + A r^2); the root of larger size is
safe by the textbook formula, the other one follows from their product.
"""

import numpy as np
import pytest

DEFLATE = "fmcubic.core:_deflate_stable"


def deflate(submission, a, b, c, root):
    roots = submission(DEFLATE, a, b, c, root)
    return [complex(roots[i].re, roots[i].im) for i in range(len(roots))]


def cubic(a, roots):
    """The first three coefficients of a (x - r1) (x - r2) (x - r3)."""
    return [float(value) for value in a * np.poly(roots).real[:3]]


@pytest.mark.parametrize("a", [1.0, 2.5, -3.0])
@pytest.mark.parametrize(
    "roots", [(1, 2, 3), (-4, 5, 0.5), (2, -7, -1), (0, 3, -2), (-10, 1, 2), (4, -3, 2.5)]
)
def test_real_roots(submission, a, roots):
    found = deflate(submission, *cubic(a, roots), float(roots[0]))
    assert found[0] == roots[0]
    larger, smaller = sorted(roots[1:], key=abs, reverse=True)
    assert found[1:] == pytest.approx([larger, smaller], rel=1e-12)


def test_neighbouring_roots_are_real(submission):
    found = deflate(submission, *cubic(1.0, [5, 1.3, 1]), 5.0)
    assert found == pytest.approx([5, 1.3, 1], rel=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_roots_of_very_different_sizes_keep_their_digits(submission, sign):
    # The textbook formula would lose every digit of the small root; its product form loses none.
    roots = [2.0, sign * 4e8, sign * 3e-6]
    a, b, c = cubic(1.0, roots)
    found = deflate(submission, a, b, c, 2.0)
    assert found[1].real == pytest.approx(roots[1], rel=1e-12)
    # C + B r + A r^2 itself cancels down to 1200 from terms of 1e9: ten digits are left of it.
    assert found[2].real == pytest.approx(roots[2], rel=1e-4)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_small_root_beside_a_root_of_zero(submission, sign):
    # With the known root at zero nothing but the quadratic's own formula can lose digits.
    found = deflate(submission, 1.0, -sign * (1e8 + 1e-8), 1.0, 0.0)
    assert found == pytest.approx([0, sign * 1e8, sign * 1e-8], rel=1e-14)


def test_a_complex_pair_comes_with_the_positive_imaginary_part_first(submission):
    for a in (1.0, 4.0):
        found = deflate(submission, *cubic(a, [3, -1 + 2j, -1 - 2j]), 3.0)
        assert found == pytest.approx([3, -1 + 2j, -1 - 2j], rel=1e-12)


def test_double_roots(submission):
    assert deflate(submission, *cubic(2.0, [5, -1, -1]), 5.0) == pytest.approx([5, -1, -1])
    assert deflate(submission, 1.0, -4.0, 0.0, 4.0) == [4, 0, 0]  # x^2 (x - 4)
    assert deflate(submission, 1.0, 0.0, 0.0, 0.0) == [0, 0, 0]


def test_obeys_vieta(submission):
    rng = np.random.default_rng(1)
    for a, b, c in rng.normal(size=(20, 3)) * [1, 4, 4]:
        a, b, c, root = abs(float(a)) + 0.1, float(b), float(c), float(rng.normal())
        found = deflate(submission, a, b, c, root)
        assert sum(found) == pytest.approx(-b / a, abs=1e-9)
        pairs = found[0] * found[1] + found[0] * found[2] + found[1] * found[2]
        assert pairs == pytest.approx(c / a, abs=1e-9)


def test_completes_the_series_of_the_solver(submission):
    # 2 x^3 - 3 x^2 + 5 x + 1 has one real root; the solver deflates by it.
    result = submission("fmcubic.core:solve_cubic", 2.0, -3.0, 5.0, 1.0)
    found = sorted((result.roots[i].re, result.roots[i].im) for i in range(3))
    expected = sorted((root.real, root.imag) for root in np.roots([2.0, -3.0, 5.0, 1.0]))
    assert np.array(found) == pytest.approx(np.array(expected), abs=1e-9)
