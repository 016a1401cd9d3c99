"""The extreme points of the increment hull K = conv{G[i] - G[j]}, found anew from all pairs."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

HULL = "aersn.geometry:IncrementHull"


def walk(seed, points, q):
    return np.cumsum(np.random.default_rng(seed).normal(size=(points, q)), axis=0)


def differences(path):
    return (path[:, None, :] - path[None, :, :]).reshape(-1, path.shape[1])


def doubled_area(polygon):
    """Twice the signed area: positive when the polygon runs counter-clockwise."""
    after = np.roll(polygon, -1, axis=0)
    return np.sum(polygon[:, 0] * after[:, 1] - polygon[:, 1] * after[:, 0])


def same_points(left, right, tolerance=1e-9):
    gaps = np.linalg.norm(left[:, None, :] - right[None, :, :], axis=2)
    return len(left) == len(right) and gaps.min(axis=0).max() < tolerance


def test_square_path_gives_the_doubled_square(submission):
    vertices = submission(HULL, np.array([[0.0, 0], [1, 0], [1, 1], [0, 1], [0.4, 0.5]])).vertices()
    assert same_points(vertices, np.array([[1.0, 1], [-1, 1], [-1, -1], [1, -1]]))
    assert doubled_area(vertices) == pytest.approx(8)


def test_one_dimension_is_the_range_in_both_signs(submission):
    vertices = submission(HULL, np.array([0.5, 3.0, -1.5, 2.0])).vertices()
    assert vertices.tolist() == [[-4.5], [4.5]]


@pytest.mark.parametrize("seed", range(8))
def test_plane_matches_the_hull_of_all_pairs_counter_clockwise(submission, seed):
    path = walk(seed, 40, 2) * [1.0, 3.0] @ np.array([[1.0, 0.6], [-0.3, 1.0]])
    vertices = submission(HULL, path).vertices()
    full = ConvexHull(differences(path))
    assert same_points(vertices, full.points[full.vertices])
    assert doubled_area(vertices) == pytest.approx(2 * full.volume)  # `volume` is a plane's area


def test_orientation_survives_mirrored_and_stretched_axes(submission):
    # Each mirror image reverses a polygon; the answer has to run counter-clockwise all the same.
    path = walk(20, 30, 2)
    area = doubled_area(submission(HULL, path).vertices())
    for mirror in ([-1.0, 1.0], [1.0, -1.0], [1e4, 1e-4]):
        moved = submission(HULL, path * mirror).vertices()
        assert doubled_area(moved) == pytest.approx(area, rel=1e-9)
    assert doubled_area(submission(HULL, path[:, ::-1]).vertices()) == pytest.approx(area)


@pytest.mark.parametrize("seed", range(60, 66))
def test_thin_hulls_run_counter_clockwise_too(submission, seed):
    path = walk(seed, 25, 2) * [1.0, 0.01] @ np.array([[1.0, 1.0], [-1.0, 1.0]])
    assert doubled_area(submission(HULL, path).vertices()) > 0


@pytest.mark.parametrize("seed", [31, 32])
def test_space_matches_the_hull_of_all_pairs(submission, seed):
    path = walk(seed, 14, 3) * [1.0, 20.0, 0.2]
    vertices = submission(HULL, path).vertices()
    full = ConvexHull(differences(path))
    assert same_points(vertices, full.points[full.vertices])
    assert ConvexHull(vertices).volume == pytest.approx(full.volume)


@pytest.mark.parametrize("q", [2, 3])
def test_support_is_the_adjusted_range_and_the_hull_is_symmetric(submission, q):
    # h_K(u) = max(G @ u) - min(G @ u), and K = -K.
    path = walk(40 + q, 20, q)
    vertices = submission(HULL, path).vertices()
    directions = np.random.default_rng(q).normal(size=(6, q))
    spread = np.ptp(path @ directions.T, axis=0)
    assert (vertices @ directions.T).max(axis=0) == pytest.approx(spread)
    assert same_points(vertices, -vertices)


@pytest.mark.parametrize(
    ("path", "pairs", "corners"),
    [
        # A triangle gives a hexagon and a tetrahedron a cuboctahedron; the inner points are idle.
        ([[0.0, 0], [1, 0], [0, 1], [0.3, 0.3], [0.2, 0.4]], 9, 6),
        ([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.2, 0.3]], 16, 12),
    ],
)
def test_the_limit_counts_pairs_of_hull_vertices(submission, path, pairs, corners):
    hull = submission(HULL, np.array(path))
    assert len(hull.vertices(max_pairs=pairs)) == corners
    with pytest.raises(ValueError):
        hull.vertices(max_pairs=pairs - 1)


@pytest.mark.parametrize("limit", [0, -5, 1e6])
def test_a_limit_that_is_no_positive_integer_is_refused(submission, limit):
    hull = submission(HULL, np.array([[0.0, 0], [1, 0], [0, 1]]))
    assert len(hull.vertices()) == 6
    with pytest.raises(ValueError):
        hull.vertices(max_pairs=limit)


def test_more_than_three_dimensions_are_refused(submission):
    with pytest.raises(ValueError):
        submission(HULL, walk(50, 20, 4)).vertices()
