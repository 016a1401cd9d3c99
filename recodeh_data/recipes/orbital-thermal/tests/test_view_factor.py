"""The view factor from a tilted flat plate to a sphere of angular radius theta = arcsin(R / r)."""

import math

import numpy as np
import pytest

FACTOR = "orbital_thermal.environment:sphere_view_factor"
RADIUS = 6371.0  # mean Earth radius in km


def theta(altitude):
    return math.asin(RADIUS / (RADIUS + altitude))


def closed_form(altitude, tilt):
    """The textbook expression for a sphere that the plate's horizon cuts; else the limits."""
    h, g = (RADIUS + altitude) / RADIUS, math.radians(tilt)
    x = math.sqrt(h * h - 1)
    if g <= math.pi / 2 - theta(altitude):
        return math.cos(g) / h**2
    if g >= math.pi / 2 + theta(altitude):
        return 0.0
    y = -x / math.tan(g)
    root = math.sin(g) * math.sqrt(1 - y * y)
    cut = math.cos(g) * math.acos(y) - x * root
    return cut / (math.pi * h * h) + math.atan(root / x) / math.pi


@pytest.mark.parametrize("altitude", [200.0, 550.0, 2000.0, 36000.0])
@pytest.mark.parametrize("tilt", [0.0, 5.0, 19.0, 45.0, 80.0, 100.0, 130.0, 161.0, 178.0])
def test_equals_the_closed_form(submission, altitude, tilt):
    # 1e-8: the square-root ends of the rings at the horizon limit a fixed quadrature.
    expected = closed_form(altitude, tilt)
    assert submission(FACTOR, altitude, tilt) == pytest.approx(expected, abs=1e-8)


def test_plate_that_faces_the_planet(submission):
    # sin(theta)^2, and the cosine of the tilt as long as the whole disk is above the horizon.
    whole = math.sin(theta(550.0)) ** 2
    assert submission(FACTOR, 550.0, 0.0) == pytest.approx(whole, abs=1e-13)
    tilt = 90 - math.degrees(theta(550.0)) - 0.5
    expected = whole * math.cos(math.radians(tilt))
    assert submission(FACTOR, 550.0, tilt) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("altitude", [300.0, 550.0, 8000.0])
def test_plate_on_edge(submission, altitude):
    # Rings of 2 sin(psi)^2 add up to (theta - sin(theta) cos(theta)) / pi.
    t = theta(altitude)
    expected = (t - math.sin(t) * math.cos(t)) / math.pi
    assert submission(FACTOR, altitude, 90.0) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("tilt", [95.0, 120.0, 150.0, 175.0])
def test_both_faces_differ_by_the_flat_projection(submission, tilt):
    # F(g) - F(180 - g) = cos(g) sin(theta)^2, clipped or not.
    difference = submission(FACTOR, 550.0, tilt) - submission(FACTOR, 550.0, 180 - tilt)
    expected = math.cos(math.radians(tilt)) * math.sin(theta(550.0)) ** 2
    assert difference == pytest.approx(expected, abs=1e-8)


def test_mean_over_all_orientations(submission):
    # The mean of max(0, n . s) over all normals is 1/4, so the mean factor is (1 - cos(theta)) / 2.
    x, w = np.polynomial.legendre.leggauss(80)
    tilts = np.degrees(np.arccos(x))
    mean = sum(b * submission(FACTOR, 550.0, float(a)) for a, b in zip(tilts, w, strict=True)) / 2
    assert mean == pytest.approx((1 - math.cos(theta(550.0))) / 2, abs=1e-5)


def test_falls_with_the_tilt_to_nothing(submission):
    values = [submission(FACTOR, 550.0, float(tilt)) for tilt in range(0, 181, 3)]
    assert all(isinstance(value, float) for value in values)
    assert max(np.diff(values)) <= 0
    assert min(values) == 0
    assert submission(FACTOR, 550.0, 90 + math.degrees(theta(550.0)) - 1) > 0
    assert submission(FACTOR, 550.0, 90 + math.degrees(theta(550.0)) + 1e-6) == 0


@pytest.mark.parametrize(
    ("altitude", "tilt"),
    [(550.0, -0.1), (550.0, 180.1), (550.0, math.nan), (0.0, 90.0), (-1.0, 0.0), (math.inf, 0.0)],
)
def test_arguments_out_of_range_are_refused(submission, altitude, tilt):
    assert submission(FACTOR, 550.0, 180.0) == 0
    with pytest.raises(ValueError):
        submission(FACTOR, altitude, tilt)
