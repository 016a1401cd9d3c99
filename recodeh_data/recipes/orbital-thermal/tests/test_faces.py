"""Orbit means of the view factors of a panel that tracks the Sun.

The normal of side A makes cos(tilt) = cos(beta) cos(nu) with nadir, side B the opposite; nu runs
over n equal steps of the orbit.
"""

import math

import numpy as np
import pytest

FACES = "orbital_thermal.mccalip_exact_vf:exact_per_face_view_factors"
RADIUS = 6371.0  # mean Earth radius in km


def factor(altitude, cosine):
    """The textbook view factor from a plate to a sphere, by the cosine of the plate's tilt."""
    h = (RADIUS + altitude) / RADIUS
    x, g = math.sqrt(h * h - 1), math.acos(cosine)
    if abs(cosine) >= 1 / h:
        return max(cosine, 0.0) / h**2
    y = -x / math.tan(g)
    root = math.sin(g) * math.sqrt(1 - y * y)
    return (cosine * math.acos(y) - x * root) / (math.pi * h * h) + math.atan(root / x) / math.pi


def means(altitude, beta, n):
    cosines = math.cos(math.radians(beta)) * np.cos(2 * math.pi * np.arange(n) / n)
    return [np.mean([factor(altitude, side * c) for c in cosines]) for side in (1, -1)]


@pytest.mark.parametrize("n", [1, 7, 72])
def test_at_ninety_degrees_both_faces_are_on_edge_all_along(submission, n):
    t = math.asin(RADIUS / (RADIUS + 550.0))
    edge_on = (t - math.sin(t) * math.cos(t)) / math.pi
    assert submission(FACES, 550.0, 90.0, n) == pytest.approx((edge_on, edge_on), abs=1e-8)


def test_a_single_position_is_orbit_noon(submission):
    # At beta = 0 side A faces straight down and side B straight up.
    down = (RADIUS / (RADIUS + 550.0)) ** 2
    a, b = submission(FACES, 550.0, 0.0, 1)
    assert a == pytest.approx(down, abs=1e-12)
    assert b == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("altitude", "beta", "n"),
    [(550.0, 0.0, 3), (550.0, 20.0, 5), (400.0, 60.0, 9), (2000.0, 33.0, 16), (550.0, 75.0, 1)],
)
def test_equals_the_mean_of_the_closed_form(submission, altitude, beta, n):
    expected = means(altitude, beta, n)
    assert submission(FACES, altitude, beta, n) == pytest.approx(expected, abs=1e-8)


def test_both_faces_share_the_orbit_evenly(submission):
    # F(g) - F(180 - g) = cos(g) sin(theta)^2, and cos(nu) averages out over two or more steps.
    for n in (2, 3, 12):
        a, b = submission(FACES, 550.0, 25.0, n)
        assert a == pytest.approx(b, abs=1e-8)
    a, b = submission(FACES, 550.0, 25.0, 1)
    flat = math.cos(math.radians(25.0)) * (RADIUS / (RADIUS + 550.0)) ** 2
    assert a - b == pytest.approx(flat, abs=1e-8)


def test_seventy_two_positions_are_the_default(submission):
    given, default = submission(FACES, 550.0, 40.0, n=72), submission(FACES, 550.0, 40.0)
    assert default == given
    assert isinstance(default, tuple)
    assert default == pytest.approx(means(550.0, 40.0, 72), abs=1e-8)


@pytest.mark.parametrize(
    ("altitude", "beta", "n", "error"),
    [
        (0.0, 30.0, 4, ValueError),
        (-550.0, 30.0, 4, ValueError),
        (550.0, -1.0, 4, ValueError),
        (550.0, 90.5, 4, ValueError),
        (550.0, 30.0, 0, ValueError),
        (550.0, 30.0, 2.0, TypeError),
    ],
)
def test_arguments_out_of_range_are_refused(submission, altitude, beta, n, error):
    assert len(submission(FACES, 550.0, 30.0, 2)) == 2
    with pytest.raises(error):
        submission(FACES, altitude, beta, n)
