"""kappa* = min over competitors v with sigma.(v* - v) > 0 of c.(v - v*) / sigma.(v* - v).

Up to kappa*, the hedged cost c + kappa sigma keeps the nominal optimum v* in front of every v.
"""

import math

import numpy as np
import pytest

DIAGNOSTIC = "conformal_ops.diagnostics.free_coverage:FreeCoverageDiagnostic"
ONLINE = "conformal_ops.core.online_conformal:OnlineConformal"
OFFSET = 1e-6  # the layer's first update sets sigma to the absolute residuals plus this


def simplex(d):
    return {
        "A_eq": np.ones((1, d)),
        "b_eq": np.array([1.0]),
        "A_ub": None,
        "b_ub": None,
        "bounds": [(0.0, 1.0)] * d,
    }


def kappa(submission, costs, sigma, vertices, cons=None):
    """The threshold with noise scale `sigma`, for a fixed list of competing vertices."""
    layer = submission(ONLINE)
    if sigma is not None:
        sigma = np.asarray(sigma, dtype=float)
        layer.update(np.zeros(len(sigma)), sigma - OFFSET)
    costs = np.atleast_2d(np.asarray(costs, dtype=float))
    seen = []

    def competitors(cost, optimum):
        seen.append((cost, optimum))
        return [np.asarray(vertex, dtype=float) for vertex in vertices]

    diagnostic = submission(DIAGNOSTIC)
    answer = diagnostic._kappa_star(costs, cons or simplex(costs.shape[1]), layer, competitors)
    return answer, seen


def test_two_items_switch_at_the_cost_gap_over_the_noise_gap(submission):
    # 1 + 2 kappa = 1.5 + kappa at kappa = 1/2.
    answer, _ = kappa(submission, [1.0, 1.5], [2.0, 1.0], [[0, 1]])
    assert answer == pytest.approx(0.5, rel=1e-9)


def test_the_first_competitor_to_catch_up_counts(submission):
    cost, sigma = [1.0, 1.5, 1.2, 9.0], [3.0, 1.0, 2.5, 0.1]
    answer, _ = kappa(submission, cost, sigma, np.eye(4)[1:])
    gaps = [(cost[k] - cost[0]) / (sigma[0] - sigma[k]) for k in (1, 2, 3)]
    assert answer == pytest.approx(min(gaps), rel=1e-9)
    reverse, _ = kappa(submission, cost, sigma, np.eye(4)[:0:-1])
    assert reverse == pytest.approx(answer)


def test_a_competitor_as_noisy_as_the_optimum_never_catches_up(submission):
    assert kappa(submission, [1.0, 1.5], [1.0, 1.0], [[0, 1]])[0] == math.inf
    assert kappa(submission, [1.0, 1.5], [1.0, 2.0], [[0, 1]])[0] == math.inf
    assert kappa(submission, [1.0, 1.5], [1.0, 0.5], [[1, 0]])[0] == math.inf  # the optimum itself
    assert kappa(submission, [1.0, 1.5], [1.0, 0.5], [])[0] == math.inf


def test_the_decision_switches_there_and_not_before(submission):
    rng = np.random.default_rng(5)
    for _ in range(6):
        cost, sigma = rng.uniform(1, 2, 5), rng.uniform(0.1, 1, 5)
        best = int(np.argmin(cost))
        sigma[best] = 1.2
        threshold, _ = kappa(submission, cost, sigma, np.eye(5))
        assert np.argmin(cost + 0.999 * threshold * sigma) == best
        assert np.argmin(cost + 1.001 * threshold * sigma) != best


def test_costs_scale_it_up_and_noise_scales_it_down(submission):
    cost, sigma = np.array([1.0, 1.4, 1.9]), np.array([0.9, 0.4, 0.1])
    plain, _ = kappa(submission, cost, sigma, np.eye(3))
    assert kappa(submission, 3 * cost, sigma, np.eye(3))[0] == pytest.approx(3 * plain)
    assert kappa(submission, cost, 4 * sigma, np.eye(3))[0] == pytest.approx(plain / 4)


def test_vertices_with_several_active_items(submission):
    # Two of three items: v* = (1, 1, 0) at cost (1, 2, 4); (0, 1, 1) gives up item 0 for item 2.
    cons = simplex(3) | {"b_eq": np.array([2.0])}
    answer, seen = kappa(submission, [1.0, 2.0, 4.0], [5.0, 1.0, 0.5], [[0, 1, 1], [1, 0, 1]], cons)
    assert answer == pytest.approx(min(3 / 4.5, 2 / 0.5), rel=1e-9)
    assert seen[0][1] == pytest.approx([1, 1, 0])


def test_the_representative_cost_is_the_mean_over_the_rounds(submission):
    rows = [[1.0, 3.0], [2.0, 2.5], [0.0, 2.0]]
    answer, seen = kappa(submission, rows, [2.0, 1.0], [[0, 1]])
    assert answer == pytest.approx(1.5, rel=1e-9)
    assert seen[0][0] == pytest.approx([1.0, 2.5])
    assert seen[0][1] == pytest.approx([1.0, 0.0])


def test_competitors_that_do_not_count_are_left_out(submission):
    # Cheaper than the optimum (an impossible vertex), or of another shape.
    vertices = [[0, 0], [0, 1, 0], [0, 1]]
    answer, _ = kappa(submission, [1.0, 1.5], [2.0, 1.0], vertices)
    assert answer == pytest.approx(0.5, rel=1e-9)
    assert kappa(submission, [1.0, 1.5], [2.0, 1.0], vertices[:2])[0] == math.inf


def test_a_competitor_that_is_as_cheap_switches_at_once(submission):
    # Whichever of the two equally cheap vertices is nominal, the quieter third one competes.
    bounds = simplex(3) | {"bounds": [(0.0, 1.0), (0.0, 0.0), (0.0, 1.0)]}
    answer, _ = kappa(submission, [1.0, 1.0, 5.0], [2.0, 1.0, 1.0], [[0, 1, 0], [0, 0, 1]], bounds)
    assert answer == pytest.approx(0, abs=1e-12)


def test_no_noise_scale_and_no_solution_give_none(submission):
    assert kappa(submission, [1.0, 1.5], None, [[0, 1]])[0] is None
    impossible = simplex(2) | {"b_eq": np.array([5.0])}
    answer, seen = kappa(submission, [1.0, 1.5], [2.0, 1.0], [[0, 1]], impossible)
    assert answer is None
    assert not seen
