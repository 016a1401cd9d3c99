import numpy as np

from ridgepath import RidgePath


def test_without_penalty_it_is_least_squares():
    rng = np.random.default_rng(0)
    design, response = rng.normal(size=(20, 3)), rng.normal(size=20)
    path = RidgePath(design, response)
    assert np.isclose(path.degrees(0.0), 3.0)
