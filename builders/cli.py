"""Commands of `recodeh.builders`."""

import typer

app = typer.Typer()
