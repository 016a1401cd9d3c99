"""What a function needs that is not in it."""

from recodeh.curation.functions import functions_in
from recodeh.curation.surroundings import Surroundings, surroundings

SOURCE = b"""\
import numpy as np
from constants import *

RATE = 0.1


def helper(x):
    return x


def pure(x):
    return helper(np.sum(x)) + len(x)


def needy(x):
    return RATE * x + PLANCK


def outer(scale):
    def core(x):
        return scale * x

    @staticmethod
    def unused():
        pass

    return core


class A:
    def f(self):
        return [RATE for _ in self.g()]

    def f(self):
        return super().f()
"""


def needs(data: bytes) -> dict[str, Surroundings]:
    found = functions_in(data, "m.py", "m").functions
    return {function.address: row for function, row in surroundings(data, found).items()}


def test_constants_star_imports_and_closures_are_told() -> None:
    found = {name: list(row.told()) for name, row in needs(SOURCE).items()}

    assert found == {
        "helper": [],
        "pure": [],
        "needy": ["reads the module's RATE", "takes PLANCK from a star import"],
        "outer": ["returns the inner function core, which is the core"],
        "outer.core": ["closes over scale of the function around it"],
        "outer.unused": [],
        "A.f@1": ["reads the module's RATE"],
        "A.f@2": [],
    }


def test_a_file_that_python_cannot_read_gives_nothing() -> None:
    assert needs(b"def f():\n    print 'x'\n") == {}
