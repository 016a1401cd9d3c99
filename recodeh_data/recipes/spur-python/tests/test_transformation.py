"""The symmetric inverse square root of demeaned Levy Brownian motion's covariance.

Demeaning cov(i, j) = (d(i, 0) + d(j, 0) - d(i, j)) / 2 leaves -J D J / 2 with J = I - 11'/n.
"""

import numpy as np
import pytest

LBMGLS = "spur.utils.matrix:lbmgls_matrix"


def distances(places):
    return np.linalg.norm(places[:, None, :] - places[None, :, :], axis=2)


def great_circles(places):
    """Angles between the unit vectors of latitude and longitude."""
    lat, lon = np.radians(places).T
    x = np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    return np.arccos(np.clip(x @ x.T, -1, 1)) * (1 - np.eye(len(x)))


def covariance(apart):
    centre = np.eye(len(apart)) - 1 / len(apart)
    return -centre @ (apart / apart.max()) @ centre / 2


def places(seed, n):
    return np.random.default_rng(seed).uniform(-3, 5, (n, 2))


def test_two_places_by_hand(submission):
    # The covariance is [[1, -1], [-1, 1]] / 4 with the eigenvalue 1/2 on (1, -1).
    found = submission(LBMGLS, np.array([[0.0, 0.0], [3.0, 4.0]]), latlon=False)
    assert found == pytest.approx(np.array([[1, -1], [-1, 1]]) / np.sqrt(2), abs=1e-9)


@pytest.mark.parametrize("n", [3, 8, 20])
def test_whitens_the_demeaned_motion(submission, n):
    where = places(n, n)
    found = submission(LBMGLS, where, latlon=False)
    white = found @ covariance(distances(where)) @ found
    assert white == pytest.approx(np.eye(n) - 1 / n, abs=1e-8)


def test_squares_to_the_pseudo_inverse(submission):
    where = places(1, 12)
    found = submission(LBMGLS, where, latlon=False)
    expected = np.linalg.pinv(covariance(distances(where)), rcond=1e-9)
    assert found @ found == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_is_symmetric_without_negative_directions_and_forgets_the_mean(submission):
    found = submission(LBMGLS, places(2, 15), latlon=False)
    assert found == pytest.approx(found.T, abs=1e-9)
    assert found @ np.ones(15) == pytest.approx(np.zeros(15), abs=1e-7)
    assert np.linalg.eigvalsh(found)[1] > 0.5  # eigenvalues of the covariance are below 4


def test_scale_place_and_direction_of_the_map_are_idle(submission):
    where = places(3, 10)
    plain = submission(LBMGLS, where, latlon=False)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    moved = submission(LBMGLS, 250.0 * where @ turn.T + np.array([7.0, -9.0]), latlon=False)
    assert moved == pytest.approx(plain, abs=1e-7)


def test_order_of_the_places_is_carried_over(submission):
    where, shuffle = places(4, 9), [3, 0, 8, 1, 7, 2, 6, 4, 5]
    plain = submission(LBMGLS, where, latlon=False)
    shuffled = submission(LBMGLS, where[shuffle], latlon=False)
    assert shuffled == pytest.approx(plain[np.ix_(shuffle, shuffle)], abs=1e-7)


def test_great_circles_are_the_default(submission):
    where = np.array([[48.1, 11.6], [52.5, 13.4], [-33.9, 151.2], [40.7, -74.0], [0.0, 0.0]])
    found = submission(LBMGLS, where)
    assert found @ covariance(great_circles(where)) @ found == pytest.approx(
        np.eye(5) - 1 / 5, abs=1e-7
    )
    assert np.array_equal(found, submission(LBMGLS, where, latlon=True))
    assert np.abs(found - submission(LBMGLS, where, latlon=False)).max() > 0.01


def test_places_that_coincide(submission):
    # Two equal places make another direction of eigenvalue zero, which is left out.
    where = np.array([[0.0, 0], [0, 0], [1, 0], [0, 2]])
    found = submission(LBMGLS, where, latlon=False)
    assert found @ np.array([1.0, -1, 0, 0]) == pytest.approx(np.zeros(4), abs=1e-7)
    with pytest.raises(ValueError):
        submission(LBMGLS, np.zeros((4, 2)), latlon=False)
    with pytest.raises(ValueError):
        submission(LBMGLS, np.array([[0.0, 0.0], [0.0, 5e-11]]), latlon=False)
    assert submission(LBMGLS, np.array([[0.0, 0.0], [0.0, 1e-9]]), latlon=False).any()
