"""Connected groups of flows, against a search over explicit neighbour lists.

Two flows are as far apart as the farther of their origins and of their destinations.
"""

from collections import deque

import numpy as np
import pytest

GROUPS = "scalefc.scalefc:_get_spatially_connected_flow_groups"


def by_search(flows, least, radii):
    radii = np.broadcast_to(radii, len(flows))
    near = []
    for i, (ox, oy, dx, dy) in enumerate(flows):
        origins = np.hypot(flows[:, 0] - ox, flows[:, 1] - oy)
        ends = np.hypot(flows[:, 2] - dx, flows[:, 3] - dy)
        near.append(np.flatnonzero(np.maximum(origins, ends) <= radii[i]).tolist())
    labels, group = [-1] * len(flows), 0
    for seed in range(len(flows)):
        if labels[seed] >= 0 or len(near[seed]) < least:
            continue
        labels[seed], waiting = group, deque([seed])
        while waiting:
            flow = waiting.popleft()
            if len(near[flow]) < least:
                continue
            for other in near[flow]:
                if labels[other] < 0:
                    labels[other] = group
                    waiting.append(other)
        group += 1
    return labels


def bundle(centre, size, seed=0, width=0.1):
    return np.asarray(centre) + width * np.random.default_rng(seed).uniform(-1, 1, (size, 4))


@pytest.mark.parametrize("least", [1, 2, 4, 7])
@pytest.mark.parametrize("seed", range(4))
def test_equals_a_search_with_one_radius(submission, least, seed):
    flows = np.random.default_rng(seed).uniform(0, 3, (70, 4))
    found = submission(GROUPS, flows, least, 0.9)
    assert found.tolist() == by_search(flows, least, 0.9)


@pytest.mark.parametrize("seed", range(4))
def test_equals_a_search_with_a_radius_per_flow(submission, seed):
    rng = np.random.default_rng(10 + seed)
    flows, radii = rng.uniform(0, 3, (70, 4)), rng.uniform(0.3, 1.4, 70)
    for least in (2, 5):
        assert submission(GROUPS, flows, least, radii).tolist() == by_search(flows, least, radii)


def test_bundles_are_groups_and_strays_are_none(submission):
    flows = np.vstack(
        [[[50.0, 0, 0, 0]], bundle([0, 0, 9, 9], 6), bundle([0, 0, 0, 9], 5, 1), [[0, 50.0, 0, 0]]]
    )
    found = submission(GROUPS, flows, 4, 1.0)
    assert found.tolist() == [-1] + [0] * 6 + [1] * 5 + [-1]


def test_both_ends_have_to_be_near(submission):
    # The same origins, destinations apart; and the reverse.
    fan = np.vstack([bundle([0, 0, 9, 0], 4), bundle([0, 0, -9, 0], 4, 1)])
    assert submission(GROUPS, fan, 3, 1.0).tolist() == [0] * 4 + [1] * 4
    assert submission(GROUPS, fan[:, [2, 3, 0, 1]], 3, 1.0).tolist() == [0] * 4 + [1] * 4


def test_a_chain_is_one_group_up_to_the_radius_itself(submission):
    chain = np.array([[x, 0.0, x, 5.0] for x in range(6)])
    assert submission(GROUPS, chain, 2, 1.0).tolist() == [0] * 6
    assert submission(GROUPS, chain, 2, 0.999).tolist() == [-1] * 6
    assert submission(GROUPS, chain, 1, 0.999).tolist() == list(range(6))
    # Three neighbours need one on either side: the ends belong, but are no feature flows.
    assert submission(GROUPS, chain, 3, 1.0).tolist() == [0] * 6
    assert submission(GROUPS, chain, 4, 1.0).tolist() == [-1] * 6


def test_a_flow_between_groups_stays_in_the_first_one(submission):
    # Flow 0 is met first and is no feature flow; both bundles reach it, the first one keeps it.
    left = [[-1.0, y, -1.0, 9 + y] for y in (-0.1, 0.0, 0.1, 0.2)]
    right = [[1.0, y, 1.0, 9 + y] for y in (-0.1, 0.0, 0.1, 0.2)]
    flows = np.array([[0.0, 0.0, 0.0, 9.0], *left, *right])
    radii = np.array([0.5] + [1.05] * 8)
    assert submission(GROUPS, flows, 4, radii).tolist() == [0] + [0] * 4 + [1] * 4
    assert submission(GROUPS, flows[::-1], 4, radii[::-1]).tolist() == [0] * 4 + [1] * 4 + [0]


def test_a_group_does_not_grow_through_flows_that_are_no_feature_flows(submission):
    # The bridge is reached from the left bundle but has too few neighbours of its own.
    left, bridge, right = (-0.05, -0.1, -0.15, -0.2), 1.0, (2.0, 2.9)
    flows = np.array([[x, 0.0, x, 9.0] for x in (*left, bridge, *right)])
    radii = np.array([1.3] * 4 + [1.02] + [0.95] * 2)
    assert submission(GROUPS, flows, 4, radii).tolist() == [0] * 5 + [-1] * 2


def test_place_and_form_of_the_radius_are_idle(submission):
    flows = np.random.default_rng(20).uniform(0, 3, (50, 4))
    plain = submission(GROUPS, flows, 3, 0.8).tolist()
    for radii in ([0.8] * 50, np.full(50, 0.8), tuple([0.8] * 50)):
        assert submission(GROUPS, flows, 3, radii).tolist() == plain
    assert submission(GROUPS, flows + np.array([100.0, -50.0, 7.0, 3.0]), 3, 0.8).tolist() == plain
