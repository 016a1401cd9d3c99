"""What a command prints: lines for a person, or with `--json` one object for a program."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


PLAIN_WIDTH = 100
"""Columns of a table where standard output is no terminal, for instance in a log."""


class Console:
    """Lines go to standard output; under `--json` they are silent and one object takes their place.

    Progress goes to standard error, and only where that is a terminal.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json

    def say(self, line: str = "") -> None:
        """Print one line for a person."""
        if not self.as_json:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    def show(self, renderable: Any) -> None:
        """Print a rich table or text for a person."""
        if not self.as_json:
            from rich.console import Console as RichConsole

            screen = RichConsole()
            RichConsole(width=None if screen.is_terminal else PLAIN_WIDTH).print(renderable)

    def result(self, value: Mapping[str, Any]) -> None:
        """Print the command's one machine-readable object."""
        if self.as_json:
            sys.stdout.write(json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n")

    @contextmanager
    def progress(
        self, what: str, total: int | None = None, *, shown: bool = True
    ) -> "Iterator[Callable[[], None]]":
        """Show a bar while the block runs; the block calls the yielded function once per item.

        A block that talks to a person itself asks for a bar that is not `shown`.
        """
        from rich.console import Console as RichConsole
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed

        screen = RichConsole(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Elapsed())
        quiet = self.as_json or not shown or not screen.is_terminal
        with Progress(*columns, console=screen, transient=True, disable=quiet) as bar:
            task = bar.add_task(what, total=total)
            yield lambda: bar.advance(task)
