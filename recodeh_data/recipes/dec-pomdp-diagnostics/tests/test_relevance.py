"""I(O; A) = H(A) - H(A | O), the latter from the smoothed votes of the nearest neighbours."""

import math

import numpy as np
import pytest

OAR = "dec_pomdp_diagnostics.metrics:_oar_posterior_kl"


def entropy(shares):
    return -sum(p * math.log(p) for p in shares if p > 0)


def by_votes(observations, actions, k, alpha):
    """Marginal and conditional entropy in nats, after scaling every feature to unit variance."""
    scaled = (observations - observations.mean(axis=0)) / observations.std(axis=0)
    classes, total = max(actions) + 1, 0.0
    for i, point in enumerate(scaled):
        away = np.linalg.norm(scaled - point, axis=1)
        away[i] = math.inf
        votes = np.bincount([actions[j] for j in np.argsort(away)[:k]], minlength=classes) + alpha
        total += entropy(votes / votes.sum())
    marginal = np.bincount(actions) / len(actions)
    return entropy(marginal), total / len(actions)


def sample(seed, n, classes=3, d=4):
    rng = np.random.default_rng(seed)
    observations = rng.normal(size=(n, d)) * [1.0, 5.0, 0.2, 1.0][:d]
    noisy = observations[:, 0] + 0.5 * rng.normal(size=n)
    return observations, np.digitize(noisy, np.linspace(-0.7, 0.7, classes - 1)).tolist()


@pytest.mark.parametrize(("k", "alpha"), [(5, 0.5), (12, 0.01), (7, 2.0), (1, 0.0), (6, 0.0)])
def test_equals_votes_by_hand(submission, k, alpha):
    observations, actions = sample(k, 80)
    marginal, conditional = by_votes(observations, actions, k, alpha)
    value, extra = submission(OAR, observations, actions, k=k, bits=False, alpha=alpha)
    assert extra["H_A"] == pytest.approx(marginal, rel=1e-9)
    # Clipping probabilities at 1e-12 moves an entropy by less than 1e-10.
    assert extra["H_A_given_O"] == pytest.approx(conditional, abs=1e-9)
    assert value == pytest.approx(max(marginal - conditional, 0), abs=1e-9)
    assert extra["mi"] == value


def test_bits_are_nats_over_the_logarithm_of_two(submission):
    observations, actions = sample(1, 60)
    nats, more = submission(OAR, observations, actions, k=6, bits=False)
    bits, extra = submission(OAR, observations, actions, k=6)
    assert bits == pytest.approx(nats / math.log(2))
    assert extra["H_A_given_O"] == pytest.approx(more["H_A_given_O"] / math.log(2))
    assert extra["R_uncond"] == pytest.approx(nats / more["H_A"])


def test_separate_clusters_tell_the_action(submission):
    # Ten of ten neighbours agree: with no pseudo-votes nothing is left to be told.
    rng = np.random.default_rng(2)
    actions = [0, 1, 2, 3] * 20
    observations = np.array([[10.0 * (a % 2), 10.0 * (a // 2)] for a in actions])
    observations += rng.normal(size=observations.shape) * 0.1
    value, extra = submission(OAR, observations, actions, k=10, alpha=0.0)
    assert value == pytest.approx(2.0, abs=1e-9)
    assert extra["R_uncond"] == pytest.approx(1.0, abs=1e-9)
    # One pseudo-vote in four classes: shares of 11/14 and three times 1/14.
    _, smoothed = submission(OAR, observations, actions, k=10, alpha=1.0, bits=False)
    expected = entropy([11 / 14, 1 / 14, 1 / 14, 1 / 14])
    assert smoothed["H_A_given_O"] == pytest.approx(expected, rel=1e-9)


def test_strong_smoothing_hides_everything_and_is_clipped(submission):
    observations, actions = sample(3, 60)
    value, extra = submission(OAR, observations, actions, k=5, alpha=1e6, bits=False)
    assert extra["H_A_given_O"] == pytest.approx(math.log(3), rel=1e-6)
    assert extra["H_A_given_O"] > extra["H_A"]
    assert value == 0


def test_classes_that_never_occur_get_their_pseudo_votes(submission):
    # Actions 0 and 5 make six classes; the marginal entropy knows only those that occur.
    observations, actions = sample(4, 60, classes=2)
    sparse = [5 * a for a in actions]
    marginal, conditional = by_votes(observations, sparse, 8, 0.5)
    _, extra = submission(OAR, observations, sparse, k=8, bits=False)
    assert extra["n_classes"] == 6
    assert extra["H_A"] == pytest.approx(marginal, abs=1e-9)
    assert extra["H_A_given_O"] == pytest.approx(conditional, rel=1e-9)


def test_units_of_the_observations_are_idle(submission):
    observations, actions = sample(5, 70)
    plain, _ = submission(OAR, observations, actions, k=9, alpha=0.1)
    moved, _ = submission(OAR, 3.0 + observations * [100.0, 2.0, 7.0, 0.5], actions, k=9, alpha=0.1)
    assert moved == pytest.approx(plain, rel=1e-9)
    assert plain > 0
