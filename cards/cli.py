"""Commands of `recodeh.cards`."""

import typer

app = typer.Typer()
