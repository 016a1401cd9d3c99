"""The score of a threshold cell: mean slopes of the image in both directions, by their norm."""

import math

import numpy as np
import pytest

SCORE = "hons:objective"


def grid(function, lowers, uppers):
    """Image vectors of every cell as a function of both thresholds."""
    return {
        (i, j): np.asarray(function(low, high), dtype=float)
        for i, high in enumerate(uppers)
        for j, low in enumerate(lowers)
    }


def by_slopes(images, lowers, uppers):
    out = {}
    for i, j in images:
        if j == 0:
            continue
        slopes = {"low": [], "high": []}
        for way, k, bounds in (("low", j, lowers), ("high", i, uppers)):
            for other in (k - 1, k + 1):
                if 0 <= other < len(bounds):
                    cell = (i, other) if way == "low" else (other, j)
                    change = math.dist(images[i, j], images[cell])
                    slopes[way].append(change / abs(bounds[k] - bounds[other]))
        means = [sum(v) / len(v) if v else 0.0 for v in slopes.values()]
        out[i, j] = math.hypot(*means)
    return out


def test_linear_images_have_one_slope_everywhere(submission):
    # An image 3 low in one entry and 4 high in another changes by 3 and by 4 per unit: norm 5.
    lowers, uppers = [0.0, 0.5, 2.0, 2.25], [3.0, 7.0, 8.0]
    images = grid(lambda low, high: [3 * low, 4 * high, 1.0], lowers, uppers)
    scores = submission(SCORE, images, lowers, uppers)
    assert scores == pytest.approx(dict.fromkeys(scores, 5.0))
    assert set(scores) == {(i, j) for i in range(3) for j in (1, 2, 3)}


def test_two_lower_bounds_and_one_upper_by_hand(submission):
    # One neighbour in one direction, none in the other: |(3, 4)| over a step of 2.
    images = {(0, 0): np.array([0.0, 0.0]), (0, 1): np.array([3.0, 4.0])}
    scores = submission(SCORE, images, [1.0, 3.0], [9.0])
    assert scores == {(0, 1): pytest.approx(2.5)}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_equals_the_mean_slopes_on_uneven_grids(submission, seed):
    rng = np.random.default_rng(seed)
    lowers = np.cumsum(rng.uniform(0.2, 2, 4))
    uppers = np.cumsum(rng.uniform(0.2, 2, 3)) + 10
    images = {(i, j): rng.normal(size=6) for i in range(3) for j in range(4)}
    scores = submission(SCORE, images, lowers, uppers)
    assert scores == pytest.approx(by_slopes(images, lowers, uppers), rel=1e-12)
    assert all(isinstance(value, float) for value in scores.values())


def test_equal_images_score_nothing(submission):
    lowers, uppers = [0.0, 1.0, 2.0], [5.0, 6.0]
    scores = submission(SCORE, grid(lambda *_: [2.0, -1.0], lowers, uppers), lowers, uppers)
    assert scores == dict.fromkeys(scores, 0.0)
    assert len(scores) == 4


def test_a_change_in_one_direction_only_counts_there(submission):
    lowers, uppers = [0.0, 1.0, 3.0], [5.0, 6.0, 8.0]
    across = submission(SCORE, grid(lambda low, _: [2 * low], lowers, uppers), lowers, uppers)
    along = submission(SCORE, grid(lambda _, high: [7 * high], lowers, uppers), lowers, uppers)
    assert across == pytest.approx(dict.fromkeys(across, 2.0))
    assert along == pytest.approx(dict.fromkeys(along, 7.0))


def test_wider_steps_lower_the_score_in_proportion(submission):
    rng = np.random.default_rng(4)
    images = {(i, j): rng.normal(size=3) for i in range(2) for j in range(3)}
    near = submission(SCORE, images, [0.0, 1.0, 2.0], [4.0, 5.0])
    far = submission(SCORE, images, [0.0, 10.0, 20.0], [40.0, 50.0])
    assert {cell: 10 * value for cell, value in far.items()} == pytest.approx(near)


@pytest.mark.parametrize(
    ("lowers", "uppers"),
    [
        ([0.0], [5.0]),
        ([0.0, 0.0], [5.0]),
        ([1.0, 0.0], [5.0]),
        ([0.0, 1.0], []),
        ([0.0, 1.0], [6.0, 5.0]),
        ([0.0, math.nan], [5.0]),
        ([0.0, 1.0], [math.inf]),
        ([[0.0, 1.0]], [5.0]),
    ],
)
def test_thresholds_that_make_no_grid_are_refused(submission, lowers, uppers):
    images = {(i, j): np.ones(2) for i in range(len(uppers)) for j in range(len(lowers))}
    with pytest.raises(ValueError):
        submission(SCORE, images, lowers, uppers)


@pytest.mark.parametrize(
    "change",
    [{(0, 1): None}, {(1, 0): [1.0, 1.0]}, {(0, 1): [1.0]}, {(0, 1): [1.0, math.nan]}, {(0, 1): 1}],
)
def test_images_that_do_not_fit_are_refused(submission, change):
    # A missing cell, one too many, another length, an entry that is not finite, and no vector.
    good = {(0, 0): [0.0, 1.0], (0, 1): [2.0, 2.0]}
    vectors = {cell: np.array(value) for cell, value in good.items()}
    assert len(submission(SCORE, vectors, [0.0, 1.0], [5.0])) == 1
    changed = {cell: value for cell, value in (good | change).items() if value is not None}
    vectors = {cell: np.array(value, dtype=float) for cell, value in changed.items()}
    with pytest.raises(ValueError):
        submission(SCORE, vectors, [0.0, 1.0], [5.0])
