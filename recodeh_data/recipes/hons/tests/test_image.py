"""A persistence image: sum over points of lifetime times a Gaussian at (birth, lifetime)."""

import math

import numpy as np
import pytest

IMAGE = "hons:image"
RES, SIGMA, TOP = 20, 0.1, 1.00001  # the paper's grid, width and largest lifetime


def by_loops(points):
    births, lifetimes = np.linspace(0, 1, RES), np.linspace(0, TOP, RES)
    out = []
    for y in lifetimes:
        for x in births:
            total = 0.0
            for birth, death in points:
                away = (x - birth) ** 2 + (y - (death - birth)) ** 2
                density = math.exp(-away / (2 * SIGMA**2)) / (2 * math.pi * SIGMA**2)
                total += (death - birth) * density
            out.append(total)
    return np.array(out)


def test_equals_a_sum_by_loops(submission):
    diagram = [(0.1, 0.3), (0.0, 1.00001), (0.6, 0.75), (0.25, 0.95), (0.6, 0.75)]
    answer = submission(IMAGE, np.array(diagram))
    assert answer.shape == (RES * RES,)
    assert answer == pytest.approx(by_loops(diagram), rel=1e-10, abs=1e-14)


def test_peak_of_a_point_on_the_grid(submission):
    # Birth 4/19 and lifetime 10/19 of the top are nodes: row 10 (lifetime), column 4 (birth).
    birth, lifetime = 4 / 19, 10 / 19 * TOP
    answer = submission(IMAGE, np.array([[birth, birth + lifetime]]))
    assert int(np.argmax(answer)) == 10 * RES + 4
    assert answer.max() == pytest.approx(lifetime / (2 * math.pi * SIGMA**2), rel=1e-12)


def test_mass_of_an_inner_point_is_its_lifetime(submission):
    # The grid sums the Gaussian to one up to what lies outside; 0.5 is five widths from each edge.
    answer = submission(IMAGE, np.array([[0.5, 1.0]]))
    cell = (1 / 19) * (TOP / 19)
    assert answer.sum() * cell == pytest.approx(0.5, rel=1e-5)


def test_adds_up_over_the_points(submission):
    rng = np.random.default_rng(1)
    births = rng.uniform(0, 0.7, 12)
    diagram = np.column_stack([births, births + rng.uniform(0, 0.3, 12)])
    parts = sum(submission(IMAGE, diagram[k : k + 4]) for k in (0, 4, 8))
    assert submission(IMAGE, diagram) == pytest.approx(parts, rel=1e-10)
    assert submission(IMAGE, diagram[::-1]) == pytest.approx(parts, rel=1e-10)


def test_points_on_the_diagonal_weigh_nothing(submission):
    assert not submission(IMAGE, np.array([[0.3, 0.3], [0.9, 0.9]])).any()
    alone = submission(IMAGE, np.array([[0.2, 0.6]]))
    both = submission(IMAGE, np.array([[0.2, 0.6], [0.5, 0.5]]))
    assert both == pytest.approx(alone, rel=1e-12)


def test_an_empty_diagram_gives_zeros(submission):
    for empty in (np.empty((0, 2)), []):
        answer = submission(IMAGE, empty)
        assert answer.shape == (RES * RES,)
        assert not answer.any()


def test_large_diagrams(submission):
    # 25,001 equal points weigh 25,001 times as much as one does, however they are chunked.
    one = submission(IMAGE, np.array([[0.2, 0.5]]))
    many = submission(IMAGE, np.tile([0.2, 0.5], (25_001, 1)))
    assert many == pytest.approx(25_001 * one, rel=1e-9)


@pytest.mark.parametrize(
    "bad",
    [[[0.1, math.inf]], [[math.nan, 0.2]], [[0.5, 0.4]], [[0.1, 0.2, 0.3]], [0.1, 0.2]],
)
def test_what_is_no_diagram_is_refused(submission, bad):
    assert submission(IMAGE, [[0.1, 0.2]]).any()
    with pytest.raises(ValueError):
        submission(IMAGE, bad)
