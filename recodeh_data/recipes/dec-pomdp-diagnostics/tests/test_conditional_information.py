"""Frenzel-Pompe estimates of I(X; Y | Z), against brute force and against Gaussians.

The estimate is psi(k) + mean(psi(n_z) - psi(n_xz) - psi(n_yz)) in the maximum norm.
"""

import math

import numpy as np
import pytest
from scipy.special import digamma

CMI = "dec_pomdp_diagnostics.estimators:_cmi_frenzel_pompe"


def distances(points):
    return np.abs(points[:, None, :] - points[None, :, :]).max(axis=2)


def brute(x, y, z, k):
    radius = np.sort(distances(np.hstack([x, y, z])), axis=1)[:, k]
    counts = [
        (distances(part) < radius[:, None]).sum(axis=1)
        for part in (np.hstack([x, z]), np.hstack([y, z]), z)
    ]
    n_xz, n_yz, n_z = counts
    return digamma(k) + np.mean(digamma(n_z) - digamma(n_xz) - digamma(n_yz)), counts


def sample(seed, n, dims=(1, 1, 1)):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, dims[2]))
    x = rng.normal(size=(n, dims[0])) + z[:, :1]
    return x, rng.normal(size=(n, dims[1])) + 0.8 * x[:, :1] - z[:, :1], z


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("dims", [(1, 1, 1), (2, 1, 3)])
def test_equals_brute_force(submission, k, dims):
    x, y, z = sample(k, 120, dims)
    expected, counts = brute(x, y, z, k)
    found = submission(CMI, x, y, z, k, workers=1)
    assert found[0] == pytest.approx(expected, rel=1e-10, abs=1e-12)
    for got, want in zip(found[1:], counts, strict=True):
        assert np.asarray(got).tolist() == want.tolist()


def test_independent_variables_share_nothing(submission):
    rng = np.random.default_rng(1)
    x, y, z = rng.normal(size=(3, 800, 1))
    assert submission(CMI, x, y, z, 8, workers=1)[0] == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("rho", [0.4, 0.8])
def test_gaussians_with_a_known_partial_correlation(submission, rho):
    # I(X; Y | Z) = -log(1 - rho^2) / 2; the bias of few samples is of this size.
    rng = np.random.default_rng(2)
    a, b, z = rng.normal(size=(3, 1500, 1))
    x, y = a + z, rho * a + math.sqrt(1 - rho**2) * b - 2 * z
    expected = -math.log(1 - rho**2) / 2
    assert submission(CMI, x, y, z, 5, workers=1)[0] == pytest.approx(expected, abs=0.12)


def test_a_common_cause_explains_the_dependence_away(submission):
    rng = np.random.default_rng(3)
    z = rng.normal(size=(800, 1))
    x, y = z + 0.3 * rng.normal(size=(800, 1)), z + 0.3 * rng.normal(size=(800, 1))
    blind = submission(CMI, x, y, np.zeros((800, 1)), 5, workers=1)[0]
    assert blind > 0.8
    assert submission(CMI, x, y, z, 5, workers=1)[0] == pytest.approx(0, abs=0.1)


def test_both_variables_play_the_same_part(submission):
    x, y, z = sample(4, 150, (2, 1, 1))
    forward = submission(CMI, x, y, z, 4, workers=1)
    backward = submission(CMI, y, x, z, 4, workers=1)
    assert forward[0] == pytest.approx(backward[0], rel=1e-12)
    assert np.array_equal(forward[1], backward[2])
    assert np.array_equal(forward[3], backward[3])


def test_more_neighbours_than_samples(submission):
    x, y, z = sample(5, 12)
    most = submission(CMI, x, y, z, 11, workers=1)
    assert most[0] == pytest.approx(brute(x, y, z, 11)[0], abs=1e-12)
    assert submission(CMI, x, y, z, 50, workers=1)[0] == pytest.approx(most[0], abs=1e-12)


def test_a_single_sample_says_nothing(submission):
    one = np.zeros((1, 1))
    estimate, *counts = submission(CMI, one, one, one, 3, workers=1)
    assert estimate == 0
    assert [np.asarray(count).tolist() for count in counts] == [[0], [0], [0]]
    assert len(counts) == 3
