"""Flows by angle round the mean origin, from the direction opposite to the mean flow's."""

import math

import numpy as np
import pytest

SEQUENCE = "scalefc.scalefc:_rearrange_flow_group_indices"


def by_angles(flows):
    """Counter-clockwise angle of each destination, counted from the opposite of the mean flow."""
    origins, ends = flows[:, :2], flows[:, 2:]
    if np.ptp(origins, axis=0).max() > np.ptp(ends, axis=0).max():
        origins, ends = ends, origins
    centre, mean = origins.mean(axis=0), ends.mean(axis=0)
    back = math.atan2(*(centre - mean)[::-1])
    turn = [(math.atan2(y - centre[1], x - centre[0]) - back) % (2 * math.pi) for x, y in ends]
    return sorted(range(len(flows)), key=turn.__getitem__)


def fan(angles, centre=(0.0, 0.0), length=5.0):
    """Flows from one origin in the given directions, in degrees."""
    radians = np.radians(angles)
    ends = np.column_stack([np.cos(radians), np.sin(radians)]) * length + centre
    return np.column_stack([np.tile(centre, (len(angles), 1)), ends])


def test_a_fan_to_the_right_is_swept_from_below(submission):
    # The mean flow points along x; the sweep begins behind it and comes up from below.
    assert submission(SEQUENCE, fan([30, -30, 0, 60, -60])) == [4, 1, 2, 0, 3]


def test_the_sweep_begins_behind_the_mean_flow_wherever_it_points(submission):
    for turn in (0, 45, 90, 135, 180, 225, 270, 315):
        flows = fan([turn + step for step in (30, -30, 5, 60, -70)], centre=(3.0, -2.0))
        assert submission(SEQUENCE, flows) == [4, 1, 2, 0, 3], turn


@pytest.mark.parametrize("seed", range(6))
def test_equals_a_sort_by_angle(submission, seed):
    rng = np.random.default_rng(seed)
    flows = np.column_stack([rng.normal(size=(15, 2)), 3 + 4 * rng.normal(size=(15, 2))])
    found = submission(SEQUENCE, flows)
    assert found == by_angles(flows)
    assert sorted(found) == list(range(15))


@pytest.mark.parametrize("seed", range(3))
def test_the_wider_side_is_looked_at_from_the_tighter_one(submission, seed):
    rng = np.random.default_rng(30 + seed)
    tight, wide = rng.normal(size=(12, 2)), 6 * rng.normal(size=(12, 2)) + 20
    there, back = np.column_stack([tight, wide]), np.column_stack([wide, tight])
    assert submission(SEQUENCE, back) == submission(SEQUENCE, there) == by_angles(there)


def test_the_range_is_the_larger_of_both_extents(submission):
    # Origins spread by 4 in y only, destinations by 3 in x and in y: origins are the wider side.
    origins = np.array([[0.0, 0], [0.1, 4], [0.2, 1], [0.0, 3]])
    ends = np.array([[10.0, 0], [13, 3], [11, 0.5], [12, 2]])
    flows = np.column_stack([origins, ends])
    assert submission(SEQUENCE, flows) == by_angles(flows)
    assert submission(SEQUENCE, flows) == submission(SEQUENCE, flows[:, [2, 3, 0, 1]])
    # The same spread in x: again the origins are turned to.
    turned = flows[:, [1, 0, 3, 2]]
    assert submission(SEQUENCE, turned) == by_angles(turned)


def test_a_side_that_is_wide_in_one_direction_is_wide(submission):
    # Origins spread by 2, destinations by 6 in x and by 1 in y, so that origins stay in place.
    origins = np.array([[0.0, 0], [2, 1], [1, 2], [0, 1]])
    ends = np.array([[10.0, 5.0], [16, 5.5], [12, 6.0], [14, 5.2]])
    flows = np.column_stack([origins, ends])
    assert submission(SEQUENCE, flows) == by_angles(flows)
    assert submission(SEQUENCE, flows) != submission(SEQUENCE, flows[:, [0, 1, 3, 2]])


@pytest.mark.parametrize("centre", [(0.0, 0.0), (-100.0, 50.0), (30.0, 80.0), (1.0, -60.0)])
@pytest.mark.parametrize("turn", [0, 130, 250])
def test_flows_in_all_directions(submission, centre, turn):
    # The mean points at `turn`; behind it is the gap between 170 and -170 degrees.
    flows = fan([turn + step for step in (20, -170, 0, 100, 170, -20, -100)], centre)
    assert submission(SEQUENCE, flows) == [1, 6, 5, 2, 0, 3, 4]


def test_equal_ranges_leave_the_origins_in_place(submission):
    origins = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    ends = np.array([[5.0, 0.0], [6.0, 2.0], [6.0, 1.0]])
    flows = np.column_stack([origins, ends])
    assert np.ptp(origins, axis=0).max() == np.ptp(ends, axis=0).max()
    assert submission(SEQUENCE, flows) == by_angles(flows)


def test_lengths_and_place_are_idle(submission):
    flows = fan([10, -40, 75, -80, 33])
    near = fan([10, -40, 75, -80, 33], centre=(100.0, 40.0), length=0.25)
    assert submission(SEQUENCE, near) == submission(SEQUENCE, flows)


def test_a_single_flow(submission):
    assert submission(SEQUENCE, np.array([1.0, 2.0, 3.0, 4.0])) == [0]
    assert submission(SEQUENCE, np.array([[1.0, 2.0, 3.0, 4.0]])) == [0]
