"""Sortability by paths, against a walk over the graph with sets of nodes."""

import numpy as np
import pytest

ALIGN = "CausalDisco.analytics:order_alignment_paths"


def chain(d, weight=1.0):
    return np.diag(np.full(d - 1, weight), 1)


def by_walk(graph, scores, tol=0.0):
    """Pairs per exact path length, found by stepping from sets of nodes to their children."""
    d, right, pairs = len(graph), 0.0, 0
    for start in range(d):
        reached = {start}
        for _ in range(d - 1):
            reached = {j for i in reached for j in range(d) if graph[i, j] != 0}
            for end in reached:
                gain = scores[end] - scores[start]
                right += 1.0 if gain > tol else 0.5 if gain >= -tol else 0.0
                pairs += 1
    return right / pairs


def random_dag(seed, d):
    rng = np.random.default_rng(seed)
    graph = np.triu(rng.normal(size=(d, d)) * (rng.uniform(size=(d, d)) < 0.45), 1)
    graph[0, d - 1] = 1.0  # at least one edge
    shuffle = rng.permutation(d)
    return graph[np.ix_(shuffle, shuffle)], rng.normal(size=d).round(1)


def test_chains_by_hand(submission):
    # 0 -> 1 -> 2 has the pairs 01, 12 and, by the longer path, 02.
    for scores, expected in (
        ([1, 2, 3], 1.0),
        ([3, 2, 1], 0.0),
        ([5, 5, 5], 0.5),
        ([1, 3, 2], 2 / 3),
        ([1, 1, 2], 2.5 / 3),
    ):
        assert submission(ALIGN, chain(3), np.array(scores)) == pytest.approx(expected)


def test_a_pair_counts_once_per_path_length(submission):
    # 0 -> 1 -> 2 and 0 -> 2: the pair 02 counts for length one and again for length two.
    graph = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert submission(ALIGN, graph, np.array([1.0, 5.0, 2.0])) == pytest.approx(3 / 4)
    # Two paths of length two from 0 to 3 count once: pairs 01, 02, 13, 23 and 03.
    diamond = np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    assert submission(ALIGN, diamond, np.array([1.0, 0.0, 2.0, 3.0])) == pytest.approx(4 / 5)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("tol", [0.0, 0.25])
def test_equals_a_walk_over_the_graph(submission, seed, tol):
    graph, scores = random_dag(seed, 6)
    found = submission(ALIGN, graph, scores, tol=tol)
    assert found == pytest.approx(by_walk(graph, scores, tol))


def test_the_longest_path_counts(submission):
    # Only the pair of the ends, joined by the path of length four, is sorted wrongly.
    found = submission(ALIGN, chain(5), np.array([4.5, 5.0, 6.0, 7.0, 4.0]))
    assert found == pytest.approx(by_walk(chain(5), [4.5, 5.0, 6.0, 7.0, 4.0]))
    assert found == pytest.approx(6 / 10)


def test_reversed_scores_give_the_complement(submission):
    graph, scores = random_dag(20, 7)
    forward, backward = submission(ALIGN, graph, scores), submission(ALIGN, graph, -scores)
    assert forward + backward == pytest.approx(1)


def test_weights_and_the_scale_of_scores_are_idle(submission):
    graph, scores = random_dag(21, 6)
    plain = submission(ALIGN, (graph != 0).astype(int), scores)
    assert submission(ALIGN, -3.0 * graph, scores) == pytest.approx(plain)
    assert submission(ALIGN, graph, 100 * scores + 7) == pytest.approx(plain)
    assert submission(ALIGN, graph, scores.reshape(1, -1)) == pytest.approx(plain)


def test_the_tolerance_turns_small_differences_into_draws(submission):
    # Halves are exact in binary: a difference equal to the tolerance is a draw, both ways.
    scores = np.array([0.0, 0.5, 0.25])
    assert submission(ALIGN, chain(3), scores) == pytest.approx(2 / 3)
    assert submission(ALIGN, chain(3), scores, tol=0.25) == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert submission(ALIGN, chain(3), scores, tol=0.5) == pytest.approx(0.5)
    assert submission(ALIGN, chain(3), scores[::-1], tol=0.25) == pytest.approx(0.5 / 3 + 0.5 / 3)


def test_a_negative_tolerance_is_refused(submission):
    assert submission(ALIGN, chain(2), np.array([0.0, 1.0]), tol=0.0) == 1
    with pytest.raises(AssertionError):
        submission(ALIGN, chain(2), np.array([0.0, 1.0]), tol=-1e-9)
