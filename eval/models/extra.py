"""Optional packages: imported when a model that needs them is chosen, with a mend when missing."""

import importlib
import importlib.util
from typing import Any

from recodeh.data.errors import InputError


def need(model: str, extra: str, *packages: str) -> None:
    """Check that the packages of an extra are installed, without importing them.

    Raises InputError.
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(
            f"{model} needs {' and '.join(missing)}, not installed here",
            mend=f"pip install 'recodeh[{extra}]'",
        )


def load(package: str) -> Any:
    """A package of an extra; untyped, since whoever reads this code need not have it."""
    return importlib.import_module(package)
