"""The pilot against a small implementation of its own: greedy decisions and Gibbs-Candes updates.

With variables in [0, 1] and a fixed total, the linear program fills the cheapest variables first.
"""

import numpy as np
import pytest

DIAGNOSTIC = "conformal_ops.diagnostics.free_coverage:FreeCoverageDiagnostic"


def program(d, total=1.0, upper=1.0):
    return {
        "A_eq": np.ones((1, d)),
        "b_eq": np.array([total]),
        "bounds": [(0.0, upper)] * d,
    }


def greedy(cost, total, upper=1.0):
    x = np.zeros(len(cost))
    for j in np.argsort(cost):
        x[j] = min(upper, total - x.sum())
    return x


def pilot(predicted, true, total=1.0, *, upper=1.0, warmup=20, alpha=0.1, eta=0.05):
    """Shares of rounds with the same support and the same vector, and the quantiles they used."""
    scores, sigma, level = [], None, alpha
    support, equal, quantiles, covered = [], [], [], []
    for t, (guess, cost) in enumerate(zip(predicted, true, strict=True)):
        q = 1.0 if len(scores) < 5 else np.quantile(scores, 1 - level)
        radii = 0.3 * np.abs(guess) if sigma is None else q * sigma
        plain, hedged = greedy(guess, total, upper), greedy(guess + radii, total, upper)
        if t >= warmup:
            support.append(np.array_equal(plain > 0, hedged > 0))
            equal.append(np.allclose(plain, hedged))
            quantiles.append(q)
        residual = np.abs(cost - guess)
        if sigma is None:
            score, sigma = 1.0, residual + 1e-6
        else:
            score = np.max(residual / sigma)
            sigma = np.maximum(0.95 * sigma + 0.05 * residual, 1e-6)
        scores = [*scores, score][-150:]
        q = 1.0 if len(scores) < 5 else np.quantile(scores, 1 - level)
        covered.append(score <= q)
        level = np.clip(level + eta * (alpha - (not covered[-1])), 0.01, 0.5)
    return np.mean(support), np.mean(equal), np.array(quantiles), np.mean(covered)


def streams(seed, rounds, base, noise):
    """Predictions and truths whose noise grows with the item's index."""
    rng = np.random.default_rng(seed)
    d = len(base)
    true = np.asarray(base) + rng.normal(0, 0.05, (rounds, d))
    return true + rng.normal(0, 1, (rounds, d)) * np.linspace(noise, noise / 4, d), true


def test_a_wide_gap_leaves_every_decision_alone(submission):
    predicted, true = streams(1, 30, [0.1, 2.0, 2.0, 2.0], 0.02)
    report = submission(DIAGNOSTIC).run(predicted, true, **program(4))
    assert report.regime == "free"
    assert (report.neutral_frac_committed, report.neutral_frac_vector) == (1.0, 1.0)
    assert report.n_rounds == 10


def test_a_noisy_favourite_is_given_up_for_a_certain_one(submission):
    # Item 0 is cheaper by 0.1 but its radius is far larger: the hedge always switches.
    rng = np.random.default_rng(2)
    true = np.tile([1.0, 1.1], (30, 1))
    predicted = true + rng.choice([-1.0, 1.0], (30, 1)) * [0.04, 0.0]
    report = submission(DIAGNOSTIC, warmup=10).run(
        predicted, true + np.array([0.5, 0.0]), **program(2)
    )
    assert report.regime == "costly"
    assert (report.neutral_frac_committed, report.neutral_frac_vector) == (0.0, 0.0)


@pytest.mark.parametrize(("seed", "warmup", "total"), [(3, 20, 1.0), (4, 7, 2.0), (5, 0, 1.5)])
def test_equals_a_greedy_pilot(submission, seed, warmup, total):
    predicted, true = streams(seed, 40, [1.0, 1.15, 1.3, 1.5], 0.3)
    committed, vector, quantiles, covered = pilot(predicted, true, total, warmup=warmup)
    report = submission(DIAGNOSTIC, warmup=warmup).run(predicted, true, **program(4, total))
    assert 0 < vector < 1  # the case tells something
    assert report.neutral_frac_committed == pytest.approx(committed)
    assert report.neutral_frac_vector == pytest.approx(vector)
    assert report.q_star == pytest.approx(quantiles.mean(), rel=1e-9)
    assert report.sigma_q == pytest.approx(quantiles.std(), rel=1e-9)
    assert report.coverage == pytest.approx(covered)
    assert report.n_rounds == 40 - warmup


def test_the_same_support_can_hold_different_amounts(submission):
    # Two items share 1.5: whichever is dearer gets the half, both stay active throughout.
    predicted, true = streams(6, 32, [1.0, 1.1], 0.3)
    _, vector, _, _ = pilot(predicted, true, 1.5)
    report = submission(DIAGNOSTIC).run(predicted, true, **program(2, 1.5))
    assert report.neutral_frac_committed == 1
    assert 0 < vector < 1
    assert report.neutral_frac_vector == pytest.approx(vector)


def test_equal_decisions_count_as_committed_even_at_the_edge_of_the_support(submission):
    # Amounts of 2e-4 lie below the support's threshold of 1e-3, yet differ by more than 1e-6:
    # the vectors differ and the (empty) supports agree. A loose tolerance makes them equal, too.
    predicted, true = streams(7, 30, [1.0, 1.1], 0.3)
    tiny = program(2, 2e-4)
    report = submission(DIAGNOSTIC).run(predicted, true, **tiny)
    assert report.neutral_frac_committed == 1
    assert report.neutral_frac_vector < 1
    loose = submission(DIAGNOSTIC, vector_atol=1e-2).run(predicted, true, **tiny)
    assert loose.neutral_frac_vector == 1
    # The reverse: equal up to the tolerance, but on both sides of the support's threshold.
    edge = program(2, 1.5e-3)
    strict = submission(DIAGNOSTIC).run(predicted, true, **edge)
    assert strict.neutral_frac_committed < 1
    loose = submission(DIAGNOSTIC, vector_atol=1e-2).run(predicted, true, **edge)
    assert (loose.neutral_frac_committed, loose.neutral_frac_vector) == (1.0, 1.0)


def test_differences_are_judged_relative_to_their_size(submission):
    # Amounts of 1 and 1.0002 on two items: 2e-4 is more than the relative 1e-4 and than 1e-6.
    predicted, true = streams(8, 32, [1.0, 1.1], 0.3)
    cons = program(2, 2.0002, upper=1.0002)
    report = submission(DIAGNOSTIC).run(predicted, true, **cons)
    assert report.neutral_frac_vector == pytest.approx(
        pilot(predicted, true, 2.0002, upper=1.0002)[1]
    )
    assert report.neutral_frac_vector < 1
    cons = program(2, 2.00002, upper=1.00002)  # 2e-5 is within the relative tolerance
    assert submission(DIAGNOSTIC).run(predicted, true, **cons).neutral_frac_vector == 1


def test_decisions_never_see_the_truth_of_their_own_round(submission):
    predicted, true = streams(9, 30, [1.0, 1.2, 1.3], 0.3)
    changed = true.copy()
    changed[-1] += 100.0
    first, second = (
        submission(DIAGNOSTIC).run(predicted, t, **program(3)) for t in (true, changed)
    )
    assert second.neutral_frac_vector == first.neutral_frac_vector
    assert (second.q_star, second.sigma_q) == (first.q_star, first.sigma_q)
    assert second.coverage < first.coverage


def test_a_pilot_without_a_decision_is_an_error(submission):
    predicted, true = streams(10, 30, [1.0, 1.2], 0.3)
    with pytest.raises(RuntimeError):
        submission(DIAGNOSTIC).run(predicted, true, **program(2, total=5.0))
    with pytest.raises(ValueError):
        submission(DIAGNOSTIC, warmup=30).run(predicted, true, **program(2))
    assert submission(DIAGNOSTIC, warmup=29).run(predicted, true, **program(2)).n_rounds == 1
