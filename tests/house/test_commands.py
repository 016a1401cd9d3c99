"""Every command has help, stands in the README, and answers bad input with one line and exit 2."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from recodeh_cli import app, run
from typer.core import TyperOption

ROOT = Path(__file__).parents[2]


COMMANDS = typer.main.get_group(app).commands


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_has_help_for_itself_and_its_options(name: str) -> None:
    command = COMMANDS[name]
    assert command.help, "no help"
    for parameter in command.params:
        if isinstance(parameter, TyperOption) and parameter.name != "help":
            assert parameter.help, f"--{parameter.name} has no help"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_stands_in_the_readme(name: str) -> None:
    assert f"recodeh {name}" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_an_unknown_option_is_one_line_and_exit_code_2(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([name, "--no-such-option"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "--no-such-option" in error


def test_an_unknown_command_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["frobnicate"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_version_is_printed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recodeh_cli", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("recodeh 0.")
