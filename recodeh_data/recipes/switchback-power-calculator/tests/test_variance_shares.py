"""Sums of squares of clusters, periods and cells over the total, against loops over the rows."""

import statistics

import numpy as np
import pytest

SHARES = "switchback_power_calculator.from_data:_estimate_variance_shares_from_clean"


def table(submission, rows):
    """A data frame in the room of the code under test, from (cluster, period, outcome) rows."""
    clusters, periods, outcomes = zip(*rows, strict=True) if rows else ((), (), ())
    columns = {"cluster_id": list(clusters), "time_id": list(periods), "outcome": list(outcomes)}
    return submission("pandas:DataFrame", columns)


def squares(rows, key):
    """Each row's group mean, squared around the grand mean and summed over the rows."""
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row[2])
    grand = statistics.fmean(row[2] for row in rows)
    return sum(len(g) * (statistics.fmean(g) - grand) ** 2 for g in groups.values())


def by_loops(rows):
    cluster, period = squares(rows, lambda r: r[0]), squares(rows, lambda r: r[1])
    cell = squares(rows, lambda r: (r[0], r[1]))
    grand = statistics.fmean(row[2] for row in rows)
    total = sum((row[2] - grand) ** 2 for row in rows)
    parts = (cluster, period, max(cell - cluster - period, 0.0), total - cell, cell)
    return [part / total for part in parts], cell - cluster - period < -1e-9 * total


def shares(answer):
    return [
        answer.cluster_variance_share,
        answer.time_period_variance_share,
        answer.interaction_variance_share,
        answer.within_cell_variance_share,
        answer.between_cell_variance_share,
    ]


def noise(seed, sizes):
    """Rows of a design whose cell (j, h) has sizes[j][h] observations."""
    rng = np.random.default_rng(seed)
    level = rng.normal(size=(len(sizes), len(sizes[0])))
    return [
        (f"c{j}", f"t{h}", float(level[j, h] + rng.normal()))
        for j, row in enumerate(sizes)
        for h, size in enumerate(row)
        for _ in range(size)
    ]


def test_additive_outcomes_without_noise(submission):
    # Clusters at -3 and 3, periods at -1, 0 and 1: variances 9 and 2/3, nothing else.
    rows = [(j, h, 3.0 * j + h) for j in (-1, 1) for h in (-1, 0, 1)]
    answer = submission(SHARES, table(submission, rows))
    total = 9 + 2 / 3
    assert shares(answer) == pytest.approx([9 / total, 2 / 3 / total, 0, 0, 1], abs=1e-12)
    assert len(answer.warnings) == 0


def test_a_pure_interaction(submission):
    rows = [(j, h, float(j * h)) for j in (-1, 1) for h in (-1, 1) for _ in range(3)]
    answer = submission(SHARES, table(submission, rows))
    assert shares(answer) == pytest.approx([0, 0, 1, 0, 1], abs=1e-12)


def test_a_pure_residual(submission):
    rows = [(j, h, e) for j in (0, 1) for h in (0, 1) for e in (-2.0, 2.0)]
    answer = submission(SHARES, table(submission, rows))
    assert shares(answer) == pytest.approx([0, 0, 0, 1, 0], abs=1e-12)
    assert answer.outcome_sd == pytest.approx(np.sqrt(32 / 7))


def test_rounding_is_no_negative_interaction(submission):
    # Additive outcomes in small units: the interaction is zero but for the last digits.
    for factor in (1e4, 3.3e5, 7.7e6, 1.1e7):
        rows = [(j, h, factor * (0.7 * j + 0.3 * h)) for j in range(3) for h in range(4)]
        answer = submission(SHARES, table(submission, rows))
        assert len(answer.warnings) == 0
        assert answer.interaction_variance_share == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("sizes", [[[4, 4], [4, 4], [4, 4]], [[1, 7, 3], [9, 2, 0], [5, 5, 1]]])
@pytest.mark.parametrize("seed", [1, 2])
def test_equals_loops_over_the_rows(submission, sizes, seed):
    rows = noise(seed, sizes)
    answer = submission(SHARES, table(submission, rows))
    expected, warned = by_loops(rows)
    assert shares(answer) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert answer.outcome_sd == pytest.approx(statistics.stdev(row[2] for row in rows))
    assert (len(answer.warnings) > 0) == warned


def test_shares_add_up(submission):
    answer = submission(SHARES, table(submission, noise(3, [[5, 5, 5], [5, 5, 5]])))
    cluster, period, interaction, within, between = shares(answer)
    assert within + between == pytest.approx(1)
    assert cluster + period + interaction == pytest.approx(between)  # a balanced design


def test_a_negative_interaction_is_clipped_and_told(submission):
    # Clusters and periods nearly coincide, so that each of them explains all there is.
    rows = [(0, 0, 1.0)] * 9 + [(1, 1, -1.0)] * 9 + [(0, 1, 0.0), (1, 0, 0.0)]
    answer = submission(SHARES, table(submission, rows))
    expected, warned = by_loops(rows)
    assert warned
    assert len(answer.warnings) == 1
    assert answer.interaction_variance_share == 0
    assert shares(answer) == pytest.approx(expected)


def test_units_and_offset_of_the_outcome_change_the_deviation_only(submission):
    rows = noise(4, [[3, 6], [2, 8]])
    moved = [(j, h, 100.0 - 5.0 * y) for j, h, y in rows]
    first, second = (submission(SHARES, table(submission, r)) for r in (rows, moved))
    assert shares(second) == pytest.approx(shares(first))
    assert second.outcome_sd == pytest.approx(5 * first.outcome_sd)


def test_too_little_data_is_refused(submission):
    assert submission(SHARES, table(submission, [(0, 0, 1.0), (1, 0, 2.0)])).outcome_sd > 0
    for rows in ([], [(0, 0, 1.0)], [(0, 0, 2.5), (1, 1, 2.5), (1, 0, 2.5)]):
        with pytest.raises(ValueError):
            submission(SHARES, table(submission, rows))
