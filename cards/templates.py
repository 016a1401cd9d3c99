"""Fills the templates that lie beside this module."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def asset(name: str) -> str:
    """The text of a file beside this module."""
    return files("recodeh.cards").joinpath(name).read_text(encoding="utf-8")


def render(name: str, values: dict[str, Any]) -> str:
    """Fill a template; in `.html.j2` every value is escaped, and a missing value is an error."""
    return _environment().get_template(name).render(values)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(asset),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
