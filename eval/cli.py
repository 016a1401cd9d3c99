"""Commands of `recodeh.eval`."""

import typer

app = typer.Typer()
