"""The gauge of the increment hull K = conv{G[i] - G[j]}.

gamma_K(z) is the smallest a >= 0 with z in a * K; its dual is the largest z @ u among directions u
on which the path spreads by at most one.
"""

import numpy as np
import pytest
from scipy.optimize import linprog

HULL = "aersn.geometry:IncrementHull"
CLOSE = {"rel": 1e-7, "abs": 1e-9}  # ten times looser than the solver's feasibility tolerance


def walk(seed, points, q):
    return np.cumsum(np.random.default_rng(seed).normal(size=(points, q)), axis=0)


def primal(path, z):
    """Least total weight of increments that add up to z: the definition, over all pairs."""
    pairs = (path[:, None, :] - path[None, :, :]).reshape(-1, path.shape[1])
    answer = linprog(np.ones(len(pairs)), A_eq=pairs.T, b_eq=z, bounds=(0, None), method="highs")
    assert answer.success
    return answer.fun


@pytest.mark.parametrize("z", [(0.3, -2.0), (-1.0, 1.0), (0.25, 0.0), (-3.0, -0.5)])
def test_square_path_has_the_maximum_norm(submission, z):
    # The increments of the unit square's corners fill [-1, 1] x [-1, 1].
    hull = submission(HULL, np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]))
    assert hull.gauge(list(z)) == pytest.approx(max(abs(z[0]), abs(z[1])), **CLOSE)


@pytest.mark.parametrize("z", [(1.0, 1.0), (1.0, -1.0), (-0.2, 0.7), (2.0, 0.0)])
def test_triangular_path_has_a_hexagonal_norm(submission, z):
    # conv of +-(1, 0), +-(0, 1), +-(1, -1): facets |x| = 1, |y| = 1 and |x + y| = 1.
    hull = submission(HULL, np.array([[0.0, 0], [1, 0], [0, 1]]))
    expected = max(abs(z[0]), abs(z[1]), abs(z[0] + z[1]))
    assert hull.gauge(list(z)) == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize(("q", "points"), [(2, 7), (2, 30), (3, 18), (5, 16)])
def test_equals_the_primal_program_over_all_increments(submission, q, points):
    path = walk(10 * q + points, points, q)
    hull = submission(HULL, path)
    for z in np.random.default_rng(q).normal(size=(3, q)):
        assert hull.gauge(z) == pytest.approx(primal(path, z), **CLOSE)


def test_is_a_norm(submission):
    hull = submission(HULL, walk(1, 25, 3))
    a, b = np.random.default_rng(2).normal(size=(2, 3))
    gauge = hull.gauge
    assert gauge(3.5 * a) == pytest.approx(3.5 * gauge(a), **CLOSE)
    assert gauge(-a) == pytest.approx(gauge(a), **CLOSE)
    assert gauge(a + b) <= gauge(a) + gauge(b) + 1e-9
    assert gauge(np.zeros(3)) == 0


def test_is_affine_equivariant(submission):
    # gamma_{HK}(Hz) = gamma_K(z), and a shift of the path changes no increment.
    rng = np.random.default_rng(3)
    path, z, turn = walk(4, 20, 2), rng.normal(size=2), rng.normal(size=(2, 2))
    plain = submission(HULL, path).gauge(z)
    assert submission(HULL, path @ turn.T + [5.0, -7.0]).gauge(turn @ z) == pytest.approx(
        plain, **CLOSE
    )


def test_units_that_differ_by_many_orders(submission):
    units = np.array([1e-6, 1.0, 1e5])
    path, z = walk(5, 20, 3), np.array([0.4, -1.1, 0.6])
    plain = submission(HULL, path).gauge(z)
    assert submission(HULL, path * units).gauge(z * units) == pytest.approx(plain, **CLOSE)


@pytest.mark.parametrize("q", [2, 4])
def test_details_certify_the_optimum(submission, q):
    # Dual feasibility, 0 <= G @ u - offset <= 1, and the objective z @ u equals the gauge.
    path, z = walk(6 + q, 24, q), np.random.default_rng(7).normal(size=q)
    answer = submission(HULL, path).gauge(z, details=True)
    spread = path @ answer.direction - answer.offset
    assert spread.min() == pytest.approx(0, abs=1e-7)
    assert spread.max() == pytest.approx(1, abs=1e-7)
    assert z @ answer.direction == pytest.approx(answer.value, **CLOSE)


def test_a_point_of_the_wrong_length_is_refused(submission):
    hull = submission(HULL, walk(8, 12, 2))
    assert hull.gauge([1.0, 0.0]) > 0
    with pytest.raises(ValueError):
        hull.gauge([1.0, 2.0, 3.0])
