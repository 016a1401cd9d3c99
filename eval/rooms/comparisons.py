"""Comparisons that no empty answer passes, in the judge's room.

Stand-alone. Numpy compares by broadcasting, and an empty array broadcasts against any number: a
submission that returns one would agree with every expected value.
"""

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

STRICT = {
    "numpy": ("allclose",),
    "numpy.testing": (
        "assert_allclose",
        "assert_almost_equal",
        "assert_array_almost_equal",
        "assert_array_equal",
        "assert_array_less",
        "assert_equal",
    ),
}


def refuse_empty(texts: list[str]) -> None:
    """Make the comparisons strict that the tests in `texts` may use; others stay unimported."""
    for module, names in STRICT.items():
        if any(name in text for text in texts for name in names):
            loaded = import_module(module)
            for name in names:
                setattr(loaded, name, _strict(getattr(loaded, name)))
    number: Any = type(pytest.approx(1.0))
    number.__eq__ = _never_empty(number.__eq__)


def _strict(compare: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(compare)
    def strict(actual: Any, desired: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if _empty(actual) != _empty(desired):
            raise AssertionError("an empty array is compared with one that is not empty")
        return compare(actual, desired, *args, **kwargs)

    return strict


def _never_empty(equal: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def __eq__(approximate: Any, actual: Any) -> bool:
        return False if _empty(actual) else equal(approximate, actual)

    return __eq__


def _empty(value: Any) -> bool:
    return getattr(value, "size", 1) == 0 or (type(value) in (list, tuple) and not value)
