"""Power of a two-sided z-test whose estimate has the paper's variance.

Var = 4 sigma^2 / (J H) * (within / n + between * (1 / n + 1 + cv^2)).
"""

import math

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import ncx2

POWER = "switchback_power_calculator.core:power"
DESIGN = {
    "mean_obs_per_cell": 12.0,
    "cell_size_cv": 0.8,
    "between_cell_variance_share": 0.15,
    "outcome_sd": 40.0,
}


def error(clusters, periods, n=12.0, cv=0.8, between=0.15, sd=40.0):
    bracket = (1 - between) / n + between * (1 / n + 1 + cv**2)
    return math.sqrt(4 * sd**2 / (clusters * periods) * bracket)


@pytest.mark.parametrize("effect", [0.3, 1.0, 4.0, -6.0, 15.0])
@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.4])
def test_equals_the_tail_of_a_noncentral_chi_square(submission, effect, alpha):
    # The squared z statistic has one degree of freedom and noncentrality (effect / error)^2.
    expected = ncx2.sf(ndtri(1 - alpha / 2) ** 2, 1, (effect / error(20, 30)) ** 2)
    found = submission(POWER, effect, 20, 30, alpha=alpha, **DESIGN)
    assert found == pytest.approx(expected, rel=1e-7)
    assert isinstance(found, float)


def test_no_effect_is_detected_as_often_as_the_level_says(submission):
    assert submission(POWER, 0.0, 20, 30, alpha=0.07, **DESIGN) == 0.07
    assert submission(POWER, 0, 20, 30, **DESIGN) == 0.05
    near = submission(POWER, 1e-6, 20, 30, alpha=0.07, **DESIGN)
    assert near == pytest.approx(0.07, abs=1e-9)  # both tails, else it would be half of that


def test_five_percent_is_the_default_level(submission):
    given = submission(POWER, 5.0, 20, 30, alpha=0.05, **DESIGN)
    assert submission(POWER, 5.0, 20, 30, **DESIGN) == given


def test_the_sign_does_not_matter(submission):
    plus, minus = (submission(POWER, sign * 3.0, 20, 30, **DESIGN) for sign in (1, -1))
    assert plus == pytest.approx(minus, rel=1e-14)
    assert plus > 0.05


def test_an_effect_at_the_critical_value_is_found_half_of_the_time(submission):
    # Phi(0) plus the far tail Phi(-2 z).
    effect = ndtri(0.975) * error(50, 40)
    found = submission(POWER, effect, 50, 40, **DESIGN)
    assert found == pytest.approx(0.5 + 4.434e-5, abs=1e-6)


def test_grows_with_the_effect_and_the_number_of_cells(submission):
    effects = [submission(POWER, float(e), 20, 30, **DESIGN) for e in np.linspace(0, 30, 16)]
    assert min(np.diff(effects)) >= 0
    assert effects[-1] == pytest.approx(1, abs=1e-6)
    cells = [submission(POWER, 3.0, 20, h, **DESIGN) for h in (5, 20, 80, 320)]
    assert min(np.diff(cells)) > 0
    # Only the number of cells counts, not how they split.
    swapped = submission(POWER, 3.0, 80, 20, **DESIGN)
    assert swapped == pytest.approx(submission(POWER, 3.0, 20, 80, **DESIGN), rel=1e-12)


def test_an_explicit_share_within_cells_is_used(submission):
    given = submission(POWER, 3.0, 20, 30, within_cell_variance_share=0.85, **DESIGN)
    assert given == pytest.approx(submission(POWER, 3.0, 20, 30, **DESIGN), rel=1e-12)
    with pytest.raises(ValueError):
        submission(POWER, 3.0, 20, 30, within_cell_variance_share=0.5, **DESIGN)


@pytest.mark.parametrize("effect", [0.0, 3.0])
@pytest.mark.parametrize("bad", [{"alpha": 0.0}, {"alpha": 1.0}, {"outcome_sd": 0.0}])
def test_bad_levels_and_designs_are_refused(submission, effect, bad):
    with pytest.raises(ValueError):
        submission(POWER, effect, 20, 30, **(DESIGN | bad))
    with pytest.raises(ValueError):
        submission(POWER, effect, 1, 30, **DESIGN)
