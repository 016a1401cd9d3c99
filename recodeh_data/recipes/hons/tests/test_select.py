"""The steadiest cell among those whose counts reach the percentiles over all selectable cells."""

import math

import numpy as np
import pytest

SELECT = "hons:select"


def cells(values):
    return {(0, j): value for j, value in enumerate(values, start=1)}


def by_search(mag, f1, f2, delta1, delta2):
    """Percentiles by linear interpolation in the sorted counts, then the least score."""

    def percentile(counts, delta):
        ordered = sorted(counts)
        place = delta / 100 * (len(ordered) - 1)
        low = math.floor(place)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (place - low) * (ordered[high] - ordered[low])

    need1 = percentile([f1[cell] for cell in mag], delta1)
    need2 = percentile([f2[cell] for cell in mag], delta2)
    fit = [cell for cell in sorted(mag) if f1[cell] >= need1 and f2[cell] >= need2]
    if not fit:
        return None, []
    least = min(mag[cell] for cell in fit)
    return min(fit, key=lambda cell: (mag[cell], cell)), [
        cell for cell in fit if abs(mag[cell] - least) <= 1e-12
    ]


def test_without_constraints_the_least_score_wins(submission):
    counts = cells([5, 1, 4])
    assert submission(SELECT, cells([0.3, 0.1, 0.2]), counts, counts, 0, 0) == ((0, 2), [(0, 2)])


def test_each_constraint_rules_out_cells_on_its_own(submission):
    scores, low, high = cells([0.1, 0.2, 0.3]), cells([0, 5, 9]), cells([7, 7, 7])
    # The median of 0, 5, 9 is 5: reaching it is enough.
    assert submission(SELECT, scores, low, high, 50, 0)[0] == (0, 2)
    assert submission(SELECT, scores, high, low, 0, 50)[0] == (0, 2)
    assert submission(SELECT, scores, low, high, 100, 0)[0] == (0, 3)
    assert submission(SELECT, scores, low, high, 0, 100)[0] == (0, 1)


def test_percentiles_interpolate_between_counts(submission):
    # The 40th percentile of 0, 10 is 4 and of 0, 10, 20 is 8.
    two, three = cells([10, 0]), cells([7, 10, 20])
    assert submission(SELECT, cells([0.9, 0.1]), two, two, 40, 0)[0] == (0, 1)
    assert submission(SELECT, cells([0.1, 0.9, 0.8]), three, three, 40, 0)[0] == (0, 3)


@pytest.mark.parametrize("seed", range(12))
def test_equals_a_search_over_all_cells(submission, seed):
    rng = np.random.default_rng(seed)
    keys = [(i, j) for i in range(3) for j in range(1, 5)]
    mag = {key: float(rng.integers(1, 6)) / 7 for key in keys}
    f1 = {key: int(rng.integers(0, 9)) for key in keys}
    f2 = {key: int(rng.integers(0, 9)) for key in keys}
    deltas = [float(value) for value in rng.integers(0, 101, 2)]
    assert submission(SELECT, mag, f1, f2, *deltas) == by_search(mag, f1, f2, *deltas)


def test_no_admissible_cell(submission):
    assert submission(SELECT, cells([0.1, 0.2]), cells([0, 9]), cells([9, 0]), 100, 100) == (
        None,
        [],
    )


def test_only_selectable_cells_set_the_percentiles(submission):
    # Counts of cells without a score, here of the first column, are not looked at.
    counts = cells([1, 2]) | {(0, 0): 1000}
    assert submission(SELECT, cells([0.1, 0.2]), counts, counts, 0, 0)[0] == (0, 1)
    assert submission(SELECT, cells([0.1, 0.2]), counts, counts, 100, 0)[0] == (0, 2)


def test_near_ties_are_listed_and_the_exact_least_is_chosen(submission):
    counts = cells([1, 1, 1, 0])
    scores = cells([0.5 + 5e-13, 0.5, 0.5 + 1e-9, 0.4])
    chosen, ties = submission(SELECT, scores, counts, counts, 50, 50)
    assert chosen == (0, 2)
    assert ties == [(0, 1), (0, 2)]


def test_exact_ties_go_to_the_first_cell_in_sorted_order(submission):
    scores = {(1, 1): 0.5, (0, 2): 0.5, (0, 3): 0.5}
    counts = dict.fromkeys(scores, 3)
    chosen, ties = submission(SELECT, scores, counts, counts, 50, 25)
    assert chosen == (0, 2)
    assert ties == [(0, 2), (0, 3), (1, 1)]


@pytest.mark.parametrize(
    ("scores", "f1", "f2"),
    [
        ([], [], []),
        ([math.nan, 0.2], [1, 1], [1, 1]),
        ([math.inf, 0.2], [1, 1], [1, 1]),
        ([0.1, 0.2], [1, math.nan], [1, 1]),
        ([0.1, 0.2], [1, 1], [math.inf, 1]),
        ([0.1, 0.2], [-1, 1], [1, 1]),
        ([0.1, 0.2], [1, 1], [1, -1]),
    ],
)
def test_bad_scores_and_counts_are_refused(submission, scores, f1, f2):
    assert submission(SELECT, cells([0.1]), cells([0]), cells([0]), 50, 50)[0] == (0, 1)
    with pytest.raises(ValueError):
        submission(SELECT, cells(scores), cells(f1), cells(f2), 50, 50)
