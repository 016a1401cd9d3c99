"""Scores of an ensemble of hyperspheres, recomputed by loops from its own centres and radii."""

import numpy as np
import pytest

DETECTOR = "aderh:ADERH"


def by_loops(points, centres, squared_radii):
    out = np.zeros(len(points))
    for member, radii in zip(centres, squared_radii, strict=True):
        radii = [r if r != 0 else 1.0 for r in radii]
        away = [[float(np.sum((p - c) ** 2)) for c in member] for p in points]
        # Differences of 1e-12 come from another way of computing distances, not from the method.
        home = [
            min((d, j) for j, d in enumerate(row) if d <= radii[j] + 1e-12)[1]
            if any(d <= r + 1e-12 for d, r in zip(row, radii, strict=True))
            else None
            for row in away
        ]
        crowd = {j: home.count(j) / radii[j] for j in set(home) if j is not None}
        for i, j in enumerate(home):
            if j is None:
                out[i] += 1
            else:
                out[i] += (1 - crowd[j] / max(crowd.values())) * away[i][j] / radii[j]
    return out / len(centres)


def fitted(submission, data, **settings):
    return submission(DETECTOR, random_state=0, **settings).fit(data)


def sample(seed, n, d=2):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize(("n", "d", "spheres"), [(40, 2, 6), (60, 3, 10), (25, 1, 4)])
def test_equals_loops_over_points_and_spheres(submission, n, d, spheres):
    data = sample(n, n, d)
    detector = fitted(submission, data, n_estimators=12, n=spheres)
    fresh = sample(n + 1, 15, d) * 1.5
    for points in (data, fresh):
        expected = by_loops(points, detector._centers, detector._sq_radii)
        assert detector.decision_function(points) == pytest.approx(expected, abs=1e-8)


def test_training_scores_are_those_of_the_training_data(submission):
    data = sample(1, 30)
    detector = fitted(submission, data, n_estimators=8, n=5)
    assert detector.decision_scores_ == pytest.approx(detector.decision_function(data), rel=1e-12)


def test_a_point_far_from_every_sphere_scores_one(submission):
    data = sample(2, 40)
    detector = fitted(submission, data, n_estimators=10, n=6)
    scores = detector.decision_function(np.array([[100.0, 100.0], [0.0, 0.0]]))
    assert scores[0] == 1
    assert 0 <= scores[1] <= 1
    assert (detector.decision_function(np.full((3, 2), 1e3)) == 1).all()


def test_a_lone_point_in_a_sphere_scores_nothing(submission):
    # Its sphere is the densest one of the member, so that one less the density is zero.
    data = sample(3, 30)
    detector = fitted(submission, data, n_estimators=1, n=5)
    centre = detector._centers[0][0]
    assert detector.decision_function(np.array([centre])) == pytest.approx([0], abs=1e-12)


def test_two_points_in_two_spheres_by_hand(submission):
    # Anchors on a line: the spheres' own centres and radii say where each point belongs.
    data = np.array([[0.0], [10.0], [30.0], [70.0]])
    detector = fitted(submission, data, n_estimators=1, n=4)
    centres, radii = detector._centers[0].ravel(), detector._sq_radii[0]
    small, large = int(np.argmin(radii)), int(np.argmax(radii))
    points = np.array([[centres[small] + 0.5], [centres[large] + 1.0]])
    expected = by_loops(points, detector._centers, detector._sq_radii)
    assert detector.decision_function(points) == pytest.approx(expected, abs=1e-9)


def test_order_of_the_points_is_idle(submission):
    data = sample(4, 50, 3)
    detector = fitted(submission, data, n_estimators=10, n=8)
    shuffle = np.random.default_rng(5).permutation(50)
    scores = detector.decision_function(data)
    assert detector.decision_function(data[shuffle]) == pytest.approx(scores[shuffle], abs=1e-10)


def test_duplicates_of_anchors_make_spheres_without_radius(submission):
    # Twelve copies of one point: pairs at distance zero, whose squared radius counts as one.
    data = np.vstack([np.zeros((12, 2)), sample(6, 6)])
    detector = fitted(submission, data, n_estimators=15, n=8)
    assert (detector._sq_radii == 0).any()
    expected = by_loops(data, detector._centers, detector._sq_radii)
    assert detector.decision_function(data) == pytest.approx(expected, abs=1e-9)
