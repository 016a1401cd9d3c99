"""Gives tests the `submission` fixture in one process: copy it beside them as `conftest.py`.

For a look at the tests with the source on the import path; a verdict needs the two rooms.
"""

import random
from functools import reduce
from importlib import import_module
from typing import Any

import pytest


class Submission:
    """Calls `package.module:function` right here."""

    def get(self, target: str) -> Any:
        """The value of a module's name."""
        module, _, path = target.partition(":")
        return reduce(getattr, filter(None, path.split(".")), import_module(module))

    def __call__(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call `target`."""
        return self.get(target)(*args, **kwargs)


@pytest.fixture(scope="session")
def submission() -> Submission:
    """The code under test."""
    return Submission()


@pytest.fixture(autouse=True)
def _same_random_state() -> None:
    random.seed(0)
    with_numpy = pytest.importorskip("numpy.random")
    with_numpy.seed(0)
