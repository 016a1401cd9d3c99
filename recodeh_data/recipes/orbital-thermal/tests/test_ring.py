"""The azimuth integral of max(0, n . s) over a ring at the angle psi from nadir, times sin(psi).

With the normal tilted by g the cosine is n . s = sin(psi) sin(g) cos(phi) + cos(psi) cos(g).
"""

import math

import numpy as np
import pytest

RING = "orbital_thermal.environment:_vf_ring"
ANGLES = [(0.3, 80.0), (0.9, 60.0), (1.1, 95.0), (0.6, 120.0), (1.4, 30.0), (0.2, 100.0)]


def by_sum(psi, tilt):
    """A midpoint sum over the azimuth; its error is below 1e-9 at this step."""
    phi = (np.arange(400_000) + 0.5) * 2 * math.pi / 400_000
    cosine = math.sin(psi) * math.sin(tilt) * np.cos(phi) + math.cos(psi) * math.cos(tilt)
    return math.sin(psi) * 2 * math.pi * np.maximum(cosine, 0).mean()


def ring(submission, psi, tilt):
    return submission(RING, psi, math.cos(tilt), math.sin(tilt))


@pytest.mark.parametrize("psi", [0.0, 0.4, 1.1, 1.5])
def test_plate_that_faces_down_sees_the_whole_ring(submission, psi):
    expected = 2 * math.pi * math.cos(psi) * math.sin(psi)
    assert submission(RING, psi, 1.0, 0.0) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("psi", [0.0, 0.4, 1.1, 1.5])
def test_plate_on_edge_sees_half_of_the_ring(submission, psi):
    # Half of the azimuths lie above the horizon: the integral of cos over them is 2.
    assert submission(RING, psi, 0.0, 1.0) == pytest.approx(2 * math.sin(psi) ** 2, abs=1e-14)


def test_plate_that_faces_up_sees_nothing(submission):
    assert submission(RING, 0.7, -1.0, 0.0) == 0
    assert ring(submission, 0.4, math.radians(150)) == 0
    assert ring(submission, 0.4, math.radians(60)) > 0


@pytest.mark.parametrize(("psi", "tilt"), ANGLES)
def test_equals_a_sum_over_the_azimuth(submission, psi, tilt):
    expected = by_sum(psi, math.radians(tilt))
    assert ring(submission, psi, math.radians(tilt)) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("psi", "tilt"), ANGLES)
def test_front_and_back_differ_by_the_unclipped_integral(submission, psi, tilt):
    # max(0, x) - max(0, -x) = x, and the cosine of the azimuth averages out.
    g = math.radians(tilt)
    difference = ring(submission, psi, g) - ring(submission, psi, math.pi - g)
    whole = 2 * math.pi * math.cos(psi) * math.cos(g) * math.sin(psi)
    assert difference == pytest.approx(whole, abs=1e-13)


@pytest.mark.parametrize("tilt", [0.0, 25.0, 70.0, 90.0])
def test_all_rings_add_up_to_the_projected_half_space(submission, tilt):
    # Up to pi/2 from nadir the front and the back of the plate share the half sphere below it:
    # front minus back is pi cos(g), and front plus back is the integral of |n . s|, which is pi.
    x, w = np.polynomial.legendre.leggauss(200)
    g, psi = math.radians(tilt), math.pi / 4 * (x + 1)
    front = math.pi / 4 * sum(b * ring(submission, a, g) for a, b in zip(psi, w, strict=True))
    assert front == pytest.approx(math.pi * (1 + math.cos(g)) / 2, abs=1e-4)  # kinks cost accuracy


def test_is_continuous_where_the_ring_touches_the_horizon(submission):
    for tilt in (55.0, 125.0):  # rings at |90 - tilt| degrees touch the horizon
        psi, g = math.radians(35.0), math.radians(tilt)
        inside, outside = ring(submission, psi - 1e-9, g), ring(submission, psi + 1e-9, g)
        assert inside == pytest.approx(outside, abs=1e-7)
