"""From a task to the bytes that a model reads: templates beside this module, no clock, no chance.

Only the public part of a task goes in: its reference is in another config, its tests are not used,
and lines that carry the canary are left out.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recodeh.data.keys import content_key
from recodeh.data.records import Instruction, Task
from recodeh.data.regions import lines_of

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent
_CANARY = re.compile(r"canary guid|benchmark data should never appear in training", re.IGNORECASE)
_TICKS = re.compile(r"`{3,}")


@cache
def prompts_version() -> str:
    """The sha256 of all templates; part of a run's settings."""
    return content_key({path.name: path.read_text("utf-8") for path in FOLDER.glob("prompts_*.j2")})


def system_prompt() -> str:
    """The rules of the game, the same for every task."""
    return _render("prompts_system.j2")


def recodeagent_prompt(steps: int, *, native: bool = False) -> str:
    """The rules of the game for an agent that acts."""
    return _render("prompts_recodeagent.j2", steps=steps, native=native)


def command_prompt(target_file: str, task: str, remarks: Sequence[str], written: bool) -> str:
    """What an agent program finds in its folder."""
    values = {"target_file": target_file, "task": task, "remarks": remarks, "written": written}
    return _render("prompts_command.j2", **values)


def task_prompt(task: Task, style: str = "task") -> str:
    """What a model is told about one task, in the words of the template `prompts_STYLE.j2`.

    The same task gives the same text. No test and no reference is in it.
    """
    text = _render(
        f"prompts_{style}.j2",
        symbol=task.symbol,
        target_file=task.target_file,
        title=task.paper.title,
        instruction=task.instruction,
        uses=_uses(task.instruction),
        lines=_lines(task),
        fence=_fence(task.masked_file),
        masked_file=_plain(task.masked_file),
    )
    return without_canary(text, task.canary)


def no_code_prompt(reason: str) -> str:
    """What a model is told when no code could be taken from its reply."""
    return _render("prompts_no_code.j2", reason=reason)


def without_canary(text: str, canary: str) -> str:
    """`text` without the lines that mark it as benchmark data."""
    return "".join(line for line in lines_of(text) if not _is_canary(line, canary))


def _is_canary(line: str, canary: str) -> bool:
    return bool(canary and canary in line) or _CANARY.search(line) is not None


def _plain(text: str) -> str:
    return "\n".join(line.rstrip("\r\n") for line in lines_of(text)).rstrip()


def _uses(instruction: Instruction) -> list[tuple[str, tuple[str, ...]]]:
    names = instruction.dependencies
    rows = [
        ("of this file", names.in_file),
        ("of other files", names.across_files),
        ("of other packages", names.external),
    ]
    return [(kind, found) for kind, found in rows if found]


def _lines(task: Task) -> str:
    """Where the placeholder stands in the file as it is shown, that is, without canary lines."""
    above = lines_of(task.masked_file)[: task.snippet.mask_start - 1]
    hidden = sum(_is_canary(line, task.canary) for line in above)
    first, last = task.snippet.mask_start - hidden, task.snippet.mask_end - hidden
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _fence(text: str) -> str:
    return "`" * max([2, *map(len, _TICKS.findall(text))]) + "`"


def _render(name: str, **values: Any) -> str:
    return _templates().get_template(name).render(values)


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    # Prompts are plain text: autoescape would turn `<` in code into `&lt;`.
    return Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
