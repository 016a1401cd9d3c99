"""The agent's commands as native tools, for models that call tools better than they write tags."""

import json
from collections.abc import Mapping
from typing import Any, Final

from recodeh.eval.actions import Action, Fault
from recodeh.eval.models.model import Tool, ToolCall

_SHAPES: Final[Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
    "list": ("The files of the repository, or of one folder.", (), ("folder",)),
    "read": ("A file, or some of its lines, as 10 or 10-40.", ("path",), ("lines",)),
    "search": ("Lines that hold a text.", ("text",), ()),
    "symbol": ("Where a function or class is defined.", ("name",), ()),
    "write": (
        "Write the whole region, indented as it stands in the file, without lines around it.",
        ("code",),
        (),
    ),
    "edit": (
        "Put code in the place of lines of the region (as 3 or 3-5), or, without lines, apply "
        "blocks of <<<<<<< SEARCH, =======, >>>>>>> REPLACE.",
        ("code",),
        ("lines",),
    ),
    "run": ("Run a Python script in the repository, with the region in place.", ("code",), ()),
    "diff": ("What changed since the last submission.", (), ()),
    "undo": ("Take back the last write or edit.", (), ()),
    "submit": ("Hand the region in and end the turn.", (), ()),
}
"""Of each command: what it does, its needed and its optional arguments."""


def _tool(name: str) -> Tool:
    told, needed, optional = _SHAPES[name]
    properties = {argument: {"type": "string"} for argument in (*needed, *optional)}
    schema = {"type": "object", "properties": properties, "required": list(needed)}
    return Tool(name, told, schema)


TOOLS: Final = tuple(_tool(name) for name in _SHAPES)


def action_of(calls: tuple[ToolCall, ...]) -> Action | Fault:
    """The first of a reply's calls as an action."""
    call = calls[0]
    if call.name not in _SHAPES:
        return Fault(f"there is no tool {call.name[:40]!r}: it is one of {', '.join(_SHAPES)}")
    try:
        given = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        return Fault(f"the arguments of {call.name} are no JSON: {error}")
    return _action(call.name, given, len(calls) - 1)


def _action(name: str, given: Any, ignored: int) -> Action | Fault:
    _, needed, optional = _SHAPES[name]
    if not isinstance(given, dict) or any(not isinstance(v, str) for v in given.values()):
        return Fault(f"the arguments of {name} are an object of texts")
    missing = [argument for argument in needed if not given.get(argument, "").strip()]
    if missing:
        return Fault(f"{name} needs {', '.join(missing)}")
    names = [argument for argument in (*needed, *optional) if argument != "code"]
    argument = " ".join(filter(None, (given.get(one, "").strip() for one in names)))
    code = given.get("code", "")
    return Action(name, argument, code if not code or code.endswith("\n") else f"{code}\n", ignored)
