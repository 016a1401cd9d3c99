"""The text protocol of an agent that acts: prose, then one action between `<act>` and `</act>`.

    I look at the helper first.
    <act>
    read scaling/core.py 10-40
    </act>

The first line in the tags is the command with its argument, the lines below are its body, verbatim.
Only tags at the start of a line count, so neither the word "action" in the prose nor any code in a
body can be taken for one.
"""

import re
from dataclasses import dataclass
from typing import Final

from recodeh.eval.fences import plain

COMMANDS: Final = (
    *("list", "read", "search", "symbol", "write", "edit"),
    *("run", "diff", "undo", "submit"),
)
WITH_BODY: Final = ("write", "edit", "run")

_BLOCK = re.compile(
    r"^[ \t]*<act>(?P<inner>.*?)(?:^[ \t]*</act>|</act>[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_FENCE = re.compile(r"\A\s*(?P<mark>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)\n?(?P=mark)\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Action:
    """One command of an agent."""

    name: str
    argument: str = ""
    body: str = ""
    ignored: int = 0
    """How many more actions the reply held: one step, one action."""


@dataclass(frozen=True)
class Fault:
    """Why there is no action in a reply, in words for the model."""

    reason: str


def parse_action(reply: str) -> Action | Fault:
    """The first action of a reply."""
    found = [match["inner"] for match in _BLOCK.finditer(plain(reply))]
    if not found:
        return Fault("there is no action: put one between <act> and </act>, each on its own line")
    head, _, body = found[0].lstrip(" \t").removeprefix("\n").partition("\n")
    name, _, argument = head.strip().partition(" ")
    if name not in COMMANDS:
        return Fault(f"there is no command {name[:40]!r}: it is one of {', '.join(COMMANDS)}")
    if name in WITH_BODY and not body.strip():
        return Fault(f"{name} needs its text on the lines below the command")
    return Action(name, argument.strip(), _unfenced(body), len(found) - 1)


def _unfenced(body: str) -> str:
    """The body without a fence around all of it, which models add by habit."""
    fenced = _FENCE.match(body)
    code = fenced["code"] + "\n" if fenced else body
    return code if code.endswith("\n") or not code else code + "\n"
