"""Cells N at which |effect| / error(N) = z(1 - alpha / 2) + z(power).

error(N)^2 = 4 sigma^2 / N * (within / n + between * (1 / n + 1 + cv^2)).
"""

import pytest
from scipy.special import ndtr, ndtri

CELLS = "switchback_power_calculator.core:num_required_randomizations"
ERROR = "switchback_power_calculator.core:standard_error"
DESIGN = {
    "mean_obs_per_cell": 8.0,
    "cell_size_cv": 1.2,
    "between_cell_variance_share": 0.25,
    "outcome_sd": 10.0,
}


@pytest.mark.parametrize("effect", [0.5, -2.0, 7.0])
@pytest.mark.parametrize(("alpha", "level"), [(0.05, 0.8), (0.01, 0.95), (0.3, 0.4)])
def test_equals_the_formula(submission, effect, alpha, level):
    bracket = 0.75 / 8 + 0.25 * (1 / 8 + 1 + 1.44)
    quantiles = ndtri(1 - alpha / 2) + ndtri(level)
    expected = 4 * 100 * bracket * (quantiles / effect) ** 2
    found = submission(CELLS, effect, alpha=alpha, power_level=level, **DESIGN)
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.99])
def test_that_many_cells_have_the_wanted_power(submission, level):
    # Two clusters of N / 2 periods have N cells; only the near tail is asked for.
    effect, alpha = 1.5, 0.1
    cells = submission(CELLS, effect, alpha=alpha, power_level=level, **DESIGN)
    error = submission(ERROR, 2, cells / 2, **DESIGN)
    assert ndtr(effect / error - ndtri(1 - alpha / 2)) == pytest.approx(level, abs=1e-9)


def test_eighty_percent_at_five_percent_by_default(submission):
    given = submission(CELLS, 1.0, alpha=0.05, power_level=0.8, **DESIGN)
    assert submission(CELLS, 1.0, **DESIGN) == given


def test_grows_with_the_variance_and_falls_with_the_squared_effect(submission):
    base = submission(CELLS, 1.0, **DESIGN)
    assert submission(CELLS, 2.0, **DESIGN) == pytest.approx(base / 4)
    assert submission(CELLS, -1.0, **DESIGN) == pytest.approx(base)
    assert submission(CELLS, 1.0, **(DESIGN | {"outcome_sd": 30.0})) == pytest.approx(9 * base)


def test_identical_outcomes_within_cells_gain_nothing_from_larger_cells(submission):
    # With all variance between cells of equal size only 1/n + 1 is left of the bracket.
    share = {"between_cell_variance_share": 1.0, "cell_size_cv": 0.0}
    few = submission(CELLS, 1.0, **(DESIGN | share | {"mean_obs_per_cell": 1.0}))
    many = submission(CELLS, 1.0, **(DESIGN | share | {"mean_obs_per_cell": 1e9}))
    assert few == pytest.approx(2 * many, rel=1e-6)


def test_an_explicit_share_within_cells_is_used(submission):
    given = submission(CELLS, 1.0, within_cell_variance_share=0.75, **DESIGN)
    assert given == pytest.approx(submission(CELLS, 1.0, **DESIGN), rel=1e-12)
    with pytest.raises(ValueError):
        submission(CELLS, 1.0, within_cell_variance_share=0.5, **DESIGN)


@pytest.mark.parametrize(
    "bad",
    [
        {"treatment_effect": 0.0},
        {"alpha": 0.0},
        {"alpha": 1.0},
        {"power_level": 0.0},
        {"power_level": 1.0},
        {"outcome_sd": -1.0},
        {"mean_obs_per_cell": 0.0},
        {"cell_size_cv": -0.1},
    ],
)
def test_what_makes_no_sense_is_refused(submission, bad):
    good = {"treatment_effect": 1.0} | DESIGN
    assert submission(CELLS, **good) > 0
    with pytest.raises(ValueError):
        submission(CELLS, **(good | bad))
