"""The moving average of |z|: (1 - decay) of the old average plus decay of the new decision."""

import numpy as np
import pytest

DICA = "conformal_ops.dica.dica:DICA"


def average(submission, decisions, **settings):
    learner = submission(DICA, **settings)
    for decision in decisions:
        learner.update_allocation(np.array(decision))
    return learner.allocation_ema


def test_starts_at_the_size_of_the_first_decision(submission):
    assert submission(DICA).allocation_ema is None
    assert average(submission, [[0.5, -2.0, 0.0]]).tolist() == [0.5, 2.0, 0.0]


def test_two_decisions_by_hand(submission):
    # 0.75 * 4 + 0.25 * 8 = 5 and 0.75 * 0 + 0.25 * 2 = 0.5.
    found = average(submission, [[4.0, 0.0], [8.0, -2.0]], allocation_ema_decay=0.25)
    assert found == pytest.approx([5.0, 0.5], rel=1e-14)


@pytest.mark.parametrize("decay", [0.05, 0.5, 1.0])
def test_weights_fall_geometrically_with_age(submission, decay):
    decisions = np.random.default_rng(1).normal(size=(12, 3))
    weights = np.r_[1.0, np.full(11, decay)] * (1 - decay) ** np.arange(11, -1, -1)
    expected = weights @ np.abs(decisions)
    assert weights.sum() == pytest.approx(1)
    found = average(submission, decisions, allocation_ema_decay=decay)
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_tenth_is_the_default_weight(submission):
    assert average(submission, [[0.0], [1.0]]) == pytest.approx([0.1], rel=1e-14)


def test_steady_decisions_are_a_fixed_point(submission):
    found = average(submission, [[0.3, 0.7]] * 9, allocation_ema_decay=0.37)
    assert found == pytest.approx([0.3, 0.7], rel=1e-14)


def test_signs_are_idle(submission):
    decisions = np.random.default_rng(2).normal(size=(5, 4))
    assert np.array_equal(average(submission, decisions), average(submission, -decisions))


def test_another_number_of_variables_starts_anew(submission):
    found = average(submission, [[5.0, 5.0], [1.0, -2.0, 3.0]])
    assert found.tolist() == [1.0, 2.0, 3.0]
    again = average(submission, [[5.0, 5.0], [1.0, 2.0, 3.0], [2.0, 2.0, 3.0]])
    assert again == pytest.approx([1.1, 2.0, 3.0], rel=1e-14)


def test_shapes_the_next_radii(submission):
    # With all weight on the allocation the unused variable gets no radius and the used one double.
    learner = submission(DICA, beta=1.0)
    learner.update(np.zeros(2), np.array([1.0, 1.0]))
    assert learner.get_radii(np.zeros(2)) == pytest.approx([1.0, 1.0], rel=1e-5)
    learner.update_allocation(np.array([0.0, -3.0]))
    assert learner.get_radii(np.zeros(2)) == pytest.approx([0.0, 2.0], rel=1e-5)
