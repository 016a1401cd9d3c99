"""The command `recodeh`: mounts the commands of the five folders and turns errors into one line."""

import sys
import warnings
from importlib import import_module
from typing import TextIO

import typer
from typer.exceptions import TyperException

from recodeh.data.errors import RecodehError

app = typer.Typer(
    name="recodeh",
    help="Research-code benchmarks built from papers' own repositories, "
    "and feedback episodes that measure models on them.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

for module in ("builders", "curation", "eval", "cards"):
    app.add_typer(import_module(f"recodeh.{module}.cli").app)


@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    """Print the version where asked; everything else is a command."""
    if version:
        from importlib.metadata import version as installed

        sys.stdout.write(f"recodeh {installed('recodeh')}\n")
        raise typer.Exit


def main(arguments: list[str] | None = None) -> None:
    """Run the command line: exit 0 when done, 1 when a fault was found, 2 for a wrong call."""
    warnings.showwarning = _warn
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code; an error is one line on standard error."""
    try:
        code = typer.main.get_command(app).main(
            arguments, prog_name="recodeh", standalone_mode=False
        )
    except TyperException as error:
        command = f"recodeh {arguments[0]}" if arguments and arguments[0] in _names() else "recodeh"
        message = error.format_message().rstrip(".")
        return _fail(f"{message} (see `{command} --help`)", error.exit_code)
    except RecodehError as error:
        return _fail(str(error), error.exit_code)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _fail(f"{place}{error.strerror or error}", 2)
    except (typer.Abort, KeyboardInterrupt):
        return _fail("stopped; run the same command again to go on", 130)
    return code if isinstance(code, int) else 0


def _names() -> list[str]:
    return list(typer.main.get_group(app).commands)


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    sys.stderr.write(f"recodeh: warning: {' '.join(str(message).split())}\n")


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"recodeh: {' '.join(message.split())}\n")
    return code


if __name__ == "__main__":
    main()
