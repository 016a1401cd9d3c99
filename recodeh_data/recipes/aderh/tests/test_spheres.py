"""Centres and radii of the ensemble, from the same legacy generators drawn anew."""

import numpy as np
import pytest

DETECTOR = "aderh:ADERH"


def draws(data, members, n, seed):
    """Anchors and pairing permutation of every member, in the generator's documented order."""
    seeds = np.random.RandomState(seed).randint(np.iinfo(np.int32).max, size=members)
    for member in seeds:
        rng = np.random.RandomState(member)
        anchors = rng.choice(len(data), n, replace=False)
        pairing = rng.choice(n, n, replace=False)
        for j in range(n):
            if pairing[j] == j:
                k = (j + 1) % n
                pairing[j], pairing[k] = pairing[k], pairing[j]
        yield anchors, pairing


def fitted(submission, data, members=6, n=5, seed=3):
    return submission(DETECTOR, n_estimators=members, n=n, random_state=seed).fit(data)


def sample(seed, n, d=2):
    return np.random.default_rng(seed).normal(size=(n, d))


def test_centres_are_the_anchors_and_their_partners(submission):
    data = sample(1, 20, 3)
    centres = fitted(submission, data)._centers
    assert centres.shape == (6, 10, 3)
    for found, (anchors, pairing) in zip(centres, draws(data, 6, 5, 3), strict=True):
        assert np.array_equal(found[:5], data[anchors])
        assert np.array_equal(found[5:], data[anchors][pairing])


@pytest.mark.parametrize("d", [1, 4])
def test_squared_radii_are_half_the_squared_distances(submission, d):
    data = sample(2, 15, d)
    radii = fitted(submission, data, members=7, n=6)._sq_radii
    assert radii.shape == (7, 12)
    for found, (anchors, pairing) in zip(radii, draws(data, 7, 6, 3), strict=True):
        pairs = [
            np.sum((data[a] - data[p]) ** 2) / 2 for a, p in zip(anchors, pairing, strict=True)
        ]
        assert found[0::2] == pytest.approx(pairs, rel=1e-12)
        assert np.array_equal(found[0::2], found[1::2])


def test_partners_come_from_the_first_rows_of_the_data(submission):
    # All rows after the third lie far away: a partner never does, so radii measure from there.
    near, far = sample(3, 3), sample(4, 40) + 1e3
    detector = fitted(submission, np.vstack([near, far]), members=10, n=3)
    for found, (anchors, _) in zip(
        detector._sq_radii, draws(np.vstack([near, far]), 10, 3, 3), strict=True
    ):
        assert ((found[::2] > 1e5) == (anchors >= 3)).all()


def test_units_of_the_data_scale_the_radii(submission):
    data = sample(5, 20)
    plain, wide = fitted(submission, data), fitted(submission, 3 * data)
    assert wide._sq_radii == pytest.approx(9 * plain._sq_radii)
    assert wide._centers == pytest.approx(3 * plain._centers)


def test_the_same_seed_gives_the_same_spheres(submission):
    data = sample(6, 25)
    first, second = fitted(submission, data), fitted(submission, data)
    assert np.array_equal(first._sq_radii, second._sq_radii)
    other = fitted(submission, data, seed=4)
    assert not np.array_equal(first._centers, other._centers)


def test_a_far_point_is_the_most_anomalous(submission):
    data = np.vstack([sample(7, 60), [[25.0, 25.0]]])
    scores = fitted(submission, data, members=60, n=8).decision_scores_
    assert int(np.argmax(scores)) == 60


def test_more_anchors_than_points_are_refused(submission):
    assert len(fitted(submission, sample(8, 5), n=5).labels_) == 5
    with pytest.raises(ValueError):
        fitted(submission, sample(8, 4), n=5)
